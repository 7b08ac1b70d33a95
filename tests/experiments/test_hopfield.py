"""Capacities: the stored ones again."""

import pytest

from attnlab.experiments.hopfield import measure_capacity
from attnlab.store import load, select


@pytest.mark.parametrize(("network", "d"), [("classical", 64), ("modern", 16)])
def test_hopfield_stored_result_equals_a_fresh_run(network, d):
    for run in select(load("hopfield"), network=network, d=d)[:2]:
        found = measure_capacity(seed=run["seed"], network=network, d=d)
        assert found["capacity"] == pytest.approx(run["figures"]["capacity"], rel=1e-3)
