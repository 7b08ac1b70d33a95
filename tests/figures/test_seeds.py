"""What several seeds found, as text and as a line with a band."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt

from attnlab.figures.seeds import plot_seeds, span, spread


@pytest.fixture
def axes():
    matplotlib.use("agg")
    _, axes = plt.subplots()
    yield axes
    plt.close("all")


def test_a_span_of_one_number_is_that_number():
    assert span([99.6, 95.2, 97]) == "95–100"
    assert span([99.6, 99.9]) == "100"
    assert span([99.6, 99.9], "{:.1f}") == "99.6–99.9"


def test_a_spread_has_the_mean_first():
    assert spread([1, 2, 6]) == "3 (1–6)"
    assert spread([1, 2, 6], "{:.1f}", width=5) == "  3.0 (1.0–6.0)"


def test_the_line_is_the_mean_and_the_band_holds_every_seed(axes):
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
def test_values_of_another_shape_are_refused(axes, values):
    with pytest.raises(ValueError, match="needs 3 values"):
        plot_seeds(axes, range(3), values)
