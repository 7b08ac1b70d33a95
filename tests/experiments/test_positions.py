"""Chapter 5's experiment: its tasks, its schemes, and a small run."""

from functools import partial

import pytest
import torch

from attnlab.attention import window_mask
from attnlab.experiments import positions
from attnlab.experiments.positions import (
    LEARNED_START,
    TASKS,
    TIMES,
    RandomStart,
    build,
    digit_pairs,
    make_data,
    right_by_quarter,
    seeing_only,
)
from attnlab.positions import SinusoidalPositions

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("task", TASKS)
def test_positions_test_numbers_are_longer_and_unseen(task):
    pairs, tests = make_data(task)
    longest = {k: max(len(src) for src, _ in test) for k, test in tests.items()}
    assert list(tests) == list(TIMES)
    assert max(len(src) for src, _ in pairs) < longest[2] < longest[4]
    if task == "places":
        known = {number for group in pairs.numbers for number in group}
        assert known.isdisjoint(n for group in tests[4].numbers for n in group)


def test_random_start_shifts_positions_only_in_training():
    torch.manual_seed(0)
    x, formula = torch.zeros(1, 3, 8), SinusoidalPositions(8)
    random_start = RandomStart(formula, max_length=50)
    starts = {tuple(random_start(x)[0, 0].tolist()) for _ in range(20)}
    assert len(starts) > 5
    assert torch.equal(random_start.eval()(x), formula(x))


def test_right_by_quarter_is_share_per_quarter(monkeypatch):
    pairs = digit_pairs("reverse", (14, 14), 5, seed=0)  # 16 tokens: 4 a quarter
    half_right = [tgt[:8] + [-1] * 8 for _, tgt in pairs]
    monkeypatch.setattr(positions, "answers", lambda model, pairs: half_right)
    assert right_by_quarter(None, pairs) == [1.0, 1.0, 0.0, 0.0]


def test_random_start_trains_late_rows_of_learned_table():
    torch.manual_seed(0)
    model = build("previous", LEARNED_START, max_length=40)
    table = model.positions.positions.table
    for _ in range(50):
        model(torch.arange(3, 13)[None]).sum().backward()
    assert table.grad.shape == (40, 64)
    assert table.grad[30:].abs().max() > 0


def test_seeing_only_restricts_to_window_and_restores():
    torch.manual_seed(0)
    model = build("previous", "none", max_length=40)
    tokens = torch.arange(3, 13)[None]  # (1, 10)
    changed = tokens.clone()
    changed[0, 9] = 3
    with seeing_only(model, partial(window_mask, radius=2)):
        before, after = model(tokens), model(changed)
    torch.testing.assert_close(before[0, :7], after[0, :7])
    assert not torch.allclose(before[0, 7:], after[0, 7:])
    assert not torch.allclose(model(tokens)[0, :7], model(changed)[0, :7])
