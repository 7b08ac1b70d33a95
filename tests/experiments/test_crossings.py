"""Crossings: what is compared differs in the heads alone."""

import pytest

from attnlab.experiments import crossings
from attnlab.experiments.crossings import measure_crossing, ratios


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


@pytest.mark.slow
def test_what_is_stored_is_what_is_measured():
    """Heads cost time on any machine."""
    metrics = measure_crossing(seed=0, kernels="here", n=256, d=64, batch=8)
    assert metrics["bare 8"] > 1.3 * metrics["bare 1"]
