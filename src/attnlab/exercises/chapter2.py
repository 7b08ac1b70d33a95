"""The exercises of chapter 2, Alignment."""

import math

import torch
from torch import Tensor

from attnlab.exercises.checking import exercise


@exercise(
    "2.1",
    mistakes={
        "Those are the scores. A softmax takes their exponentials first.": (
            lambda: [math.log(2), math.log(3), math.log(5)]
        ),
        "Those are the exponentials. Weights sum to 1.": lambda: [2.0, 3.0, 5.0],
        "The right weights, last to first: each stands where its score does.": (
            lambda: [0.5, 0.3, 0.2]
        ),
        "You divided the scores by their sum. Take their exponentials first.": (
            lambda: [math.log(n) / math.log(30) for n in (2, 3, 5)]
        ),
    },
    hint="What is exp(ln 2)? And what do the three exponentials add up to?",
)
def softmax_by_head() -> list[float]:
    return [0.2, 0.3, 0.5]


def _random_tensors(*sizes: tuple[int, ...], seed: int) -> tuple[Tensor, ...]:
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(size, generator=generator) for size in sizes)


@exercise(
    "2.2",
    inputs=[
        (
            torch.tensor([1.0, 0.0]),
            torch.tensor([[2.0, 1.0], [0.0, 3.0], [1.0, -1.0]]),
            torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]]),
        ),
        _random_tensors((4,), (6, 4), (6, 3), seed=0),
        _random_tensors((8,), (1, 8), (1, 2), seed=1),
        _random_tensors((3,), (4, 3), (4, 3), seed=5),
    ],
    mistakes={
        "The scores have to go through a softmax before they weigh anything.": (
            lambda query, keys, values: (keys @ query) @ values
        ),
        "Those are the weights. What is asked for is the sum that they weigh.": (
            lambda query, keys, values: (keys @ query).softmax(0)
        ),
        "The mean weighs all values alike, whatever the query is.": (
            lambda query, keys, values: values.mean(dim=0)
        ),
        "You divided the scores by √d. That is the scaled dot product; the plain one "
        "is asked for.": (
            lambda query, keys, values: (
                (keys @ query / math.sqrt(len(query))).softmax(0) @ values
            )
        ),
        "You summed the keys. They say how much each value weighs; it is the values "
        "that are summed.": (
            lambda query, keys, values: (keys @ query).softmax(0) @ keys
        ),
    },
    hint="Three lines: scores (n,), weights (n,), weighted sum of the values (d_v,).",
)
def attend(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    weights = (keys @ query).softmax(dim=0)  # (n,)
    return weights @ values  # (d_v,)


@exercise(
    "2.3",
    inputs=[
        (
            torch.tensor([1.0, 0.0]),
            torch.tensor([[1.0, 0.0], [0.0, 1.0]]),
            torch.eye(2),
            torch.eye(2),
            torch.tensor([1.0, 2.0]),
        ),
        _random_tensors((4,), (6, 3), (5, 4), (5, 3), (5,), seed=2),
    ],
    mistakes={
        "Without the tanh the query adds the same number to every score, and the "
        "softmax takes it out again.": (
            lambda query, keys, W, U, v: (W @ query + keys @ U.T) @ v
        ),
        "The tanh goes around the sum, not around each part.": (
            lambda query, keys, W, U, v: (
                (torch.tanh(W @ query) + torch.tanh(keys @ U.T)) @ v
            )
        ),
        "The hidden layer (n, h) is no score yet: v makes one number of each row.": (
            lambda query, keys, W, U, v: torch.tanh(W @ query + keys @ U.T)
        ),
        "You added the hidden entries up. v says how much each of them counts.": (
            lambda query, keys, W, U, v: torch.tanh(W @ query + keys @ U.T).sum(dim=-1)
        ),
        "Those are weights. The scores are asked for, before any softmax.": (
            lambda query, keys, W, U, v: (
                torch.tanh(W @ query + keys @ U.T) @ v
            ).softmax(dim=0)
        ),
    },
    hint="W query is (h,), keys Uᵀ is (n, h): their sum broadcasts to (n, h).",
)
def additive_scores(
    query: Tensor, keys: Tensor, W: Tensor, U: Tensor, v: Tensor
) -> Tensor:
    return torch.tanh(W @ query + keys @ U.T) @ v  # (n,)


_WIDE_MAP = torch.tensor(
    [
        [0.2, 0.25, 0.35, 0.2],
        [0.5, 0.1, 0.4, 0.0],
        [0.1, 0.6, 0.2, 0.1],
        [0.45, 0.05, 0.1, 0.4],
    ]
)
_ATTENTION_MAP = torch.tensor([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1], [0.2, 0.5, 0.3]])


def _strongest(weights: Tensor, links: set, rows: set) -> float:
    wrong = [(t, int(weights[t].argmax())) not in links for t in sorted(rows)]
    return sum(wrong) / len(wrong)


