"""PyTorch's own tools take every model and layer: they look at no data on the way.

`CASES` names each with inputs of two sizes; every tool has one test.
"""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from attnlab import (
    Seq2Seq,
    Tagger,
    Transformer,
    beam_search,
    decoder_only,
    greedy,
    grouped,
    layers,
    linear_attention,
    positions,
    recurrence,
    scores,
)
from attnlab import attention as core
from attnlab.attention import causal_mask, padding_mask, scaled_dot_product_attention
from attnlab.complexity import modules
from attnlab.online import online_softmax_attention
from attnlab.tagger import ENCODERS

WIDTH, HEADS, VOCAB = 8, 2, 11
SIZES = WIDTH, HEADS, 16, 0.1
WEEKLY_MARK = (pytest.mark.weekly,)


class Case(NamedTuple):
    """A module, and the name of what it is called on."""

    make: Callable[..., nn.Module]
    inputs: str
    method: str = "forward"


def random_ids(batch: int, length: int) -> Tensor:
    """Random tokens, the last row padded."""
    made = torch.randint(1, VOCAB, (batch, length))
    made[-1, length - 2 :] = 0
    return made


def mask_of(batch: int, n: int, m: int) -> Tensor:
    """A mask (batch, n, m) that hides all from the first query."""
    mask = torch.rand(batch, n, m) < 0.6
    mask[:, 0] = False
    return mask


def randn(batch: int, n: int) -> Tensor:
    return torch.randn(batch, n, WIDTH)


INPUTS: dict[str, Callable[[int, int, int], tuple]] = {
    "rows": lambda b, n, m: (randn(b, n),),
    "two": lambda b, n, m: (randn(b, n), randn(b, m)),
    "three": lambda b, n, m: (randn(b, n), randn(b, m), randn(b, m)),
    "masked": lambda b, n, m: (*INPUTS["three"](b, n, m), mask_of(b, n, m)),
    "padded": lambda b, n, m: (randn(b, n), None, random_ids(b, n) != 0),
    "lengths": lambda b, n, m: (randn(b, n), torch.arange(b) % n),
    "text": lambda b, n, m: (random_ids(b, n),),
    "pair": lambda b, n, m: (random_ids(b, n), random_ids(b, m)),
    # what a decoder layer reads: states, memory, its mask or none, that of the memory
    "decoded": lambda b, n, m: (
        randn(b, n),
        randn(b, m),
        causal_mask(n),
        mask_of(b, 1, m),
    ),
}


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        super().__init__()
        self.function, self.options = function, options

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(*inputs, **self.options)


def attend_by_length(x: Tensor, lengths: Tensor) -> Tensor:
    n = x.shape[1]
    mask = padding_mask(lengths, n) & causal_mask(n, device=x.device)
    return scaled_dot_product_attention(x, x, x, mask)[0]


class AlibiByLength(positions.AlibiPositions):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.shape[1])


def seq2seq(score: str | None = "general", **options: Any) -> nn.Module:
    made = None if score is None else scores.make_score(score, WIDTH, 16)
    return Seq2Seq(VOCAB, VOCAB, WIDTH, score=made, **options)


def transformer(**options: Any) -> nn.Module:
    return Transformer(VOCAB, VOCAB, WIDTH, HEADS, 1, 16, **options)


