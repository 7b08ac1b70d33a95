"""The rows of the complexity table: what theory says about each type of layer.

`LAYERS["gru"]` is a `LayerType`: it builds the layer and states, as formulas in the
length n, the width d and the layer's options, what the layer must cost. `counting`
finds the same figures in the built layer without looking at the formulas.

**What a FLOP is.** A multiplication with its addition counts two, as in torch's counter
(`torch.utils.flop_counter`), and only matrix products and convolutions count: a product
of (a × b) with (b × c) is 2abc. Left out, as in the counter and in the paper, are
biases, tanh, exp, softmax and masks. Multiplications by zeros that a layer really does
(padding, masked scores) count. All formulas are for one sequence; a batch of B costs B
times as much.

Symbols: n `n`, d `d`, k `kernel_size`, r `radius`, h `num_heads`, a `d_hidden`, L
`num_layers`. Source: Vaswani et al. 2017, table 1 and section 4, whose O(·) leave out
the constants and the projections given here.
"""

from typing import Any

from torch import nn

from attnlab.checks import check_choice, check_integer
from attnlab.complexity.modules import (
    AdditiveSelfAttention,
    BandedSelfAttention,
    Convolution,
    FusedRecurrence,
    PositionsAlone,
    ProjectedAttention,
    SelfAttention,
    StepwiseRecurrence,
    dilated_stack,
    separable_convolution,
)
from attnlab.complexity.theory import LayerType, check_sizes
from attnlab.layers import FeedForward

GATES = {"rnn": 1, "gru": 3, "lstm": 4}
FEED_FORWARD_FACTOR = 4  # times d, a feed-forward layer in between
BLOCK = 32  # the fewest queries in a block of `fused.banded_attention`


class SelfAttentionType(LayerType):
    """Attention alone, as table 1 counts it: the projections are left out.

    Scores: each of n queries meets each of n keys in d multiply-adds, 2n²d. Output:
    each of n outputs adds up n values of d numbers, 2n²d. Together 4n²d. Heads share
    the width: h · 4n²(d/h) is the same. A causal mask hides half of the scores after
    they have been computed, and saves nothing. Generating does: step t looks at t keys,
    1 + 2 + … + n in all, 2n(n + 1)d.
    """

    formula = "4n²d"
    paper = "n²d"
    options = {"num_heads": 1}  # noqa: RUF012

    def __init__(self, name: str, *, fused: bool) -> None:
        super().__init__(name)
        self.fused = fused
        self.label = f"self-attention, {'fused' if fused else 'written out'}"

    def _build(self, d: int, *, causal: bool, num_heads: int) -> nn.Module:
        return SelfAttention(d, num_heads, fused=self.fused, causal=causal)

    def _flops(self, n: int, d: int, *, causal: bool, num_heads: int) -> int:
        return 4 * n**2 * d

    def _generating(self, n: int, d: int, *, num_heads: int) -> int:
        return 2 * n * (n + 1) * d


class MultiHeadType(LayerType):
    """Multi-head attention with its four projections, by the fused kernel.

    W_Q, W_K, W_V and W_O are d × d and meet every position: 4 · 2nd². The attention in
    between costs 4n²d. The projections are the larger part as long as n < 2d.
    """

    label = "multi-head attention with projections"
    formula = "8nd² + 4n²d"
    paper = "n²d"
    options = {"num_heads": 8}  # noqa: RUF012

    def _build(self, d: int, *, causal: bool, num_heads: int) -> nn.Module:
        return ProjectedAttention(d, num_heads, causal=causal)

    def _flops(self, n: int, d: int, *, causal: bool, num_heads: int) -> int:
        return 8 * n * d**2 + 4 * n**2 * d

    def _generating(self, n: int, d: int, *, num_heads: int) -> int:
        return 8 * n * d**2 + 2 * n * (n + 1) * d

    def _parameters(self, d: int, *, num_heads: int) -> int:
        return 4 * d**2 + 4 * d


class RecurrentType(LayerType):
    """RNN, GRU and LSTM, the state as wide as the input.

    A gate is σ(W x + U h + b + b′): two products of a d × d matrix with a vector, 4d².
    The RNN has one such row of units, the GRU three, the LSTM four; each of n steps
    does them all: 4nd², 12nd², 16nd². torch keeps two biases a gate.

    A step needs the state of the step before it: n steps in a row, and as many on the
    way from the first input to the last output, though a single layer will do. (In the
    GRU and the LSTM a part of the state passes a step without a matrix product, but not
    without the step.)
    """

    paper = "nd²"
    options = {}  # noqa: RUF012

    def __init__(self, name: str, cell: str, *, fused: bool) -> None:
        super().__init__(name)
        self.cell = cell
        self.fused = fused
        self.label = f"{cell.upper()}, {'fused' if fused else 'step by step'}"
        self.formula = f"{4 * GATES[cell]}nd²"

    def _build(self, d: int, *, causal: bool) -> nn.Module:
        return (FusedRecurrence if self.fused else StepwiseRecurrence)(d, self.cell)

    def _flops(self, n: int, d: int, *, causal: bool) -> int:
        return 4 * GATES[self.cell] * n * d**2

    def _parameters(self, d: int) -> int:
        return GATES[self.cell] * (2 * d**2 + 2 * d)

    def sequential_operations(self, n: int) -> int:
        check_integer("n", n, 1)
        return n