def _by_columns(weights: Tensor, links: set) -> float:
    rows = {t for t, _ in links}
    wrong = [(t, int(weights[:, t].argmax())) not in links for t in sorted(rows)]
    return sum(wrong) / len(wrong)


def _once_a_link(weights: Tensor, links: set) -> float:
    wrong = [int(weights[t].argmax()) != s for t, s in links]
    return sum(wrong) / len(links)


@exercise(
    "2.4",
    inputs=[
        (_WIDE_MAP, {(0, 2), (1, 0), (2, 1), (3, 3)}),
        (_ATTENTION_MAP, {(0, 2), (1, 0), (2, 2)}),
        (_ATTENTION_MAP, {(0, 2), (2, 1)}),
        (_ATTENTION_MAP, {(0, 0), (0, 2), (1, 0), (2, 0)}),
        (_ATTENTION_MAP.flip(0), {(0, 2), (2, 0)}),
    ],
    mistakes={
        "argmax() returns a tensor, and links hold whole numbers: the types differ, so "
        "no pair is ever found in links. Convert it by int() or .item().": (
            lambda weights, links: 1.0
        ),
        "Only target tokens that have a link are judged.": (
            lambda weights, links: _strongest(weights, links, set(range(len(weights))))
        ),
        "Each target token is a row of the weights; you went down the columns.": (
            _by_columns
        ),
        "That is the share of right ones.": (
            lambda weights, links: 1 - _strongest(weights, links, {t for t, _ in links})
        ),
        "Count once per target word, not once per link: a word with two links is right "
        "if its heaviest source is either of them.": _once_a_link,
    },
    hint="Collect the target indices that occur in links. For each of them, is "
    "(target, its heaviest source) a link?",
)
def share_of_errors(weights: Tensor, links: set) -> float:
    judged = {target for target, _ in links}
    wrong = [(t, int(weights[t].argmax())) not in links for t in judged]
    return sum(wrong) / len(wrong)


def _window(scores: Tensor, centre: float, radius: int) -> tuple[Tensor, Tensor]:
    distance = torch.arange(len(scores)) - centre  # (n,)
    return distance, distance.abs() <= radius


def _gaussian_first(scores: Tensor, centre: float, radius: int) -> Tensor:
    distance, inside = _window(scores, centre, radius)
    gaussian = torch.exp(-(distance**2) / (2 * (radius / 2) ** 2))
    weights = scores.masked_fill(~inside, -torch.inf).softmax(dim=0) * gaussian
    return weights / weights.sum()


def _whole_softmax(scores: Tensor, centre: float, radius: int) -> Tensor:
    distance, inside = _window(scores, centre, radius)
    gaussian = torch.exp(-(distance**2) / (2 * (radius / 2) ** 2))
    return scores.softmax(dim=0) * gaussian * inside


def _window_too_wide(scores: Tensor, centre: float, radius: int) -> Tensor:
    distance, inside = _window(scores, centre, radius)
    gaussian = torch.exp(-(distance**2) / (2 * radius**2))
    return scores.masked_fill(~inside, -torch.inf).softmax(dim=0) * gaussian


def _window_too_narrow(scores: Tensor, centre: float, radius: int) -> Tensor:
    distance, inside = _window(scores, centre, radius)
    gaussian = torch.exp(-(distance**2) / (radius / 2) ** 2)
    return scores.masked_fill(~inside, -torch.inf).softmax(dim=0) * gaussian


def _without_its_ends(scores: Tensor, centre: float, radius: int) -> Tensor:
    distance, _ = _window(scores, centre, radius)
    gaussian = torch.exp(-(distance**2) / (2 * (radius / 2) ** 2))
    outside = distance.abs() >= radius
    return scores.masked_fill(outside, -torch.inf).softmax(dim=0) * gaussian


@exercise(
    "2.5",
    inputs=[
        (torch.zeros(5), 2.0, 1),
        (torch.tensor([0.5, -1.0, 2.0, 0.0, 1.0, 3.0]), 2.4, 2),
    ],
    mistakes={
        "Luong does not divide by the sum again: a row adds up to less than 1.": (
            _gaussian_first
        ),
        "The softmax runs over the window alone: what is outside gets −∞ first.": (
            _whole_softmax
        ),
        "The standard deviation is half the radius.": _window_too_wide,
        "The Gaussian is missing: what is far from the centre counts for less.": (
            lambda scores, centre, radius: scores.masked_fill(
                ~_window(scores, centre, radius)[1], -torch.inf
            ).softmax(dim=0)
        ),
        "A word that is just `radius` away belongs to the window.": (_without_its_ends),
        "There is a 2 under the fraction line: 2σ².": (_window_too_narrow),
    },
    hint="Positions are 0 … n−1. First the softmax over those within radius of the "
    "centre, then times exp(−distance² / 2σ²).",
)
def local_weights(scores: Tensor, centre: float, radius: int) -> Tensor:
    distance = torch.arange(len(scores)) - centre  # (n,)
    inside = distance.abs() <= radius
    weights = scores.masked_fill(~inside, -torch.inf).softmax(dim=0)
    return weights * torch.exp(-(distance**2) / (2 * (radius / 2) ** 2))


