"""The exercises of chapter 7, The Transformer."""

import torch
from torch import Tensor

from attnlab.exercises.checking import exercise

_D, _FF = 512, 2048
_ATTENTION = 4 * (_D * _D + _D)
_FEED_FORWARD = 2 * _D * _FF + _FF + _D


@exercise(
    "7.1",
    mistakes={
        "The two norms have parameters too: a gain and a bias each.": (
            lambda: _ATTENTION + _FEED_FORWARD
        ),
        "There are two norms, one for each sublayer.": (
            lambda: _ATTENTION + _FEED_FORWARD + 2 * _D
        ),
        "With biases, please: every linear layer has one.": (
            lambda: 4 * _D * _D + 2 * _D * _FF + 4 * _D
        ),
        "That is attention alone. What comes after it?": lambda: _ATTENTION,
        "Attention has four matrices: what comes after the heads?": (
            lambda: 3 * (_D * _D + _D) + _FEED_FORWARD + 4 * _D
        ),
        "The feed-forward layer has two matrices: up and back.": (
            lambda: _ATTENTION + _D * _FF + _FF + 4 * _D
        ),
        "That is a decoder layer.": (
            lambda: 2 * _ATTENTION + _FEED_FORWARD + 3 * 2 * _D
        ),
    },
    hint="Four matrices of attention, two of the feed-forward layer, a bias for each, "
    "and two norms with gain and bias.",
    tolerance=0,  # a count
)
def parameters_of_an_encoder_layer() -> int:
    return _ATTENTION + _FEED_FORWARD + 2 * 2 * _D


def _random(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator)


def _normalise(x: Tensor, axis: int | tuple, *, unbiased: bool = False) -> Tensor:
    mean = x.mean(axis, keepdim=True)
    variance = x.var(axis, keepdim=True, unbiased=unbiased)
    return (x - mean) / (variance + 1e-5).sqrt()


