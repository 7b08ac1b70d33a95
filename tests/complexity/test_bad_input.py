"""Sizes, settings and points that are none are named."""

import re

import pytest
import torch

from attnlab.complexity import (
    LAYERS,
    count_layers_needed,
    count_path_length,
    count_sequential_operations,
    crossing,
    fit_exponents,
    fit_roofline,
    generate,
    larger_half,
    layer_type,
    longest_chain,
    measure,
)
from attnlab.complexity.measuring import measure_in_turn
from attnlab.complexity.modules import Convolution, SelfAttention, dilated_stack

ATTENTION, GRU = LAYERS["attention"], LAYERS["gru"]
BAND = [{"median": 1, "low": 1, "high": 1}] * 2
GRID = [{"n": n, "d": d, "seconds": n * d} for n in (2, 4, 8) for d in (3, 9)]
ALIKE = {"layer": "rnn", "n": 6, "d": 4, "phase": "forward", "flops": 100}


def measured(**changed):
    settings = {"layer": "attention", "n": 4, "d": 8, "phase": "forward"}
    return measure(0, **settings | changed)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: layer_type("transformer"), "got 'transformer'"),
        (lambda: layer_type("transformer"), "attention_fused"),
        (lambda: longest_chain(torch.ones(3)), "no autograd graph"),
        (lambda: count_layers_needed(ATTENTION, 1), "n must be at least 2"),
        (lambda: count_path_length(ATTENTION, 1), "n must be at least 2"),
        (lambda: count_sequential_operations(GRU, 0), "n must be at least 1"),
        (lambda: measure_in_turn({"a": print}, rounds=0), "rounds must be at least 1"),
        (lambda: fit_exponents(GRID[:3]), "want 4 points, got 3"),
        (lambda: fit_exponents([p | {"seconds": 0.0} for p in GRID]), "positive"),
        (lambda: fit_exponents([p | {"d": 64} for p in GRID]), "d is 64 in all points"),
        (lambda: fit_exponents([p | {"d": p["n"]} for p in GRID]), "only together"),
        (lambda: larger_half([], len), "no points"),
        (lambda: crossing([2, 1], BAND, BAND), "ascend"),
        (lambda: crossing([1, 2, 3], BAND, BAND), "3 sizes, but 2 and 2"),
        (lambda: fit_roofline([ALIKE | {"seconds": 1.0}] * 3), "four points"),
        (lambda: fit_roofline([ALIKE | {"seconds": 0.0}] * 4), "positive"),
        (lambda: SelfAttention(8, 3), "3"),
        (lambda: SelfAttention(0), "0"),
        (lambda: Convolution(8, 4), "4"),
        (lambda: Convolution(8, 0, causal=True), "0"),
        (lambda: dilated_stack(8, 3, 0), "0"),
        (lambda: LAYERS["banded"].build(8, radius=-1), "-1"),
        (lambda: LAYERS["additive"].build(8, d_hidden=0), "0"),
        (lambda: LAYERS["multi_head"].build(8, num_heads=3), "3"),
        (lambda: GRU.build(0), "0"),
        (lambda: generate(Convolution(8, 3), torch.randn(1, 2, 8)), "centred"),
        (lambda: measured(layer="transformer"), "'transformer'"),
        (lambda: measured(phase="sideways"), "'sideways'"),
        (lambda: measured(n=0), "0"),
        (lambda: measured(threads=0), "threads"),
        (lambda: measured(batch=0), "batch"),
        (lambda: measured(num_heads=3), "3"),
    ],
)
def test_what_is_none_is_named(call, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        call()


@pytest.mark.parametrize("changed", [{"d": 2.5}, {"radius": 3}])  # attention has none
def test_settings_of_another_type_are_refused(changed):
    with pytest.raises(TypeError):
        measured(**changed)


@pytest.mark.parametrize("name", LAYERS)
def test_every_layer_refuses_bad_sizes(name):
    assert (
        layer_type(name) is LAYERS[name] and repr(LAYERS[name]) == f"LAYERS[{name!r}]"
    )
    for n, d, error in [(0, 8, ValueError), (8, 0, ValueError), (2.0, 8, TypeError)]:
        with pytest.raises(error):
            LAYERS[name].flops(n, d)
    with pytest.raises(ValueError):
        LAYERS[name].layers_needed(1)
    with pytest.raises(TypeError):
        LAYERS[name].flops(8, 8, colour="red")
