"""The figure of chapter 4: what each head of a trained model adds."""

from typing import ClassVar

import traitlets

from attnlab.data.grammar import MORPHEMES
from attnlab.live.base import LiveFigure, Stop
from attnlab.live.traits import OneOf, Whole, check_words

LANGUAGES = ("en", "de")
LAYERS = (1, 2)
NUM_HEADS = 4
REPLACEMENTS = ("zero", "mean")
MAX_WORDS = 40


class Heads(LiveFigure):
    """A tagger reads a number's words; its heads can be switched off one by one.

    By how much the logit of the right answer exceeds that of the best wrong one is
    drawn as the sum that it is: equation (4.3), split by head and carried on to the
    logits. The layer norm between them divides by the deviation of the whole sum; with
    that number as it is, the terms add up to the margin.

    The model says of every word which power of ten it is multiplied by, as
    `attnlab.data.place_values` does, and the words add up to the number that it reads.

    Traits:
        text: what it reads: a number in digits, 0 … 10¹² − 1, or number words with
            spaces between them, such as "two hundred thousand and five".
        language: "en" or "de".
        layers: how many layers the model has, 1 or 2, each of four heads.
        heads_off: the silent heads, as pairs (layer, head), counted from 0.
        instead: what the silent heads hand on: "zero", or "mean", each its mean output
            over the numbers held out from training (`tools.head_damage`).
        word: the word whose answer is taken apart, counted from 0.
    """

    figure: ClassVar[str] = "heads"
    title: ClassVar[str] = "What does each head add?"
    caption: ClassVar[str] = "The answer is a sum, and every head adds a term."
    description: ClassVar[str] = (
        "The words of a number with the worth that a trained model gives each; each "
        "head with a switch, its attention map and what it adds to the answer; and a "
        "grid of what is lost without two heads."
    )
    styles: ClassVar[tuple[str, ...]] = ("headmaps",)
    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "A small trained model reads the words of a number and says what each is "
            "worth: two stands for 200,000, three for 300.",
            {},
            ".hd-words",
        ),
        Stop(
            "How does it know that two stands for 200,000? Head 4 attends from two to "
            "thousand, with 88% of its weight.",
            {},
            ".hd-rows",
        ),
        Stop(
            "The answer is a sum, and every head adds a term. The term of head 4, "
            "+8.66, decides it; the others even speak against ×10⁵.",
            {},
            ".hd-rows",
        ),
        Stop(
            "Ablate head 4, that is, drop its term, and the model reads 5,500: two "
            "is now taken for hundreds.",
            {"heads_off": [[0, 3]]},
            ".hd-answer",
        ),
        Stop(
            "Now ablate heads yourself. The grid says how many of 1,600 numbers are "
            "misread without one head, or two. Which head alone is hardly missed?",
            {},
            ".hd-rows, .hd-grid",
        ),
    )
    limits: ClassVar[dict] = {"words": MAX_WORDS, "layers": LAYERS}

    text = traitlets.Unicode("205300").tag(sync=True)
    language = OneOf(LANGUAGES, "en").tag(sync=True)
    layers = OneOf(LAYERS, 1).tag(sync=True)
    heads_off: traitlets.List = traitlets.List().tag(sync=True)
    instead = OneOf(REPLACEMENTS, "zero").tag(sync=True)
    word = Whole(0, min=0).tag(sync=True)

    @traitlets.validate("text")
    def _check_text(self, proposal: dict) -> str:
        return check_words(proposal["value"], self.language, MAX_WORDS)

    @traitlets.validate("heads_off")
    def _check_heads(self, proposal: dict) -> list[list[int]]:
        pairs = proposal["value"]
        known = [[i, j] for i in range(self.layers) for j in range(NUM_HEADS)]
        silent = [list(pair) for pair in pairs if isinstance(pair, tuple | list)]
        if len(silent) < len(pairs) or any(pair not in known for pair in silent):
            raise traitlets.TraitError(
                f"heads_off are pairs (layer, head) with layer < {self.layers} and "
                f"head < {NUM_HEADS}; got {pairs!r}"
            )
        return [pair for pair in known if pair in silent]

    @traitlets.observe("language")
    def _drop_words_of_other_language(self, change: dict) -> None:
        known = MORPHEMES[self.language]
        if not self.text.isdecimal() and not set(self.text.split()) <= set(known):
            self.text = type(self).text.default_value

    @traitlets.observe("layers")
    def _drop_heads_of_other_model(self, change: dict) -> None:
        self.heads_off = [pair for pair in self.heads_off if pair[0] < self.layers]
