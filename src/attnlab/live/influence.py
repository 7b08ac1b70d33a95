"""The figure of chapter 1: which source word moves each word that a network writes."""

from typing import ClassVar

from attnlab.live.base import LiveFigure
from attnlab.live.bottleneck import WIDTHS
from attnlab.live.traits import OneOf, Whole

MAX_NUMBER = 999_999_999  # nine digits, as many as the networks have learned from


class Influence(LiveFigure):
    """How far each source word's embedding moves log P of each word that is written.

    The measure is `attnlab.experiments.influence.log_prob_gradients`, of the networks
    of the bottleneck figure, each row divided by its largest.

    Traits:
        number: the number that is translated, 0 … 999,999,999.
        width: how many entries the plain network's vector has: 16, 32, 64 or 128.
    """

    figure: ClassVar[str] = "influence"
    title: ClassVar[str] = "Which word moves it?"
    caption: ClassVar[str] = (
        "How much does the probability of a German word (row) depend on an English "
        "word (column)? Measured by the gradient of log P. Try a longer number, or "
        "more width."
    )
    description: ClassVar[str] = (
        "A matrix of how much each word of a German translation of a number depends on "
        "each English word, with the known counterparts outlined."
    )
    # Its weights come when the reader does: a page's first view has to be light.
    styles: ClassVar[tuple[str, ...]] = ("matrix", "linkmatrix")

    limits: ClassVar[dict] = {"number": MAX_NUMBER, "width": WIDTHS}

    number = Whole(2_487, min=0, max=MAX_NUMBER).tag(sync=True)
    width = OneOf(WIDTHS, 64).tag(sync=True)
