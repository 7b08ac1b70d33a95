"""The exercises of chapter 10, A model that others trained."""

import torch
from torch import Tensor
from torch.nn import functional as F

from attnlab.exercises.checking import exercise

_LAYER = 4 * (384 * 384 + 384) + (384 * 1536 + 1536) + (1536 * 384 + 384) + 4 * 384
_TABLES, _FIRST_NORM = (30_522 + 512) * 384, 2 * 384


@exercise(
    "10.1",
    mistakes={
        "Every position has a vector as well as every piece.": (
            lambda: 30_522 * 384 + _FIRST_NORM + 6 * _LAYER
        ),
        "Count the tables of vectors as well.": lambda: _FIRST_NORM + 6 * _LAYER,
        "There are six layers.": lambda: _TABLES + _FIRST_NORM + _LAYER,
        "A norm has two numbers for each entry, a factor and a shift. There is one "
        "before the layers, too.": lambda: _TABLES + 6 * _LAYER,
        "That is without the biases of the linear layers.": (
            lambda: _TABLES + _FIRST_NORM + 6 * (_LAYER - 5 * 384 - 1536)
        ),
    },
    hint="Two tables, the first norm, and six times: four projections, the two linear "
    "layers of the feed-forward layer, two norms.",
    tolerance=0,  # a count
)
def parameters_of_the_encoder() -> int:
    return _TABLES + _FIRST_NORM + 6 * _LAYER


def _random(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator)


def _mean_of_real(z: Tensor, real: Tensor) -> Tensor:
    return (z * real[..., None]).sum(dim=1) / real.sum(dim=1, keepdim=True)


@exercise(
    "10.5",
    inputs=[
        (torch.tensor([[[3.0, 0.0], [1.0, 3.0]]]), torch.tensor([[7, 8]])),
        (_random(2, 4, 3, seed=1), torch.tensor([[7, 8, 9, 2], [5, 6, 0, 0]])),
        (_random(2, 4, 3, seed=2), torch.tensor([[0, 8, 9, 0], [5, 6, 4, 3]])),
    ],
    mistakes={
        "That is the mean, not yet at length 1.": lambda z, tokens: _mean_of_real(
            z, tokens != 0
        ),
        "Leave padding out of the mean: its token is 0.": (
            lambda z, tokens: F.normalize(z.mean(dim=1), dim=-1)
        ),
        "That is the first token alone. Average over all of them.": (
            lambda z, tokens: F.normalize(z[:, 0], dim=-1)
        ),
        "Bring the mean to length 1, not each token before it.": (
            lambda z, tokens: _mean_of_real(F.normalize(z, dim=-1), tokens != 0)
        ),
    },
    hint="Multiply z by (tokens != 0)[..., None], sum over the tokens, divide by the "
    "length of what comes out.",
)
def sentence_vectors(z: Tensor, tokens: Tensor) -> Tensor:
    total = (z * (tokens != 0)[..., None]).sum(dim=1)  # (B, d)
    return F.normalize(total, dim=-1)


_BEFORE = torch.tensor([[0, 0, 0], [1, 0, 0], [0, 1, 0]]).bool()
_DOUBLES = torch.tensor([[0, 1, 0, 1], [1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 0, 0]]).bool()


def _wanted_weight(weights: Tensor, wanted: Tensor) -> Tensor:
    """The weight on the wanted places of each row that has some, (h, rows)."""
    return (weights * wanted).sum(dim=-1)[:, wanted.any(dim=-1)]


@exercise(
    "10.6",
    inputs=[
        (_random(1, 3, 3, seed=3).softmax(dim=-1), _BEFORE),
        (_random(2, 4, 4, seed=4).softmax(dim=-1), _DOUBLES),
    ],
    mistakes={
        "A row without a wanted place is not asked: leave it out of the mean.": (
            lambda weights, wanted: (weights * wanted).sum(dim=-1).mean(dim=-1)
        ),
        "A row may have several wanted places: add their weights.": (
            lambda weights, wanted: weights[:, wanted].mean(dim=-1)
        ),
        "Rows ask and columns are looked at; yours are exchanged.": (
            lambda weights, wanted: _wanted_weight(weights.mT, wanted).mean(dim=-1)
        ),
        "That is the mean of all heads. Keep one number for each.": (
            lambda weights, wanted: _wanted_weight(weights, wanted).mean()
        ),
    },
    hint="Add each row's weights on the wanted places; then the mean over the rows in "
    "which wanted.any(dim=-1).",
)
def weight_on(weights: Tensor, wanted: Tensor) -> Tensor:
    found = (weights * wanted).sum(dim=-1)  # (h, n)
    return found[:, wanted.any(dim=-1)].mean(dim=-1)