class ConvolutionType(LayerType):
    """Convolution with a kernel of k positions, d channels to d channels.

    Each of n outputs is k products of a d × d matrix with a vector: 2knd², zeros of the
    padding included.

    A causal kernel reaches k − 1 positions back, L layers reach L(k − 1): the first
    input meets the last output, n − 1 positions on, after ⌈(n − 1)/(k − 1)⌉ layers. A
    centred kernel looks both ways and reaches (k − 1)/2 back: ⌈2(n − 1)/(k − 1)⌉.
    """

    label = "convolution"
    formula = "2knd²"
    paper = "knd²"
    options = {"kernel_size": 3}  # noqa: RUF012

    def _build(self, d: int, *, causal: bool, kernel_size: int) -> nn.Module:
        return Convolution(d, kernel_size, causal=causal)

    def _flops(self, n: int, d: int, *, causal: bool, kernel_size: int) -> int:
        return 2 * kernel_size * n * d**2

    def _parameters(self, d: int, *, kernel_size: int) -> int:
        return kernel_size * d**2 + d

    def _layers_needed(self, n: int, *, causal: bool, kernel_size: int) -> int:
        reach = kernel_size - 1 if causal else (kernel_size - 1) // 2
        return _round_up(n - 1, _check_reach(reach, "a kernel of 1"))


class SeparableType(ConvolutionType):
    """Separable convolution: a kernel for each channel, then a mix of the channels.

    The first half gives each of nd outputs k multiply-adds, 2knd; the second is a d × d
    product at each position, 2nd². It reaches as far as the plain convolution.
    """

    label = "separable convolution"
    formula = "2knd + 2nd²"
    paper = "knd + nd²"

    def _build(self, d: int, *, causal: bool, kernel_size: int) -> nn.Module:
        return separable_convolution(d, kernel_size, causal=causal)

    def _flops(self, n: int, d: int, *, causal: bool, kernel_size: int) -> int:
        return 2 * kernel_size * n * d + 2 * n * d**2

    def _parameters(self, d: int, *, kernel_size: int) -> int:
        return (kernel_size * d + d) + (d**2 + d)


class DilatedType(LayerType):
    """A stack of L convolutions with dilations 1, k, k², …: 2knd² each.

    Causal, layer i goes back 0 … k − 1 times kⁱ positions: the way back from the last
    output to the first input is n − 1 written in base k, one digit a layer. So the
    number of digits links n positions: L = ⌈log_k n⌉.

    Centred, a layer goes at most (k − 1)/2 times kⁱ to either side, and a distance may
    need a step back, beyond the end of the sequence, where there is nothing but zeros.
    The two ends are linked only if every digit of n − 1 is at most (k − 1)/2.
    """

    label = "dilated convolutions"
    formula = "2Lknd²"
    paper = "knd²"
    options = {"kernel_size": 3, "num_layers": 3}  # noqa: RUF012

    def _build(
        self, d: int, *, causal: bool, kernel_size: int, num_layers: int
    ) -> nn.Module:
        return dilated_stack(d, kernel_size, num_layers, causal=causal)

    def stack(
        self, d: int, num_layers: int, *, causal: bool = False, **options: Any
    ) -> nn.Module:
        return self.build(d, causal=causal, **{**options, "num_layers": num_layers})

    def _flops(
        self, n: int, d: int, *, causal: bool, kernel_size: int, num_layers: int
    ) -> int:
        return num_layers * 2 * kernel_size * n * d**2

    def _parameters(self, d: int, *, kernel_size: int, num_layers: int) -> int:
        return num_layers * (kernel_size * d**2 + d)

    def _layers_needed(
        self, n: int, *, causal: bool, kernel_size: int, num_layers: int
    ) -> int:
        _check_reach(kernel_size - 1, "a kernel of 1")
        digits = _digits(n - 1, kernel_size)
        if not causal and max(digits) > (kernel_size - 1) // 2:
            raise ValueError(
                f"centred dilated kernels of {kernel_size} never link the ends of {n} "
                "positions: the way leads beyond the end"
            )
        return len(digits)

    def most_layers(self, n: int, *, kernel_size: int = 3, **options: Any) -> int:
        check_integer("n", n, 2)
        _check_reach(kernel_size - 1, "a kernel of 1")
        return len(_digits(n - 1, kernel_size))  # a larger dilation leads out at once


