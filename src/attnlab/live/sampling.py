"""The figure of chapter 8: what comes next, and what sampling leaves of it."""

import json
from functools import cache
from typing import ClassVar

import traitlets

from attnlab.live.base import LiveFigure, Stop
from attnlab.live.traits import Number, Whole
from attnlab.saved import FOLDER, WRITER
from attnlab.tokens import EOS

BARS = 12
MAX_LETTERS = 200
MAX_PIECES = 40  # tokens of a beginning
MAX_WRITTEN = 40  # tokens that are written behind it
MAX_TEMPERATURE = 2
MAX_SEED = 2**32 - 1


class Sampling(LiveFigure):
    """A small language model goes on with the reader's words.

    The weights come when the reader asks for them. Until then the figure shows what may
    follow one beginning, as PyTorch found it (`tools.pack_writer`).

    Traits:
        text: how the caption begins.
        written: the ids of the tokens written behind it; the end, 2, may be the last.
        temperature: 0 … 2; 0 leaves the most probable token alone.
        top_k: how many tokens are drawn from at most; None is all.
        top_p: the share of the probability that they make up, above 0, at most 1.
        seed: of the draws.
    """

    figure: ClassVar[str] = "sampling"
    title: ClassVar[str] = "What comes next?"
    caption: ClassVar[str] = (
        "The next word of a caption, by a language model of 0.8 million weights."
    )
    description: ClassVar[str] = (
        "The probabilities of the next word of a caption as bars; sliders for "
        "temperature, top-k and top-p, which leave some of them out; and buttons that "
        "write a word, or the whole caption."
    )
    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "A language model has read “a man”. It gives each of 2,997 words the "
            "probability that it comes next; “in” leads with 28%.",
            {},
            ".sa-bars li:first-child",
        ),
        Stop(
            "Scores are divided by the temperature before the softmax. At 0.5 likely "
            "words become likelier still, and the others together hardly count.",
            {"temperature": 0.5},
            ".sa-bars",
        ),
        Stop(
            "At a temperature of 1.5 the distribution is flatter: most of the "
            "probability now lies on words that are not even shown.",
            {"temperature": 1.5},
            ".sa-rest",
        ),
        Stop(
            "Top-k cuts the list: with k = 5, only the five most probable words may be "
            "drawn.",
            {"top_k": 5},
            ".sa-bars",
        ),
        Stop(
            "Top-p keeps as few words as together have that share, here 60%. Where the "
            "model is sure these are few, elsewhere many.",
            {"top_p": 0.6},
            ".sa-bars",
        ),
        Stop(
            "Now write a word, or a whole caption. Which settings give the same "
            "caption every time, and which give nonsense?",
            {},
            ".sa-buttons, .sa-settings",
        ),
    )
    limits: ClassVar[dict] = {
        "bars": BARS,
        "letters": MAX_LETTERS,
        "pieces": MAX_PIECES,
        "written": MAX_WRITTEN,
        "temperature": MAX_TEMPERATURE,
    }

    text = traitlets.Unicode().tag(sync=True)
    written: traitlets.List = traitlets.List(Whole(min=0)).tag(sync=True)
    temperature = Number(1.0, min=0.0, max=MAX_TEMPERATURE).tag(sync=True)
    top_k = Whole(None, min=1, allow_none=True).tag(sync=True)
    top_p = Number(1.0, min=0.01, max=1.0).tag(sync=True)
    seed = Whole(0, min=0, max=MAX_SEED).tag(sync=True)

    @traitlets.default("_frame")
    def _default_frame(self) -> dict:
        return {**super()._default_frame(), "stored": stored_words()}

    @traitlets.default("text")
    def _default_text(self) -> str:
        return stored_words()["text"]

    @traitlets.validate("text")
    def _check_text(self, proposal: dict) -> str:
        text = " ".join(proposal["value"].split())
        if len(text) > MAX_LETTERS:
            raise traitlets.TraitError(
                f"text has at most {MAX_LETTERS} letters, got {len(text)}"
            )
        return text

    @traitlets.validate("written")
    def _check_written(self, proposal: dict) -> list[int]:
        written = list(proposal["value"])
        size = stored_words()["vocab_size"]
        if len(written) > MAX_WRITTEN or any(token >= size for token in written):
            raise traitlets.TraitError(
                f"written are at most {MAX_WRITTEN} ids below {size}, got {written}"
            )
        if EOS in written[:-1]:
            raise traitlets.TraitError(f"written goes on behind its end: {written}")
        return written


@cache
def stored_words() -> dict:
    """Return what may follow the first beginning. Not to be changed."""
    return json.loads((FOLDER / f"{WRITER}.json").read_text(encoding="utf-8"))
