"""The figure of chapter 8: what a decoder computes again at every step, three ways."""

from typing import ClassVar

from attnlab.live.base import LiveFigure
from attnlab.live.traits import Whole

WORDS = (2, 8)


class Cells(LiveFigure):
    """The scores of one head of a decoder's self-attention, as it writes m words.

    A cell is the score of a word (its row) against another (its column), and says how
    often it has been computed: with all places padded (`attnlab.decoding`'s
    `greedy_padded`), with the prefix alone (`greedy_prefix`) and with a cache
    (`greedy`).

    Traits:
        words: how many are written, 2 … 8.
        step: the step that is shown, from 1; beyond `words` the last.
    """

    figure: ClassVar[str] = "cells"
    title: ClassVar[str] = "How often is a score computed?"
    caption: ClassVar[str] = (
        "A row for each word that looks, a column for each it looks at. Framed: "
        "computed at this step. Hatched: computed, then masked."
    )
    description: ClassVar[str] = (
        "Three matrices of scores that fill as a decoder writes word by word, padded, "
        "with the prefix and with a cache; each cell has how often it was computed, "
        "and below are the words and scores so far."
    )
    limits: ClassVar[dict] = {"words": WORDS}

    words = Whole(6, min=WORDS[0], max=WORDS[1]).tag(sync=True)
    step = Whole(3, min=1, max=WORDS[1]).tag(sync=True)
