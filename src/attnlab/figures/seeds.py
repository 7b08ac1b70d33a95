"""What several seeds found: their mean, and from the worst to the best of them."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from attnlab.figures.palette import CYCLE, MARKERS, NEUTRAL
from attnlab.figures.style import label_lines


def span(values: Sequence[float], form: str = "{:.0f}") -> str:
    """Write the lowest and the highest, "95–99"; one number if they read alike."""
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low}–{high}"


def spread(values: Sequence[float], form: str = "{:.0f}", width: int = 0) -> str:
    """Write the mean, the lowest and the highest: "97 (95–99)".

    Args:
        values: one a seed, at least one.
        form: how a number is written, as `str.format` takes it.
        width: what the mean is padded to on the left, for columns.
    """
    mean, low, high = map(form.format, (fmean(values), min(values), max(values)))
    return f"{mean:>{width}} ({low}–{high})"


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the lowest, the mean and the highest of one value or more."""
    return min(values), fmean(values), max(values)


def plot_intervals(
    axes: Axes,
    rows: Mapping[str, Mapping[str, tuple[float, float, float]]],
    *,
    colors: Sequence[str] = CYCLE,
) -> None:
    """Draw dots with intervals, a row of them for each name: a table, as a picture.

    Args:
        axes: where to draw. The names stand at its left, the first one on top.
        rows: for each name {series: (low, value, high)}; a series keeps its height
            within the rows, its colour and its marker, and is named by a legend.
        colors: one a series, in the order in which they come first.

    Raises:
        ValueError: no rows, more series than colours, or a value that lies outside
            of its interval.
    """
    series = list(dict.fromkeys(name for row in rows.values() for name in row))
    if not series or len(series) > len(colors):
        raise ValueError(f"wanted 1 to {len(colors)} series, got {len(series)}")
    for place, (name, color) in enumerate(zip(series, colors, strict=False)):
        height = 0.6 * ((place + 0.5) / len(series) - 0.5)
        met = [(at, row) for at, row in enumerate(rows.values()) if name in row]
        at, low, value, high = np.array([(at, *row[name]) for at, row in met]).T
        if not ((low <= value) & (value <= high)).all():
            raise ValueError(f"a value of {name!r} lies outside of its interval")
        look: dict[str, Any] = {"color": color, "marker": MARKERS[place], "ls": ""}
        spans = [value - low, high - value]
        axes.errorbar(value, at + height, xerr=spans, **look, label=name)
    axes.set_yticks(range(len(rows)), list(rows))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(False, axis="y")


def plot_seeds(
    axes: Axes, x: ArrayLike, values: Sequence, *style: str, **options: Any
) -> Line2D:
    """Draw the mean of the seeds as a line, and a band from the worst to the best.

    Args:
        axes: where to draw.
        x: (points,).
        values: (seeds, points).
        style, options: of the line, as `Axes.plot` takes them.

    Returns:
        The line.

    Raises:
        ValueError: no seeds, or not as many points as x has.
    """
    points = np.size(x)
    lengths = [len(seed) for seed in values]
    if set(lengths) != {points}:
        raise ValueError(
            f"every seed needs {points} values, got {lengths or 'no seed'}"
        )
    table = np.asarray(values, dtype=float)
    (line,) = axes.plot(x, table.mean(axis=0), *style, **options)
    low, high = table.min(axis=0), table.max(axis=0)
    axes.fill_between(x, low, high, color=line.get_color(), alpha=0.2, lw=0)
    return line


def plot_by_length(
    axes: Axes,
    curves: dict[str, Sequence[dict]],
    *,
    colors: Sequence[str] | None = None,
    trained_up_to: int | None = None,
) -> None:
    """Draw one line a label: the mean over seeds, and a band from worst to best.

    Args:
        axes: where to draw.
        curves: for each label a list of ``{length: share}``, one a seed. Lengths may
            be text, as JSON keeps them.
        colors: one a label; the style's own cycle without.
        trained_up_to: the longest length in training; what lies beyond is shaded.

    Raises:
        ValueError: no curve, a label without seeds, seeds that differ in their lengths,
            or `trained_up_to` none of the lengths.
    """
    if not curves or not all(curves.values()):
        raise ValueError("no curves given: expected one label or more, each with seeds")
    measured = {
        frozenset(map(int, seed)) for seeds in curves.values() for seed in seeds
    }
    if len(measured) > 1:
        raise ValueError("all seeds of all labels must have the same lengths")
    lengths = sorted(measured.pop())
    for index, (label, seeds) in enumerate(curves.items()):
        by_seed = [{int(k): v for k, v in seed.items()} for seed in seeds]
        shares = [[100 * seed[n] for n in lengths] for seed in by_seed]
        color = None if colors is None else colors[index]
        plot_seeds(axes, lengths, shares, label=label, color=color)
    axes.set(xlabel="length of the number (digits)", ylabel="exactly right (%)")
    axes.set(ylim=(-4, 104), xticks=lengths)
    if trained_up_to is not None:
        if trained_up_to not in lengths:
            raise ValueError(f"trained_up_to must be in {lengths}, got {trained_up_to}")
        beyond = trained_up_to + 0.5, lengths[-1] + 0.5
        axes.axvspan(*beyond, color=NEUTRAL, alpha=0.15, lw=0)
        axes.set_xlim(lengths[0] - 0.3, lengths[-1] + 0.5)
    # Beyond training all may be alike: name the lines where they still differ.
    label_lines(axes, -1 if trained_up_to is None else lengths.index(trained_up_to))
