"""What is counted in a running layer equals what theory says, exactly."""

import re
from itertools import product

import pytest
import torch
from torch import nn

from attnlab import store
from attnlab.complexity import (
    LAYERS,
    count_elementwise,
    count_flops,
    count_layers_needed,
    count_parameters,
    count_path_length,
    count_sequential_operations,
    generate,
    longest_chain,
)
from attnlab.complexity.counting import KERNELS

# Each layer's own options, as many as there are to vary.
CHOICES = {
    "attention": [{"num_heads": h} for h in (1, 2, 8)],
    "attention_fused": [{"num_heads": h} for h in (1, 2, 8)],
    "multi_head": [{"num_heads": h} for h in (1, 2, 8)],
    "banded": [{"radius": r} for r in (0, 1, 5, 32, 40, 100)],
    "additive": [{}, {"d_hidden": 3}, {"d_hidden": 20}],
    "convolution": [{"kernel_size": k} for k in (1, 3, 7, 71)],
    "separable": [{"kernel_size": k} for k in (1, 3, 7, 71)],
    "dilated": [
        {"kernel_size": k, "num_layers": layers}
        for k, layers in product((1, 3, 5), (1, 3))
    ],
}
CASES = [(name, own) for name in LAYERS for own in CHOICES.get(name, [{}])]


@pytest.mark.parametrize(("name", "own"), CASES)
@pytest.mark.parametrize("causal", [False, True])
def test_flops_and_parameters_are_those_of_the_formulas(name, own, causal):
    layer = LAYERS[name]
    for n, d in product((1, 2, 31, 64, 75), (8, 24)):
        module = layer.build(d, causal=causal, **own)
        counted = count_flops(module, torch.randn(2, n, d))
        assert counted == 2 * layer.flops(n, d, causal=causal, **own)
        assert count_parameters(module) == layer.parameters(d, **own)


