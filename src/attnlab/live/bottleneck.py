"""The figure of chapter 1: a number that grows until one vector no longer holds it."""

from typing import ClassVar

import traitlets

from attnlab.data.numbers import MAX_NUMBER
from attnlab.live.base import LiveFigure
from attnlab.live.traits import Whole

STATE_SIZES = (16, 32, 64, 128)


class Bottleneck(LiveFigure):
    """One number, translated without and with attention, errors marked.

    Traits:
        number: the number that is translated, 0 … 10¹² − 1.
        state_size: how many numbers the plain model's state holds: 16, 32, 64 or 128.
    """

    figure: ClassVar[str] = "bottleneck"
    title: ClassVar[str] = "Where does the answer begin to go wrong?"
    caption: ClassVar[str] = (
        "Two trained networks translate a number from English into German, here in "
        "the page. The first must pack everything it read into one vector; the second "
        "keeps a vector for every word. Cells: blue above zero, orange below, fainter "
        "towards zero. Try: let the number grow digit by digit, then give the vector "
        "more room."
    )
    description: ClassVar[str] = (
        "A number translated from English into German by a network that squeezes it "
        "into one vector and by one with attention; wrong words are marked."
    )
    weights: ClassVar[tuple[str, ...]] = ("en-de-gru-32", "en-de-attentive")

    limits: ClassVar[dict] = {"state_size": STATE_SIZES}

    number = Whole(345_678, min=0, max=MAX_NUMBER).tag(sync=True)
    state_size = traitlets.Enum(STATE_SIZES, 32).tag(sync=True)
