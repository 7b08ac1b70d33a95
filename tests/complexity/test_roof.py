"""The roof: its counts, its bounds, and that no stored time beats it."""

import pytest
import torch

from attnlab import store
from attnlab.complexity import LAYERS, count_flops, generate, layer_type
from attnlab.complexity.roof import (
    ATTENTIONS,
    PHASES,
    ROOF_LAYERS,
    Roof,
    count_held,
    count_traffic,
    count_work,
)
from attnlab.experiments.roofline import SMALLEST
from attnlab.live.roofline import stored_calls, stored_roof


def point(layer, phase="forward", n=6, d=4, batch=1, **options):
    return {
        "layer": layer,
        "phase": phase,
        "n": n,
        "d": d,
        "batch": batch,
        **options,
    }


class OneByOne(torch.nn.Module):
    """A layer that generates."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return generate(self.layer, x)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("layer", ROOF_LAYERS)
@pytest.mark.parametrize("heads", [1, 2])
def test_the_work_is_what_torch_counts_in_the_running_layer(layer, phase, heads):
    options = {"num_heads": heads} if layer in ATTENTIONS else {}
    module = layer_type(layer).build(4, causal=phase == "generation", **options)
    x = torch.randn(3, 6, 4)
    counted = count_flops(module if phase == "forward" else OneByOne(module), x)
    assert counted == count_work(point(layer, phase, batch=3, **options))


@pytest.mark.parametrize(
    ("where", "numbers"),
    [
        (point("attention", num_heads=2), 4 * 6 * 4 + 4 * 2 * 36),
        (point("attention_fused", num_heads=2), 4 * 6 * 4),
        (point("attention", batch=3), 3 * (4 * 6 * 4 + 4 * 36)),
        (point("gru", batch=3), 6 * (3 * 40) + 3 * 4 * 6 * 4),
        (point("feed_forward"), (128 + 20) + 4 * 6 * 4),
        (point("feed_forward", "generation"), 6 * (128 + 20) + 4 * 6 * 4),
        (point("attention_fused", "generation"), 4 * 6 * 4 + 36 * 4),
    ],
)
def test_bytes_by_hand(where, numbers):
    assert count_traffic(where) == 4 * numbers


@pytest.mark.parametrize(
    ("where", "numbers"),
    [
        (point("attention", batch=2, num_heads=2), 2 * (2 * 6 * 4 + 2 * 36)),
        (point("attention_fused", batch=2), 2 * 2 * 6 * 4),
        (point("attention", "generation", batch=2), 2 * 6 * 4),
        (point("lstm", batch=2), 4 * 40 + 2 * 2 * 4),
        (point("convolution"), (3 * 16 + 4) + 2 * 6 * 4),
        (point("convolution", "generation"), (3 * 16 + 4) + 2 * 4),
    ],
)
def test_what_is_gone_over_by_hand(where, numbers):
    assert count_held(where) == 4 * numbers


def test_the_longer_of_two_and_the_calls():
    where = point("convolution")  # holds 400 bytes and touches 592, for 576 FLOPs
    near, far = (400, 1e30), (1e9, 1.0)
    assert Roof(1.0, (near, far)).seconds(where) == 576
    assert Roof(1e30, (far,)).seconds(where) == 592
    assert Roof(1e30, (near, far)).seconds(where, 2.0) == pytest.approx(2.0)
    generated = point("convolution", "generation")
    assert Roof(1e30, (near, far)).seconds(generated, 2.0) == pytest.approx(12.0)


def test_more_than_was_measured_comes_as_the_most_that_was():
    roof = Roof(1.0, ((10, 5.0), (20, 3.0)))
    assert [roof.bandwidth(held) for held in (1, 10, 11, 20, 21)] == [5, 5, 3, 3, 3]


@pytest.mark.parametrize("wrong", [{"layer": "rnn"}, {"phase": "training"}])
@pytest.mark.parametrize("count", [count_work, count_traffic, count_held])
def test_what_has_no_place_under_the_roof_is_named(count, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong.values()))):
        count({**point("gru"), **wrong})


def test_what_stands_beside_the_table_is_in_no_row_of_it():
    assert "feed_forward" not in LAYERS
    layer = layer_type("feed_forward")
    module = layer.build(8)
    assert sum(p.numel() for p in module.parameters()) == layer.parameters(8)
    with pytest.raises(ValueError, match="links"):
        layer.layers_needed(5)


def stored_times():
    """Each stored time and its point."""
    for run in store.select(store.load("roofline"), what="layer"):
        yield run["setting"], run["figures"]["seconds"]


def test_no_stored_time_beats_the_roof_and_most_are_within_a_factor_of_three():
    """FLOPs alone, at the peak, are that near to a third of them at most."""
    roof, calls = stored_roof(), stored_calls()
    cells = [cell for cell in stored_times() if cell[0]["n"] > SMALLEST["n"]]
    by_roof = [
        roof.seconds(where, calls[where["layer"]][where["phase"]]) / seconds
        for where, seconds in cells
    ]
    by_flops = [count_work(where) / roof.peak / seconds for where, seconds in cells]
    assert max(by_roof) < 1.1
    assert sum(ratio > 1 / 3 for ratio in by_roof) > 0.7 * len(cells)
    assert sum(ratio > 1 / 3 for ratio in by_flops) < 0.4 * len(cells)
