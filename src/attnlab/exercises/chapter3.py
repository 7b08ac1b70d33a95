"""The exercises of chapter 3, Self-attention."""

import math

import torch
from torch import Tensor

from attnlab.exercises.checking import exercise


@exercise(
    "3.1",
    mistakes={
        "That is the mean of all three. A weight of 0 is left for the masked one.": (
            lambda: (4.0 + 8.0 + 100.0) / 3
        ),
        "That is the sum. Weights share out 1 between them.": lambda: 12.0,
        "The third key has taken its share, the largest. Hide it before the softmax.": (
            lambda: (12 + 100 * math.exp(2)) / (2 + math.exp(2))
        ),
        "Equal scores get equal weights, whatever the values are.": (
            lambda: (4 * math.exp(4) + 8 * math.exp(8)) / (math.exp(4) + math.exp(8))
        ),
    },
    hint="Two equal scores, and one masked: which weights are these?",
)
def read_two_of_three() -> float:
    return 6.0


def _random(*sizes: tuple[int, ...], seed: int) -> tuple[Tensor, ...]:
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(size, generator=generator) for size in sizes)


@exercise(
    "3.2",
    inputs=[
        (
            torch.tensor([2.0, 1.0]),
            torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]),
            torch.tensor([[10.0], [20.0], [60.0]]),
            0.5,
        ),
        (*_random((4,), (6, 4), (6, 3), seed=0), 2.0),
        (*_random((3,), (5, 3), (5, 2), seed=1), 0.25),
    ],
    mistakes={
        "A low temperature must make the weights sharper: divide by it.": (
            lambda query, keys, values, temperature: (
                (keys @ query * temperature).softmax(0) @ values
            )
        ),
        "The temperature is not in there yet.": (
            lambda query, keys, values, temperature: (keys @ query).softmax(0) @ values
        ),
        "Cool the scores, not the weights: dividing the weights only makes all of "
        "them larger.": (
            lambda query, keys, values, temperature: (
                (keys @ query).softmax(0) / temperature @ values
            )
        ),
        "Here the temperature stands in the place of √d. Do not divide by both.": (
            lambda query, keys, values, temperature: (
                (keys @ query / temperature / math.sqrt(len(query))).softmax(0) @ values
            )
        ),
    },
    hint="Scores (n,), divided by the temperature; then softmax; then the sum of the "
    "values.",
)
def look_up(query: Tensor, keys: Tensor, values: Tensor, temperature: float) -> Tensor:
    weights = (keys @ query / temperature).softmax(dim=0)  # (n,)
    return weights @ values  # (d_v,)


def _attend(
    x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, *, scale: float, dim: int = -1
) -> Tensor:
    scores = (x @ W_q) @ (x @ W_k).mT * scale  # (n, n)
    return scores.softmax(dim) @ (x @ W_v)  # (n, d_v)


