"""The exercises of chapter 5, Positions."""

import math

import torch
from torch import Tensor

from attnlab.exercises.checking import exercise


def _table_row(p: int, d: int, base: float) -> list[float]:
    hands = [p * base ** (-2 * i / d) for i in range(d // 2)]
    return [part for angle in hands for part in (math.sin(angle), math.cos(angle))]


@exercise(
    "5.1",
    mistakes={
        "That is the row for base 10,000. Here the base is 100.": (
            lambda: _table_row(2, 4, 10_000)
        ),
        "That is row 1. Positions count from 0, and row 2 is asked for.": (
            lambda: _table_row(1, 4, 100)
        ),
        "In each pair the sine comes first.": (
            lambda: [math.cos(2), math.sin(2), math.cos(0.2), math.sin(0.2)]
        ),
        "Sine and cosine of the first hand come first, then those of the second.": (
            lambda: [math.sin(2), math.sin(0.2), math.cos(2), math.cos(0.2)]
        ),
        "The angles are in radians.": (
            lambda: [
                part
                for angle in (math.radians(2), math.radians(0.2))
                for part in (math.sin(angle), math.cos(angle))
            ]
        ),
    },
    hint="The hands turn by 100^0 = 1 and by 100^(−2/4) = 0.1 radians a position.",
    tolerance=6e-3,
)
def row_by_hand() -> list[float]:
    return [math.sin(2), math.cos(2), math.sin(0.2), math.cos(0.2)]


def _speeds(d: int, base: float) -> Tensor:
    return base ** (-torch.arange(0, d, 2) / d)  # (d / 2,)


def _interleave(sines: Tensor, cosines: Tensor) -> Tensor:
    return torch.stack([sines, cosines], dim=-1).flatten(1)  # (n, d)


def _angles(n: int, d: int, base: float) -> Tensor:
    return torch.arange(n)[:, None] * _speeds(d, base)  # (n, d / 2)


def _half_speeds(n: int, d: int, base: float) -> Tensor:
    angles = torch.arange(n)[:, None] * base ** (-torch.arange(d // 2) / d)
    return _interleave(angles.sin(), angles.cos())


def _undivided(n: int, d: int, base: float) -> Tensor:
    angles = torch.arange(n)[:, None] * base ** -torch.arange(0.0, d, 2)
    return _interleave(angles.sin(), angles.cos())


def _angle_a_column(n: int, d: int, base: float) -> Tensor:
    angles = torch.arange(n)[:, None] * base ** (-torch.arange(d) / d)
    return torch.where(torch.arange(d) % 2 == 0, angles.sin(), angles.cos())


@exercise(
    "5.2",
    inputs=[(4, 4, 10_000.0), (6, 8, 10_000.0), (5, 2, 100.0), (9, 6, 50.0)],
    mistakes={
        "Sines and cosines take turns in the columns; you put all sines first.": (
            lambda n, d, base: torch.cat(
                [_angles(n, d, base).sin(), _angles(n, d, base).cos()], dim=1
            )
        ),
        "The exponent is −2i/d for hand i. Did you leave the 2 out?": _half_speeds,
        "The exponent is −2i/d for hand i. Did you leave the division by d out?": (
            _undivided
        ),
        "Sine and cosine of a pair share one angle; yours has one a column.": (
            _angle_a_column
        ),
        "Even columns hold the sine, odd ones the cosine.": (
            lambda n, d, base: _interleave(
                _angles(n, d, base).cos(), _angles(n, d, base).sin()
            )
        ),
        "Positions count from 0: the first row is 0, 1, 0, 1, …": (
            lambda n, d, base: _interleave(
                _angles(n + 1, d, base)[1:].sin(), _angles(n + 1, d, base)[1:].cos()
            )
        ),
        "The slow hands come last: the exponent is negative.": (
            lambda n, d, base: _interleave(
                _angles(n, d, 1 / base).sin(), _angles(n, d, 1 / base).cos()
            )
        ),
    },
    hint="angles = p times ω, (n, d / 2); their sines go to the even columns, their "
    "cosines to the odd ones.",
    tolerance=1e-3,
)
def table(n: int, d: int, base: float) -> Tensor:
    speeds = base ** (-torch.arange(0, d, 2) / d)  # (d / 2,)
    angles = torch.arange(n)[:, None] * speeds  # (n, d / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)  # (n, d)


@exercise(
    "5.3",
    inputs=[(64, 10_000.0), (4, 10_000.0), (2, 10_000.0), (8, 10.0)],
    mistakes={
        "That is how far it turns in one position. How many positions make 2π?": (
            lambda d, base: base ** (-(d - 2) / d)
        ),
        "The slowest hand turns by base^(−(d−2)/d), a little faster than 1/base.": (
            lambda d, base: 2 * math.pi * base
        ),
        "The exponent counts columns in twos: the last hand's is −(d−2)/d.": (
            lambda d, base: 2 * math.pi * base ** ((d - 1) / d)
        ),
        "Divide the full turn by the speed; you multiplied.": (
            lambda d, base: 2 * math.pi * base ** (-(d - 2) / d)
        ),
        "A real number is asked for; do not round.": (
            lambda d, base: math.ceil(2 * math.pi * base ** ((d - 2) / d))
        ),
        "A full turn is 2π radians; π is half a turn.": (
            lambda d, base: math.pi * base ** ((d - 2) / d)
        ),
        "A full turn is 2π radians, not 1.": lambda d, base: base ** ((d - 2) / d),
        "A full turn is 2π radians, not 360.": (
            lambda d, base: 360 * base ** ((d - 2) / d)
        ),
        "That is the fastest hand, i = 0.": lambda d, base: 2 * math.pi,
    },
    hint="The last hand is i = d/2 − 1. It turns by ω radians a position.",
)
def full_turn(d: int, base: float) -> float:
    return 2 * math.pi * base ** ((d - 2) / d)


_PAIR = torch.tensor([[math.sin(1.0)], [math.cos(1.0)]])
_PAIRS = torch.tensor([[0.0, 0.6], [1.0, -0.8]])


def _rotate_pair(pair: Tensor, angle: float) -> Tensor:
    """A counterclockwise turn of each (x, y) of a pair (2, n)."""
    x, y = pair
    cos, sin = math.cos(angle), math.sin(angle)
    return torch.stack([cos * x - sin * y, sin * x + cos * y])


@exercise(
    "5.5",
    inputs=[(_PAIR, 2, 1.0), (_PAIR, -3, 0.1), (_PAIRS, 10, 0.25)],
    mistakes={
        "Yours moves back by k: here the sine comes first, in (5.3) the cosine.": (
            lambda pair, k, omega: _rotate_pair(pair, k * omega)
        ),
        "The angle is k times omega; you turned by omega once.": (
            lambda pair, k, omega: _rotate_pair(pair, -omega)
        ),
        "Sine first, then cosine; yours are exchanged.": (
            lambda pair, k, omega: _rotate_pair(pair, -k * omega).flip(0)
        ),
        "To turn is not to add k omega to both numbers; they are no angles.": (
            lambda pair, k, omega: pair + k * omega
        ),
        "The cosine's row has a minus before sin(kω).": (
            lambda pair, k, omega: torch.stack(
                [
                    math.cos(k * omega) * pair[0] + math.sin(k * omega) * pair[1],
                    math.sin(k * omega) * pair[0] + math.cos(k * omega) * pair[1],
                ]
            )
        ),
    },
    hint="sin(a + b) = sin a cos b + cos a sin b and cos(a + b) = cos a cos b − sin a "
    "sin b, with b = kω.",
)
def shift(pair: Tensor, k: int, omega: float) -> Tensor:
    sine, cosine = pair
    turn = torch.tensor(k * omega)
    return torch.stack(
        [
            turn.cos() * sine + turn.sin() * cosine,
            turn.cos() * cosine - turn.sin() * sine,
        ]
    )


def _complex(pair: Tensor) -> complex:
    return complex(pair[0].item(), pair[1].item())


def _rotary(q: Tensor, k: Tensor, angle: float) -> float:
    turn = complex(math.cos(angle), math.sin(angle))
    return (_complex(q) * turn * _complex(k).conjugate()).real


_QUERY, _KEY = torch.tensor([1.0, 2.0]), torch.tensor([0.5, -1.0])


@exercise(
    "5.6",
    inputs=[
        (torch.tensor([1.0, 0.0]), torch.tensor([1.0, 0.0]), 3, 1, 1.0),
        (_QUERY, _KEY, 2, 5, 0.5),
        (_QUERY, _KEY, 102, 105, 0.5),
        (_KEY, _QUERY, 7, 7, 0.3),
    ],
    mistakes={
        "Only p − j may count; in yours the turns add up. Turn both the same way.": (
            lambda q, k, p, j, omega: _rotary(q, k, (p + j) * omega)
        ),
        "You turned both the other way, or swapped p and j.": (
            lambda q, k, p, j, omega: _rotary(q, k, (j - p) * omega)
        ),
        "Without turning it is the plain dot product.": (
            lambda q, k, p, j, omega: float(q @ k)
        ),
        "q·k times cos((p − j)ω) is right only where q and k point the same way.": (
            lambda q, k, p, j, omega: math.cos((p - j) * omega) * float(q @ k)
        ),
        "The query turns too, by p ω.": (
            lambda q, k, p, j, omega: _rotary(q, k, -j * omega)
        ),
        "The key turns too, by j ω.": (
            lambda q, k, p, j, omega: _rotary(q, k, p * omega)
        ),
    },
    hint="Turn q by pω and k by jω, both by equation 5.3, then take the dot product.",
    tolerance=1e-3,
)
def rotary_score(q: Tensor, k: Tensor, p: int, j: int, omega: float) -> float:
    def turned(pair: Tensor, angle: Tensor) -> Tensor:
        x, y = pair
        return torch.stack(
            [angle.cos() * x - angle.sin() * y, angle.sin() * x + angle.cos() * y]
        )

    q, k = turned(q, torch.tensor(p * omega)), turned(k, torch.tensor(j * omega))
    return (q @ k).item()


def _distance(n: int) -> Tensor:
    return torch.arange(n)[:, None] - torch.arange(n)  # (n, n), query − key


def _two_sided(distance: Tensor, left: float, right: float) -> Tensor:
    return -(left * distance.clamp(min=0) + right * (-distance).clamp(min=0))


@exercise(
    "5.7",
    inputs=[(3, 0.5, 1.0), (5, 0.25, 0.25), (4, 1.0, 0.5), (1, 1.0, 1.0)],
    mistakes={
        "Rows are queries: a key with a smaller index than the query is to its left.": (
            lambda n, left, right: _two_sided(-_distance(n), left, right)
        ),
        "A penalty is negative: distance lowers a score.": (
            lambda n, left, right: -_two_sided(_distance(n), left, right)
        ),
        "Each side has a penalty; on the right yours is a bonus. Is query − key "
        "negative there?": (
            lambda n, left, right: (
                right * (-_distance(n)).clamp(min=0) - left * _distance(n).clamp(min=0)
            )
        ),
        "Both sides have the same slope in yours.": (
            lambda n, left, right: _two_sided(_distance(n), left, left)
        ),
        "An encoder looks to the right too: those entries are not 0.": (
            lambda n, left, right: _two_sided(_distance(n), left, 0.0)
        ),
    },
    hint="distance = query − key, (n, n). Where it is positive the key is on the left: "
    "−left · distance. Where it is negative: right · distance.",
)
def bias(n: int, left: float, right: float) -> Tensor:
    distance = torch.arange(n)[:, None] - torch.arange(n)  # (n, n), query − key
    return -torch.where(distance > 0, left * distance, -right * distance).float()


@exercise(
    "5.10",
    inputs=[(6, 2, 4), (4, 1, 1), (8, 3, 4), (9, 4, 6)],
    mistakes={
        "True means that the query may see the key. Yours has True for hidden.": (
            lambda n, nearest, farthest: ~key_mask(n, nearest, farthest)
        ),
        "The keys at the distance `farthest` are seen too.": (
            lambda n, nearest, farthest: key_mask(n, nearest, farthest - 1)
        ),
        "The keys at the distance `nearest` are seen too.": (
            lambda n, nearest, farthest: key_mask(n, nearest + 1, farthest)
        ),
        "A query sees keys on both sides. Is a distance to the right negative?": (
            lambda n, nearest, farthest: (
                key_mask(n, nearest, farthest) & (_distance(n) >= 0)
            )
        ),
        "Rows are queries: the word before has the column to the left.": (
            lambda n, nearest, farthest: key_mask(n, nearest, farthest).T
        ),
        "The query itself and the word before are always seen.": (
            lambda n, nearest, farthest: (
                (_distance(n).abs() >= nearest) & (_distance(n).abs() <= farthest)
            )
        ),
    },
    hint="distance = query − key, (n, n). Join three conditions by |: it is 0, it is "
    "1, or its absolute value lies between the two.",
)
def key_mask(n: int, nearest: int, farthest: int) -> Tensor:
    distance = torch.arange(n)[:, None] - torch.arange(n)  # (n, n), query − key
    between = (distance.abs() >= nearest) & (distance.abs() <= farthest)
    return (distance == 0) | (distance == 1) | between


@exercise(
    "5.11",
    inputs=[(16, 10_000.0, 4.0), (4, 100.0, 2.0), (64, 10_000.0, 0.5)],
    mistakes={
        "The slowest hand turns by base^(−(d−2)/d), not by 1/base.": (
            lambda d, base, factor: base * factor
        ),
        "That multiplies the base by factor^((d−2)/d). Solve for the new base.": (
            lambda d, base, factor: base * factor ** ((d - 2) / d)
        ),
        "A larger base makes slower hands; yours is smaller.": (
            lambda d, base, factor: base * factor ** (-d / (d - 2))
        ),
        "The base is asked for, not the speed of the slowest hand.": (
            lambda d, base, factor: base ** (-(d - 2) / d) / factor
        ),
    },
    hint="Write down that new_base^(−(d−2)/d) is base^(−(d−2)/d) / factor, and raise "
    "both sides to the power −d/(d−2).",
)
def slower_base(d: int, base: float, factor: float) -> float:
    return base * factor ** (d / (d - 2))