@exercise(
    "2.6",
    inputs=[
        (torch.tensor([0.5, 0.5]), torch.tensor([1.0, 0.0])),
        (torch.tensor([0.2, 0.3, 0.5]), torch.tensor([-1.0, 2.0, 0.5])),
        (torch.tensor([0.1, 0.2, 0.7]), torch.tensor([3.0, 3.0, 3.0])),
    ],
    mistakes={
        "Raising one score lowers the other weights: compare each reward with the "
        "expected one.": lambda weights, rewards: weights * rewards,
        "Compare with the expected reward, in which likely positions count for more.": (
            lambda weights, rewards: weights * (rewards - rewards.mean())
        ),
        "A position that is hardly ever looked at can hardly change the expectation.": (
            lambda weights, rewards: rewards - (weights * rewards).sum()
        ),
        "The sign is off: to raise the score of a good position raises the "
        "expectation.": (
            lambda weights, rewards: weights * ((weights * rewards).sum() - rewards)
        ),
        "That is the whole expectation. Its gradient has a number for every score.": (
            lambda weights, rewards: (weights * rewards).sum()
        ),
    },
    hint="The expected reward is Σ wᵢ rᵢ, and ∂wᵢ/∂eⱼ = wᵢ (1[i = j] − wⱼ).",
)
def score_gradient(weights: Tensor, rewards: Tensor) -> Tensor:
    expected = (weights * rewards).sum()
    return weights * (rewards - expected)


@exercise(
    "2.7",
    inputs=[(10, 10, 64), (7, 1, 32), (1000, 3, 8)],
    mistakes={
        "Those are the scores. The weighted sum costs as much again.": (
            lambda source, target, d: source * target * d
        ),
        "That is one step; every target token takes one.": (
            lambda source, target, d: 2 * source * d
        ),
        "Multiplications only: you counted the additions too.": (
            lambda source, target, d: 4 * source * target * d
        ),
    },
    hint="One score is d products. How many scores are there? And what does the "
    "weighted sum take?",
)
def attention_products(source: int, target: int, d: int) -> int:
    return 2 * source * target * d


@exercise(
    "2.9",
    choices=(
        "the first, by either",
        "the second, by either",
        "the first by the dot product, the second by distance",
        "the second by the dot product, the first by distance",
    ),
    mistakes={
        "By the dot product it is. Now draw the three points: which key is nearer?": (
            lambda: "the first, by either"
        ),
        "By distance it is. Now multiply entry by entry and add up.": (
            lambda: "the second, by either"
        ),
        "It is the other way round: which of the two keys is the longer?": (
            lambda: "the second by the dot product, the first by distance"
        ),
    },
    hint="The scores are q · k and −½‖q − k‖². Work out all four.",
)
def heavier_key() -> str:
    return "the first by the dot product, the second by distance"


def _shares(*rows: list[float]) -> Tensor:
    return torch.tensor(rows)


@exercise(
    "2.12",
    inputs=[
        (
            _shares([0.7, 0.2, 0.1, 0.0], [0.6, 0.3, 0.1, 0.0], [0.2, 0.5, 0.3, 0.0]),
            torch.tensor([True, True, True, False]),
        ),
        (_shares([0.4, 0.6], [0.9, 0.1]), torch.tensor([True, True])),
    ],
    mistakes={
        "That shows the heaviest state and nothing else; it is the one to hide.": (
            lambda weights, mask: mask & ~cut_heaviest(weights, mask)
        ),
        "What could not be seen before stays hidden: keep the mask.": (
            lambda weights, mask: cut_heaviest(weights, torch.ones_like(mask))
        ),
        "You hid the lightest state of each step.": (
            lambda weights, mask: cut_heaviest(-weights, mask)
        ),
        "Each step (row) loses one state: take the largest over the source.": (
            lambda weights, mask: (
                mask & (torch.arange(len(weights))[:, None] != weights.argmax(dim=0))
            )
        ),
        "True means that a state may be seen; yours is the other way round.": (
            lambda weights, mask: ~cut_heaviest(weights, mask)
        ),
    },
    hint="Where is the largest weight of each row? There, and only there, False.",
)
def cut_heaviest(weights: Tensor, mask: Tensor) -> Tensor:
    """What each step may see, (T, n), once its heaviest state is hidden."""
    heaviest = weights.argmax(dim=-1, keepdim=True)  # (T, 1)
    places = torch.arange(weights.shape[-1])  # (n,)
    return mask & (places != heaviest)
