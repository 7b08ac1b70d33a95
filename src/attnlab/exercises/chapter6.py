"""The exercises of chapter 6, What it costs."""

import math
from collections.abc import Callable

from attnlab.exercises.checking import exercise


@exercise(
    "6.1",
    mistakes={
        "Half of it: you left out the weighted sums, or all the additions.": (
            lambda: 2 * 3 * 3 * 5
        ),
        "n is 3 and d is 5; you took them the other way round.": lambda: 4 * 5 * 5 * 3,
        "Nobody projects here: the scores and the weighted sums alone.": (
            lambda: 8 * 3 * 25 + 4 * 9 * 5
        ),
    },
    hint="3 × 3 scores of 5 multiplications and additions each; then 3 × 5 outputs, "
    "each a sum over 3 values.",
)
def flops_by_hand() -> int:
    return 4 * 3**2 * 5


def _layer(n: int, d: int, d_ff: int) -> int:
    return 8 * n * d**2 + 4 * n**2 * d + 4 * n * d * d_ff


@exercise(
    "6.2",
    inputs=[(10, 4, 12), (2, 3, 5), (512, 64, 256), (64, 512, 2048)],
    mistakes={
        "Those are multiplications. Count each with its addition: twice as much.": (
            lambda n, d, d_ff: _layer(n, d, d_ff) // 2
        ),
        "The feed-forward layer goes up to d_ff and comes down again: two products.": (
            lambda n, d, d_ff: _layer(n, d, d_ff) - 2 * n * d * d_ff
        ),
        "W_O is missing: there are four projections.": (
            lambda n, d, d_ff: _layer(n, d, d_ff) - 2 * n * d**2
        ),
        "The projections are missing: 2nd² each.": (
            lambda n, d, d_ff: _layer(n, d, d_ff) - 8 * n * d**2
        ),
        "The feed-forward layer meets every position: n times.": (
            lambda n, d, d_ff: 8 * n * d**2 + 4 * n**2 * d + 4 * d * d_ff
        ),
        "Scores and weighted sums are two products of n²d multiplications each.": (
            lambda n, d, d_ff: _layer(n, d, d_ff) - 2 * n**2 * d
        ),
    },
    hint="Four projections of 2nd², two products of 2n²d, and two layers of 2n·d·d_ff.",
)
def encoder_layer_flops(n: int, d: int, d_ff: int) -> int:
    return 8 * n * d**2 + 4 * n**2 * d + 4 * n * d * d_ff


def _back(k: int, causal: bool) -> int:
    return k - 1 if causal else (k - 1) // 2


@exercise(
    "6.3",
    inputs=[(2, 3, True), (10, 3, True), (10, 3, False), (64, 7, True), (65, 7, False)],
    mistakes={
        "A centred kernel looks back over half of its width only.": (
            lambda n, k, causal: math.ceil((n - 1) / (k - 1))
        ),
        "A causal kernel has all of its width, but for the position, before it.": (
            lambda n, k, causal: math.ceil(2 * (n - 1) / (k - 1))
        ),
        "A kernel of k sees its own position too: it looks back over k − 1, not k.": (
            lambda n, k, causal: math.ceil((n - 1) / (k if causal else k / 2))
        ),
        "From the first to the last of n positions it is n − 1 steps.": (
            lambda n, k, causal: math.ceil(n / _back(k, causal))
        ),
        "A last layer that is needed in part is needed: round up.": (
            lambda n, k, causal: (n - 1) // _back(k, causal)
        ),
    },
    hint="How far back does one layer see? How often does that go into n − 1, rounded "
    "up?",
)
def layers_to_link(n: int, k: int, causal: bool) -> int:
    back = k - 1 if causal else (k - 1) // 2
    return math.ceil((n - 1) / back)


