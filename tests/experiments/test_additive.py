"""What makes the additive score slow: how it is measured and read."""

from attnlab.experiments import additive, timings
from attnlab.experiments.additive import (
    Place,
    measure_additive,
    ratios,
)


def test_a_ratio_is_the_median_of_its_repeats(monkeypatch):
    def made(threads, metrics, **setting):
        machine = {"cpu": "A", "threads": threads}
        setting = {"queries": 16, "kernels": "K", **setting}
        return {"setting": setting, "seed": 0, "machine": machine, "figures": metrics}

    stored = {
        "additive": [
            made(2, {"dot": 1.0, "tanh": tanh, "additive": 8.0})
            for tanh in (4.0, 2.0, 7.0)
        ],
        "timings": [
            made(1, {"dot": 1.0, "additive": 3.0}, question="scores"),
            made(1, {"dot": 1.0, "additive": 9.0}, question="other"),
        ],
    }
    monkeypatch.setattr(additive, "load", lambda name: {"runs": stored[name]})
    one, two = Place("A", "K", 1), Place("A", "K", 2)
    assert ratios("additive", "dot", 16) == {one: 3.0, two: 8.0}
    assert ratios("tanh", "additive", 16) == {two: 0.5}  # the other has no tanh
    assert ratios("additive", "dot", 64) == {}


def test_one_measurement_has_both_ways_on_so_many_threads(monkeypatch):
    asked = []

    def measure(*, question, **options):
        asked.append(options)
        return {"dot": 1.0, question: 2.0}

    monkeypatch.setattr(timings, "measure", measure)
    metrics = measure_additive(seed=3, queries=5, threads=2, kernels="K", cpu="A")
    assert metrics == {"dot": 1.0, "scores": 2.0, "fused scores": 2.0}
    assert asked == 2 * [{"seed": 3, "threads": 2, "queries": 5}]
