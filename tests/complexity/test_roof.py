"""The roof: its counts, its bounds, and that no stored time beats it."""

import pytest
import torch

from attnlab import store
from attnlab.complexity import LAYERS, count_flops, count_parameters, layer_type
from attnlab.complexity.roof import (
    ROOF_LAYERS,
    count_reread_bytes,
    count_traffic,
    count_work,
)
from attnlab.experiments.roofline import TINY_SIZES
from attnlab.live.roofline import stored_calls, stored_roof


def layer_point(layer, phase="forward", n=6, d=4, batch=1, **options):
    sizes = {"n": n, "d": d, "batch": batch}
    return {"layer": layer, "phase": phase, **sizes, **options}


@pytest.mark.parametrize("layer", ROOF_LAYERS)
def test_count_work_equals_torch_flop_counter(layer):
    counted = count_flops(layer_type(layer).build(4), torch.randn(3, 6, 4))
    assert counted == count_work(layer_point(layer, batch=3))


@pytest.mark.parametrize("wrong", [{"layer": "rnn"}, {"phase": "training"}])
@pytest.mark.parametrize("count", [count_work, count_traffic, count_reread_bytes])
def test_roof_counts_reject_unsupported_layers_and_phases(count, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong.values()))):
        count({**layer_point("gru"), **wrong})


def test_layer_table_omits_feed_forward():
    assert "feed_forward" not in LAYERS
    layer = layer_type("feed_forward")
    assert count_parameters(layer.build(8)) == layer.parameters(8)
    with pytest.raises(ValueError, match="links"):
        layer.layers_needed(5)


def test_roof_bounds_stored_times_and_is_near_most():
    """FLOPs alone, at the peak, are that near to a third of them at most."""
    roof, calls, by_roof, by_flops = stored_roof(), stored_calls(), [], []
    for run in store.select(store.load("roofline"), what="layer"):
        where, seconds = run["setting"], run["figures"]["seconds"]
        if where["n"] > TINY_SIZES["n"]:
            call = calls[where["layer"]][where["phase"]]
            by_roof.append(roof.seconds(where, call) / seconds)
            by_flops.append(count_work(where) / roof.peak / seconds)
    assert max(by_roof) < 1.1
    assert sum(ratio > 1 / 3 for ratio in by_roof) > 0.7 * len(by_roof)
    assert sum(ratio > 1 / 3 for ratio in by_flops) < 0.4 * len(by_flops)
