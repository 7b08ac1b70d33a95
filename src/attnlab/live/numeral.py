"""The figure of chapter 3: one row of self-attention, step by step, and its mask."""

from typing import ClassVar

import traitlets

from attnlab.live.base import LiveFigure
from attnlab.live.traits import Whole

# The example that chapter 3 works by hand.
WORDS = ("two", "hundred")
QUERIES = ((0.0, 2.0), (1.0, 0.0))
KEYS = ((1.0, 0.0), (0.0, 1.0))
VALUES = ((2.0,), (100.0,))

MASKINGS = ("zeros", "infinity", "thousand", "billion")
MOST_DOUBLINGS = 16


class Numeral(LiveFigure):
    """A word asks the words of its numeral: scores, mask, weights, the sum of values.

    Traits:
        word: the word that asks, one of `WORDS`.
        hidden: whether each word is hidden from it.
        masking: how a word is hidden: "zeros" is the package's way, the others add
            −∞, −1000 or −10⁹ to its score.
        doublings: how often the query is doubled.
    """

    figure: ClassVar[str] = "numeral"
    title: ClassVar[str] = "What is “two” worth beside “hundred”?"
    caption: ClassVar[str] = (
        "Each score is a query times a key. Hide a word, choose how, and double the "
        "query until a wrong mask leaks."
    )
    description: ClassVar[str] = (
        "The products of a word's query with every key, the scores divided by √d, the "
        "mask, the weights, and the weighted sum of the values."
    )
    limits: ClassVar[dict] = {
        "words": WORDS,
        "queries": QUERIES,
        "keys": KEYS,
        "values": VALUES,
        "mostDoublings": MOST_DOUBLINGS,
    }

    word = traitlets.Enum(WORDS, WORDS[0]).tag(sync=True)
    hidden = traitlets.List(
        traitlets.Bool(), [False] * len(WORDS), minlen=len(WORDS), maxlen=len(WORDS)
    ).tag(sync=True)
    masking = traitlets.Enum(MASKINGS, MASKINGS[0]).tag(sync=True)
    doublings = Whole(0, min=0, max=MOST_DOUBLINGS).tag(sync=True)
