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


def _log_sum_exp(state: Tensor, patterns: Tensor, beta: float) -> Tensor:
    return (beta * patterns @ state).exp().sum().log() / beta


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
                0.5 * state @ state - beta * _log_sum_exp(state, patterns, beta)
            )
        ),
        "The bowl is missing: ½ of the state's squared length.": (
            lambda state, patterns, beta: -_log_sum_exp(state, patterns, beta)
        ),
        "Half of the squared length.": (
            lambda state, patterns, beta: (
                state @ state - _log_sum_exp(state, patterns, beta)
            )
        ),
        "The patterns pull the energy down: a minus before the logarithm.": (
            lambda state, patterns, beta: (
                0.5 * state @ state + _log_sum_exp(state, patterns, beta)
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


def _kernel_mean(x: float, xs: list, ys: list, kernel: Callable) -> float:
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
            lambda x, xs, ys, w: _kernel_mean(
                x, xs, ys, lambda far: math.exp(-(far**2) / (2 * w))
            )
        ),
        "There is a 2 under the fraction line: 2w².": (
            lambda x, xs, ys, w: _kernel_mean(
                x, xs, ys, lambda far: math.exp(-(far**2) / w**2)
            )
        ),
        "Square the distance.": (
            lambda x, xs, ys, w: _kernel_mean(
                x, xs, ys, lambda far: math.exp(-abs(far) / (2 * w * w))
            )
        ),
        "That is a dot product: the larger x_i is, the more it counts.": (
            lambda x, xs, ys, w: _kernel_mean(
                x, xs, ys, lambda far: math.exp(x * (x - far) / w**2)
            )
        ),
    },
    hint="Weights exp(−(x − x_i)² / 2w²), divided by their sum, times the y_i.",
)
def smooth(x: float, xs: list[float], ys: list[float], w: float) -> float:
    weights = [math.exp(-((x - other) ** 2) / (2 * w**2)) for other in xs]
    return sum(a * y for a, y in zip(weights, ys, strict=True)) / sum(weights)


def _sweep(spins: Tensor, weights: Tensor, turn: Callable, step: int = 1) -> Tensor:
    spins = spins.clone()
    for i in range(len(spins))[::step]:
        spins[i] = turn(spins[i], weights[i] @ spins)
    return spins


@exercise(
    "9.7",
    inputs=[
        (torch.tensor([1.0, 1.0]), torch.tensor([[0.0, -0.5], [-0.5, 0.0]])),
        (torch.tensor([1.0, -1.0, 1.0]), 0.5 * (1 - torch.eye(3))),
        (torch.tensor([-1.0, 1.0, -1.0]), 0.5 * (1 - torch.eye(3))),
    ],
    mistakes={
        "One after another: the next spin feels those that have changed already.": (
            lambda spins, weights: (weights @ spins).sign()
        ),
        "Where the pull is 0, the spin stays as it is.": (
            lambda spins, weights: _sweep(
                spins, weights, lambda spin, pull: pull.sign()
            )
        ),
        "A pull of 0 is no reason to turn up: a spin of −1 stays at −1.": (
            lambda spins, weights: _sweep(
                spins, weights, lambda spin, pull: 1.0 if pull >= 0 else -1.0
            )
        ),
        "A spin takes the sign of its pull, not the opposite.": (
            lambda spins, weights: _sweep(
                spins, weights, lambda spin, pull: -pull.sign()
            )
        ),
        "Begin with the first spin.": (
            lambda spins, weights: _sweep(
                spins, weights, lambda spin, pull: pull.sign() if pull else spin, -1
            )
        ),
    },
    hint="For each i in order: the pull is weights[i] @ spins.",
)
def follow(spins: Tensor, weights: Tensor) -> Tensor:
    spins = spins.clone()
    for i in range(len(spins)):
        pull = weights[i] @ spins
        if pull != 0:
            spins[i] = pull.sign()
    return spins


_entr = torch.special.entr  # −α ln α, and 0 for α = 0


@exercise(
    "9.8",
    inputs=[
        (torch.tensor([0.9, 0.1]),),
        (torch.tensor([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]]),),
    ],
    mistakes={
        "That is the entropy. The number of keys is e to its power.": (
            lambda weights: _entr(weights).sum(dim=-1)
        ),
        "There is a minus before the sum.": (
            lambda weights: (-_entr(weights).sum(dim=-1)).exp()
        ),
        "With e before the power, the logarithm is the natural one.": (
            lambda weights: (_entr(weights).sum(dim=-1) / math.log(2)).exp()
        ),
        "Each row has a number of its own: sum over the last dimension only.": (
            lambda weights: _entr(weights).sum().exp()
        ),
    },
    hint="exp(−Σ α ln α). A weight of 0 adds 0, but 0 · log 0 is NaN; "
    "torch.special.entr computes −α ln α for every α.",
)
def keys_mixed(weights: Tensor) -> Tensor:
    return _entr(weights).sum(dim=-1).exp()


@exercise(
    "9.9",
    inputs=[(8, 1.0, 0.125), (16, 0.5, 0.25), (32, 1.0, 0.0)],
    mistakes={
        "A flipped spin does not only fail to agree, it counts −1: 1 − 2f.": (
            lambda d, beta, share: (math.exp(beta * (1 - share)) / math.cosh(beta)) ** d
        ),
        "β stands in the wrong patterns' scores as well: cosh β.": (
            lambda d, beta, share: (
                (math.exp(beta * (1 - 2 * share)) / math.cosh(1.0)) ** d
            )
        ),
        "That is what one spin contributes. There are d of them.": (
            lambda d, beta, share: math.exp(beta * (1 - 2 * share)) / math.cosh(beta)
        ),
    },
    hint="The right pattern's dot product is (1 − 2f) d. Set e to the power of β times "
    "that equal to N cosh(β)^d.",
)
def estimate(d: int, beta: float, share: float) -> float:
    return (math.exp(beta * (1 - 2 * share)) / math.cosh(beta)) ** d


@exercise(
    "9.10",
    inputs=[([0.0, 1.0, 3.0], [1.0, 3.0, 2.0], 1.0), (*_POINTS, 0.5)],
    mistakes={
        "Each point sees itself. Leave x_i and y_i out when you answer at x_i.": (
            lambda xs, ys, w: [smooth(x, xs, ys, w) for x in xs]
        ),
        "Its own weight must leave the sum below the line as well.": (
            lambda xs, ys, w: [
                smooth(x, xs, [*ys[:i], 0.0, *ys[i + 1 :]], w) for i, x in enumerate(xs)
            ]
        ),
        "The answers are asked for, not how far off they are.": (
            lambda xs, ys, w: [
                (one - y) ** 2 for one, y in zip(left_out(xs, ys, w), ys, strict=True)
            ]
        ),
    },
    hint="At x_i: smooth with the lists xs[:i] + xs[i + 1 :] and ys[:i] + ys[i + 1 :].",
)
def left_out(xs: list[float], ys: list[float], w: float) -> list[float]:
    return [
        smooth(x, xs[:i] + xs[i + 1 :], ys[:i] + ys[i + 1 :], w)
        for i, x in enumerate(xs)
    ]