class OneByOne(nn.Module):
    """A layer that generates."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return generate(self.layer, x)


@pytest.mark.parametrize(("name", "own"), CASES)
def test_the_flops_of_generating_are_those_of_its_steps(name, own):
    layer = LAYERS[name]
    for n in (1, 2, 31, 64):
        module = OneByOne(layer.build(8, causal=True, **own))
        counted = count_flops(module, torch.randn(2, n, 8))
        assert counted == 2 * layer.flops(n, 8, generating=True, **own)


@pytest.mark.parametrize("name", ["complexity.full", "complexity.two_threads"])
def test_stored_flops_are_those_of_the_formulas(name):
    for run in store.load(name)["runs"]:
        setting = run["setting"]
        layer, generating = LAYERS[setting["layer"]], setting["phase"] == "generation"
        own = {key: setting[key] for key in layer.options if key in setting}
        flops = layer.flops(setting["n"], setting["d"], generating=generating, **own)
        assert run["figures"]["flops"] == flops, setting


@pytest.mark.parametrize("name", LAYERS)
def test_the_formula_in_words_is_the_formula(name):
    layer = LAYERS[name]
    n, d, k, a, r, s, blocks = 70, 24, 5, 7, 9, 32, 3
    own = {"kernel_size": k, "num_layers": 2, "d_hidden": a, "radius": r}
    own = {key: own[key] for key in layer.options if key in own}
    text = layer.formula.replace("⌈n/s⌉", "b").replace("²", "^")
    text = re.sub(r"(?<=[\w^)])(?=[a-zL(])", "*", text).replace("^", "**2")
    sizes = {"n": n, "d": d, "k": k, "a": a, "r": r, "s": s, "b": blocks, "L": 2}
    assert eval(text, {"__builtins__": {}}, sizes) == layer.flops(n, d, **own)


@pytest.mark.parametrize("name", LAYERS)
def test_the_backward_pass_costs_two_more_products(name):
    module, x = LAYERS[name].build(16), torch.randn(1, 64, 16)
    ratio = count_flops(module, x, backward=True) / count_flops(module, x)
    if name in ("attention_fused", "multi_head"):  # the scores are computed again
        assert 3 < ratio <= 3.5
    else:  # the recurrent ones have no gradient towards their first state
        assert 2.95 < ratio <= 3
    assert all(p.grad is None for p in module.parameters())


def test_what_the_counter_cannot_see_has_the_count_of_what_it_can():
    x = torch.randn(2, 10, 8)
    lstm = LAYERS["lstm_fused"].build(8)
    unrolled = count_flops(lstm.double(), x.double())  # no fused kernel in float64
    assert unrolled == count_flops(lstm.float(), x)
    weights = [tuple(w.shape) for w in lstm.parameters()]
    on_gpu = KERNELS[torch.ops.aten._cudnn_rnn](tuple(x.shape), weights, 4)
    assert on_gpu == unrolled


def test_elementwise_operations_are_counted_one_a_number():
    n, d = 20, 8
    x = torch.randn(1, n, d)
    # The queries are scaled, the softmax is one operation a weight.
    assert count_elementwise(LAYERS["attention"].build(d), x) == n * d + n**2
    # An addition and a tanh for each pair and hidden unit.
    hidden = count_elementwise(LAYERS["additive"].build(d, d_hidden=5), x)
    assert hidden == 2 * 5 * n**2 + n**2
    # The two products are added, then tanh.
    assert count_elementwise(LAYERS["rnn_fused"].build(d), x) == 2 * n * d
    assert count_elementwise(LAYERS["convolution"].build(d), x) == 0


@pytest.mark.parametrize("name", LAYERS)
def test_sequential_operations_are_those_of_theory(name):
    layer = LAYERS[name]
    for n in (1, 2, 3, 17, 40, 64):
        counted = count_sequential_operations(layer, n)
        assert counted == layer.sequential_operations(n)
        assert counted == (n if name[:3] in ("rnn", "gru", "lst") else 1)


def _linked(count, layer, n, own):
    """How many layers, or "never"."""
    try:
        return count(layer, n, **own)
    except ValueError:
        return "never"


STACKS = [
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


@pytest.mark.parametrize(("name", "own"), STACKS)
def test_layers_needed_are_those_of_theory_up_to_64(name, own):
    layer = LAYERS[name]
    for n in (2, 3, 4, 5, 7, 9, 10, 17, 27, 28, 33, 63, 64):
        theory = _linked(type(layer).layers_needed, layer, n, own)
        assert _linked(count_layers_needed, layer, n, own) == theory, n


@pytest.mark.parametrize(
    ("name", "own", "n", "steps"),
    [
        ("attention", {}, 64, 1),
        ("multi_head", {}, 64, 1),
        ("rnn", {}, 64, 64),
        ("gru", {}, 64, 64),
        ("lstm_fused", {}, 64, 64),
        ("convolution", {"kernel_size": 3, "causal": True}, 64, 32),  # ⌈63 / 2⌉
        ("convolution", {"kernel_size": 3}, 64, 63),
        ("separable", {"kernel_size": 5, "causal": True}, 64, 16),
        ("dilated", {"kernel_size": 2, "causal": True}, 64, 6),  # log₂ 64
        ("dilated", {"kernel_size": 3, "causal": True}, 64, 4),  # ⌈log₃ 64⌉
        ("banded", {"radius": 8}, 64, 8),  # ⌈63 / 8⌉
    ],
)
def test_path_lengths_are_those_of_theory(name, own, n, steps):
    layer = LAYERS[name]
    assert layer.path_length(n, **own) == steps
    assert count_path_length(layer, n, **own) == steps


def test_the_chain_is_the_longest_way_through_the_graph():
    x = torch.randn(2, 3, requires_grad=True)
    short, one = nn.Linear(3, 3), nn.Linear(3, 3)
    assert longest_chain(short(x) + one(one(one(x)))) == 4  # three products, a sum
    assert longest_chain(x.tanh()) == 1
    assert longest_chain(x.T[1:, :1].expand(2, 2).clone().tanh()) == 1


@pytest.mark.parametrize("n", [1, 5, 64])
def test_a_loop_over_positions_is_as_long_whatever_it_does(n):
    x = torch.randn(n, 3, requires_grad=True)
    state, states = torch.zeros(3), []
    for row in x:
        state = state * row  # entry by entry: no matrix product
        states.append(state)
    assert longest_chain(torch.stack(states)) == n
    assert longest_chain(torch.stack([row * row for row in x])) == 1
