"""The picture of ways through a stack: what is drawn is what the layers do."""

import matplotlib.pyplot as plt
import pytest
import torch

from attnlab.complexity import LAYERS
from attnlab.figures.palette import ORCHID
from attnlab.figures.ways import draw_recurrence, draw_ways, links_of


def linked_positions(name, layers, n=9, **options):
    stack = LAYERS[name].stack(2, layers, **options).double()
    return [links_of(layer, n) for layer in stack]


def thick_lines(axes):
    """Both ends of each thick line: ((position, layer), (position, layer))."""
    lines = [line for line in axes.lines if line.get_color() == ORCHID]
    return [tuple(zip(*line.get_data(), strict=True)) for line in lines]


@pytest.mark.parametrize(
    ("name", "layers", "options"),
    [
        ("attention", 1, {}),
        ("dilated", 2, {"causal": True}),
        ("convolution", 4, {"causal": True}),
        ("banded", 4, {"radius": 2}),
    ],
)
def test_draw_ways_path_leads_from_last_to_first(name, layers, options):
    _, axes = plt.subplots()
    seen = linked_positions(name, layers, **options)
    if name == "convolution":  # a kernel of three
        assert torch.equal(seen[0], torch.ones(9, 9).tril().triu(-2).bool())
    assert draw_ways(axes, seen) == layers
    way = thick_lines(axes)
    assert (way[0][1], way[-1][0]) == ((8, layers), (0, 0))
    assert all(seen[low[1]][high[0], low[0]] for low, high in way)


def test_draw_ways_with_too_few_layers_raises():
    with pytest.raises(ValueError, match="not at the first"):
        draw_ways(plt.subplots()[1], linked_positions("convolution", 3, causal=True))


def test_draw_recurrence_path_visits_every_state():
    _, axes = plt.subplots()
    assert draw_recurrence(axes, 5) == 5
    assert {end for line in thick_lines(axes) for end in line} == {
        (0, 0),
        *((position, 1) for position in range(5)),
    }
    with pytest.raises(ValueError, match="at least 1"):
        draw_recurrence(axes, 0)