fused = partial(Function, scaled_dot_product_attention, need_weights=False)
hard_seq2seq = partial(seq2seq, hard=True, style="bahdanau")
bidirectional_seq2seq = partial(
    seq2seq, bidirectional=True, cell="lstm", window="local-p"
)
language_model = partial(decoder_only.DecoderOnly, VOCAB, WIDTH, HEADS, 1, 2, 16, 0.1)
CASES: dict[str, Case] = {
    "dot products": Case(lambda: Function(scaled_dot_product_attention), "masked"),
    "fused": Case(fused, "masked"),
    "lengths": Case(lambda: Function(attend_by_length), "lengths"),
    "heads": Case(lambda: core.MultiHeadAttention(WIDTH, HEADS, dropout=0.1), "masked"),
    "groups": Case(lambda: grouped.GroupedQueryAttention(WIDTH, HEADS, 1), "masked"),
    "feed-forward": Case(lambda: layers.FeedForward(WIDTH, 16, 0.1), "rows"),
    "encoder layer": Case(lambda: layers.EncoderLayer(*SIZES), "rows"),
    "decoder layer": Case(lambda: layers.DecoderLayer(*SIZES), "decoded"),
    "encoder": Case(
        lambda: layers.Encoder([layers.EncoderLayer(*SIZES)], WIDTH), "rows"
    ),
    "decoder": Case(
        lambda: layers.Decoder([layers.DecoderLayer(*SIZES)], WIDTH), "decoded"
    ),
    "RMSNorm": Case(lambda: decoder_only.RMSNorm(WIDTH), "rows"),
    "SwiGLU": Case(lambda: decoder_only.SwiGLU(WIDTH, 16), "rows"),
    "grouped": Case(lambda: decoder_only.GroupedSelfAttention(WIDTH, HEADS, 1), "rows"),
    "block": Case(lambda: decoder_only.Block(WIDTH, HEADS, 1, 16, 0.1), "rows"),
    "language model": Case(language_model, "text"),
    "sines": Case(lambda: positions.SinusoidalPositions(WIDTH), "rows"),
    "learned": Case(lambda: positions.LearnedPositions(16, WIDTH), "rows"),
    "rotary": Case(lambda: positions.RotaryPositions(WIDTH), "rows"),
    "alibi": Case(lambda: AlibiByLength(HEADS), "rows"),
    "Seq2Seq both ways": Case(bidirectional_seq2seq, "pair"),
    "Seq2Seq maps": Case(partial(seq2seq, window="local-m"), "pair", "attention"),
    "Seq2Seq input feeding": Case(partial(seq2seq, input_feeding=True), "pair"),
    "Seq2Seq Bahdanau": Case(partial(seq2seq, "additive", style="bahdanau"), "pair"),
    "Seq2Seq hard": Case(hard_seq2seq, "pair", "forward_sampled"),
    "Transformer maps": Case(transformer, "pair", "attention"),
    "self-attention": Case(lambda: modules.SelfAttention(WIDTH, 2, fused=True), "rows"),
    "projected": Case(
        lambda: modules.ProjectedAttention(WIDTH, 2, causal=True), "rows"
    ),
    "additive": Case(lambda: modules.AdditiveSelfAttention(WIDTH, causal=True), "rows"),
    "band": Case(lambda: modules.BandedSelfAttention(WIDTH, 2), "rows"),
    "convolution": Case(lambda: modules.dilated_stack(WIDTH, causal=True), "rows"),
    "separable": Case(lambda: modules.separable_convolution(WIDTH), "rows"),
    "recurrence": Case(lambda: modules.FusedRecurrence(WIDTH, "gru"), "rows"),
}
for name in scores.SCORES:
    CASES[f"{name} score"] = Case(partial(scores.make_score, name, WIDTH, 16), "two")
for cell in recurrence.CELLS:
    layer = partial(recurrence.Recurrence, cell, WIDTH, WIDTH)
    CASES[f"{cell} layer"] = Case(layer, "rows")
    CASES[f"{cell} both ways"] = Case(partial(layer, bidirectional=True), "padded")
    CASES[f"Seq2Seq {cell}"] = Case(partial(seq2seq, None, cell=cell), "pair")
for rule in linear_attention.RULES:
    states = partial(linear_attention.LinearAttention, WIDTH, HEADS, rule=rule, chunk=2)
    CASES[f"{rule} state"] = Case(partial(states, form="parallel"), "rows")
for kind in positions.POSITIONS:
    CASES[f"Transformer {kind}"] = Case(partial(transformer, positions=kind), "pair")
for kind in ENCODERS:
    tagger = partial(Tagger, VOCAB, 5, WIDTH, encoder=kind, num_heads=2, d_ff=16)
    CASES[f"Tagger {kind}"] = Case(tagger, "text")
# Loops in Python, as long as their graph: these take no other length.
ALL_CASES = CASES | {
    "cells": Case(lambda: modules.StepwiseRecurrence(WIDTH, "lstm"), "rows"),
    "online": Case(lambda: Function(online_softmax_attention, block=64), "three"),
    "gated chunks": Case(partial(states, form="chunked"), "rows"),
    "gated recurrence": Case(partial(states, form="recurrent"), "rows"),
}
for_each_case = pytest.mark.parametrize("case", ALL_CASES.values(), ids=ALL_CASES)


