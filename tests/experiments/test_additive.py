"""What makes the additive score slow: every place is stored, and what was found."""

from itertools import product

import pytest

from attnlab.experiments import additive, timings
from attnlab.experiments.additive import (
    QUERIES,
    THREADS,
    Place,
    measure_additive,
    ratios,
)
from attnlab.store import load, select

MANY = [queries for queries in QUERIES if queries > 1]
FUSED = {"by entries, fused", "no tanh, fused", "additive, fused"}


def test_a_place_in_words():
    assert str(Place("A", "AVX2", 1)) == "A, AVX2, one thread"
    assert str(Place("A", "AVX2", 2)) == "A, AVX2, 2 threads"


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


def test_every_place_is_stored_for_all_kernels():
    results = load("additive")
    for queries, threads, kernels in product(
        QUERIES, THREADS, ("AVX512", "AVX2", "DEFAULT")
    ):
        runs = select(results, queries=queries, threads=threads, kernels=kernels)
        assert len(runs) >= 3, (queries, threads, kernels)
        for run in runs:
            assert run["machine"]["threads"] == threads
            assert run["machine"]["cpu"] == run["setting"]["cpu"]
            assert set(run["figures"]) > FUSED
    assert len({place.cpu for place in ratios("additive", "dot", 16)}) >= 2


@pytest.mark.parametrize("queries", MANY)
def test_the_additive_score_is_slower_everywhere_and_so_is_going_by_entries(queries):
    for way in ("", ", fused"):
        assert min(ratios(f"additive{way}", "dot", queries).values()) > 10
        assert min(ratios(f"by entries{way}", "dot", queries).values()) > 1.4


@pytest.mark.parametrize("queries", MANY)
def test_in_one_loop_most_of_its_time_is_the_tanh(queries):
    rest = ratios("no tanh, fused", "additive, fused", queries)
    assert max(rest.values()) < 0.3
    entries = ratios("by entries, fused", "dot", queries)
    step_by_step = ratios("by entries", "dot", queries)
    assert all(entries[place] < step_by_step[place] for place in entries)
