"""The figure of chapter 1: the same number by one vector, and by one for every word."""

from typing import ClassVar

import traitlets

from attnlab.data.grammar import MAX_NUMBER
from attnlab.live.base import LiveFigure
from attnlab.live.traits import OneOf, Whole

WIDTHS = (16, 32, 64, 128)


class Bottleneck(LiveFigure):
    """One number, translated without and with attention, errors marked.

    Both networks are those of `attnlab.experiments.bottleneck`, of its first seed.

    Traits:
        number: the number that is translated, 0 … 10¹² − 1.
        width: how many entries the plain network's vector has: 16, 32, 64 or 128.
        opening: whether it only asks: width, shares and sizes are not shown.
    """

    figure: ClassVar[str] = "bottleneck"
    title: ClassVar[str] = "Where does the answer begin to go wrong?"
    caption: ClassVar[str] = (
        "Two trained networks: one has a single vector for the whole number, one a "
        "vector for every word. Try: let the number grow digit by digit. Cells: violet "
        "above zero, olive below."
    )
    description: ClassVar[str] = (
        "A number translated from English into German by a network that squeezes it "
        "into one vector and by one with attention; wrong words are marked."
    )
    weights: ClassVar[tuple[str, ...]] = ("en-de-gru-32", "en-de-attentive")

    limits: ClassVar[dict] = {"width": WIDTHS}

    number = Whole(786_291, min=0, max=MAX_NUMBER).tag(sync=True)
    width = OneOf(WIDTHS, 32).tag(sync=True)
    opening = traitlets.Bool(False).tag(sync=True)