class Method(nn.Module):
    """A case's method as `forward`, as tools want it."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.module, self.method = case.make().eval(), case.method

    def forward(self, *inputs: Any) -> Any:
        return getattr(self.module, self.method)(*inputs)


def agree(found: Any, wanted: Any) -> None:
    """Compare all tensors of two results, at float32's tolerances."""
    for one, other in zip(tree_leaves(found), tree_leaves(wanted), strict=True):
        if isinstance(other, Tensor):
            torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)


def drawn(case: Case, *sizes: int) -> tuple:
    torch.manual_seed(1)
    return INPUTS[case.inputs](*sizes)


def split(inputs: tuple) -> list[Tensor]:
    return [x for x in inputs if isinstance(x, Tensor)]


def parameters(names: str) -> Any:
    """Cases as parameters: those named run every day, the others weekly."""
    daily = names.split(", ")
    return pytest.mark.parametrize(
        "case",
        [
            pytest.param(case, id=name, marks=() if name in daily else WEEKLY_MARK)
            for name, case in CASES.items()
        ],
    )


# Nothing looks at the data ------------------------------------------------------------


class NoLook(TorchDispatchMode):
    """Within it, whatever waits for a number, or for how many there are, fails."""

    WAITS = ("_local_scalar_dense", "item", "equal", "nonzero", "masked_select")

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        name = func.overloadpacket.__name__
        by_mask = name == "index" and any(x.dtype == torch.bool for x in split(args[1]))
        assert name not in self.WAITS and not by_mask, name
        return func(*args, **kwargs or {})


