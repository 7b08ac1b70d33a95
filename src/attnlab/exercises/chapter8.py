"""The exercises of chapter 8, Writing a sentence."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.checking import exercise


def _random(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator)


_TABLE = {
    "start": {"the": 0.5, "a": 0.4, "no": 0.1},
    "the": {"cat": 0.4, "dog": 0.35, "owl": 0.25},
    "a": {"cat": 0.9, "dog": 0.1},
}
_BEAM = [(math.log(0.5), ["start", "the"]), (math.log(0.4), ["start", "a"])]


def _continuations(beam: list, table: dict) -> list:
    return [
        (log_p + math.log(p), [*words, word])
        for log_p, words in beam
        for word, p in table[words[-1]].items()
    ]


def _forgetful_step(beam: list, table: dict, width: int) -> list:
    """Ranks by the last word's probability alone."""
    fresh = [(0.0, words) for _, words in beam]
    return sorted(_continuations(fresh, table), reverse=True)[:width]


def _best_of_each(beam: list, table: dict, width: int) -> list:
    """Lets every beginning go on with its best word."""
    best = [max(_continuations([one], table)) for one in beam]
    return sorted(best, reverse=True)[:width]


def _in_probabilities(beam: list, table: dict, width: int) -> list:
    best = sorted(_continuations(beam, table), reverse=True)[:width]
    return [(math.exp(log_p), words) for log_p, words in best]


@exercise(
    "8.1",
    inputs=[
        (_BEAM, _TABLE, 2),
        ([(0.0, ["start"])], _TABLE, 2),
        (_BEAM, _TABLE, 4),
        (_BEAM[1:], _TABLE | {"a": {"owl": 0.7, "cat": 0.3}}, 5),
    ],
    mistakes={
        "The prefix counts as well: add its log-probability to the word's.": (
            _forgetful_step
        ),
        "The best of all continuations, whichever prefix they come from; yours are the "
        "best of each.": _best_of_each,
        "Sums of log-probabilities, please, not probabilities.": _in_probabilities,
        "Those are the worst. Log-probabilities are negative: the best is the one "
        "nearest to 0.": lambda beam, table, width: sorted(_continuations(beam, table))[
            :width
        ],
        "All of them are still there: keep `width`.": lambda beam, table, width: sorted(
            _continuations(beam, table), reverse=True
        ),
        "The best ones, not the first ones: sort them.": lambda beam, table, width: (
            _continuations(beam, table)[:width]
        ),
    },
    hint="Make every continuation of every prefix, a longer list with log_p + "
    "math.log(probability). Sort them, best first, and keep `width`.",
)
def beam_step(
    beam: list[tuple[float, list[str]]], table: dict[str, dict[str, float]], width: int
) -> list[tuple[float, list[str]]]:
    return sorted(_continuations(beam, table), reverse=True)[:width]


def _attend(query: Tensor, keys: Tensor, values: Tensor, scale: float) -> Tensor:
    return (keys @ query * scale).softmax(0) @ values


def _random_step(t: int, d: int, seed: int) -> tuple:
    return (
        _random(d, seed=seed),
        _random(d, seed=seed + 1),
        _random(d, seed=seed + 2),
        _random(t, d, seed=seed + 3),
        _random(t, d, seed=seed + 4),
    )


def _extended(cache: Tensor, new: Tensor) -> Tensor:
    return torch.cat([cache, new[None]])


def _cached_step(
    q: Tensor, k: Tensor, v: Tensor, keys: Tensor, values: Tensor, scale: float
) -> tuple[Tensor, Tensor, Tensor]:
    keys, values = _extended(keys, k), _extended(values, v)
    return _attend(q, keys, values, scale), keys, values


