"""PyTorch's own tools take every model and layer: they look at no data on the way.

`CASES` names each with inputs of two sizes; every tool has one test.
"""

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from attnlab.attention import (
    MultiHeadAttention,
    banded_attention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)
from attnlab.complexity import modules
from attnlab.decoder_only import (
    Block,
    DecoderOnly,
    GroupedSelfAttention,
    RMSNorm,
    SwiGLU,
)
from attnlab.decoding import beam_search, greedy
from attnlab.grouped import GroupedQueryAttention
from attnlab.layers import Decoder, DecoderLayer, Encoder, EncoderLayer, FeedForward
from attnlab.online import online_softmax_attention
from attnlab.positions import (
    POSITIONS,
    AlibiPositions,
    LearnedPositions,
    RotaryPositions,
    SinusoidalPositions,
)
from attnlab.recurrence import CELLS, Recurrence
from attnlab.recurrent import Seq2Seq
from attnlab.scores import SCORES, make_score
from attnlab.tagger import ENCODERS, Tagger
from attnlab.transformer import Transformer

D, HEADS, VOCAB = 8, 2, 11


class Case(NamedTuple):
    """A module, and what it is called on: `inputs(batch, length, longer)`."""

    make: Callable[[], nn.Module]
    inputs: Callable[[int, int, int], tuple]
    method: str = "forward"


def ids(batch: int, length: int) -> Tensor:
    """Random tokens, the last row padded."""
    made = torch.randint(1, VOCAB, (batch, length))
    made[-1, length - 2 :] = 0
    return made


def rows(batch: int, n: int, _: int) -> tuple:
    return (torch.randn(batch, n, D),)


def two(batch: int, n: int, m: int) -> tuple:
    return torch.randn(batch, n, D), torch.randn(batch, m, D)


def text(batch: int, n: int, _: int) -> tuple:
    return (ids(batch, n),)


def pair(batch: int, n: int, m: int) -> tuple:
    return ids(batch, n), ids(batch, m)


def masked(batch: int, n: int, m: int) -> tuple:
    """Query, key, value, and a mask that hides all from the first query."""
    query, key = two(batch, n, m)
    mask = torch.rand(batch, n, m) < 0.6
    mask[:, 0] = False
    return query, key, key, mask


def layer(batch: int, n: int, m: int) -> tuple:
    """What a decoder layer reads: states, memory, both masks; a row without memory."""
    src_mask = ids(batch, m)[:, None] != 0
    src_mask[0] = False
    return *two(batch, n, m), causal_mask(n), src_mask


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        super().__init__()
        self.function, self.options = function, options

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(*inputs, **self.options)


def masked_by_length(x: Tensor, lengths: Tensor) -> Tensor:
    mask = padding_mask(lengths, x.shape[1]) & causal_mask(x.shape[1])
    return scaled_dot_product_attention(x, x, x, mask)[0]


def seq2seq(**options: Any) -> Callable[[], nn.Module]:
    def make() -> nn.Module:
        score = options.get("score", "general")
        made = None if score is None else make_score(score, D, 16)
        return Seq2Seq(VOCAB, VOCAB, D, **options | {"score": made})

    return make


