"""The figure of chapter 11: pairs written into a matrix, and what is read from it."""

import random
from typing import ClassVar

from attnlab.live.base import LiveFigure, Stop
from attnlab.live.traits import OneOf, Whole

RULES = ("sum", "decay", "delta", "gated delta")
KEYS = ("random", "alike", "one twice")
WIDTH, PAIRS = 16, 24
DECAY = 0.9  # what is left of the state at each step, where a rule forgets


def _draw_pairs() -> tuple[list[list[float]], list[list[int]]]:
    """Return the numbers of the keys and the signs of the values, each (PAIRS, WIDTH).

    Python's own generator draws the same numbers on every machine.
    """
    draw = random.Random(0)
    keys = [[round(draw.gauss(), 2) for _ in range(WIDTH)] for _ in range(PAIRS)]
    values = [[draw.choice((-1, 1)) for _ in range(WIDTH)] for _ in range(PAIRS)]
    return keys, values


_KEYS_DRAWN, _VALUES_DRAWN = _draw_pairs()


class StateMatrix(LiveFigure):
    """A state of 16 × 16 numbers, the pairs written into it, and a key's answer.

    The rules are those of `attnlab.linear_attention`.

    Traits:
        rule: how a pair is written, one of `RULES`.
        kind: which keys, one of `KEYS`: random ones; ones that all lean the same way;
            or random ones of which the fourth is the second again.
        written: how many pairs have been written, 1 … 24.
        read: whose key is asked for, 1 … 24; at most `written` is shown.
    """

    figure: ClassVar[str] = "state-matrix"
    title: ClassVar[str] = "What can be read back?"
    caption: ClassVar[str] = (
        "Each bar: the cosine of the answer to a key with the value written with it."
    )
    description: ClassVar[str] = (
        "A matrix of 256 numbers into which pairs of a key and a value are written, "
        "the answer that it gives for one of the keys, and for every pair whether its "
        "value is the nearest to the answer."
    )
    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "Three pairs are stored in the same 256 numbers, each added as its key "
            "times its value. The second key brings back its value, with a little of "
            "the others mixed in.",
            {"rule": "sum", "written": 3, "read": 2},
            ".sm-state",
        ),
        Stop(
            "Pair 4 has the same key as pair 2, and a new value. A sum cannot tell "
            "them apart: the key brings back both values, added up.",
            {"rule": "sum", "kind": "one twice", "written": 4, "read": 4},
            ".sm-reading",
        ),
        Stop(
            "The delta rule first removes what the key brings back, then writes. Now "
            "the new value has replaced the old one.",
            {"rule": "delta", "kind": "one twice", "written": 4, "read": 4},
            ".sm-reading",
        ),
        Stop(
            "Here 24 pairs have been added up, with 24 different keys. Six answers are "
            "nearer to another pair's value than to their own.",
            {"rule": "sum", "written": 24, "read": 2},
            ".sm-bars",
        ),
        Stop(
            "With the delta rule the last ten of the 24 are safe. Older pairs are worn "
            "away, because every new key removes a little of what they wrote.",
            {"rule": "delta", "written": 24, "read": 24},
            ".sm-bars",
        ),
        Stop(
            "Write the pairs one by one, with another rule, or with keys that are "
            "alike. How many can you store before the first one is lost?",
            {"rule": "delta", "written": 4, "read": 1},
            ".sm-controls",
        ),
    )
    fading_tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "Twelve pairs are added up, and all twelve values are read back. When a "
            "pair was written makes no difference.",
            {"rule": "sum", "written": 12, "read": 12},
            ".sm-bars",
        ),
        Stop(
            "The same twelve pairs, but before each write the state is multiplied by "
            "0.9. The newest answers come closer to their values; pair 4 is lost.",
            {"rule": "decay", "written": 12, "read": 12},
            ".sm-bars",
        ),
        Stop(
            "After 24 pairs the last twelve are all read back. Of the first twelve, "
            "two are left.",
            {"rule": "decay", "written": 24, "read": 24},
            ".sm-bars",
        ),
        Stop(
            "Decay and the delta rule together: the newest answer is exact, and only "
            "the last ten of the 24 are read back.",
            {"rule": "gated delta", "written": 24, "read": 24},
            ".sm-bars",
        ),
        Stop(
            "Write the pairs one by one, and watch what happens to pair 1 under each "
            "rule.",
            {"rule": "decay", "written": 4, "read": 1},
            ".sm-controls",
        ),
    )
    limits: ClassVar[dict] = {
        "keys": _KEYS_DRAWN,
        "values": _VALUES_DRAWN,
        "decay": DECAY,
    }

    rule = OneOf(RULES, RULES[0]).tag(sync=True)
    kind = OneOf(KEYS, KEYS[0]).tag(sync=True)
    written = Whole(24, min=1, max=PAIRS).tag(sync=True)
    read = Whole(2, min=1, max=PAIRS).tag(sync=True)

    def stops(self) -> tuple[Stop, ...]:
        """Return the stops of its tour: another for a figure that is made to fade."""
        return self.fading_tour if self.rule == "decay" else self.tour
