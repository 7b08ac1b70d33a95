import matplotlib.pyplot as plt
import pytest
import torch

from attnlab.figures.alignment import plot_alignment

SOURCE, TARGET = ["eighty", "seven"], ["sieben", "und", "acht", "zig"]


def plot_axes(weights, **options):
    _, axes = plt.subplots()
    plot_alignment(axes, weights, SOURCE, TARGET, **options)
    return axes


def test_plot_alignment_has_target_rows_and_source_columns():
    weights = torch.rand(5, 3)  # one row and one column more, for EOS
    axes = plot_axes(weights)
    assert [label.get_text() for label in axes.get_xticklabels()] == SOURCE
    assert [label.get_text() for label in axes.get_yticklabels()] == TARGET
    shown = torch.from_numpy(axes.images[0].get_array().data)
    torch.testing.assert_close(shown, weights[:4, :2])
    assert axes.images[0].get_clim() == (0, 1)  # whatever its largest weight
    plt.close(axes.figure)


def test_plot_alignment_outlines_links():
    axes = plot_axes(torch.zeros(4, 2), links={(0, 1), (3, 0)})
    middles = {
        (round(p.get_x() + p.get_width() / 2), round(p.get_y() + p.get_height() / 2))
        for p in axes.patches
    }
    assert middles == {(1, 0), (0, 3)}  # x is the source, y the target
    plt.close(axes.figure)


@pytest.mark.parametrize("shape", [(3, 2), (4, 1), (4,)])
def test_plot_alignment_rejects_small_weights(shape):
    with pytest.raises(ValueError, match="weights"):
        plot_axes(torch.zeros(shape))
    plt.close("all")
