"""The figure of chapter 2's lab: six scores on one number, side by side."""

import json
from functools import cache
from typing import ClassVar

import traitlets

from attnlab.data.grammar import MAX_NUMBER
from attnlab.live.base import LiveFigure
from attnlab.live.traits import OneOf, Whole
from attnlab.saved import FOLDER

SCORES = ("dot", "scaled_dot", "general", "additive", "cosine", "location")
SEEDS = (0, 1, 2)
STORED = FOLDER / "six-scores.json"


class SixScores(LiveFigure):
    """One number, translated into German by six models that differ in their score.

    Traits:
        number: the number that is translated, 0 … 10¹² − 1.
        seed: the seed of the six trainings: 0, 1 or 2.
        score: the score whose map is shown large, by its name in
            `attnlab.scores.SCORES`.
        word: the written word that is compared, counted from 0; None is none.
    """

    figure: ClassVar[str] = "scores"
    title: ClassVar[str] = "Six scores, one number"
    caption: ClassVar[str] = (
        "Six networks, alike but for their score, write a number in German (rows) and "
        "look back at the English (columns). Press a map, then a word in it. What "
        "stays with another seed?"
    )
    description: ClassVar[str] = (
        "The attention maps of six score functions on one number, English to German, "
        "with the alignment error rate of each on this number and on the test numbers."
    )
    styles: ClassVar[tuple[str, ...]] = ("matrix", "linkmatrix")
    limits: ClassVar[dict] = {"score": SCORES, "seed": SEEDS}

    number = Whole(min=0, max=MAX_NUMBER).tag(sync=True)
    seed = OneOf(SEEDS, 0).tag(sync=True)
    score = OneOf(SCORES, "dot").tag(sync=True)
    word = Whole(None, allow_none=True, min=0).tag(sync=True)

    @traitlets.default("number")
    def _default_number(self) -> int:
        return stored_scores()["number"]

    @traitlets.default("_frame")
    def _default_frame(self) -> dict:
        return {**super()._default_frame(), "stored": stored_scores()}


def weights_name(score: str, seed: int) -> str:
    """Return the name of the English → German model with this score and seed."""
    return f"en-de-{score}-{seed}" if seed else f"en-de-{score}"


@cache
def stored_scores() -> dict:
    """Return the translations that `tools.six_scores` stored. Not to be changed.

    Returns:
        `number`, what is translated; `megabytes`, how much six models are; `tests`, by
        score and seed the alignment error rate on the test numbers; and `pictures`, by
        score and seed the `words` that are written and the `weights`, a row a word and
        a column an English word or the end, rounded to three decimals.
    """
    return json.loads(STORED.read_text(encoding="utf-8"))
