"""The figure of chapter 7: a numeral goes through a whole Transformer."""

from typing import ClassVar

import traitlets

from attnlab.live.base import LiveFigure
from attnlab.live.traits import OneOf, Whole, check_short

MAX_WORDS = 4  # of the numeral
MAX_WRITTEN = 8  # words that are written before it is stopped, the end among them
PARTS = ("nothing", "sums", "norms", "feed-forward", "factor", "positions", "mask")
TRAININGS = ("own", "whole", "untrained")

_ATTENTION = [
    *("q", "k", "v", "scores.1", "weights.1", "scores.2", "weights.2"),
    *("found", "out", "sum", "normed"),
]
STEPS = (
    *("src.words", "src.places", "src.x"),
    *(f"encoder.{one}" for one in _ATTENTION),
    *("encoder.ff.inner", "encoder.ff.outer", "encoder.ff.sum", "memory"),
    *("tgt.words", "tgt.places", "tgt.x"),
    *(f"{side}.{one}" for side in ("decoder", "across") for one in _ATTENTION),
    *("decoder.ff.inner", "decoder.ff.outer", "decoder.ff.sum", "states"),
    *("logits", "shares"),
)


class Machine(LiveFigure):
    """A numeral's way through an encoder and a decoder of one layer each.

    Every matrix is shown at its size, and every number with the sum that it comes from.
    The networks are those of `tools.machine`: 16 wide, two heads, trained
    with all parts and without each of them.

    Traits:
        text: a number in digits or in English words, of `MAX_WORDS` words at most.
        without: the part that is left out, one of `PARTS`.
        training: "own" are those of a machine that was trained so; "whole" those of one
            that was trained with all its parts; "untrained" those of the beginning.
        step: the matrix that is seen from near, one of `STEPS`.
        cell: the row and the column of the number that is followed back; beyond the
            matrix its last ones.
    """

    figure: ClassVar[str] = "machine"
    title: ClassVar[str] = "A numeral goes through the machine"
    caption: ClassVar[str] = (
        "Every matrix at its size, a row for each word; violet is above zero, olive "
        "below. Choose one, then a number: what is it the sum of?"
    )
    description: ClassVar[str] = (
        "All matrices of an encoder and a decoder of one layer each as an English "
        "numeral becomes a German one; one of them from near, with the sum behind each "
        "number and its words as arrows; and the same with a part left out."
    )
    weights: ClassVar[tuple[str, ...]] = ("machine",)
    styles: ClassVar[tuple[str, ...]] = ("matrix",)
    limits: ClassVar[dict] = {"mostWords": MAX_WORDS, "mostWritten": MAX_WRITTEN}

    text = traitlets.Unicode("eighty seven").tag(sync=True)
    without = OneOf(PARTS, PARTS[0]).tag(sync=True)
    training = OneOf(TRAININGS, TRAININGS[0]).tag(sync=True)
    step = OneOf(STEPS, STEPS[2]).tag(sync=True)
    cell = traitlets.List(Whole(min=0), [0, 0], minlen=2, maxlen=2).tag(sync=True)

    @traitlets.validate("text")
    def _check_text(self, proposal: dict) -> str:
        return check_short(proposal["value"], MAX_WORDS)
