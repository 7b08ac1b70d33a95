"""The figure of chapter 8: a Transformer translates in the reader's browser."""

import json
from functools import cache
from typing import ClassVar

import traitlets

from attnlab.live.base import LiveFigure, Stop
from attnlab.live.traits import Number, OneOf, Whole
from attnlab.saved import FOLDER, TRANSLATOR

KINDS = ("encoder", "decoder", "cross")
VIEWS = ("heads", "search")
MAX_WIDTH = 5
MAX_PENALTY = 2.0
MAX_LETTERS = 300
MAX_PREFIX = 40  # characters that a reader may write
MAX_WRITTEN = 60  # characters of a translation, and its end
DROPPED_SHOWN = 3  # of the beginnings thrown away at a step


class Translate(LiveFigure):
    """A small trained Transformer translates English into Chinese.

    The weights come when the reader asks for them. Until then the figure shows one
    translation that PyTorch made (`tools.trace`).

    Traits:
        text: the English sentence.
        width: of the beam, 1 … 5; 1 is greedy search.
        length_penalty: α of the hypotheses' scores, 0 … 2.
        heads_off: the silent heads, as triples (kind, layer, head), the kind being
            "encoder", "decoder" or "cross", the others counted from 0.
        prefix: Chinese characters that the translation must begin with.
        step: how many steps of the search are shown, counted from 1; None is all.
        view: "heads" or "search", what is shown beneath the translation.
        kind, layer, head: the head whose map is large.
    """

    figure: ClassVar[str] = "translate"
    title: ClassVar[str] = "Watch a Transformer translate"
    caption: ClassVar[str] = (
        "Below the Chinese words stand English glosses, most of them counted."
    )
    description: ClassVar[str] = (
        "An English sentence, its translation into Chinese by a trained Transformer, "
        "the attention map of each of its heads, and every step of its beam search."
    )
    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "A small Transformer translates into Chinese, character by character. Each "
            "tile says how probable the model found its character.",
            {"view": "heads"},
            ".tr-target",
        ),
        Stop(
            "Cross-attention looks at the English sentence. To write the first half of "
            "桌子 (table), head 2.1 attends to table with 95% of its weight.",
            {"kind": "cross", "layer": 1, "head": 0, "step": 1},
            ".tm-large",
        ),
        Stop(
            "For 猫 (cat), the same head attends to cat: 97%. Chinese names the table "
            "first, English the cat, so the weights jump back.",
            {"kind": "cross", "layer": 1, "head": 0, "step": 8},
            ".tm-large",
        ),
        Stop(
            "Which head matters? Without head 2.2 the log P of the translation falls "
            "by 3.8. Most of the others are hardly missed, one at a time.",
            {"kind": "cross", "layer": 1, "head": 1, "step": 8},
            ".tm-cards",
        ),
        Stop(
            "Load the model, and switch heads off yourself. Which of the three kinds "
            "of attention can it least do without?",
            {"kind": "cross", "layer": 1, "head": 1, "step": 8},
            ".tr-load, .tr-view, .tm-many",
        ),
    )
    search_tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "A small Transformer translates into Chinese, character by character. Each "
            "tile says how probable the model found its character.",
            {"view": "search"},
            ".tr-target",
        ),
        Stop(
            "Beam search keeps several beginnings, here three. After step 2 the best "
            "has a log P of −0.1; those below the red line are dropped.",
            {"step": 2},
            ".bt-scroll",
        ),
        Stop(
            "At every step all three go on, and the best three of what comes out are "
            "kept. At step 6 the leading one stands at −0.8.",
            {"step": 6},
            ".bt-scroll",
        ),
        Stop(
            "At step 8 a first translation is finished (■): “table under has cat”. Its "
            "log P is −2.6. Longer ones are still open.",
            {"step": 8},
            ".bt-scroll",
        ),
        Stop(
            "After ten steps three are finished. The winner also says “a”, and has the "
            "best log P, −1.0, though it is the longest.",
            {"step": 10},
            ".bt-scroll, .tr-target",
        ),
        Stop(
            "Load the model, type a sentence, and change the beam width. Does a width "
            "of 1, greedy search, find the same translation?",
            {"step": 10},
            ".tr-load, .tr-width",
        ),
    )
    styles: ClassVar[tuple[str, ...]] = ("matrix", "headmaps")
    limits: ClassVar[dict] = {
        "width": MAX_WIDTH,
        "penalty": MAX_PENALTY,
        "letters": MAX_LETTERS,
        "prefix": MAX_PREFIX,
        "written": MAX_WRITTEN,
        "dropped": DROPPED_SHOWN,
    }

    text = traitlets.Unicode().tag(sync=True)
    width = Whole(min=1, max=MAX_WIDTH).tag(sync=True)
    length_penalty = Number(1.0, min=0.0, max=MAX_PENALTY).tag(sync=True)
    heads_off: traitlets.List = traitlets.List().tag(sync=True)
    prefix = traitlets.Unicode("").tag(sync=True)
    step = Whole(None, min=1, allow_none=True).tag(sync=True)
    view = OneOf(VIEWS, "heads").tag(sync=True)
    kind = OneOf(KINDS, "cross").tag(sync=True)
    layer = Whole(1, min=0).tag(sync=True)
    head = Whole(0, min=0).tag(sync=True)

    def stops(self) -> tuple[Stop, ...]:
        """Return the stops of the tour of its view."""
        return self.search_tour if self.view == "search" else self.tour

    @traitlets.default("_frame")
    def _default_frame(self) -> dict:
        frame = super()._default_frame()
        return {**frame, "stored": stored_translation(), "glosses": glosses()}

    @traitlets.default("text")
    def _default_text(self) -> str:
        return stored_translation()["text"]

    @traitlets.default("width")
    def _default_width(self) -> int:
        return stored_translation()["width"]

    @traitlets.validate("text")
    def _check_text(self, proposal: dict) -> str:
        text = " ".join(proposal["value"].split())
        if not any(letter.isalnum() for letter in text) or len(text) > MAX_LETTERS:
            raise traitlets.TraitError(
                f"text is an English sentence of at most {MAX_LETTERS} letters, "
                f"got {text!r}"
            )
        return text

    @traitlets.validate("prefix")
    def _check_prefix(self, proposal: dict) -> str:
        prefix = "".join(proposal["value"].split())
        if len(prefix) > MAX_PREFIX:
            raise traitlets.TraitError(
                f"a prefix has at most {MAX_PREFIX} characters, got {len(prefix)}"
            )
        return prefix

    @traitlets.validate("heads_off")
    def _check_heads(self, proposal: dict) -> list[list]:
        heads = proposal["value"]
        known = all_heads()
        silent = [list(one) for one in heads if isinstance(one, tuple | list)]
        if len(silent) < len(heads) or any(one not in known for one in silent):
            layers, each = _layers_and_heads()
            raise traitlets.TraitError(
                f"heads_off are triples (kind, layer, head) with a kind of {KINDS}, "
                f"layer < {layers} and head < {each}; got {heads!r}"
            )
        return [one for one in known if one in silent]

    @traitlets.validate("layer", "head")
    def _check_place(self, proposal: dict) -> int:
        name, value = proposal["trait"].name, proposal["value"]
        most = dict(zip(("layer", "head"), _layers_and_heads(), strict=True))[name]
        if value >= most:
            raise traitlets.TraitError(f"{name} is below {most}, got {value}")
        return value


@cache
def stored_translation() -> dict:
    """Return the translation that `tools.trace` stored. Not to be changed."""
    return json.loads((FOLDER / f"{TRANSLATOR}.json").read_text(encoding="utf-8"))


@cache
def glosses() -> dict[str, str]:
    """Return the English of Chinese words, by `tools.glosses`. Not to be changed."""
    return json.loads((FOLDER / "glosses-en-zh.json").read_text(encoding="utf-8"))


def all_heads() -> list[list]:
    """Return [kind, layer, head] of every head of the model."""
    layers, heads = _layers_and_heads()
    return [
        [kind, layer, head]
        for kind in KINDS
        for layer in range(layers)
        for head in range(heads)
    ]


def _layers_and_heads() -> tuple[int, int]:
    config = stored_translation()["about"]["config"]
    return config["num_layers"], config["num_heads"]