@exercise(
    "3.3",
    inputs=[
        (
            torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
            torch.tensor([[2.0], [0.0]]),
            torch.tensor([[1.0], [-1.0]]),
            torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]),
        ),
        _random((5, 8), (8, 4), (8, 4), (8, 3), seed=2),
        _random((6, 4), (4, 9), (4, 9), (4, 4), seed=3),
    ],
    mistakes={
        "Scale by the width of queries and keys, not by that of x.": (
            lambda x, W_q, W_k, W_v: _attend(x, W_q, W_k, W_v, scale=x.shape[1] ** -0.5)
        ),
        "Scale by the width of queries and keys, not by that of the values.": (
            lambda x, W_q, W_k, W_v: _attend(
                x, W_q, W_k, W_v, scale=W_v.shape[1] ** -0.5
            )
        ),
        "The scores are not scaled yet.": (
            lambda x, W_q, W_k, W_v: _attend(x, W_q, W_k, W_v, scale=1.0)
        ),
        "You divided by d_k. Its square root is asked for.": (
            lambda x, W_q, W_k, W_v: _attend(x, W_q, W_k, W_v, scale=1 / W_k.shape[1])
        ),
        "Those are the weights. What is asked for is what they make of the values.": (
            lambda x, W_q, W_k, W_v: (
                (x @ W_q) @ (x @ W_k).mT / math.sqrt(W_k.shape[1])
            ).softmax(dim=-1)
        ),
        "Each query shares out its own weight: the softmax runs along the keys.": (
            lambda x, W_q, W_k, W_v: _attend(
                x, W_q, W_k, W_v, scale=W_k.shape[1] ** -0.5, dim=0
            )
        ),
        "Queries and keys are the wrong way round: row i of the scores belongs to "
        "query i.": (
            lambda x, W_q, W_k, W_v: _attend(
                x, W_k, W_q, W_v, scale=W_k.shape[1] ** -0.5
            )
        ),
    },
    hint="Three products with x make queries, keys and values; then equation 3.4.",
)
def self_attention(x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Tensor:
    queries, keys, values = x @ W_q, x @ W_k, x @ W_v  # (n, d_k), (n, d_k), (n, d_v)
    scores = queries @ keys.mT / math.sqrt(keys.shape[1])  # (n, n)
    return scores.softmax(dim=-1) @ values  # (n, d_v)


def _same_number(tokens: Tensor, eos: int, *, closes: bool) -> Tensor:
    """Which tokens belong to one number; its EOS closes it or opens the next."""
    ends = (tokens == eos).long()
    number = ends.cumsum(0) - ends if closes else ends.cumsum(0)  # (n,)
    return number[:, None] == number[None]  # (n, n)


@exercise(
    "3.4",
    inputs=[
        (torch.tensor([5, 2, 7, 8, 2]), 2),
        (torch.tensor([4, 4, 4]), 2),
        (torch.tensor([9, 9, 1, 9, 1, 9]), 1),
    ],
    mistakes={
        "EOS closes its number: it is the last word of that one, not the first of the "
        "next.": lambda tokens, eos: _same_number(tokens, eos, closes=False),
        "True means *may attend*. Yours is the other way round.": (
            lambda tokens, eos: ~_same_number(tokens, eos, closes=True)
        ),
        "Within its number a word may look ahead: nothing was said of causal.": (
            lambda tokens, eos: _same_number(tokens, eos, closes=True).tril()
        ),
        "That hides the end marks. They may attend, and be attended to, within their "
        "own number.": (
            lambda tokens, eos: _same_number(tokens, eos, closes=True) & (tokens != eos)
        ),
    },
    hint="Give every token the number of end marks *before* it. Two tokens belong "
    "together if that is equal.",
)
def same_number(tokens: Tensor, eos: int) -> Tensor:
    ends = (tokens == eos).long()
    number = ends.cumsum(0) - ends  # how many ended before this token: (n,)
    return number[:, None] == number[None]  # (n, n)


def _softmax_without_nan(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
    return weights.masked_fill(~mask.any(-1, keepdim=True), 0.0)


@exercise(
    "3.5",
    inputs=[
        (
            torch.tensor([[1.0, 2.0, 3.0], [0.5, 0.5, 0.5]]),
            torch.tensor([[True, True, False], [False, False, False]]),
        ),
        (
            *_random((4, 5), seed=4),
            torch.tensor([[1, 0, 0, 1, 1], [0] * 5, [1] * 5, [0, 0, 0, 0, 1]]).bool(),
        ),
    ],
    mistakes={
        "A row that may see nothing came out uniform. All its weights are to be 0.": (
            lambda scores, mask: scores.masked_fill(~mask, -1e9).softmax(dim=-1)
        ),
        "Masked after the softmax: the hidden keys have taken their share already, and "
        "rows sum to less than 1.": (
            lambda scores, mask: scores.softmax(dim=-1).masked_fill(~mask, 0.0)
        ),
        "A score of 0 is a score like any other: exp(0) is 1, not 0.": (
            lambda scores, mask: (scores * mask).softmax(dim=-1)
        ),
        "True means *may attend*. You hid what is visible.": (
            lambda scores, mask: _softmax_without_nan(scores, ~mask)
        ),
    },
    hint="−∞ before the softmax. After it, overwrite the rows where mask.any(-1) is "
    "False with 0. Multiplying does not help, because 0 · NaN is NaN.",
)
def safe_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return _softmax_without_nan(scores, mask)


@exercise(
    "3.6",
    inputs=[(16, 1.0, 0.0), (64, 2.0, 0.0), (8, 0.5, 2.0), (10, 1.0, 1.0)],
    mistakes={
        "That is for entries of variance 1. Here they have the variance σ².": (
            lambda d, sigma, mu: float(d)
        ),
        "Both factors of a product have that variance, not one.": (
            lambda d, sigma, mu: d * sigma**2
        ),
        "Right for means of 0. Var(xy) = E[x²]E[y²] − E[x]²E[y]², and "
        "E[x²] = σ² + μ².": lambda d, sigma, mu: d * sigma**4,
        "That is E[(q·k)²] term by term. The variance takes the squared mean off.": (
            lambda d, sigma, mu: d * (sigma**2 + mu**2) ** 2
        ),
    },
    hint="The variance of one product xy of independent x and y, times d. Start from "
    "Var(xy) = E[x²]E[y²] − E[x]²E[y]².",
)
def dot_variance(d: int, sigma: float, mu: float) -> float:
    return d * ((sigma**2 + mu**2) ** 2 - mu**4)


@exercise(
    "3.7",
    inputs=[(1.0, 2, 0.9), (2.0, 10, 0.99), (0.5, 100, 0.999)],
    mistakes={
        "The best key is not one of its own rivals: there are n − 1 of them.": (
            lambda gap, n, weight: gap / math.log(n * weight / (1 - weight))
        ),
        "That is 1 / T.": (
            lambda gap, n, weight: math.log((n - 1) * weight / (1 - weight)) / gap
        ),
        "That is right for a single rival. Each of the others takes a share.": (
            lambda gap, n, weight: gap / math.log(weight / (1 - weight))
        ),
    },
    hint="Set weight = 1 / (1 + (n − 1) exp(−gap / T)) and solve for T.",
)
def temperature_needed(gap: float, n: int, weight: float) -> float:
    return gap / math.log((n - 1) * weight / (1 - weight))


@exercise(
    "3.9",
    choices=("it falls", "it stays the same", "it grows", "it depends on the scores"),
    mistakes={
        "Doubled scores are a look-up at half the temperature. Does a colder one share "
        "more evenly?": lambda: "it falls",
        "That is so when the same number is *added* to every score. Doubling widens "
        "the gaps between them.": lambda: "it stays the same",
        "The weight of the best is 1 / (1 + the sum of exp(−gap) to each other key). "
        "What becomes of each gap?": lambda: "it depends on the scores",
    },
    hint="Only the gaps between the scores count. What does doubling do to a gap?",
)
def doubled_scores() -> str:
    return "it grows"
