"""The figure that trains a model of the reader's own in the page."""

import json
from functools import cache
from math import floor
from pathlib import Path
from typing import Any, ClassVar

import traitlets

from attnlab.live.base import LiveFigure, Stop
from attnlab.live.traits import Number, OneOf, Whole

CHOICES: dict[str, tuple] = {
    "task": (
        *("numerals", "places", "copy", "reverse", "sort"),
        *("recall", "recall2", "own"),
    ),
    "language": ("de", "fr", "da", "ja", "en"),
    "model": ("transformer", "gru", "decoder", "reader"),
    "layers": (1, 2, 3, 4),
    "heads": (1, 2, 4, 8),
    "width": (8, 16, 32, 48, 64, 96, 128),
    "inner": (0, 16, 32, 64, 128, 256),
    "positions": ("sinusoidal", "learned", "rotary", "alibi", "none"),
    "norm": ("post", "pre"),
    "activation": ("relu", "gelu"),
    "scale": ("sqrt_d", "one", "d"),
    "residual": (True, False),
    "score": (
        *("dot", "scaled_dot", "general", "additive", "cosine", "location"),
        "none",
    ),
    "reads": ("forward", "both"),
    "sees": ("all", "before"),
    "warmup": (0.0, 0.05, 0.1, 0.2),
    "batch": (8, 16, 32, 64, 128),
    "optimizer": ("adam", "sgd"),
    "units": ("words", "characters"),
    "shows": ("latest", "stored"),
}
MIN_RATE, MAX_RATE = 1e-6, 10.0
MAX_STEPS = 20_000
MAX_SEED = 2**32 - 1
MAX_LETTERS = 1_000_000  # of the reader's own pairs

# tools.train_runs writes them.
RUNS, LOOKS = (
    Path(__file__).with_name(f"train_{name}.json") for name in ("runs", "looks")
)


@cache
def stored_runs() -> dict[str, dict]:
    """Return what five seeds of the figure came to, as it stands and changed.

    By variant: its `traits`; `steps`, of the curve's points; and a list a seed of the
    `loss`, a mean since the point before, of `exact`, the share of unseen examples
    that were right throughout, and of `error`, the alignment error of the best head.
    """
    return _without_command(RUNS)


@cache
def stored_looks() -> dict[str, dict]:
    """Return what seed 0 of some variants says to an example at each of its points.

    By variant: the `example`; `head`, its layer and number; and by point `answers`,
    lists of words, and `maps`, the head's weights in 255ths, a row for each target.
    """
    return _without_command(LOOKS)


def _without_command(path: Path) -> dict[str, dict]:
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {name: one for name, one in stored.items() if name != "command"}


def _bands() -> list[dict]:
    """Of each stored variant what its seeds lie between, for the page to draw."""
    return [
        {
            "traits": run["traits"],
            "steps": run["steps"],
            "loss": _ranges(run["loss"]),
            "exact": _ranges(run["exact"]),
        }
        for run in stored_runs().values()
    ]


def _ranges(curves: list[list[float]]) -> list[list[float]]:
    return [[min(values), max(values)] for values in zip(*curves, strict=True)]


