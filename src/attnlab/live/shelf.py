"""The opening of chapter 4: two boxes of a shelf, fetched by one head or by two."""

from typing import ClassVar

from attnlab.live.base import LiveFigure
from attnlab.live.traits import OneOf, Whole

LABELS = tuple("ABCDEFGH")
CONTENTS = tuple(range(1, 9))
MAX_SHARPNESS = 12


class Shelf(LiveFigure):
    """What one row of weights brings back of two boxes, and what two rows do.

    A row is the softmax of `sharpness` times 1 for a box that is asked for, 0 for
    another. One head asks for both labels at once, each of two heads for one.

    Traits:
        first: the label that is asked for first, one of `LABELS`.
        second: the other one.
        sharpness: 0 … 12, one over the temperature.
    """

    figure: ClassVar[str] = "shelf"
    title: ClassVar[str] = "Can one head fetch two contents?"
    caption: ClassVar[str] = (
        "Each row of weights sums to 100%, and what comes back is the sum of the "
        "contents, each times its weight. Ask for two labels, and sharpen."
    )
    description: ClassVar[str] = (
        "A shelf of eight labelled boxes with the contents 1 to 8; under it the "
        "weights of one head that asks for two labels at once, and of two that ask for "
        "one each, with what each row brings back."
    )
    limits: ClassVar[dict] = {
        "labels": LABELS,
        "contents": CONTENTS,
        "sharpest": MAX_SHARPNESS,
    }

    first = OneOf(LABELS, "C").tag(sync=True)
    second = OneOf(LABELS, "E").tag(sync=True)
    sharpness = Whole(8, min=0, max=MAX_SHARPNESS).tag(sync=True)
