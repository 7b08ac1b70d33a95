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


def recall(rule, pairs, d=64, alike=0.0):
    runs = metrics("interference", rule=rule, d=d, alike=alike)
    return sum(run["right"][str(pairs)] for run in runs) / len(runs)


def test_interference_small_run_is_near_stored():
    live = measure_interference(seed=9, rule="delta", d=32, alike=0.0)["right"]
    for pairs, share in live.items():
        assert share == pytest.approx(recall("delta", pairs, 32), abs=0.05)


@pytest.mark.parametrize("rule", PREDICTED)
@pytest.mark.parametrize("alike", [0.0, 0.2, 0.5])
def test_expected_recall_is_near_measured(rule, alike):
    for pairs in (32, 128, 384, 768):
        expected = expected_recall(rule, pairs, 64, alike)
        assert expected == pytest.approx(recall(rule, pairs, alike=alike), abs=0.1)


def test_read_all_orthogonal_keys_is_exact():
    values = draw_pairs(4, 8, 0.0, 2, seed=0)[1]
    keys = torch.eye(8)[:4].expand(2, 4, 8)
    for rule in ("sum", "delta", "least squares"):
        assert (read_all(rule, keys, values) - values).abs().max() < 1e-5


def test_recall_grows_with_state_size():
    right = [
        metrics("interference.small", rule="sum", d=d)[0]["right"]["8"]
        for d in (2, 4, 8)
    ]
    assert right == sorted(right)
