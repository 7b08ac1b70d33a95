"""The exercises of chapter 9, Attention as memory."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.checking import exercise


@exercise(
    "9.1",
    mistakes={
        "A spin is not tied to itself: leave the diagonal out.": lambda: -2.0,
        "Every pair stands in the sum twice, and there is a ½ before it.": lambda: -3.0,
        "That would be a hill. Turn every spin, and no product of two spins changes.": (
            lambda: 1.5
        ),
    },
    hint="−½ Σ w s s over the twelve ordered pairs of different spins, w = ±¼.",
)
def energy_by_hand() -> float:
    return -1.5


# A tensor's own numbers, so that inputs are the same on every machine.
_PATTERNS = torch.tensor([[2.0, 1.0, 0.0], [-0.5, 2.0, 1.0], [0.0, -1.0, 2.0]])
_STATE = torch.tensor([0.5, 1.0, -0.5])


def _lse(state: Tensor, patterns: Tensor, beta: float) -> Tensor:
    return (beta * patterns @ state).exp().sum().log() / beta


@exercise(
    "9.2",
    inputs=[
        (torch.tensor([1.0, 0.0]), torch.eye(2), 1.0),
        (_STATE, _PATTERNS, 0.5),
        (_STATE, _PATTERNS, 4.0),
    ],
    mistakes={
        "The softmax does not see beta.": (
            lambda state, patterns, beta: (patterns @ state).softmax(0) @ patterns
        ),
        "Beta multiplies the scores, not the outcome.": (
            lambda state, patterns, beta: (
                beta * (patterns @ state).softmax(0) @ patterns
            )
        ),
        "Beta is an inverse temperature: multiply by it.": (
            lambda state, patterns, beta: (
                (patterns @ state / beta).softmax(0) @ patterns
            )
        ),
        "Those are the weights. The new state is what they make of the patterns.": (
            lambda state, patterns, beta: (beta * patterns @ state).softmax(0)
        ),
        "Do not add the old state: the new one is a mean of the patterns.": (
            lambda state, patterns, beta: (
                state + (beta * patterns @ state).softmax(0) @ patterns
            )
        ),
    },
    hint="Scores patterns @ state, times beta; softmax; the weighted sum of patterns.",
)
def fall(state: Tensor, patterns: Tensor, beta: float) -> Tensor:
    weights = (beta * patterns @ state).softmax(dim=0)  # (N,)
    return weights @ patterns


@exercise(
    "9.3",
    inputs=[
        (torch.tensor([1.0, 0.0]), torch.eye(2), 2.0),
        (_STATE, _PATTERNS, 0.5),
        (_STATE, _PATTERNS, 4.0),
    ],
    mistakes={
        "Divide the logarithm by beta.": (
            lambda state, patterns, beta: (
                0.5 * state @ state - beta * _lse(state, patterns, beta)
            )
        ),
        "The bowl is missing: ½ of the state's squared length.": (
            lambda state, patterns, beta: -_lse(state, patterns, beta)
        ),
        "Half of the squared length.": (
            lambda state, patterns, beta: state @ state - _lse(state, patterns, beta)
        ),
        "The patterns pull the energy down: a minus before the logarithm.": (
            lambda state, patterns, beta: (
                0.5 * state @ state + _lse(state, patterns, beta)
            )
        ),
        "The largest score alone is the limit of a large beta. Here all count.": (
            lambda state, patterns, beta: 0.5 * state @ state - (patterns @ state).max()
        ),
    },
    hint="½ state·state − log(Σ exp(beta · patterns @ state)) / beta.",
)
def landscape(state: Tensor, patterns: Tensor, beta: float) -> Tensor:
    lse = (beta * patterns @ state).logsumexp(dim=0) / beta
    return 0.5 * state @ state - lse


_POINTS = ([0.0, 1.0, 2.0, 4.0], [1.0, 3.0, 2.0, -1.0])


def _smoothed(x: float, xs: list, ys: list, kernel: Callable) -> float:
    weights = [kernel(x - other) for other in xs]
    return sum(a * y for a, y in zip(weights, ys, strict=True)) / sum(weights)


@exercise(
    "9.4",
    inputs=[
        (0.5, *_POINTS, 1.0),
        (3.0, *_POINTS, 0.5),
        (1.0, [0.0, 2.0, 3.0], [2.0, 0.0, 1.0], 2.0),
    ],
    mistakes={
        "Divide by the sum of the weights.": (
            lambda x, xs, ys, w: sum(
                math.exp(-((x - a) ** 2) / (2 * w * w)) * y
                for a, y in zip(xs, ys, strict=True)
            )
        ),
        "The bandwidth is squared, like the distance: 2w².": (
            lambda x, xs, ys, w: _smoothed(
                x, xs, ys, lambda far: math.exp(-(far**2) / (2 * w))
            )
        ),
        "There is a 2 under the fraction line: 2w².": (
            lambda x, xs, ys, w: _smoothed(
                x, xs, ys, lambda far: math.exp(-(far**2) / w**2)
            )
        ),
        "Square the distance.": (
            lambda x, xs, ys, w: _smoothed(
                x, xs, ys, lambda far: math.exp(-abs(far) / (2 * w * w))
            )
        ),
        "That is a dot product: the larger x_i is, the more it counts.": (
            lambda x, xs, ys, w: _smoothed(
                x, xs, ys, lambda far: math.exp(x * (x - far) / w**2)
            )
        ),
    },
    hint="Weights exp(−(x − x_i)² / 2w²), divided by their sum, times the y_i.",
)
def smooth(x: float, xs: list[float], ys: list[float], w: float) -> float:
    weights = [math.exp(-((x - other) ** 2) / (2 * w**2)) for other in xs]
    return sum(a * y for a, y in zip(weights, ys, strict=True)) / sum(weights)
