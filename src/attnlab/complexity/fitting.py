"""Exponents and crossings read off measured points.

A point is a dict with its sizes and what was measured there, such as
`{"n": 256, "d": 64, "seconds": 0.0012}`.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from attnlab.checks import check_integer


class Interval(NamedTuple):
    """A value with the interval it may lie in."""

    low: float
    value: float
    high: float


def fit_exponents(
    points: Sequence[dict],
    value: str = "seconds",
    sizes: Sequence[str] = ("n", "d"),
    *,
    resamples: int = 2000,
    seed: int = 0,
) -> dict[str, Interval]:
    """Fit value = c · n^a · d^b to the points; return a and b with 95% intervals.

    Least squares on the logarithms. The intervals come from a bootstrap: the residuals,
    widened for the parameters they were fitted with, are dealt out anew to the fitted
    values, and the exponents fitted again (Davison and Hinkley 1997, section 6.3).
    They cover the scatter around a power law, not that the law is one.

    Args:
        points: one dict each, with `value` and the sizes, all positive.
        value: what to explain.
        sizes: whose exponents to fit. One that is the same in all points has none.
        resamples: of the bootstrap.
        seed: of the bootstrap; the same points give the same interval.

    Returns:
        The exponent's interval for every size.

    Raises:
        TypeError: the resamples or the seed are no integer.
        ValueError: too few points, a size that never varies, sizes that only vary
            together, or a value that is not positive.
    """
    check_integer("resamples", resamples, 1)
    check_integer("seed", seed, 0)
    if len(points) < len(sizes) + 2:
        raise ValueError(
            f"{len(sizes)} exponents want {len(sizes) + 2} points, got {len(points)}"
        )
    columns = [[point[size] for point in points] for size in sizes]
    table = np.array([*columns, [point[value] for point in points]], dtype=float)
    if not ((table > 0) & (table < np.inf)).all():
        raise ValueError(
            "a power law wants positive, finite numbers, got "
            f"{table.min()} to {table.max()}"
        )
    for size, column in zip(sizes, columns, strict=True):
        if len(set(column)) < 2:
            raise ValueError(f"{size} is {column[0]} in all points: no exponent")
    *logs, target = np.log(table)
    design = np.stack([np.ones(len(points)), *logs], axis=1)  # (points, 1 + sizes)
    if np.linalg.matrix_rank(design) < design.shape[1]:
        raise ValueError(f"{', '.join(sizes)} vary only together: no exponents apart")

    solve = np.linalg.pinv(design)  # (1 + sizes, points)
    coefficients = solve @ target
    fitted = design @ coefficients
    widen = np.sqrt(len(points) / (len(points) - design.shape[1]))
    residuals = (target - fitted) * widen
    draws = np.random.default_rng(seed).choice(residuals, (resamples, len(points)))
    again = (fitted + draws) @ solve.T  # (resamples, 1 + sizes)
    low, high = np.percentile(again, [2.5, 97.5], axis=0)
    bounds = zip(sizes, low[1:], coefficients[1:], high[1:], strict=True)
    return {size: Interval(*map(float, numbers)) for size, *numbers in bounds}


def larger_half(points: Sequence[dict], size: Callable[[dict], float]) -> list[dict]:
    """Return the points whose size is the median's or more: where overheads fade.

    Raises:
        ValueError: there are none.
    """
    if not points:
        raise ValueError("there are no points to halve")
    middle = np.median([size(point) for point in points])
    return [point for point in points if size(point) >= middle]


def crossing(
    sizes: Sequence[float], first: Sequence[dict], second: Sequence[dict]
) -> Interval | None:
    """Return from which size on the first takes longer than the second, for good.

    Between measured sizes both curves are straight lines in log–log coordinates. The
    interval is where the curves' quartiles cross: the first's upper one with the
    second's lower one, and the other way round. A bound beyond the measured sizes is 0
    or infinity.

    Args:
        sizes: in ascending order.
        first, second: at each size {"median": …, "low": …, "high": …}.

    Returns:
        The interval, or None if the medians do not cross between the sizes.

    Raises:
        ValueError: sizes not ascending, a number that is not positive, or sizes and
            figures that differ in number.
    """
    if list(sizes) != sorted(set(sizes)) or len(sizes) < 2:
        raise ValueError(f"sizes must ascend, and be two or more: {list(sizes)}")
    if not len(sizes) == len(first) == len(second):
        raise ValueError(
            f"{len(sizes)} sizes, but {len(first)} and {len(second)} figures"
        )

    kinds = ("median", "low", "high")  # a measured point says more than these
    points = [point[kind] for point in (*first, *second) for kind in kinds]
    numbers = [*sizes, *points]
    if not all(0 < number < np.inf for number in numbers):
        raise ValueError(f"sizes and figures must be positive, got {min(numbers)}")

    def where(one: str, other: str) -> float:
        ratios = [a[one] / b[other] for a, b in zip(first, second, strict=True)]
        return _last_rise(np.log(sizes), np.log(ratios))

    value = where("median", "median")
    if not 0 < value < np.inf:
        return None
    return Interval(where("high", "low"), value, where("low", "high"))


def _last_rise(x: np.ndarray, y: np.ndarray) -> float:
    """Where y passes 0 upwards and stays above; 0 or infinity if it is one-sided."""
    if y[-1] <= 0:
        return float("inf")
    below = np.flatnonzero(y <= 0)
    if not len(below):
        return 0.0
    i = below[-1]
    return float(np.exp(x[i] - y[i] * (x[i + 1] - x[i]) / (y[i + 1] - y[i])))
