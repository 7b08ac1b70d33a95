"""The figure of chapter 7: a numeral goes through a whole Transformer."""

from typing import ClassVar

import traitlets

from attnlab.live.base import LiveFigure, Stop
from attnlab.live.traits import OneOf, Whole, check_short

MAX_WORDS = 4  # of the numeral
MAX_WRITTEN = 8  # words that are written before it is stopped, the end among them
PARTS = ("nothing", "sums", "norms", "feed-forward", "factor", "positions", "mask")
TRAININGS = ("own", "whole", "untrained")

_ATTENTION = [
    *("q", "k", "v", "scores.1", "weights.1", "scores.2", "weights.2"),
    *("found", "out", "sum", "normed"),
]
STEPS = (
    *("src.words", "src.places", "src.x"),
    *(f"encoder.{one}" for one in _ATTENTION),
    *("encoder.ff.inner", "encoder.ff.outer", "encoder.ff.sum", "memory"),
    *("tgt.words", "tgt.places", "tgt.x"),
    *(f"{side}.{one}" for side in ("decoder", "across") for one in _ATTENTION),
    *("decoder.ff.inner", "decoder.ff.outer", "decoder.ff.sum", "states"),
    *("logits", "shares"),
)


class Machine(LiveFigure):
    """A numeral's way through an encoder and a decoder of one layer each.

    Every matrix is shown at its size, and every number with the sum that it comes from.
    The networks are those of `tools.machine`: 16 wide, two heads, trained
    with all parts and without each of them.

    Traits:
        text: a number in digits or in English words, of `MAX_WORDS` words at most.
        without: the part that is left out, one of `PARTS`.
        training: "own" are those of a machine that was trained so; "whole" those of one
            that was trained with all its parts; "untrained" those of the beginning.
        step: the matrix that is seen from near, one of `STEPS`.
        cell: the row and the column of the number that is followed back; beyond the
            matrix its last ones.
    """

    figure: ClassVar[str] = "machine"
    title: ClassVar[str] = "A numeral goes through the machine"
    caption: ClassVar[str] = (
        "Rows are words. Violet is above zero, olive below; orange: attention weights."
    )
    description: ClassVar[str] = (
        "All matrices of an encoder and a decoder of one layer each as an English "
        "numeral becomes a German one; one of them from near, with the sum behind each "
        "number and its words as arrows; and the same with a part left out."
    )
    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "Eighty seven and an end mark go through an encoder, from top to bottom. "
            "Every small picture is a matrix, and the chosen one is drawn large.",
            {},
            ".ma-columns",
        ),
        Stop(
            "In the encoder words attend to each other. Head 2 shows it: eighty "
            "attends to seven with 83% of its weight.",
            {"step": "encoder.weights.2", "cell": [0, 1]},
            ".ma-table",
        ),
        Stop(
            "Cross-attention joins the two halves. At the beginning the decoder "
            "attends to seven, and then to eighty: German puts the seven first.",
            {"step": "across.weights.2", "cell": [0, 1]},
            ".ma-table",
        ),
        Stop(
            "At the end there is a row of probabilities for each word that is written. "
            "The likeliest make “sieben und acht zig”, which is right.",
            {"step": "shares", "cell": [0, 0]},
            ".ma-table, .ma-told",
        ),
        Stop(
            "Trained without the decoder’s mask, it writes nothing. In training it "
            "could read the words it had to predict, so it never learned to predict.",
            {"step": "shares", "cell": [0, 0], "without": "mask"},
            ".ma-told",
        ),
        Stop(
            "Which parts can it do without? Leave one out. And follow any number back: "
            "choose a matrix, then a cell, and read its sum.",
            {"step": "encoder.scores.1", "cell": [1, 2]},
            ".al-controls, .ma-trace",
        ),
    )
    weights: ClassVar[tuple[str, ...]] = ("machine",)
    styles: ClassVar[tuple[str, ...]] = ("matrix",)
    limits: ClassVar[dict] = {"mostWords": MAX_WORDS, "mostWritten": MAX_WRITTEN}

    text = traitlets.Unicode("eighty seven").tag(sync=True)
    without = OneOf(PARTS, PARTS[0]).tag(sync=True)
    training = OneOf(TRAININGS, TRAININGS[0]).tag(sync=True)
    step = OneOf(STEPS, STEPS[2]).tag(sync=True)
    cell = traitlets.List(Whole(min=0), [0, 0], minlen=2, maxlen=2).tag(sync=True)

    @traitlets.validate("text")
    def _check_text(self, proposal: dict) -> str:
        return check_short(proposal["value"], MAX_WORDS)