class BandedType(LayerType):
    """Restricted self-attention: r positions to either side, no projections.

    A query needs 2r + 1 keys, so 4n(2r + 1)d would do (`needed`, which counts the keys
    beyond the ends too). `banded_attention` computes more: it works in blocks of
    s = max(r, 32) queries, each against s + 2r keys, s + r if causal. With ⌈n/s⌉ blocks
    that is 4⌈n/s⌉s(s + 2r)d, for r ≥ 32 about 12nrd: half as much again as needed, in
    exchange for a few large products. A radius beyond n − 1 counts as n − 1.
    Generating, step t looks at the last r + 1 keys, or at all t, and at none too many.

    L layers reach Lr positions: ⌈(n − 1)/r⌉ link the first input to the last output.
    """

    label = "restricted self-attention"
    formula = "4⌈n/s⌉s(s + 2r)d"
    paper = "rnd"
    options = {"radius": 32}  # noqa: RUF012

    def _build(self, d: int, *, causal: bool, radius: int) -> nn.Module:
        return BandedSelfAttention(d, radius, causal=causal)

    def _flops(self, n: int, d: int, *, causal: bool, radius: int) -> int:
        radius = min(radius, n - 1)
        size = max(radius, BLOCK)
        keys = size + (radius if causal else 2 * radius)
        return 4 * _round_up(n, size) * size * keys * d

    def _generating(self, n: int, d: int, *, radius: int) -> int:
        most = min(radius + 1, n)  # keys that a step looks at
        return 4 * (n * most - most * (most - 1) // 2) * d

    def needed(self, n: int, d: int, *, causal: bool = False, radius: int = 32) -> int:
        """FLOPs of a band computed without a key too many: 4n(2r + 1)d.

        Raises as `flops`.
        """
        check_sizes(n, d)
        check_integer("radius", radius, 0)
        return 4 * n * ((radius if causal else 2 * radius) + 1) * d

    def _layers_needed(self, n: int, *, causal: bool, radius: int) -> int:
        return _round_up(n - 1, _check_reach(radius, "a radius of 0"))


class AdditiveType(LayerType):
    """Self-attention by the additive score v · tanh(W q + U k), a hidden units wide.

    W and U meet every position: 2 · 2nda. v meets each of n² pairs: 2n²a. The weighted
    sum is 2n²d. With a = d that is 4nd² + 4n²d, no more than dot-product attention with
    two projections. What makes it slow is not here: n²a additions and tanhs, and a
    tensor of n²a numbers in between.
    """

    label = "additive attention"
    formula = "4nda + 2n²a + 2n²d"
    options = {"d_hidden": None}  # noqa: RUF012

    def _build(self, d: int, *, causal: bool, d_hidden: int | None) -> nn.Module:
        return AdditiveSelfAttention(d, d_hidden, causal=causal)

    def _flops(self, n: int, d: int, *, causal: bool, d_hidden: int | None) -> int:
        a = d_hidden or d
        return 4 * n * d * a + 2 * n**2 * a + 2 * n**2 * d

    def _generating(self, n: int, d: int, *, d_hidden: int | None) -> int:
        a = d_hidden or d
        return 4 * n * d * a + n * (n + 1) * (a + d)

    def _parameters(self, d: int, *, d_hidden: int | None) -> int:
        a = d_hidden or d
        return 2 * d * a + a


class FeedForwardType(LayerType):
    """The Transformer's feed-forward layer, four times as wide in between.

    Two products a position, d × 4d and 4d × d: 2 · 8nd². No position meets another.
    """

    label = "feed-forward"
    formula = "16nd²"
    options = {}  # noqa: RUF012

    def _build(self, d: int, *, causal: bool) -> nn.Module:
        return PositionsAlone(FeedForward(d, FEED_FORWARD_FACTOR * d))

    def _flops(self, n: int, d: int, *, causal: bool) -> int:
        return 4 * FEED_FORWARD_FACTOR * n * d**2

    def _parameters(self, d: int) -> int:
        return 2 * FEED_FORWARD_FACTOR * d**2 + (FEED_FORWARD_FACTOR + 1) * d

    def _layers_needed(self, n: int, *, causal: bool) -> int:
        raise ValueError("no stack of feed-forward layers links two positions")


def _check_reach(reach: int, what: str) -> int:
    if reach < 1:
        raise ValueError(f"{what} never links two positions, however deep the stack")
    return reach


def _digits(number: int, base: int) -> list[int]:
    """Return the digits of a positive number, the last first."""
    digits = []
    while number:
        number, digit = divmod(number, base)
        digits.append(digit)
    return digits


def _round_up(count: int, size: int) -> int:
    return -(-count // size)


LAYERS: dict[str, LayerType] = {
    layer.name: layer
    for layer in (
        SelfAttentionType("attention", fused=False),
        SelfAttentionType("attention_fused", fused=True),
        MultiHeadType("multi_head"),
        BandedType("banded"),
        AdditiveType("additive"),
        *(RecurrentType(cell, cell, fused=False) for cell in GATES),
        *(RecurrentType(f"{cell}_fused", cell, fused=True) for cell in GATES),
        ConvolutionType("convolution"),
        DilatedType("dilated"),
        SeparableType("separable"),
    )
}


OTHER_LAYERS = {"feed_forward": FeedForwardType("feed_forward")}  # not in the table


def layer_type(name: str) -> LayerType:
    """Return `LAYERS[name]`, or what stands beside the table: "feed_forward".

    Raises:
        ValueError: there is no such type.
    """
    known = {**LAYERS, **OTHER_LAYERS}
    check_choice("layer", name, known)
    return known[name]