@exercise(
    "7.2",
    inputs=[
        (
            torch.tensor([[1.0, 2.0, 3.0, 6.0], [0.0, 0.0, 4.0, 4.0]]),
            torch.tensor([1.0, 1.0, 2.0, 1.0]),
            torch.tensor([0.0, 0.5, 0.0, 0.0]),
        ),
        (_random(2, 3, 4, seed=1), _random(4, seed=2), _random(4, seed=3)),
        (5 + 3 * _random(5, 8, seed=4), _random(8, seed=5), _random(8, seed=6)),
    ],
    mistakes={
        "Each word by itself: mean and variance run over the last dimension.": (
            lambda x, gain, bias: gain * _normalise(x, -2) + bias
        ),
        "Each word by itself: you took mean and variance over all numbers.": (
            lambda x, gain, bias: gain * _normalise(x, tuple(range(x.dim()))) + bias
        ),
        "The variance divides by d here, not by d - 1: unbiased=False.": (
            lambda x, gain, bias: gain * _normalise(x, -1, unbiased=True) + bias
        ),
        "Gain and bias are missing.": lambda x, gain, bias: _normalise(x, -1),
        "The bias comes last: it is not multiplied by the gain.": (
            lambda x, gain, bias: gain * (_normalise(x, -1) + bias)
        ),
        "The mean stays in: take it off first.": (
            lambda x, gain, bias: (
                gain * x / (x.var(-1, keepdim=True, unbiased=False) + 1e-5).sqrt()
                + bias
            )
        ),
        "Divide by the standard deviation, the root of the variance.": (
            lambda x, gain, bias: (
                gain
                * (x - x.mean(-1, keepdim=True))
                / (x.var(-1, keepdim=True, unbiased=False) + 1e-5)
                + bias
            )
        ),
    },
    hint="Equation 7.2, with keepdim=True so that mean and variance still broadcast.",
)
def layer_norm(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return gain * _normalise(x, -1) + bias


@exercise(
    "7.3",
    inputs=[
        (torch.tensor([[1, 7, 8, 2]]),),
        (torch.tensor([[1, 7, 8, 9, 2], [1, 7, 2, 0, 0]]),),
    ],
    mistakes={
        "Not shifted: a model that reads what it is to say learns to copy.": (
            lambda tgt: (tgt, tgt)
        ),
        "Not shifted: both leave out the same column.": (
            lambda tgt: (tgt[:, :-1], tgt[:, :-1])
        ),
        "The wrong way round: what is read comes first.": (
            lambda tgt: (tgt[:, 1:], tgt[:, :-1])
        ),
        "The lengths differ: the last column is never read.": (
            lambda tgt: (tgt, tgt[:, 1:])
        ),
        "That cuts off the rows: the batch is the first dimension.": (
            lambda tgt: (tgt[:-1], tgt[1:])
        ),
    },
    hint="At BOS the model is to say the first word, at the last word EOS.",
)
def shift(tgt: Tensor) -> tuple[Tensor, Tensor]:
    return tgt[:, :-1], tgt[:, 1:]


def _causal(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


@exercise(
    "7.4",
    inputs=[
        (torch.tensor([[1, 7, 8]]),),
        (torch.tensor([[1, 7, 8, 9], [1, 7, 0, 0]]),),
    ],
    mistakes={
        "Padding is still seen.": lambda tgt: _causal(tgt.shape[1]).expand(
            len(tgt), -1, -1
        ),
        "The future is still seen.": lambda tgt: (tgt != 0)[:, None].expand(
            -1, tgt.shape[1], -1
        ),
        "The other way round: True means that a place may be seen.": (
            lambda tgt: ~(_causal(tgt.shape[1]) & (tgt != 0)[:, None])
        ),
        "It is the keys (the last dimension) that are padding, not the queries.": (
            lambda tgt: _causal(tgt.shape[1]) & (tgt != 0)[:, :, None]
        ),
        "Each place sees itself as well: it has been read already.": (
            lambda tgt: (
                torch.ones(tgt.shape[1], tgt.shape[1]).tril(-1).bool()
                & (tgt != 0)[:, None]
            )
        ),
        "A row is a query: it sees the columns up to itself.": (
            lambda tgt: _causal(tgt.shape[1]).T & (tgt != 0)[:, None]
        ),
    },
    hint="Two masks with & between them: one (L, L), the other (B, 1, L).",
)
def decoder_mask(tgt: Tensor) -> Tensor:
    return _causal(tgt.shape[1]) & (tgt != 0)[:, None]


def _smoothed(V: int, target: int, on_target: float, elsewhere: float) -> Tensor:
    q = torch.full((V,), elsewhere)
    q[target] = on_target
    return q


@exercise(
    "7.5",
    inputs=[(5, 2, 0.1), (4, 0, 0.2), (10, 9, 0.0)],
    mistakes={
        "The right word gets its share of the doubt as well: 1 - ε + ε/V.": (
            lambda V, target, epsilon: _smoothed(V, target, 1 - epsilon, epsilon / V)
        ),
        "The doubt is spread over all V words, the right one included.": (
            lambda V, target, epsilon: _smoothed(
                V, target, 1 - epsilon, epsilon / (V - 1)
            )
        ),
        "Each wrong word gets ε/V, not ε.": lambda V, target, epsilon: _smoothed(
            V, target, 1 - epsilon, epsilon
        ),
        "That is the target without smoothing.": lambda V, target, epsilon: _smoothed(
            V, target, 1.0, 0.0
        ),
    },
    hint="Equation 7.6. What must all entries sum to?",
)
def smoothed_target(V: int, target: int, epsilon: float) -> Tensor:
    return _smoothed(V, target, 1 - epsilon + epsilon / V, epsilon / V)


@exercise(
    "7.6",
    inputs=[(1, 512, 4000), (4000, 512, 4000), (16_000, 512, 4000), (50, 64, 100)],
    tolerance=1e-6,
    mistakes={
        "The factor d^(-1/2) is missing.": lambda t, d, w: min(t**-0.5, t * w**-1.5),
        "The first steps are to be small: of the two arguments the smaller one counts, "
        "and at first that is t·w^(-3/2).": lambda t, d, w: d**-0.5 * t**-0.5,
        "It never falls: the first argument is missing.": (
            lambda t, d, w: d**-0.5 * t * w**-1.5
        ),
        "The power of w is -3/2, so that both are equal at t = w.": (
            lambda t, d, w: d**-0.5 * min(t**-0.5, t * w**-0.5)
        ),
    },
    hint="Equation 7.7; in Python a root is ** 0.5.",
)
def rate(t: int, d: int, w: int) -> float:
    return d**-0.5 * min(t**-0.5, t * w**-1.5)


@exercise(
    "7.8",
    mistakes={
        "That is what it is to say. What has it read when it says the first word?": (
            lambda: ["sieben", "und", "acht", "zig", "EOS"]
        ),
        "After EOS nothing is to be said, so it is never read.": (
            lambda: ["BOS", "sieben", "und", "acht", "zig", "EOS"]
        ),
        "Something has to be read before the first word can be said.": (
            lambda: ["sieben", "und", "acht", "zig"]
        ),
        "So it is when it begins to write. In training it reads all positions at "
        "once.": lambda: ["BOS"],
    },
    hint="The same target twice, one column apart: which end does the reader lack?",
)
def read_in_training() -> list[str]:
    return ["BOS", "sieben", "und", "acht", "zig"]
