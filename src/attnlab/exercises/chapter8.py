"""The exercises of chapter 8, What the sources leave open."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.checking import exercise


@exercise(
    "8.1",
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
    "8.2",
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
    "8.3",
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
    "8.4",
    inputs=[
        (0.5, *_POINTS, 1.0),
        (3.0, *_POINTS, 0.5),
        (1.0, *_POINTS, 2.0),
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


def _merged(a: tuple, b: tuple) -> tuple:
    highest = max(a[0], b[0])
    first, second = math.exp(a[0] - highest), math.exp(b[0] - highest)
    return highest, first * a[1] + second * b[1], first * a[2] + second * b[2]


@exercise(
    "8.5",
    inputs=[
        ((1.0, 1.0, 5.0), (3.0, 1.5, 2.0)),
        ((3.0, 1.5, 2.0), (1.0, 1.0, 5.0)),
        ((2.0, 2.0, 1.0), (2.0, 1.0, 4.0)),
        ((-800.0, 1.0, 3.0), (700.0, 1.2, 1.0)),
    ],
    mistakes={
        "Both sums have to be brought to the common highest score first.": (
            lambda a, b: (max(a[0], b[0]), a[1] + b[1], a[2] + b[2])
        ),
        "Shrink what is lower: exp(own highest − common highest), at most 1.": (
            lambda a, b: (
                max(a[0], b[0]),
                a[1] * math.exp(min(300, max(a[0], b[0]) - a[0]))
                + b[1] * math.exp(min(300, max(a[0], b[0]) - b[0])),
                a[2] * math.exp(min(300, max(a[0], b[0]) - a[0]))
                + b[2] * math.exp(min(300, max(a[0], b[0]) - b[0])),
            )
        ),
        "The weighted sum shrinks like the total.": (
            lambda a, b: (*_merged(a, b)[:2], a[2] + b[2])
        ),
        "Do not divide yet: a third part may still come.": (
            lambda a, b: (*_merged(a, b)[:2], _merged(a, b)[2] / _merged(a, b)[1])
        ),
    },
    hint="The new highest is the larger one. Multiply each part's total and sum by "
    "exp(its highest − the new one), then add.",
)
def merge(
    a: tuple[float, float, float], b: tuple[float, float, float]
) -> tuple[float, float, float]:
    highest = max(a[0], b[0])
    shrink_a, shrink_b = math.exp(a[0] - highest), math.exp(b[0] - highest)
    total = shrink_a * a[1] + shrink_b * b[1]
    return highest, total, shrink_a * a[2] + shrink_b * b[2]


@exercise(
    "8.6",
    inputs=[(3, 1, 1, 1, 4), (4096, 32, 32, 128, 2), (4096, 80, 8, 128, 2)],
    mistakes={
        "Keys and values: two tensors a layer.": (
            lambda tokens, layers, groups, d_head, size: (
                layers * groups * tokens * d_head * size
            )
        ),
        "Those are numbers; a number has several bytes.": (
            lambda tokens, layers, groups, d_head, size: (
                2 * layers * groups * tokens * d_head
            )
        ),
        "Every layer keeps its own.": (
            lambda tokens, layers, groups, d_head, size: (
                2 * groups * tokens * d_head * size
            )
        ),
        "Nothing is kept for pairs of tokens: the cache grows with the length, not "
        "with its square.": lambda tokens, layers, groups, d_head, size: (
            2 * layers * groups * tokens**2 * d_head * size
        ),
    },
    hint="A layer keeps, of each token, a key and a value of groups × d_head numbers.",
)
def cache_size(tokens: int, layers: int, groups: int, d_head: int, size: int) -> int:
    return 2 * layers * groups * tokens * d_head * size


@exercise(
    "8.7",
    inputs=[(5, 1, 2), (12, 2, 4), (9, 0, 3), (6, 10, 3), (8, 2, 9)],
    mistakes={
        "Nobody sees what comes after.": lambda n, radius, every: (
            ((torch.arange(n)[:, None] - torch.arange(n)).abs() <= radius)
            | (torch.arange(n) % every == every - 1)
        ),
        "The marked columns are for those that come after them alone.": (
            lambda n, radius, every: (
                (
                    ((torch.arange(n)[:, None] - torch.arange(n)) <= radius)
                    & (torch.arange(n)[:, None] >= torch.arange(n))
                )
                | (torch.arange(n) % every == every - 1)
            )
        ),
        "Rows are queries, columns are keys: every so-manyth column.": (
            lambda n, radius, every: (
                (torch.arange(n)[:, None] >= torch.arange(n))
                & (
                    (torch.arange(n)[:, None] - torch.arange(n) <= radius)
                    | (torch.arange(n)[:, None] % every == every - 1)
                )
            )
        ),
        "The first marked key is number `every`, index every − 1.": (
            lambda n, radius, every: (
                (torch.arange(n)[:, None] >= torch.arange(n))
                & (
                    (torch.arange(n)[:, None] - torch.arange(n) <= radius)
                    | (torch.arange(n) % every == 0)
                )
            )
        ),
        "A window of radius r sees itself and r tokens before it.": (
            lambda n, radius, every: (
                (torch.arange(n)[:, None] >= torch.arange(n))
                & (
                    (torch.arange(n)[:, None] - torch.arange(n) < radius)
                    | (torch.arange(n) % every == every - 1)
                )
            )
        ),
    },
    hint="distance = row − column; allowed where it is 0 or more, and at most the "
    "radius or the column is marked: (column + 1) divisible by every.",
)
def sparse_mask(n: int, radius: int, every: int) -> Tensor:
    distance = torch.arange(n)[:, None] - torch.arange(n)  # query − key
    marked = torch.arange(n) % every == every - 1  # (n,), of the keys
    return (distance >= 0) & ((distance <= radius) | marked)
