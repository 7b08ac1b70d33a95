"""Sizes, settings and points that are none are named."""

import re

import pytest
import torch

from attnlab.complexity import (
    LAYERS,
    count_layers_needed,
    count_sequential_operations,
    crossing,
    fit_exponents,
    fit_roofline,
    generate,
    layer_type,
    longest_chain,
    measure,
)
from attnlab.complexity.measuring import measure_in_turn
from attnlab.complexity.modules import Convolution, SelfAttention

ATTENTION, GRU = LAYERS["attention"], LAYERS["gru"]
INTERVALS = [{"median": 1, "low": 1, "high": 1}] * 2
GRID = [{"n": n, "d": d, "seconds": n * d} for n in (2, 4, 8) for d in (3, 9)]
EQUAL_POINT = {"layer": "rnn", "n": 6, "d": 4, "phase": "forward", "flops": 100}


def measured_point(**changed):
    settings = {"layer": "attention", "n": 4, "d": 8, "phase": "forward"}
    return measure(0, **settings | changed)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: layer_type("transformer"), "got 'transformer'"),
        (lambda: longest_chain(torch.ones(3)), "no autograd graph"),
        (lambda: count_layers_needed(ATTENTION, 1), "n must be at least 2"),
        (lambda: count_sequential_operations(GRU, 0), "n must be at least 1"),
        (lambda: measure_in_turn({"a": print}, rounds=0), "rounds must be at least 1"),
        (lambda: fit_exponents(GRID[:3]), "want 4 points, got 3"),
        (lambda: fit_exponents([p | {"seconds": 0.0} for p in GRID]), "positive"),
        (lambda: crossing([2, 1], INTERVALS, INTERVALS), "ascend"),
        (lambda: fit_roofline([EQUAL_POINT | {"seconds": 1.0}] * 3), "four points"),
        (lambda: SelfAttention(8, 3), "3"),
        (lambda: Convolution(8, 4), "4"),
        (lambda: generate(Convolution(8, 3), torch.randn(1, 2, 8)), "centred"),
        (lambda: measured_point(phase="sideways"), "'sideways'"),
        (lambda: measured_point(threads=0), "threads"),
    ],
)
def test_complexity_functions_reject_bad_sizes_and_settings(call, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        call()


@pytest.mark.parametrize("changed", [{"d": 2.5}, {"radius": 3}])  # attention has none
def test_complexity_functions_reject_wrong_types(changed):
    with pytest.raises(TypeError):
        measured_point(**changed)


@pytest.mark.parametrize("name", LAYERS)
def test_layer_types_reject_bad_sizes(name):
    assert layer_type(name) is LAYERS[name]
    for n, d, error in [(0, 8, ValueError), (8, 0, ValueError), (2.0, 8, TypeError)]:
        with pytest.raises(error):
            LAYERS[name].flops(n, d)
    with pytest.raises(ValueError):
        LAYERS[name].layers_needed(1)
    with pytest.raises(TypeError):
        LAYERS[name].flops(8, 8, colour="red")
