"""The exercises of chapter 11, A memory that does not grow."""

import torch
from torch import Tensor
from torch.nn import functional as F

from attnlab.exercises.checking import exercise

# On paper -----------------------------------------------------------------------------


@exercise(
    "11.1",
    mistakes={
        "The last two numbers are the sum's again. The delta rule first subtracts what "
        "the second key reads.": lambda: [2.6, 1.6, 2.6, 1.6],
        "That is what the second key reads. The first is asked for.": (
            lambda: [2.2, 1.6, 1.0, 1.0]
        ),
        "The keys overlap: the first key reads some of the second value too.": (
            lambda: [2.0, 1.0, 2.0, 1.0]
        ),
        "What is missing is weighted by the dot product of the two keys.": (
            lambda: [2.6, 1.6, 1.8, 1.4]
        ),
    },
    hint="The dot product of the two keys is 0.6. Sum: the first value, plus 0.6 times "
    "the second. Delta rule: the first value, plus 0.6 times what is missing.",
)
def read_on_paper() -> list[float]:
    return [2.6, 1.6, 1.88, 1.24]


@exercise(
    "11.2",
    mistakes={
        "There the two keep equally many. More is asked for.": lambda: 32,
        "A word has a key and a value: two vectors.": lambda: 65,
        "Every head has a state of its own, so heads and layers cancel.": lambda: 1,
        "A state has 64 times 64 numbers, not 64 and 64.": lambda: 2,
    },
    hint="In one head: two vectors a word, against a square of numbers.",
    tolerance=0,  # a count
)
def cache_outgrows_state() -> int:
    return 33


@exercise(
    "11.3",
    mistakes={
        "That is what one write removes. It is a share β/d of the pair.": (
            lambda: 1 - 0.5 ** (1 / 200)
        ),
        "That is what one write leaves of the pair: 1 − β/d.": lambda: 0.5 ** (1 / 200),
        "A write removes a share of what is left, not of what there was at first.": (
            lambda: 64 * 0.5 / 200
        ),
        "That leaves less than half: e^−1 of the pair. Where is the half?": (
            lambda: 64 / 200
        ),
    },
    hint="One write leaves 1 − β/d of a pair, 200 writes the 200th power of it.",
    tolerance=5e-3,  # an estimate with ln 2 will do
)
def beta_that_halves() -> float:
    return 64 * (1 - 0.5 ** (1 / 200))


# Write and read -----------------------------------------------------------------------


def _random(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator)


def _random_directions(*shape: int, seed: int) -> Tensor:
    return F.normalize(_random(*shape, seed=seed), dim=-1)


_KEYS = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
_VALUES = torch.tensor([[1.0, 2.0], [0.0, 3.0], [5.0, 0.0]])
_STATE = torch.tensor([[1.0, 2.0], [0.0, 3.0]])  # after the first two pairs


@exercise(
    "11.5",
    inputs=[
        (_KEYS, _VALUES),
        (_random(4, 3, seed=1), _random(4, 2, seed=2)),
        (_random(1, 2, seed=3), _random(1, 2, seed=4)),
    ],
    mistakes={
        "Turned over: the rows of the state belong to the key's numbers, its columns "
        "to the value's.": lambda keys, values: values.T @ keys,
        "That is n × n, a number for every two pairs. The state is d_k × d_v.": (
            lambda keys, values: keys @ values.T
        ),
        "Every number of a key meets every number of its value, not only the one at "
        "its own place.": lambda keys, values: (keys * values).sum(dim=0),
        "That is the last pair alone. Add up all of them.": (
            lambda keys, values: torch.outer(keys[-1], values[-1])
        ),
        "Pairs are added up, and nothing is divided.": (
            lambda keys, values: keys.T @ values / len(keys)
        ),
    },
    hint="A product of two matrices adds up outer products: which of the two has to "
    "be transposed, so that the n pairs are summed over?",
)
def sum_state(keys: Tensor, values: Tensor) -> Tensor:
    return keys.T @ values  # (d_k, d_v)


