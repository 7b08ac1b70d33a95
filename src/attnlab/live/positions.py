"""The figure of chapter 5: sinusoidal positions as table, clock hands and rotation."""

from typing import ClassVar

import traitlets

from attnlab.live.base import LiveFigure, Stop
from attnlab.live.traits import Number, Whole

BASES = (1, 1_000_000)
WIDTHS = LENGTHS = (2, 512)


class Positions(LiveFigure):
    """Two rows of the sinusoidal table, k positions apart, wherever they stand.

    The row of p + k may lie outside the table: the formula gives it all the same. A
    shorter table draws position and shift in with it.

    Traits:
        base: sets the slowest frequency, 1 … 10⁶.
        d: the width of the table, even, 2 … 512.
        n: how many positions it has, 2 … 512.
        position: p, 0 … n − 1.
        shift: k, −(n − 1) … n − 1.
    """

    figure: ClassVar[str] = "positions"
    title: ClassVar[str] = "How does the table tell that two tokens are k apart?"
    caption: ClassVar[str] = (
        "A table of sines and cosines: each pair of columns is a clock hand."
    )
    description: ClassVar[str] = (
        "The table of sinusoidal positions with two of its rows marked, the clock "
        "hands of its pairs of dimensions at both, the product of the rows against "
        "their distance, and the rotation that takes the one to the other."
    )

    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "Each row of the table is a position, each column a wave: fast on the "
            "left, slow on the right. Rows 20 and 27 are marked.",
            {},
            ".pos-tablebox",
        ),
        Stop(
            "Two columns, a sine and a cosine, make a clock hand. From position 20 to "
            "27 one hand turns by 71.3°, and the slowest hardly moves.",
            {},
            ".pos-hands",
        ),
        Stop(
            "Move both rows on, to 45 and 52. The hands stand elsewhere, but each "
            "turns by the same angle as before.",
            {"position": 45},
            ".pos-hands",
        ),
        Stop(
            "So the dot product of two rows depends on their distance k alone. It is "
            "16 at k = 0, and falls off on both sides alike.",
            {"position": 45},
            ".pos-kernel",
        ),
        Stop(
            "One rotation takes every row to the row k on, a block for each hand. For "
            "k = −7 it turns back, so it tells left from right.",
            {"position": 45, "shift": -7},
            ".pos-rotation",
        ),
        Stop(
            "With base 10 and only two hands, the row 19 away looks like a neighbour. "
            "Change base and width: what keeps far rows apart?",
            {"base": 10.0, "d": 4, "shift": 19},
            ".pos-kernel, .pos-settings",
        ),
    )
    limits: ClassVar[dict] = {"base": BASES, "d": WIDTHS, "n": LENGTHS}

    base = Number(10_000.0, min=BASES[0], max=BASES[1]).tag(sync=True)
    d = Whole(32, min=WIDTHS[0], max=WIDTHS[1]).tag(sync=True)
    n = Whole(64, min=LENGTHS[0], max=LENGTHS[1]).tag(sync=True)
    position = Whole(20, min=0, max=LENGTHS[1] - 1).tag(sync=True)
    shift = Whole(7, min=1 - LENGTHS[1], max=LENGTHS[1] - 1).tag(sync=True)

    @traitlets.validate("d")
    def _check_d(self, proposal: dict) -> int:
        d = proposal["value"]
        if d % 2:
            raise traitlets.TraitError(
                f"positions come in pairs of sine and cosine: d={d} is odd"
            )
        return d

    @traitlets.validate("position")
    def _check_position(self, proposal: dict) -> int:
        position = proposal["value"]
        if position >= self.n:
            raise traitlets.TraitError(
                f"position must be 0 … {self.n - 1} in a table of n={self.n}, "
                f"got {position}"
            )
        return position

    @traitlets.validate("shift")
    def _check_shift(self, proposal: dict) -> int:
        shift = proposal["value"]
        if abs(shift) >= self.n:
            raise traitlets.TraitError(
                f"shift must be {1 - self.n} … {self.n - 1} in a table of "
                f"n={self.n}, got {shift}"
            )
        return shift

    @traitlets.observe("n")
    def _clamp_to_table(self, change: dict) -> None:
        last = change["new"] - 1
        self.position = min(self.position, last)
        self.shift = max(-last, min(self.shift, last))