@exercise(
    "8.2",
    inputs=[
        _random_step(2, 4, seed=10),
        _random_step(0, 4, seed=20),
        _random_step(5, 9, seed=30),
    ],
    mistakes={
        "The new word sees itself too: extend the cache first, then look.": (
            lambda q, k, v, keys, values: (
                _attend(q, keys, values, len(q) ** -0.5),
                _extended(keys, k),
                _extended(values, v),
            )
        ),
        "The cache has not grown: the next word will miss this one.": (
            lambda q, k, v, keys, values: (
                _attend(q, _extended(keys, k), _extended(values, v), len(q) ** -0.5),
                keys,
                values,
            )
        ),
        "The scores are not scaled by 1/√d.": (
            lambda q, k, v, keys, values: _cached_step(q, k, v, keys, values, 1.0)
        ),
        "New words come at the end of the cache.": lambda q, k, v, keys, values: (
            _attend(q, _extended(keys, k), _extended(values, v), len(q) ** -0.5),
            torch.cat([k[None], keys]),
            torch.cat([v[None], values]),
        ),
        "Keys and values are exchanged.": lambda q, k, v, keys, values: (
            _attend(q, _extended(values, v), _extended(keys, k), len(q) ** -0.5),
            _extended(keys, k),
            _extended(values, v),
        ),
    },
    hint="torch.cat([keys, k[None]]) is the longer cache. Then it is chapter 3 for one "
    "query.",
)
def cached_step(
    q: Tensor, k: Tensor, v: Tensor, keys: Tensor, values: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return _cached_step(q, k, v, keys, values, 1 / math.sqrt(len(q)))


def _zero_others(probabilities: Tensor, kept: Tensor) -> Tensor:
    return torch.where(kept, probabilities, 0.0)


def _up_to(probabilities: Tensor, p: float, *, and_one: bool = True) -> Tensor:
    """Which words the fewest are that reach p, with or without the last of them."""
    order = probabilities.argsort(descending=True)
    total = probabilities[order].cumsum(0)
    kept = torch.zeros(len(probabilities), dtype=torch.bool)
    kept[order] = (total - probabilities[order] if and_one else total) < p
    return kept


def _sum_to_one(probabilities: Tensor) -> Tensor:
    return probabilities / probabilities.sum()


_NEXT = torch.tensor([0.1, 0.4, 0.05, 0.25, 0.2])


@exercise(
    "8.3",
    inputs=[
        (_NEXT, 0.5),
        (_NEXT, 0.9),
        (_NEXT, 0.3),
        (torch.tensor([0.06, 0.04, 0.7, 0.2]), 0.8),
    ],
    mistakes={
        "What is left has to sum to 1 again.": lambda probabilities, p: _zero_others(
            probabilities, _up_to(probabilities, p)
        ),
        "Keep the word that takes the sum past p as well. Else nothing is left where "
        "the first word alone is past p.": lambda probabilities, p: _sum_to_one(
            _zero_others(probabilities, _up_to(probabilities, p, and_one=False))
        ),
        "p is a share of the probability, not of the words.": (
            lambda probabilities, p: _sum_to_one(
                _zero_others(
                    probabilities,
                    probabilities.argsort(descending=True).argsort()
                    < math.ceil(p * len(probabilities)),
                )
            )
        ),
        "Begin with the most probable word, not with the first.": (
            lambda probabilities, p: _sum_to_one(
                _zero_others(probabilities, probabilities.cumsum(0) - probabilities < p)
            )
        ),
        "Give the words back in the places that they came in.": (
            lambda probabilities, p: (
                _sum_to_one(_zero_others(probabilities, _up_to(probabilities, p)))
                .sort(descending=True)
                .values
            )
        ),
    },
    hint="Sort, sum up: a word stays if those before it do not yet reach p. Then divide"
    " by what is left.",
)
def top_p(probabilities: Tensor, p: float) -> Tensor:
    order = probabilities.argsort(descending=True)
    before = probabilities[order].cumsum(0) - probabilities[order]
    kept = torch.zeros_like(probabilities)
    kept[order[before < p]] = probabilities[order[before < p]]
    return kept / kept.sum()


@exercise(
    "8.4",
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
    "8.5",
    inputs=[(5, 1, 2), (12, 2, 4), (9, 0, 3), (6, 10, 3), (8, 2, 9)],
    mistakes={
        "Nobody sees what comes after.": lambda n, radius, every: (
            ((torch.arange(n)[:, None] - torch.arange(n)).abs() <= radius)
            | (torch.arange(n) % every == every - 1)
        ),
        "A marked key, too, is hidden from the queries before it.": (
            lambda n, radius, every: (
                (
                    ((torch.arange(n)[:, None] - torch.arange(n)) <= radius)
                    & (torch.arange(n)[:, None] >= torch.arange(n))
                )
                | (torch.arange(n) % every == every - 1)
            )
        ),
        "The marked ones are keys, and keys are columns; yours are rows.": (
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


def _noise_where(tokens: list[int], chosen: Callable, noise: int) -> list[int]:
    """The tokens, and noise for each one of which `chosen(index, token)` is true."""
    return [noise if chosen(i, token) else token for i, token in enumerate(tokens)]


@exercise(
    "8.8",
    inputs=[
        ([21, 5, 33, 24, 7, 21, 28, 2], 5, set(range(20, 30)), 6),
        ([31, 35, 35, 22, 1, 38], 2, set(range(30, 40)), 8),
        ([21, 33, 24], 0, {33}, 9),
    ],
    mistakes={
        "The item at `place` is the answer: it stays.": (
            lambda tokens, place, items, noise: _noise_where(
                tokens, lambda i, token: i <= place and token in items, noise
            )
        ),
        "Only what stands before `place` is old.": (
            lambda tokens, place, items, noise: _noise_where(
                tokens, lambda i, token: i != place and token in items, noise
            )
        ),
        "Only tokens that are in `items` become noise.": (
            lambda tokens, place, items, noise: _noise_where(
                tokens, lambda i, token: i < place, noise
            )
        ),
        "Put noise in their place. If they are left out, everything moves up.": (
            lambda tokens, place, items, noise: (
                [token for token in tokens[:place] if token not in items]
                + tokens[place:]
            )
        ),
        "What stands from `place` on belongs to the answer as well.": (
            lambda tokens, place, items, noise: _noise_where(
                tokens[:place], lambda i, token: token in items, noise
            )
        ),
    },
    hint="Cut the list at `place`, change its first part, and put both together again.",
)
def erase_older(
    tokens: list[int], place: int, items: set[int], noise: int
) -> list[int]:
    older = [noise if token in items else token for token in tokens[:place]]
    return older + tokens[place:]