@pytest.fixture
def refuse_tolist(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the numbers past every mode."""
    monkeypatch.setattr(Tensor, "tolist", lambda x: x.item())


def backward(result: Any) -> None:
    """Go back from all that a module returned, if gradients reach it."""
    reached = [x.sum() for x in tree_leaves(result) if getattr(x, "requires_grad", 0)]
    if reached:
        sum(reached).backward()


@pytest.mark.usefixtures("refuse_tolist")
@pytest.mark.parametrize("training", [False, True])
@for_each_case
def test_modules_never_branch_on_data(case, training):
    called, inputs = Method(case), drawn(case, 2, 5, 6)
    called.train(training)
    with NoLook():
        backward(called(*inputs))


DATA_ACCESSES = {
    "item": lambda x: x.sum().item(),
    "tolist": lambda x: x.tolist(),
    "branch": lambda x: bool(x.any()),
    "mask": lambda x: x[x > 0],
    "equal": lambda x: torch.equal(x, x + 1),
    "nonzero": lambda x: x.nonzero(),
}


@pytest.mark.usefixtures("refuse_tolist")
@pytest.mark.parametrize("look", DATA_ACCESSES.values(), ids=DATA_ACCESSES)
def test_no_look_detects_each_data_access(look):
    x = torch.tensor([1.0, 0.0])
    with NoLook(), pytest.raises((AssertionError, RuntimeError)):
        look(x)


@pytest.mark.usefixtures("refuse_tolist")
def test_decoding_steps_never_branch_on_data():
    words, writer = random_ids(2, 5), language_model()
    for model in (transformer(positions="rotary").eval(), seq2seq().eval()):
        with torch.no_grad():
            state = model.start(words)
            with NoLook():
                for _ in range(3):
                    _, state = model.step(words[:, 0], state)
    with NoLook():
        cache = writer.make_cache()
        writer(words, cache)
        writer(words[:, :1], cache)


# torch.export, torch.compile, ONNX ----------------------------------------------------


def dynamic(inputs: tuple) -> dict[str, tuple]:
    """Batch and lengths of all inputs may change; widths may not."""
    sizes = 2, 5, 6
    return {
        "inputs": tuple(
            {i: Dim.DYNAMIC for i, size in enumerate(x.shape[:3]) if size in sizes}
            if isinstance(x, Tensor)
            else None
            for x in inputs
        )
    }


@torch.no_grad()
@parameters("lengths, gru layer")
def test_export_with_dynamic_sizes_equals_eager(case):
    called, small, large = Method(case), drawn(case, 2, 5, 6), drawn(case, 3, 8, 9)
    exported = torch.export.export(called, small, dynamic_shapes=dynamic(small))
    agree(exported.module()(*large), called(*large))


@parameters("heads")
def test_compile_without_a_graph_break_equals_eager(case):
    torch._dynamo.reset()
    called = Method(case)
    compiled = torch.compile(called, fullgraph=True, backend="eager", dynamic=True)
    for inputs in (drawn(case, 2, 5, 6), drawn(case, 3, 8, 9)):
        agree(compiled(*inputs), called(*inputs))


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["Transformer rotary", "language model"])
def test_inductor_trains_as_eager_does(name):
    """By the compiler that writes C++: logits, and the gradient of every parameter."""
    torch._dynamo.reset()
    called, inputs = Method(CASES[name]), drawn(CASES[name], 2, 5, 6)
    found = []
    for model in (called, torch.compile(called, fullgraph=True)):
        called.zero_grad()
        logits = model(*inputs)
        logits.square().sum().backward()
        gradients = [p.grad.clone() for p in called.parameters()]
        found.append([logits, *gradients])
    agree(found[1], found[0])


@torch.no_grad()
@parameters("fused")
def test_onnx_equals_eager(case):
    pytest.importorskip("onnxscript", reason="pip install onnx onnxscript")
    reference = pytest.importorskip("onnx.reference")
    called, small, large = Method(case), drawn(case, 2, 5, 6), drawn(case, 3, 8, 9)
    program = torch.onnx.export(
        called, small, dynamo=True, dynamic_shapes=dynamic(small), verbose=False
    )
    model = program.model_proto
    names = [each.name for each in model.graph.input]
    inputs = dict(zip(names, (x.numpy() for x in split(large)), strict=False))
    found = reference.ReferenceEvaluator(model).run(None, inputs)
    wanted = split(tree_leaves(called(*large)))
    agree([torch.from_numpy(x) for x in found], wanted)


# The meta device, torch.func ----------------------------------------------------------


@for_each_case
def test_meta_device_gives_shapes_without_memory(case):
    called, inputs = Method(case), drawn(case, 2, 5, 6)
    wanted = split(tree_leaves(called(*inputs)))
    moved = tree_map(lambda x: x.to("meta") if isinstance(x, Tensor) else x, inputs)
    found = split(tree_leaves(called.to("meta")(*moved)))
    assert [(x.shape, x.dtype) for x in found] == [(x.shape, x.dtype) for x in wanted]
    assert all(x.is_meta for x in found)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_functional_call_grad_and_vmap_equal_eager(case):
    called, inputs = Method(case), drawn(case, 2, 5, 6)
    weights = dict(called.named_parameters())
    if not weights:
        return

    def run(weights: dict[str, Tensor]) -> list[Tensor]:
        return split(tree_leaves(torch.func.functional_call(called, weights, inputs)))

    def loss(weights: dict[str, Tensor]) -> Tensor:
        return sum(x.square().sum() for x in run(weights))

    wanted = torch.autograd.grad(
        loss(weights), list(weights.values()), materialize_grads=True
    )
    agree(list(torch.func.grad(loss)(weights).values()), list(wanted))
    ensemble = {name: torch.stack([w, 1.5 * w]) for name, w in weights.items()}
    each = [run({name: w[i] for name, w in ensemble.items()}) for i in range(2)]
    found = torch.func.vmap(run)(ensemble)
    agree(found, [torch.stack(pair) for pair in zip(*each, strict=True)])


# Decoding by a compiled step ----------------------------------------------------------


@torch.no_grad()
@pytest.mark.parametrize(
    ("kind", "length"),
    [("sinusoidal", 4), pytest.param("rotary", 80, marks=WEEKLY_MARK)],
)
def test_greedy_with_a_compiled_step_equals_eager(kind, length):
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, src = transformer(positions=kind), random_ids(3, 5)
    compiled = copy.deepcopy(model)
    compiled.step = torch.compile(compiled.step, fullgraph=True, backend="eager")
    assert torch.equal(greedy(compiled, src, length), greedy(model, src, length))
    if length > 4:
        found, wanted = (beam_search(m, src, 6, 2) for m in (compiled, model))
        assert [[h.tokens for h in one] for one in found] == [
            [h.tokens for h in one] for one in wanted
        ]
