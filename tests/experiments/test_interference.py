"""How many pairs fit in a state: what is stored, measured again, and predicted."""

import pytest
import torch

from attnlab.experiments.interference import (
    PREDICTED,
    draw_pairs,
    expected_recall,
    measure_interference,
    read_all,
)
from attnlab.store import metrics


def stored(rule, pairs, d=64, alike=0.0):
    runs = metrics("interference", rule=rule, d=d, alike=alike)
    return sum(run["right"][str(pairs)] for run in runs) / len(runs)


def test_live_shares_lie_near_the_stored_ones():
    live = measure_interference(seed=9, rule="delta", d=32, alike=0.0)["right"]
    for pairs, share in live.items():
        assert share == pytest.approx(stored("delta", pairs, 32), abs=0.05)


@pytest.mark.parametrize("rule", PREDICTED)
@pytest.mark.parametrize("alike", [0.0, 0.2, 0.5])
def test_predictions_lie_near_what_is_measured(rule, alike):
    for pairs in (32, 128, 384, 768):
        expected = expected_recall(rule, pairs, 64, alike)
        assert expected == pytest.approx(stored(rule, pairs, alike=alike), abs=0.1)


def test_keys_that_are_alike_turn_sum_and_delta_round():
    assert stored("sum", 256) > stored("delta", 256) + 0.4
    assert stored("delta", 256, alike=0.5) > 3 * stored("sum", 256, alike=0.5)


def test_delta_rule_forgets_the_old_and_the_sum_does_not():
    lost = {}
    for rule in ("sum", "delta"):
        ages = metrics("interference", rule=rule, d=64, alike=0.0)[0]["by_age"]
        lost[rule] = (sum(ages[:4]) - sum(ages[-4:])) / 4
    assert lost["delta"] > 0.7 and abs(lost["sum"]) < 0.1


def test_few_orthogonal_keys_are_read_exactly():
    values = draw_pairs(4, 8, 0.0, 2, seed=0)[1]
    keys = torch.eye(8)[:4].expand(2, 4, 8)
    for rule in ("sum", "delta", "least squares"):
        assert (read_all(rule, keys, values) - values).abs().max() < 1e-5


def test_larger_ones_of_small_states_hold_more():
    right = [
        metrics("interference.small", rule="sum", d=d)[0]["right"]["8"]
        for d in (2, 4, 8)
    ]
    assert right == sorted(right)