SIZES = D, HEADS, 16, 0.1
attention = scaled_dot_product_attention
CASES: dict[str, Case] = {
    "dot products": Case(lambda: Function(attention), masked),
    "fused": Case(lambda: Function(attention, need_weights=False), masked),
    "lengths": Case(
        lambda: Function(masked_by_length),
        lambda b, n, _: (torch.randn(b, n, D), torch.arange(b) % n),
    ),
    "band": Case(
        lambda: Function(banded_attention, radius=2),
        lambda b, n, _: rows(b, n, 0) * 3,
    ),
    "online": Case(
        lambda: Function(online_softmax_attention, block=64),
        lambda b, n, m: (*two(b, n, m), torch.randn(b, m, D)),
    ),
    "heads": Case(lambda: MultiHeadAttention(D, HEADS, dropout=0.1), masked),
    "heads' weights": Case(
        lambda: MultiHeadAttention(D, HEADS),
        lambda b, n, m: (*masked(b, n, m), True),
    ),
    "groups": Case(lambda: GroupedQueryAttention(D, HEADS, 1), masked),
    "feed-forward": Case(lambda: FeedForward(D, 16, 0.1), rows),
    "encoder layer": Case(
        lambda: EncoderLayer(*SIZES),
        lambda b, n, _: (torch.randn(b, n, D), ids(b, n)[:, None] != 0),
    ),
    "decoder layer": Case(lambda: DecoderLayer(*SIZES), layer),
    "encoder": Case(lambda: Encoder([EncoderLayer(*SIZES)], D), rows),
    "decoder": Case(lambda: Decoder([DecoderLayer(*SIZES)], D), layer),
    "RMSNorm": Case(lambda: RMSNorm(D), rows),
    "SwiGLU": Case(lambda: SwiGLU(D, 16), rows),
    "grouped self-attention": Case(lambda: GroupedSelfAttention(D, HEADS, 1), rows),
    "block": Case(lambda: Block(D, HEADS, 1, 16, 0.1), rows),
    "language model": Case(
        lambda: DecoderOnly(VOCAB, D, HEADS, 1, 2, 16, 0.1), text
    ),
    "sines": Case(lambda: SinusoidalPositions(D), rows),
    "learned positions": Case(lambda: LearnedPositions(16, D), rows),
    "rotary": Case(lambda: RotaryPositions(D), rows),
    "alibi": Case(
        lambda: Function(lambda x, alibi=AlibiPositions(HEADS): alibi(x.shape[1])), rows
    ),
    **{f"{name} score": Case(lambda n=name: make_score(n, D, 16), two) for name in SCORES},
    **{f"{cell} layer": Case(lambda c=cell: Recurrence(c, D, D), rows) for cell in CELLS},
    **{
        f"{cell} both ways": Case(
            lambda c=cell: Recurrence(c, D, D, bidirectional=True),
            lambda b, n, _: (torch.randn(b, n, D), None, ids(b, n) != 0),
        )
        for cell in CELLS
    },
    **{f"Seq2Seq {c}": Case(seq2seq(score=None, cell=c), pair) for c in CELLS},
    "Seq2Seq attention": Case(
        seq2seq(bidirectional=True, cell="lstm", window="local-p"), pair
    ),
    "Seq2Seq maps": Case(seq2seq(window="local-m"), pair, "attention"),
    "Seq2Seq input feeding": Case(seq2seq(input_feeding=True), pair),
    "Seq2Seq Bahdanau": Case(seq2seq(style="bahdanau", score="additive"), pair),
    "Seq2Seq hard": Case(seq2seq(hard=True, style="bahdanau"), pair, "forward_sampled"),
    **{
        f"Transformer {kind}": Case(
            lambda k=kind: Transformer(VOCAB, VOCAB, *(D, HEADS, 1, 16), positions=k),
            pair,
        )
        for kind in POSITIONS
    },
    "Transformer maps": Case(
        lambda: Transformer(VOCAB, VOCAB, D, HEADS, 1, 16), pair, "attention"
    ),
    **{
        f"Tagger {kind}": Case(
            lambda k=kind: Tagger(VOCAB, 5, D, encoder=k, num_heads=2, d_ff=16), text
        )
        for kind in ENCODERS
    },
    "self-attention": Case(lambda: modules.SelfAttention(D, 2, fused=True), rows),
    "projected": Case(lambda: modules.ProjectedAttention(D, 2, causal=True), rows),
    "additive": Case(lambda: modules.AdditiveSelfAttention(D, causal=True), rows),
    "convolution": Case(lambda: modules.dilated_stack(D, causal=True), rows),
    "separable": Case(lambda: modules.separable_convolution(D), rows),
    "fused recurrence": Case(lambda: modules.FusedRecurrence(D, "gru"), rows),
}
# Steps in Python, as many as the graph has: these have no length of their own choice.
FIXED = {"cells": Case(lambda: modules.StepwiseRecurrence(D, "lstm"), rows)}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


class Called(nn.Module):
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
    return case.inputs(*sizes)
