"""Exponents and crossings."""

import math

import numpy as np
import pytest

from attnlab.complexity import crossing, fit_exponents, larger_half
from attnlab.complexity.grid import size_grid

SIZES = [(n, d) for n in (32, 64, 128, 256, 512) for d in (16, 64, 256)]


def power_law(noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return [
        {"n": n, "d": d, "seconds": 3e-9 * n**2 * d * math.exp(noise * rng.normal())}
        for n, d in SIZES
    ]


def test_an_exact_power_law_is_found_exactly():
    found = fit_exponents(power_law())
    for size, exponent in [("n", 2), ("d", 1)]:
        assert found[size] == pytest.approx((exponent,) * 3)


def test_the_interval_holds_the_truth_about_as_often_as_it_says():
    hits = [
        low <= 2 <= high
        for seed in range(200)
        for low, _, high in [fit_exponents(power_law(0.2, seed), resamples=200)["n"]]
    ]
    assert 0.88 <= np.mean(hits) <= 0.99


def test_the_same_points_give_the_same_interval():
    points = power_law(0.1)
    assert fit_exponents(points) == fit_exponents(points)
    low, value, high = fit_exponents(points)["d"]
    assert low < value < high


def test_a_sum_of_two_laws_has_an_exponent_in_between():
    points = [
        {"n": n, "d": 64, "flops": 8 * n * 64**2 + 4 * n**2 * 64} for n, _ in SIZES
    ]
    assert 1.2 < fit_exponents(points, "flops", ["n"])["n"].value < 1.8


def test_the_larger_half_is_the_larger_half():
    points = [{"n": n} for n in (5, 1, 4, 2)]
    assert larger_half(points, lambda p: p["n"]) == [{"n": 5}, {"n": 4}]


def band(values, width=1.1):
    return [{"median": v, "low": v / width, "high": v * width} for v in values]


def test_power_laws_cross_where_they_are_equal():
    sizes = [16, 64, 256, 1024]
    first = band([n**2 for n in sizes])
    second = band([100 * n for n in sizes])
    low, value, high = crossing(sizes, first, second)
    assert value == pytest.approx(100)
    assert low == pytest.approx(100 / 1.21)
    assert high == pytest.approx(100 * 1.21)


def test_curves_that_do_not_cross_have_no_crossing():
    sizes = [16, 64, 256]
    low, high = band([1, 2, 3]), band([10, 20, 30])
    assert crossing(sizes, low, high) is None
    assert crossing(sizes, high, low) is None


def test_a_bound_beyond_the_measured_sizes_is_open():
    sizes = [16, 64]
    found = crossing(sizes, band([1, 1.05]), band([1.05, 1]))
    assert 16 < found.value < 64
    assert (found.low, found.high) == (0, math.inf)


def test_formulas_fitted_over_a_grid_have_the_exponents_of_the_table():
    from attnlab.complexity import LAYERS

    for name, exponents in [("attention", (2, 1)), ("gru", (1, 2))]:
        points = [
            {**s, "flops": LAYERS[name].flops(s["n"], s["d"])}
            for s in size_grid([name], [32, 64, 128], [16, 32])
        ]
        found = fit_exponents(points, "flops")
        assert (found["n"].value, found["d"].value) == pytest.approx(exponents)


def test_a_measured_point_may_say_more_than_its_figures():
    def points(*medians):
        return [{"median": x, "low": x, "high": x, "layer": "gru"} for x in medians]

    assert crossing([1, 2, 4], points(1, 2, 4), points(2, 2, 2)) is not None
