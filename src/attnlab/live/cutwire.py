"""The figure of chapter 2: what changes where a word goes, or only its weight?"""

from typing import ClassVar

from attnlab.live.base import LiveFigure
from attnlab.live.traits import OneOf, Whole

MAX_NUMBER = (
    999_999  # six digits, the longest numbers that all these networks were taught
)
CUTS = ("word", "weight", "others")
SCORES = ("general", "cosine")


class CutWire(LiveFigure):
    """A number translated without and with attention, whole and with something cut.

    Every German word is predicted from the right words before it, as in the study
    `attnlab.experiments.influence`: one slip drags no other along, and where only
    weights are cut no state of the network changes.

    Traits:
        number: the number that is translated, 0 … 999,999.
        score: by what score the attentive network looks, "general" or "cosine".
        cut: what is cut: "word" (the word, from the sentence), "weight" (attention's
            weight to it, at every step) or "others" (all weights but that one).
        place: of which word, counted from 0, with the end mark last; None is nothing.
    """

    figure: ClassVar[str] = "cutwire"
    title: ClassVar[str] = "Cut the wire"
    caption: ClassVar[str] = (
        "Two networks; ribbons are attention’s weights. Each German word is predicted "
        "from the right words before it. Try: delete the word “eighty”; then cut its "
        "weight again, with the cosine score."
    )
    description: ClassVar[str] = (
        "The English words of a number, and the German words that a network without "
        "attention and one with attention predict, before and after a word, or only "
        "the weight to it, is cut."
    )
    limits: ClassVar[dict] = {"number": MAX_NUMBER}

    number = Whole(2_487, min=0, max=MAX_NUMBER).tag(sync=True)
    score = OneOf(SCORES, "general").tag(sync=True)
    cut = OneOf(CUTS, "weight").tag(sync=True)
    place = Whole(5, allow_none=True, min=0).tag(sync=True)
