"""Recall by states: the task, equal contenders, the stored runs and hypotheses."""

import pytest
import torch

from attnlab.experiments.recurrences import (
    EVERY,
    KEYS,
    PAIRS,
    PARAMETERS,
    build,
    half_recalled,
    kept_numbers,
    make_batch,
    measure_recurrences,
    right_without_order,
    verdicts,
)
from attnlab.recurrent import count_parameters
from attnlab.store import load, metrics, select


def test_make_batch_answers_with_value_after_key():
    torch.manual_seed(0)
    tokens, values, back = make_batch(8, 5)
    assert tokens.shape == (5, 24)
    for row, answers, distances in zip(tokens, values, back, strict=True):
        listed = dict(zip(row[:16:2].tolist(), row[1:16:2].tolist(), strict=True))
        assert len(listed) == 8
        assert [listed[k] - KEYS for k in row[16:].tolist()] == answers.tolist()
        places = torch.arange(16, 24) - distances
        assert (row[places] - KEYS).tolist() == answers.tolist()


@pytest.mark.parametrize("contender", EVERY)
def test_recallers_are_causal_with_equal_parameters(contender):
    torch.manual_seed(0)
    model = build(contender).eval()
    assert count_parameters(model) == pytest.approx(PARAMETERS, rel=0.01)
    tokens = make_batch(4, 2)[0]
    changed = tokens.clone()
    changed[:, 7:] = 0
    torch.testing.assert_close(model(tokens)[:, :7], model(changed)[:, :7])


def test_kept_numbers_grow_only_for_softmax():
    for name, grows in (("softmax", True), ("window", False), ("delta, side 4", False)):
        assert (kept_numbers(name, 64) > kept_numbers(name, 32)) == grows
    assert kept_numbers("delta, side 4", 32) == 2 * 4 * 4
    assert kept_numbers("softmax", 32) == 2 * 2 * 24 * 32


def test_half_recalled_is_where_recall_crosses_half():
    assert half_recalled({2: 1.0, 4: 0.75, 8: 0.25}) == pytest.approx(32**0.5)
    assert half_recalled({2: 1.0, 4: 0.9}) is None
    assert half_recalled({2: 0.4, 4: 0.1}) == 2


def test_right_without_order_is_chance():
    assert right_without_order(1) == 1
    assert right_without_order(2) == pytest.approx(0.5 + 0.5 / 16, abs=0.005)


def test_softmax_recalls_more_than_small_state():
    torch.manual_seed(0)
    options = {"seed": 0, "lr": 1e-2, "steps": 150}
    softmax = measure_recurrences(contender="softmax", **options)["right"]
    state = measure_recurrences(contender="linear, side 2", **options)["right"]
    assert softmax[16] > 0.9 and state[16] < 0.3


def test_recurrence_verdicts_follow_stored_seeds():
    found = verdicts()
    assert set(found) == {f"H{i}" for i in range(1, 8)}
    right = metrics("recurrences", contender="softmax", before=True)
    mean = sum(run["right"]["16"] for run in right) / len(right)
    assert found["H1"]["right"][PAIRS[-1]] == pytest.approx(mean)


def test_side_16_at_every_rate_repeats_the_runs_of_h7():
    for before in load("recurrences.wider")["runs"]:
        (again,) = (
            run
            for run in select(load("recurrences.rates"), **before["setting"])
            if run["seed"] == before["seed"]
        )
        assert again["figures"] == before["figures"]
