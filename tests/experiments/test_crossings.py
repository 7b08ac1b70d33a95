"""Crossings: what is compared differs in the heads alone."""

import pytest
import torch

from attnlab.complexity import count_parameters
from attnlab.experiments import crossings
from attnlab.experiments.crossings import longest, measure_crossing, ratios
from attnlab.experiments.timings import QUESTIONS

NAMES = ["GRU", "LSTM", "RNN", "heads 1", "bare 1", "heads 8", "bare 8"]


@torch.no_grad()
def test_all_calls_do_one_batch_and_heads_cost_no_parameters():
    calls = QUESTIONS["recurrence"](n=5, d=16, batch=2)
    assert list(calls) == NAMES
    assert {tuple(call().shape) for call in calls.values()} == {(2, 5, 16)}
    one, eight = (calls[f"heads {heads}"].func for heads in (1, 8))
    assert count_parameters(one) == count_parameters(eight) == 4 * 16**2 + 4 * 16


def test_a_ratio_is_the_median_of_its_repeats(monkeypatch):
    runs = [
        {
            "setting": {
                "n": n,
                "d": 64,
                "batch": 8,
                "training": False,
                "kernels": "A",
            },
            "seed": seed,
            "figures": {"GRU": 1.0, "RNN": 0.5, "bare 1": ratio},
        }
        for n, repeats in ((32, (9.0, 2.0, 3.0)), (16, (1.0, 1.5, 0.5)))
        for seed, ratio in enumerate(repeats)
    ]
    monkeypatch.setattr(crossings, "load", lambda name: {"name": name, "runs": runs})
    assert ratios("bare 1", "RNN", 64, 8) == {"A": {16: 2.0, 32: 6.0}}


def test_the_longest_is_looked_for_below_n_equal_to_d_alone(monkeypatch):
    found = {64: {"A": {32: 2.0, 64: 9.0}}, 256: {"A": {128: 3.0, 256: 8.0}}}
    monkeypatch.setattr(crossings, "ratios", lambda *pair: found[pair[2]])
    assert longest("bare 1", "RNN", 8) == {"A": 3.0}


@pytest.mark.slow
def test_what_is_stored_is_what_is_measured():
    """Heads cost time on any machine."""
    metrics = measure_crossing(seed=0, kernels="here", n=256, d=64, batch=8)
    assert metrics["bare 8"] > 1.3 * metrics["bare 1"]
