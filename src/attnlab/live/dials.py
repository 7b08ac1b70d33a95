"""The figures of chapter 5: a clock, and which of its hands leave what training met."""

from pathlib import Path
from typing import ClassVar

from attnlab.live.base import LiveFigure, Stop
from attnlab.live.bundle import JS
from attnlab.live.traits import OneOf, Whole

SCHEMES = ("rotary", "sinusoids")
BASES = (10, 100, 10_000, 500_000)
LENGTHS = (8, 16, 32, 64)
MAX_DISTANCE = 128

# What rotary turns: a head's query and its key, the same at every position. The first
# numbers that torch draws after `manual_seed(0)`, to two decimals. Eight pairs.
QUERY = (
    -1.13, -1.15, -0.25, -0.43, 0.85, 0.69, -0.32, -2.12,
    0.32, -1.26, 0.35, 0.31, 0.12, 1.24, 1.12, -0.25,
)  # fmt: skip
KEY = (
    -1.35, -1.70, 0.57, 0.79, 0.60, -1.56, -0.34, 1.85,
    0.75, -0.59, -0.17, 0.18, 1.39, 1.59, 0.95, -0.84,
)  # fmt: skip


class Dials(LiveFigure):
    """Eight hands beside what they did in training, and the scores that follow.

    Traits:
        scheme: what a score is, one of `SCHEMES`: the product of a query and a key that
            are turned by their positions, or that of the table's rows.
        position: where the query stands, 0 … 128. The keys stand at 0 … position.
        trained: how many positions the sequences in training had, one of `LENGTHS`.
        base: sets the slowest hand, one of `BASES`.
    """

    figure: ClassVar[str] = "dials"
    title: ClassVar[str] = "Which hands leave their arcs?"
    caption: ClassVar[str] = (
        "Shaded: what training has met. Dotted: its lowest and its highest score."
    )
    description: ClassVar[str] = (
        "The eight hands of a position, each on a dial where the angles of all trained "
        "positions are shaded, and the score of a query with a key at each distance, "
        "where the trained distances are."
    )
    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "Eight hands, from the fastest to the slowest, tell where the query is: at "
            "position 12. Shaded are the angles of the 16 positions of training.",
            {"position": 12},
            ".di-dials",
        ),
        Stop(
            "The curve is the score of the query with a key k positions back. Within "
            "the 16 positions of training it stays between the dotted lines.",
            {"position": 12},
            ".di-plot",
        ),
        Stop(
            "At position 40, six of the eight hands point where training has never put "
            "them.",
            {"position": 40},
            ".di-dials",
        ),
        Stop(
            "25 keys are now farther back than any in training, and 8 of their scores "
            "leave the range that training met. That is why longer texts fail.",
            {"position": 40},
            ".di-plot",
        ),
        Stop(
            "Move the query yourself, and change the base. Which hands leave their "
            "arcs first, and which never do?",
            {"position": 40},
            ".di-controls",
        ),
    )
    limits: ClassVar[dict] = {
        "bases": BASES,
        "lengths": LENGTHS,
        "farthest": MAX_DISTANCE,
        "query": QUERY,
        "key": KEY,
    }

    scheme = OneOf(SCHEMES, SCHEMES[0]).tag(sync=True)
    position = Whole(40, min=0, max=MAX_DISTANCE).tag(sync=True)
    trained = OneOf(LENGTHS, 16).tag(sync=True)
    base = OneOf(BASES, 10_000).tag(sync=True)


class Clock(LiveFigure):
    """The hands of `Dials` alone, as a clock that goes on from position to position.

    Traits:
        position: 0 … 128.
    """

    figure: ClassVar[str] = "clock"
    title: ClassVar[str] = "What does a clock say of a place?"
    caption: ClassVar[str] = (
        "Shaded: where a hand has been since position 0. Round: in how many positions "
        "it comes back."
    )
    description: ClassVar[str] = (
        "A row of eight dials, whose hands turn, fast to slow, as one goes from "
        "position to position."
    )
    limits: ClassVar[dict] = {
        "farthest": MAX_DISTANCE,
        "d": len(QUERY),
        "base": BASES[2],
    }
    styles: ClassVar[tuple[str, ...]] = ("dials",)
    script: ClassVar[Path] = JS / "figures" / "dials" / "clock.js"

    position = Whole(20, min=0, max=MAX_DISTANCE).tag(sync=True)