@exercise(
    "11.6",
    inputs=[
        (_STATE, _KEYS[2], _VALUES[2], 1.0),
        (_random(3, 2, seed=5), _random_directions(3, seed=6), _random(2, seed=7), 0.5),
        (_random(2, 4, seed=8), _random(2, seed=9), _random(4, seed=10), 0.1),
    ],
    mistakes={
        "That is the sum: it writes the value itself. Write v − kS, what is missing.": (
            lambda S, k, v, beta: S + beta * torch.outer(k, v)
        ),
        "The other way round: what is wanted, minus what is read.": (
            lambda S, k, v, beta: S + beta * torch.outer(k, k @ S - v)
        ),
        "Turned over: the rows of the state belong to the key. Its numbers come first "
        "in the outer product.": (
            lambda S, k, v, beta: S + beta * torch.outer(v - k @ S, k)
        ),
        "Vectors are rows: a read is k @ S.": (
            lambda S, k, v, beta: S + beta * torch.outer(k, v - S @ k)
        ),
        "β multiplies all that is missing, v − kS. Yours multiplies only a part.": (
            lambda S, k, v, beta: S + torch.outer(k, v - beta * (k @ S))
        ),
        "That is what is written. Add it to the state.": (
            lambda S, k, v, beta: beta * torch.outer(k, v - k @ S)
        ),
    },
    hint="Equation 11.3: read k @ S, take it from v, and add β times the outer product "
    "of k with the rest.",
)
def delta_step(S: Tensor, k: Tensor, v: Tensor, beta: float) -> Tensor:
    return S + beta * torch.outer(k, v - k @ S)


# Chunks -------------------------------------------------------------------------------


def _chunk_with_decay(
    S: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    gamma: float,
    *,
    late: int = 1,
    sees_all: bool = False,
    fades_state: bool = True,
    fades_pairs: bool = True,
) -> tuple[Tensor, Tensor]:
    """One chunk of a sum with decay, or what a mistake makes of it."""
    t = torch.arange(len(q))
    start = gamma ** (t + late)[:, None]  # (c, 1): left of S at each word
    apart = t[:, None] - t  # (c, c)
    within = gamma ** apart.abs() if sees_all else (gamma**apart).tril()
    outputs = start * (q @ S) + ((q @ k.T) * within) @ v
    at_end = within[-1, :, None] if fades_pairs else torch.ones(len(q), 1)
    faded = gamma ** len(q) * S if fades_state else S
    return outputs, faded + (at_end * k).T @ v


