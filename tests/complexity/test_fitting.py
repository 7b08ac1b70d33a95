"""Exponents and crossings."""

import math

import numpy as np
import pytest

from attnlab.complexity import crossing, fit_exponents

SIZES = [(n, d) for n in (32, 64, 128, 256, 512) for d in (16, 64, 256)]


def power_law(noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return [
        {"n": n, "d": d, "seconds": 3e-9 * n**2 * d * math.exp(noise * rng.normal())}
        for n, d in SIZES
    ]


def test_fit_exponents_recovers_exact_power_law():
    found = fit_exponents(power_law())
    for size, exponent in [("n", 2), ("d", 1)]:
        assert found[size] == pytest.approx((exponent,) * 3)


def test_fit_interval_has_nominal_coverage():
    hits = [
        low <= 2 <= high
        for seed in range(200)
        for low, _, high in [fit_exponents(power_law(0.2, seed), resamples=200)["n"]]
    ]
    assert 0.88 <= np.mean(hits) <= 0.99


def test_crossing_outside_measured_sizes_is_unbounded():
    first, second = (
        [{"median": v, "low": v / 1.1, "high": v * 1.1} for v in values]
        for values in ((1, 1.05), (1.05, 1))
    )
    found = crossing([16, 64], first, second)
    assert 16 < found.value < 64
    assert (found.low, found.high) == (0, math.inf)