@exercise(
    "10.7",
    inputs=[
        (_random(1, 3, 3, seed=5).softmax(dim=-1), torch.tensor([0, 1, 0]).bool()),
        (_random(3, 5, 5, seed=6).softmax(dim=-1), torch.tensor([0, 1, 1, 1, 0]) > 0),
    ],
    mistakes={
        "The rows of separators are no words: leave them out.": (
            lambda weights, is_word: weights.mean(dim=(0, 1))
        ),
        "Average over who looks, the rows. A mean over what is looked at is 1/n.": (
            lambda weights, is_word: weights[:, is_word].mean(dim=(0, 2))
        ),
        "Every place can be looked at, separators as well: choose rows, not columns.": (
            lambda weights, is_word: weights[:, :, is_word].mean(dim=(0, 1))
        ),
        "That is a sum. It should be a mean, so that all places together get 1.": (
            lambda weights, is_word: weights[:, is_word].sum(dim=(0, 1))
        ),
    },
    hint="weights[:, is_word] has the rows of words; average over heads and rows.",
)
def weight_received(weights: Tensor, is_word: Tensor) -> Tensor:
    return weights[:, is_word].mean(dim=(0, 1))  # (n,)


@exercise(
    "10.8",
    inputs=[
        (["the", "dog", "barks"], ["the", "cat"]),
        (["no", "no", "no", "thanks"], ["thanks", "a", "lot"]),
        (["two", "and", "two"], ["two", "and", "one"]),
        (["hello"], ["good", "evening"]),
    ],
    mistakes={
        "A word counts once, however often it occurs: make sets.": (
            lambda one, other: len({*one} & {*other}) / (len(one) * len(other)) ** 0.5
        ),
        "That is a count. A long sentence would win by being long: divide.": (
            lambda one, other: len({*one} & {*other})
        ),
        "Divide by the root of the product of both numbers.": (
            lambda one, other: len({*one} & {*other}) / (len({*one}) * len({*other}))
        ),
        "That is the share of all words that both have. Divide by √(a · b).": (
            lambda one, other: len({*one} & {*other}) / len({*one} | {*other})
        ),
    },
    hint="len(a & b) / (len(a) * len(b)) ** 0.5, for the sets a and b of their words.",
)
def word_similarity(one: list[str], other: list[str]) -> float:
    a, b = {*one}, {*other}
    return len(a & b) / (len(a) * len(b)) ** 0.5


def _round_to_bits(matrix: Tensor, largest: Tensor, bits: int) -> Tensor:
    step = largest / (2 ** (bits - 1) - 1)
    return (matrix / step).round() * step


def _largest_by_row(matrix: Tensor) -> Tensor:
    return matrix.abs().amax(dim=1, keepdim=True)  # (rows, 1)


@exercise(
    "10.9",
    inputs=[
        (torch.tensor([[1.0, 0.6, -0.3], [0.1, -0.06, 0.03]]), 3),
        (_random(3, 5, seed=7), 4),
    ],
    mistakes={
        "Each row has a step of its own: one for the matrix spoils small rows.": (
            lambda matrix, bits: _round_to_bits(matrix, matrix.abs().max(), bits)
        ),
        "Those are whole numbers of steps: multiply by the step again.": (
            lambda matrix, bits: (
                matrix * (2 ** (bits - 1) - 1) / _largest_by_row(matrix)
            ).round()
        ),
        "From 0 to the largest there are 2^(b−1) − 1 steps; the rest are for minus.": (
            lambda matrix, bits: _round_to_bits(
                matrix, _largest_by_row(matrix), bits + 1
            )
        ),
    },
    hint="step = the row's largest absolute value / (2 ** (bits - 1) - 1); divide by "
    "it, round, multiply by it.",
)
def round_rows(matrix: Tensor, bits: int) -> Tensor:
    return _round_to_bits(matrix, _largest_by_row(matrix), bits)