class Train(LiveFigure):
    """A model is built and trained in the page, and looked at while it learns.

    The models are `Transformer`, `Seq2Seq` with a GRU, and `Tagger`, the "reader" and,
    causal and with the next token as its class, the "decoder" alone; the
    weights that the page saves are a file that `attnlab.saved.load` reads.

    Traits:
        task: "numerals" in words from English into `language`; "places", which power of
            ten each word of a numeral is worth; letters to "copy", "reverse" or "sort";
            "recall", what digit stood with a letter, in items of one token or of two
            ("recall2"); or the reader's "own" pairs.
        language: of the numerals, "de", "fr", "da", "ja"; "en" or "de" for places.
        model: "transformer", "gru", or "decoder", which reads source and target as one
            row and says the next token of each from where the target begins; or
            "reader", which names each word that it reads, for places and recall.
        layers, heads, width: of a model with multi-head attention; a GRU has a width.
        inner: the width of the feed-forward layers; 0 leaves a reader without.
        positions: one of `attnlab.positions.POSITIONS`.
        norm: "post" or "pre", for a Transformer.
        activation: of the feed-forward layers, "relu" or "gelu".
        scale: what the scores of attention are divided by, "sqrt_d" (of a head), "one"
            or "d".
        residual: whether each sublayer adds to what it reads.
        score: one of `attnlab.scores.SCORES`, or "none", for a GRU.
        reads: "forward" or "both" ways, for a GRU's encoder.
        sees: "all" words, or those "before" and itself, for a reader.
        rate: the highest learning rate.
        warmup: the share of steps in which it rises.
        batch, steps: pairs a step, and how many steps.
        optimizer: "adam" (AdamW) or "sgd".
        seed: decides the pairs, the first weights and the order.
        pairs: the reader's own, a pair a line.
        units: what they are cut into, "words" or "characters".
        at_step: the step of a run whose example is shown, or the last point of its
            curve before it; 0 is the last of all.
        shows: the example of the "latest" run or, where there is one, of the "stored".
        questions: buttons, each its words and the traits that it sets, such as
            ("without positions", {"positions": "none"}); all others are then as the
            figure began. The tour ends with the first.
    """

    figure: ClassVar[str] = "train"
    title: ClassVar[str] = "Train your own"
    caption: ClassVar[str] = "What it learns, and where it attends."
    description: ClassVar[str] = (
        "A small model that is built and trained in the page, with its loss, what it "
        "gets right, and where it looks."
    )
    styles: ClassVar[tuple[str, ...]] = ("matrix", "linkmatrix")
    limits: ClassVar[dict] = {
        **CHOICES,
        "rate": (MIN_RATE, MAX_RATE),
        "steps": MAX_STEPS,
        "seed": MAX_SEED,
        "letters": MAX_LETTERS,
        "bands": _bands(),
    }

    task = OneOf(CHOICES["task"], "numerals").tag(sync=True)
    language = OneOf(CHOICES["language"], "de").tag(sync=True)
    model = OneOf(CHOICES["model"], "transformer").tag(sync=True)
    layers = OneOf(CHOICES["layers"], 2).tag(sync=True)
    heads = OneOf(CHOICES["heads"], 4).tag(sync=True)
    width = OneOf(CHOICES["width"], 32).tag(sync=True)
    inner = OneOf(CHOICES["inner"], 64).tag(sync=True)
    positions = OneOf(CHOICES["positions"], "sinusoidal").tag(sync=True)
    norm = OneOf(CHOICES["norm"], "post").tag(sync=True)
    activation = OneOf(CHOICES["activation"], "relu").tag(sync=True)
    scale = OneOf(CHOICES["scale"], "sqrt_d").tag(sync=True)
    residual = OneOf(CHOICES["residual"], True).tag(sync=True)
    score = OneOf(CHOICES["score"], "general").tag(sync=True)
    reads = OneOf(CHOICES["reads"], "both").tag(sync=True)
    sees = OneOf(CHOICES["sees"], "all").tag(sync=True)
    rate = Number(0.005, min=MIN_RATE, max=MAX_RATE).tag(sync=True)
    warmup = OneOf(CHOICES["warmup"], 0.1).tag(sync=True)
    batch = OneOf(CHOICES["batch"], 32).tag(sync=True)
    steps = Whole(800, min=1, max=MAX_STEPS).tag(sync=True)
    optimizer = OneOf(CHOICES["optimizer"], "adam").tag(sync=True)
    seed = Whole(0, min=0, max=MAX_SEED).tag(sync=True)
    pairs = traitlets.Unicode("").tag(sync=True)
    units = OneOf(CHOICES["units"], "words").tag(sync=True)
    at_step = Whole(0, min=0, max=MAX_STEPS).tag(sync=True)
    shows = OneOf(CHOICES["shows"], "latest").tag(sync=True)
    questions = traitlets.List(
        traitlets.Tuple(traitlets.Unicode(), traitlets.Dict())
    ).tag(sync=True)

    def stored(self) -> dict | None:
        """Return seed 0 of the stored run of these settings, if its looks are stored.

        It has `settings`, `examples` (one), `head`, and by point of its curve `step`,
        `loss`, `exact`, `answer` and `map`.
        """
        state = self.state()
        for name, looks in stored_looks().items():
            run = stored_runs()[name]
            if run["traits"].items() <= state.items():
                curves = run["steps"], run["loss"][0], run["exact"][0]
                points = zip(*curves, looks["answers"], looks["maps"], strict=True)
                names = ("step", "loss", "exact", "answer", "map")
                return {
                    "settings": {**run["traits"], "seed": 0},
                    "examples": [looks["example"]],
                    "head": looks["head"],
                    "points": [dict(zip(names, one, strict=True)) for one in points],
                }
        return None

    def stops(self) -> tuple[Stop, ...]:
        """Return the stops of a tour through the stored run, if there is one."""
        run = self.stored()
        return _tour(run, self.questions) if run else ()

    @traitlets.default("_frame")
    def _default_frame(self) -> dict:
        return {**super()._default_frame(), "stored": self.stored()}

    @traitlets.validate("questions")
    def _check_questions(self, proposal: dict) -> list:
        for _, values in proposal["value"]:
            Train(**values)  # which refuses what is no setting
        return proposal["value"]

    @traitlets.validate("pairs")
    def _check_pairs(self, proposal: dict) -> str:
        pairs = proposal["value"]
        if len(pairs) > MAX_LETTERS:
            raise traitlets.TraitError(
                f"pairs may have {MAX_LETTERS} characters, got {len(pairs)}"
            )
        return pairs


AIMS = {
    "numerals": "to translate English numerals into German",
    "places": "to find each word's power of ten in a numeral",
}


def _tour(run: dict, questions: list[tuple[str, dict]]) -> tuple[Stop, ...]:
    """Return stops at a run's end, its beginning and its middle, and a question."""
    first, *_, last = points = run["points"]
    half = max(last["exact"] / 2, 0.05)  # of some runs nothing comes
    midway = points[len(points) // 2]
    middle = next((one for one in points if one["exact"] >= half), midway)
    words, asked = questions[0] if questions else ("another random seed", {"seed": 5})

    def stop(at: dict, mark: str, say: str, **traits: Any) -> Stop:
        said = say.format(at["step"], f"{floor(100 * at['exact'] + 0.5)}%")
        return Stop(said, {"at_step": at["step"], "shows": "stored", **traits}, mark)

    return (
        stop(
            last,
            ".tn-exact",
            f"A model was trained {AIMS[run['settings']['task']]}. After {{}} "
            "steps it gets {} of held-out ones right.",
        ),
        stop(
            first,
            ".tn-example .aln-scroll",
            "Back at step {} of this stored run it gets {} right, and the attention of "
            "each word is spread over several others. What is struck out is wrong.",
        ),
        stop(
            middle,
            ".tn-step",
            "At step {} it gets {} right. Move the slider to see other steps: when "
            "does the map change, and when the words?",
        ),
        stop(
            last,
            ".tn-train",
            f"Now train it yourself, with one change: {words}. Your curve is drawn "
            "beside the stored one. Will it end higher or lower?",
            **asked,
        ),
    )
