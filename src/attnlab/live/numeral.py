"""The figure of chapter 3: what a word asks, reads and becomes, and its mask."""

from typing import ClassVar

import traitlets

from attnlab.live.base import LiveFigure
from attnlab.live.traits import Whole

# The example that chapter 3 works by hand; keys and values are the words themselves.
WORDS = ("two", "hundred")
EMBEDDINGS = ((1.0, 0.0), (0.0, 1.0))
QUERIES = ((0.0, 2.0), (1.0, 0.0))

MASKINGS = ("zeros", "infinity", "thousand", "billion")
MOST_DOUBLINGS = 16


class Numeral(LiveFigure):
    """A word asks the words of its numeral, and what it reads is added to it.

    Traits:
        word: the word that asks, one of `WORDS`.
        hidden: whether each word is hidden from it.
        masking: how a word is hidden: "zeros" is the package's way, the others add
            −∞, −1000 or −10⁹ to its score.
        doublings: how often the query is doubled.
    """

    figure: ClassVar[str] = "numeral"
    title: ClassVar[str] = "What does “two” hear of “hundred”?"
    caption: ClassVar[str] = (
        "What a word reads is an arrow that is added to its vector. Hide a word, "
        "choose how, and double the query until a wrong mask leaks."
    )
    description: ClassVar[str] = (
        "The product of a word's query with every key, divided by √d, masked, as a "
        "weight; the weighted sum of the values, and the word with that sum added, as "
        "an arrow in the plane."
    )
    limits: ClassVar[dict] = {
        "words": WORDS,
        "embeddings": EMBEDDINGS,
        "queries": QUERIES,
        "mostDoublings": MOST_DOUBLINGS,
    }

    word = traitlets.Enum(WORDS, WORDS[0]).tag(sync=True)
    hidden = traitlets.List(
        traitlets.Bool(), [False] * len(WORDS), minlen=len(WORDS), maxlen=len(WORDS)
    ).tag(sync=True)
    masking = traitlets.Enum(MASKINGS, MASKINGS[0]).tag(sync=True)
    doublings = Whole(0, min=0, max=MOST_DOUBLINGS).tag(sync=True)
