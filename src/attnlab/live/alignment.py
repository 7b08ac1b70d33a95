"""The figure of chapter 2: the attention weights, word by word."""

from typing import ClassVar

from attnlab.data.grammar import MAX_NUMBER
from attnlab.live.base import LiveFigure
from attnlab.live.traits import OneOf, Whole

# What there are trained models for: languages, and names of `attnlab.scores.SCORES`.
TARGETS = ("de", "fr", "da", "ja")
SCORES = ("additive", "dot", "scaled_dot", "general", "cosine", "location")


class Alignment(LiveFigure):
    """The weight matrix of one translation, filled in as the words are written.

    Traits:
        number: the number that is translated, 0 … 10¹² − 1.
        language: the target language: "de", "fr", "da" or "ja".
        score: the score function, one of `SCORES`.
        step: how many words are written; None is all of them.
    """

    figure: ClassVar[str] = "alignment"
    title: ClassVar[str] = "Which words did it look at?"
    caption: ClassVar[str] = (
        "Step through it. Then try another score, or a language that counts in "
        "twenties."
    )
    description: ClassVar[str] = (
        "A matrix of attention weights between the English words of a number and its "
        "translation, filled in row by row."
    )
    styles: ClassVar[tuple[str, ...]] = ("matrix", "linkmatrix")

    number = Whole(2_487, min=0, max=MAX_NUMBER).tag(sync=True)
    language = OneOf(TARGETS, "de").tag(sync=True)
    score = OneOf(SCORES, "additive").tag(sync=True)
    step = Whole(None, allow_none=True, min=0).tag(sync=True)