def _random_qkv(c: int, d: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    q, k, v = _random(3, c, d, seed=seed)
    return q, k, v


@exercise(
    "11.7",
    inputs=[
        (_STATE, _KEYS[:2], _KEYS[1:], _VALUES[1:], 0.5),
        (_random(3, 3, seed=11), *_random_qkv(4, 3, seed=12), 0.9),
        (_random(2, 2, seed=13), *_random_qkv(6, 2, seed=14), 0.25),
        (
            _random(2, 2, seed=31),
            *_random_qkv(10, 2, seed=32),
            1e-5,
        ),  # 1e5**9 overflows
    ],
    mistakes={
        "The state fades before every write, so also before the first word: there γ of "
        "it is left, not all.": (
            lambda S, q, k, v, gamma: _chunk_with_decay(S, q, k, v, gamma, late=0)
        ),
        "A word must not read pairs that are still to come: `within` is 0 there.": (
            lambda S, q, k, v, gamma: _chunk_with_decay(
                S, q, k, v, gamma, sees_all=True
            )
        ),
        "The outputs are right. The old state fades once for each word of the chunk.": (
            lambda S, q, k, v, gamma: _chunk_with_decay(
                S, q, k, v, gamma, fades_state=False
            )
        ),
        "The outputs are right. The pairs of the chunk fade too, up to its end.": (
            lambda S, q, k, v, gamma: _chunk_with_decay(
                S, q, k, v, gamma, fades_pairs=False
            )
        ),
        "Nothing fades: that is the sum of the lecture.": (
            lambda S, q, k, v, gamma: _chunk_with_decay(S, q, k, v, 1.0)
        ),
    },
    hint="At word t (from 0) γ^(t+1) is left of S, and γ^(t−s) of the pair s ≤ t. At "
    "the end of c words γ^c is left of S, and of each pair what the last word reads. "
    "Factors for rows have the shape (c, 1). NaN: use tril on the powers, which "
    "overflow above the diagonal.",
)
def decayed_chunk(
    S: Tensor, q: Tensor, k: Tensor, v: Tensor, gamma: float
) -> tuple[Tensor, Tensor]:
    return _chunk_with_decay(S, q, k, v, gamma)


# Judge --------------------------------------------------------------------------------


def _nearest_values(reads: Tensor, values: Tensor) -> Tensor:
    """For each read, the number of the nearest value."""
    return (reads @ values.T).argmax(dim=1)


@exercise(
    "11.8",
    inputs=[
        (
            torch.tensor([[4.0, 2.0], [3.0, 1.0], [-2.0, 1.0]]),
            _random_directions(3, 2, seed=15),
        ),
        (
            _random_directions(8, 3, seed=16) + _random(8, 3, seed=17),
            _random_directions(8, 3, seed=16),
        ),
        (_random_directions(6, 4, seed=18), _random_directions(6, 4, seed=19)),
    ],
    mistakes={
        "You let every value choose a read. Every read has to choose a value.": (
            lambda reads, values: (
                ((reads @ values.T).argmax(dim=0) == torch.arange(len(reads)))
                .float()
                .mean()
            )
        ),
        "That is how many are right. Divide by how many there are.": (
            lambda reads, values: (
                _nearest_values(reads, values) == torch.arange(len(reads))
            ).sum()
        ),
        "That is right or wrong for each pair. The mean of it is asked for.": (
            lambda reads, values: (
                _nearest_values(reads, values) == torch.arange(len(reads))
            ).float()
        ),
        "That is the number of the nearest value for each read. How many of them are "
        "the pair's own?": _nearest_values,
        "A read need not equal its value. It only has to be nearer to it than to all "
        "others.": (
            lambda reads, values: (reads - values).norm(dim=1).lt(0.01).float().mean()
        ),
    },
    hint="All dot products at once are reads @ values.T, (n, n). In row i the largest "
    "has to stand at place i.",
)
def share_right(reads: Tensor, values: Tensor) -> float:
    own = torch.arange(len(reads))
    return (_nearest_values(reads, values) == own).float().mean().item()


@exercise(
    "11.9",
    inputs=[
        (torch.tensor([[3.0, 4.0], [3.0, 0.0], [0.0, 2.0]]),),
        (_random(5, 3, seed=20) + 1,),
        (_random(2, 4, seed=21),),
    ],
    mistakes={
        "You took the mean of each key's own numbers. Take the mean of all keys: one "
        "vector.": (
            lambda keys: F.normalize(keys - keys.mean(dim=1, keepdim=True), dim=1)
        ),
        "Now scale every key to length 1.": lambda keys: keys - keys.mean(dim=0),
        "You scaled first. The subtraction then changes the lengths again.": (
            lambda keys: F.normalize(keys, dim=1) - F.normalize(keys, dim=1).mean(dim=0)
        ),
        "That divides by the length of the whole matrix. Each row has its own.": (
            lambda keys: (keys - keys.mean(dim=0)) / (keys - keys.mean(dim=0)).norm()
        ),
        "The mean is still in them.": lambda keys: F.normalize(keys, dim=1),
    },
    hint="Subtract keys.mean(dim=0), then divide each row by its own length, with "
    "keepdim=True.",
)
def centre(keys: Tensor) -> Tensor:
    apart = keys - keys.mean(dim=0)
    return apart / apart.norm(dim=1, keepdim=True)


@exercise(
    "11.10",
    inputs=[
        (_STATE, _KEYS[2], _VALUES[2], 1.0, 0.5),
        (
            _random(3, 2, seed=22),
            _random_directions(3, seed=23),
            _random(2, seed=24),
            0.5,
            0.9,
        ),
        (_random(2, 3, seed=25), _random(2, seed=26), _random(3, seed=27), 0.2, 0.1),
    ],
    mistakes={
        "Fade first, and read the faded state: kS is multiplied by γ too.": (
            lambda S, k, v, beta, gamma: gamma * S + beta * torch.outer(k, v - k @ S)
        ),
        "The state fades before the write. Yours fades what it has just written.": (
            lambda S, k, v, beta, gamma: gamma * delta_step(S, k, v, beta)
        ),
        "Nothing fades: that is the delta rule.": (
            lambda S, k, v, beta, gamma: delta_step(S, k, v, beta)
        ),
        "That is the sum with a gate. Write only what is missing.": (
            lambda S, k, v, beta, gamma: gamma * S + beta * torch.outer(k, v)
        ),
    },
    hint="Equation 11.4 is the delta rule, with γS wherever it says S.",
)
def gated_step(S: Tensor, k: Tensor, v: Tensor, beta: float, gamma: float) -> Tensor:
    return delta_step(gamma * S, k, v, beta)
