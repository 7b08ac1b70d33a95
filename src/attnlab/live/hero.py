"""The figure at the top of the index: a number in two languages, and who read what."""

from typing import ClassVar

import traitlets

from attnlab.data.grammar import MAX_NUMBER
from attnlab.live.base import LiveFigure
from attnlab.live.traits import Whole


class Hero(LiveFigure):
    """English and German words of a number, joined by attention.

    Traits:
        number: the number that is translated, 0 … 10¹² − 1.
        opening: whether the words light up one by one, once, when it is first seen;
            they never do for readers who prefer stillness.
    """

    figure: ClassVar[str] = "hero"
    title: ClassVar[str] = "Where does a translator look?"
    caption: ClassVar[str] = (
        "A small network, running in this page, reads a number in English and writes "
        "it in German, part by part. Nobody told it which word belongs to which. The "
        "thicker a ribbon, the more it looked there."
    )
    description: ClassVar[str] = (
        "The words of a number in English and in German, joined by ribbons that show "
        "where a trained network looked while it translated."
    )
    weights: ClassVar[tuple[str, ...]] = ("en-de-additive",)

    opening = traitlets.Bool(False).tag(sync=True)
    number = Whole(91_234, min=0, max=MAX_NUMBER).tag(sync=True)