@exercise(
    "6.4",
    inputs=[(64, 3), (64, 4), (512, 3), (64, 2), (64, 1)],
    mistakes={
        "That leaves the projections out.": lambda d, gates: gates * d,
        "Below zero there is no length: attention then costs more at every n. Say 0.": (
            lambda d, gates: (gates - 2) * d
        ),
        "A gate has two matrices, one for the input and one for the state: 4nd².": (
            lambda d, gates: max(0, (gates - 4) * d // 2)
        ),
    },
    hint="Set 8nd² + 4n²d equal to 4·gates·nd², divide by 4nd, and solve for n.",
)
def longest_that_pays(d: int, gates: int) -> int:
    return max(0, (gates - 2) * d)


def _slope(x: list[float], y: list[float]) -> float:
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    along = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return along / sum((a - mean_x) ** 2 for a in x)


def _logs(values: list[float]) -> list[float]:
    return [math.log(value) for value in values]


@exercise(
    "6.5",
    inputs=[
        ([1, 2, 4], [3.0, 12.0, 48.0]),
        ([64, 256, 1024], [0.1, 0.35, 1.7]),
        ([10, 100, 1000, 5000], [5.0, 5.1, 7.0, 20.0]),
    ],
    mistakes={
        "An exponent is a slope between logarithms, of the sizes and of the times.": (
            lambda sizes, seconds: _slope(sizes, seconds)
        ),
        "Take the logarithm of the sizes, too.": (
            lambda sizes, seconds: _slope(sizes, _logs(seconds))
        ),
        "Size is on the x-axis and time on the y-axis.": (
            lambda sizes, seconds: _slope(_logs(seconds), _logs(sizes))
        ),
        "You used the first and the last point alone; all of them count.": (
            lambda sizes, seconds: (
                math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])
            )
        ),
    },
    hint="x = log size, y = log seconds. Slope: Σ (x − x̄)(y − ȳ) / Σ (x − x̄)².",
)
def exponent(sizes: list[float], seconds: list[float]) -> float:
    x = [math.log(size) for size in sizes]
    y = [math.log(second) for second in seconds]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    along = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return along / sum((a - mean_x) ** 2 for a in x)


# What each operation waits for. In the second the short way comes first.
_RNN = {"h1": ["x1"], "h2": ["x2", "h1"], "h3": ["x3", "h2"], "out": ["h3"]}
_DIAMOND = {"out": ["skip", "c"], "c": ["b"], "b": ["a"], "skip": ["a"], "a": []}


def _waits(before: dict, end: str, pick: Callable) -> int:
    return 1 + pick([_waits(before, one, pick) for one in before.get(end, [])] or [0])


@exercise(
    "6.6",
    inputs=[
        ({"scores": ["x"], "weights": ["scores"], "sum": ["weights", "x"]}, "sum"),
        (_RNN, "out"),
        (_DIAMOND, "out"),
        ({}, "x"),
    ],
    mistakes={
        "Not all operations that there are: only those that wait for each other.": (
            lambda before, end: len(
                {end, *before, *(one for waits in before.values() for one in waits)}
            )
        ),
        "Operations that do not wait for each other run side by side: they do not add "
        "up.": lambda before, end: _waits(before, end, sum),
        "That is the shortest way. The last to be ready decides.": (
            lambda before, end: _waits(before, end, min)
        ),
        "The operation itself counts too.": (
            lambda before, end: _waits(before, end, max) - 1
        ),
    },
    hint="One, plus the longest chain of what it waits for; an operation that waits "
    "for nothing has a chain of 1. Let the function call itself.",
)
def chain(before: dict[str, list[str]], end: str) -> int:
    waited = [chain(before, one) for one in before.get(end, [])]
    return 1 + max(waited, default=0)


@exercise(
    "6.7",
    inputs=[(5, 1), (5, 0), (100, 8), (4, 3), (3, 10)],
    mistakes={
        "That forgets the ends, where a window sticks out of the sequence.": (
            lambda n, radius: n * (2 * radius + 1)
        ),
        "A position sees itself, too.": (
            lambda n, radius: (
                sum(min(n, i + radius + 1) - max(0, i - radius) for i in range(n)) - n
            )
        ),
        "The radius reaches to both sides.": (
            lambda n, radius: sum(i + 1 - max(0, i - radius) for i in range(n))
        ),
        "A radius beyond n − 1 is no more than n − 1.": (
            lambda n, radius: n * (2 * radius + 1) - radius * (radius + 1)
        ),
    },
    hint="Position i sees from max(0, i − radius) to min(n − 1, i + radius). Add up "
    "over i.",
)
def pairs_in_the_band(n: int, radius: int) -> int:
    return sum(min(n - 1, i + radius) - max(0, i - radius) + 1 for i in range(n))
