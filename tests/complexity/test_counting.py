"""What is counted in a running layer equals what theory says, exactly."""

import re
from itertools import product

import pytest
import torch
from torch import nn

from attnlab.complexity import (
    LAYERS,
    count_flops,
    count_layers_needed,
    count_parameters,
    count_path_length,
    count_sequential_operations,
    generate,
)
from attnlab.complexity.counting import KERNELS

# Each layer's own options, as many as there are to vary.
LAYER_OPTIONS = {
    "attention": [{"num_heads": h} for h in (1, 2, 8)],
    "attention_fused": [{"num_heads": h} for h in (1, 2, 8)],
    "multi_head": [{"num_heads": h} for h in (1, 2, 8)],
    "banded": [{"radius": r} for r in (0, 5, 32, 100)],
    "additive": [{}, {"d_hidden": 3}, {"d_hidden": 20}],
    "convolution": [{"kernel_size": k} for k in (1, 3, 7, 71)],
    "separable": [{"kernel_size": k} for k in (1, 3, 7, 71)],
    "dilated": [
        {"kernel_size": k, "num_layers": layers}
        for k, layers in product((1, 3, 5), (1, 3))
    ],
}
LAYERS_AND_OPTIONS = [
    (name, own) for name in LAYERS for own in LAYER_OPTIONS.get(name, [{}])
]


@pytest.mark.parametrize(("name", "own"), LAYERS_AND_OPTIONS)
@pytest.mark.parametrize("causal", [False, True])
def test_count_flops_and_parameters_equal_formulas(name, own, causal):
    layer = LAYERS[name]
    for n, d in product((1, 2, 31, 75), (8, 24)):
        module = layer.build(d, causal=causal, **own)
        counted = count_flops(module, torch.randn(2, n, d))
        assert counted == 2 * layer.flops(n, d, causal=causal, **own)
        assert count_parameters(module) == layer.parameters(d, **own)


class Generator(nn.Module):
    """A layer that generates."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return generate(self.layer, x)


@pytest.mark.parametrize(("name", "own"), LAYERS_AND_OPTIONS)
def test_generating_flops_equal_sum_of_steps(name, own):
    layer = LAYERS[name]
    for n in (1, 2, 33):
        module = Generator(layer.build(8, causal=True, **own))
        counted = count_flops(module, torch.randn(2, n, 8))
        assert counted == 2 * layer.flops(n, 8, generating=True, **own)


@pytest.mark.parametrize("name", LAYERS)
def test_layer_formula_text_equals_its_code(name):
    layer = LAYERS[name]
    n, d, k, a, r, s, blocks = 70, 24, 5, 7, 9, 32, 3
    own = {"kernel_size": k, "num_layers": 2, "d_hidden": a, "radius": r}
    own = {key: own[key] for key in layer.options if key in own}
    text = layer.formula.replace("⌈n/s⌉", "b").replace("²", "^")
    text = re.sub(r"(?<=[\w^)])(?=[a-zL(])", "*", text).replace("^", "**2")
    sizes = {"n": n, "d": d, "k": k, "a": a, "r": r, "s": s, "b": blocks, "L": 2}
    assert eval(text, {"__builtins__": {}}, sizes) == layer.flops(n, d, **own)


@pytest.mark.parametrize("name", LAYERS)
def test_count_flops_backward_adds_two_products(name):
    module, x = LAYERS[name].build(16), torch.randn(1, 64, 16)
    ratio = count_flops(module, x, backward=True) / count_flops(module, x)
    if name in ("attention_fused", "multi_head"):  # the scores are computed again
        assert 3 < ratio <= 3.5
    else:  # the recurrent ones have no gradient towards their first state
        assert 2.95 < ratio <= 3
    assert all(p.grad is None for p in module.parameters())


def test_count_flops_fused_lstm_equals_unrolled():
    x = torch.randn(2, 10, 8)
    lstm = LAYERS["lstm_fused"].build(8)
    unrolled = count_flops(lstm.double(), x.double())  # no fused kernel in float64
    assert unrolled == count_flops(lstm.float(), x)
    weights = [tuple(w.shape) for w in lstm.parameters()]
    on_gpu = KERNELS[torch.ops.aten._cudnn_rnn](tuple(x.shape), weights, 4)
    assert on_gpu == unrolled


@pytest.mark.parametrize("name", LAYERS)
def test_count_sequential_operations_equals_theory(name):
    layer = LAYERS[name]
    for n in (1, 2, 3, 17, 40, 64):
        counted = count_sequential_operations(layer, n)
        assert counted == layer.sequential_operations(n)
        assert counted == (n if name[:3] in ("rnn", "gru", "lst") else 1)


LAYER_STACKS = [
    ("attention", {}),
    ("attention_fused", {}),
    ("multi_head", {}),
    ("additive", {}),
    ("rnn", {}),
    ("gru_fused", {}),
    ("lstm", {}),
    *(("banded", {"radius": r, "causal": c}) for r in (0, 3, 8) for c in (False, True)),
    *(("convolution", {"kernel_size": k, "causal": True}) for k in (1, 2, 3, 6)),
    *(("convolution", {"kernel_size": k}) for k in (1, 3, 7)),
    *(("separable", {"kernel_size": k, "causal": True}) for k in (2, 5)),
    *(("dilated", {"kernel_size": k, "causal": True}) for k in (1, 2, 3, 5)),
    *(("dilated", {"kernel_size": k}) for k in (1, 3, 5)),
]


@pytest.mark.parametrize(("name", "own"), LAYER_STACKS)
def test_count_layers_needed_equals_theory(name, own):
    layer = LAYERS[name]
    for n in (2, 3, 5, 9, 10, 28, 33, 64):
        try:
            theory = layer.layers_needed(n, **own)
        except ValueError:  # never
            with pytest.raises(ValueError):
                count_layers_needed(layer, n, **own)
        else:
            assert count_layers_needed(layer, n, **own) == theory, n


@pytest.mark.parametrize(
    ("name", "own", "n", "steps"),
    [
        ("multi_head", {}, 64, 1),
        ("lstm_fused", {}, 64, 64),
        ("convolution", {"kernel_size": 3, "causal": True}, 64, 32),  # ⌈63 / 2⌉
        ("convolution", {"kernel_size": 3}, 64, 63),
        ("dilated", {"kernel_size": 3, "causal": True}, 64, 4),  # ⌈log₃ 64⌉
        ("banded", {"radius": 8}, 64, 8),  # ⌈63 / 8⌉
    ],
)
def test_count_path_length_equals_theory(name, own, n, steps):
    layer = LAYERS[name]
    assert layer.path_length(n, **own) == steps
    assert count_path_length(layer, n, **own) == steps


def test_path_length_of_centred_dilated_stack_may_be_infinite():
    dilated = LAYERS["dilated"]
    assert dilated.layers_needed(5, kernel_size=3) == 2  # 4 = 11 in base 3
    with pytest.raises(ValueError, match="leads beyond the end"):
        dilated.layers_needed(64, kernel_size=3)  # 63 = 2100 in base 3
