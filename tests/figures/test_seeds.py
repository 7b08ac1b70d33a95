"""What several seeds found, as text and as a line with a band."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt

from attnlab.figures.seeds import interval, plot_intervals, plot_seeds


@pytest.fixture
def axes():
    matplotlib.use("agg")
    _, axes = plt.subplots()
    yield axes
    plt.close("all")


def test_plot_seeds_draws_mean_and_band_of_all_seeds(axes):
    values = np.random.default_rng(0).normal(size=(5, 4))
    line = plot_seeds(axes, [1, 2, 4, 8], values, "--", label="five seeds")
    assert np.allclose(line.get_ydata(), values.mean(axis=0))
    assert (line.get_linestyle(), line.get_label()) == ("--", "five seeds")
    (band,) = axes.collections
    edge = band.get_paths()[0].vertices
    for x, column in zip([1, 2, 4, 8], values.T, strict=True):
        heights = edge[edge[:, 0] == x, 1]
        assert (heights.min(), heights.max()) == (column.min(), column.max())


@pytest.mark.parametrize("values", [[], [[1, 2]], [[1, 2, 3], [1]]])
def test_plot_seeds_rejects_other_shapes(axes, values):
    with pytest.raises(ValueError, match="needs 3 values"):
        plot_seeds(axes, range(3), values)


ROWS = {
    "first": {"near": (1.0, 2.0, 4.0), "far": interval([5, 6, 10])},
    "second": {"far": (0.0, 0.5, 0.5)},
}


def test_plot_intervals_draws_value_and_interval_per_row(axes):
    plot_intervals(axes, ROWS)
    drawn = []
    for found in axes.containers:
        dots, _, [bars] = found.lines
        for (x, y), ends in zip(dots.get_xydata(), bars.get_segments(), strict=True):
            assert set(ends[:, 1]) == {y}
            drawn.append((found.get_label(), round(y), ends[0, 0], x, ends[1, 0]))
    rows = [("near", 0, 1, 2, 4), ("far", 0, 5, 7, 10), ("far", 1, 0, 0.5, 0.5)]
    assert [row[:2] for row in drawn] == [row[:2] for row in rows]
    assert [row[2:] for row in drawn] == [pytest.approx(row[2:]) for row in rows]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == list(ROWS)
    assert axes.yaxis_inverted()  # the first row is on top


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({}, "got 0"),
        ({"a": {}}, "got 0"),
        ({"a": {str(n): (0, 0, 0) for n in range(9)}}, "got 9"),
        ({"a": {"x": (1, 0, 2)}}, "'x' lies outside"),
        ({"a": {"x": (0, float("nan"), 2)}}, "'x' lies outside"),
    ],
)
def test_plot_intervals_rejects_bad_rows(axes, rows, message):
    with pytest.raises(ValueError, match=message):
        plot_intervals(axes, rows)
