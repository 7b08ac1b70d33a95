"""The figure of chapter 3: what a word asks, reads and becomes, and its mask."""

from typing import ClassVar

import traitlets

from attnlab.live.base import LiveFigure, Stop
from attnlab.live.traits import OneOf, Whole, check_short

# The example that chapter 3 works by hand; keys and values are the words themselves.
WORDS = ("two", "hundred")
EMBEDDINGS = ((1.0, 0.0), (0.0, 1.0))
QUERIES = ((0.0, 2.0), (1.0, 0.0))

MASKINGS = ("zeros", "infinity", "thousand", "billion")
MAX_DOUBLINGS = 16

# The trained reader: one layer of four heads, for English numerals.
SHOWN = ("hand", "reader")
NUM_HEADS = 4
MAX_WORDS = 8


class Numeral(LiveFigure):
    """A word asks the words of its numeral, and what it reads is added to it.

    Shown are the two words that chapter 3 works by hand, or words of one's own in the
    trained reader `places-en-1`, one of whose heads is followed for one word.

    Traits:
        shown: "hand" or "reader". Of the first are the next four traits, of the second
            the others.
        word: the word that asks, one of `WORDS`.
        hidden: whether each word is hidden from it.
        masking: how a word is hidden: "zeros" is the package's way, the others add
            −∞, −1000 or −10⁹ to its score.
        doublings: how often the query is doubled.
        text: a number in digits or in words, of `MAX_WORDS` words at most. Words are
            counted from 0, as they are typed, with the end mark as the last.
        asks: the word that asks.
        head: the head, from 1.
        positions: whether the words are told where they stand.
        unseen: pairs (i, j): word i may not see word j.
        order: the words in the order shown, a permutation; [] is as typed.
    """

    figure: ClassVar[str] = "numeral"
    title: ClassVar[str] = "What does “two” hear of “hundred”?"
    caption: ClassVar[str] = "A word is a vector, and what it reads is added to it."
    description: ClassVar[str] = (
        "The product of a word's query with every key, divided by √d, masked, as a "
        "weight; the weighted sum of the values, and the word with that sum added, as "
        "an arrow in the plane."
    )
    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "Two words, each a vector in the plane: “two” is (1, 0), “hundred” is "
            "(0, 1). What “two” is worth depends on “hundred”, so it has to ask.",
            {},
            ".nu-plane .asks, .nu-plane .asked",
        ),
        Stop(
            "The query of two is multiplied with both keys: 0 and 2. Divided by √2 and "
            "put through the softmax, the weights are 20% and 80%.",
            {},
            ".nu-table",
        ),
        Stop(
            "What two reads is the weighted mean of the values, z. It is added to the "
            "word's own vector, and that is the arrow.",
            {},
            ".nu-sums, .nu-arrow",
        ),
        Stop(
            "Hide hundred: its weight is 0, two itself gets all of it, and the arrow "
            "no longer points to hundred.",
            {"hidden": [False, True]},
            ".nu-table, .nu-arrow",
        ),
        Stop(
            "A trained reader does the same with whole numerals, with four heads. "
            "Explore to follow its words, hide some of them and shuffle them.",
            {"shown": "reader"},
        ),
    )
    limits: ClassVar[dict] = {
        "words": WORDS,
        "embeddings": EMBEDDINGS,
        "queries": QUERIES,
        "mostDoublings": MAX_DOUBLINGS,
        "mostWords": MAX_WORDS,
        "heads": NUM_HEADS,
    }

    shown = OneOf(SHOWN, SHOWN[0]).tag(sync=True)

    word = OneOf(WORDS, WORDS[0]).tag(sync=True)
    hidden = traitlets.List(
        traitlets.Bool(), [False] * len(WORDS), minlen=len(WORDS), maxlen=len(WORDS)
    ).tag(sync=True)
    masking = OneOf(MASKINGS, MASKINGS[0]).tag(sync=True)
    doublings = Whole(0, min=0, max=MAX_DOUBLINGS).tag(sync=True)
    text = traitlets.Unicode("two hundred and five").tag(sync=True)
    asks = Whole(0, min=0).tag(sync=True)
    head = Whole(1, min=1, max=NUM_HEADS).tag(sync=True)
    positions = traitlets.Bool(True).tag(sync=True)
    unseen: traitlets.List = traitlets.List().tag(sync=True)
    order: traitlets.List = traitlets.List(Whole()).tag(sync=True)

    @traitlets.validate("text")
    def _check_text(self, proposal: dict) -> str:
        return check_short(proposal["value"], MAX_WORDS)

    @traitlets.validate("unseen")
    def _check_unseen(self, proposal: dict) -> list[list[int]]:
        pairs = proposal["value"]
        known = [[i, j] for i in range(MAX_WORDS + 1) for j in range(MAX_WORDS + 1)]
        found = [list(pair) for pair in pairs if isinstance(pair, tuple | list)]
        if len(found) < len(pairs) or any(pair not in known for pair in found):
            raise traitlets.TraitError(
                f"unseen are pairs of words, from 0 to {MAX_WORDS}; got {pairs!r}"
            )
        return [pair for pair in known if pair in found]

    @traitlets.validate("order")
    def _check_order(self, proposal: dict) -> list[int]:
        order = proposal["value"]
        if sorted(order) != list(range(len(order))) or len(order) > MAX_WORDS:
            raise traitlets.TraitError(
                f"order is a permutation of the words, counted from 0; got {order!r}"
            )
        return order
