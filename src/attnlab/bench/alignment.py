"""Chapter 2's bench: which score, which decoder, and where the weights end up."""

from typing import ClassVar

from matplotlib.figure import Figure
from torch import nn

from attnlab.bench.base import BATCH, Bench
from attnlab.bench.fields import Choice, Field, Whole, epochs
from attnlab.data import NumberPairs, sample_numbers
from attnlab.experiments.scores import build, measure_scores
from attnlab.figures.palette import NEUTRAL, ORCHID, TEAL
from attnlab.figures.seeds import spread
from attnlab.training import Progress

TRAINED = 10_000  # numbers to learn from, as in the study
SCORES = (
    "general",
    "dot",
    "scaled dot",
    "cosine",
    "cosine × 10",
    "additive",
    "location",
)
DECODERS: dict[str, dict] = {
    "Luong": {},
    "Luong, fed": {"input_feeding": True},
    "Bahdanau": {"style": "bahdanau"},
}
# What the study calls a score with another decoder than Luong's.
NAMED = {
    "general, fed": ("general", "Luong, fed"),
    "additive, Bahdanau": ("additive", "Bahdanau"),
}


class AlignmentBench(Bench):
    """Train an attentive translator of numbers, and see where its weights lie.

    It trains and measures as `attnlab.experiments.scores` does, at the learning rate
    that the study found for the nearest of its own variants. The seed it begins with
    is none of those stored, so that the first run is one more of them.
    """

    study = "scores"
    heading = "Bench: which words did it look at"
    fields: ClassVar[tuple[Field, ...]] = (
        Choice("score", "Score", {name: name for name in SCORES}),
        Choice("decoder", "Decoder", {name: name for name in DECODERS}),
        Whole("d_model", "Width", 64, 4, 256),
        Whole("longest", "Most digits", 6, 5, 10),
        Whole("epochs", "Epochs", 4, 1, 100),
        Whole("seed", "Seed", 5, 0, 9_999),
    )
    weights: ClassVar[dict[str, float]] = {"score": 2, "decoder": 1}
    header: ClassVar[list[str]] = [
        "",
        "alignment errors (%)",
        "exactly right (%)",
        "parameters",
    ]

    def check(self, setting: dict) -> None:
        """Raise ValueError unless there are states both ways."""
        if setting["d_model"] % 2:
            raise ValueError(
                "The encoder reads both ways, with half of its width each: "
                "Width must be even."
            )

    def measure(self, setting: dict, progress: Progress) -> dict:
        """Return what the study measures."""
        stored = self.stored.nearest(setting)[1][0]["setting"]
        return measure_scores(
            variant=setting["score"],
            lr=stored["lr"],
            **DECODERS[setting["decoder"]],
            **{k: v for k, v in setting.items() if k not in ("score", "decoder")},
            train_numbers=TRAINED,
            progress=progress,
        )

    def untrained(self, setting: dict) -> tuple[nn.Module, NumberPairs]:
        """Return the network and a batch of the longest numbers."""
        pairs = NumberPairs(sample_numbers(BATCH, setting["longest"], seed=0))
        options = DECODERS[setting["decoder"]]
        return build(pairs, setting["score"], setting["d_model"], **options), pairs

    def examples(self, setting: dict) -> int:
        """Return how many pairs an epoch has."""
        return TRAINED

    def as_setting(self, stored: dict) -> dict | None:
        """Return a stored setting in the bench's terms; None for windows."""
        variant = stored["variant"]
        score, decoder = NAMED.get(variant, (variant, "Luong"))
        if score not in SCORES:
            return None
        sizes = {"d_model": 64, "longest": 6, "epochs": 4}
        return {"score": score, "decoder": decoder, **sizes}

    def describe(self, setting: dict) -> str:
        """Say in a few words what is trained."""
        return (
            f"{setting['score']}, {setting['decoder']}, width {setting['d_model']}, "
            f"{setting['longest']} digits, {epochs(setting)}"
        )

    def row(self, name: str, runs: list[dict]) -> list[str]:
        """Return name, alignment errors, exact match, parameters."""
        errors = [100 * run["figures"]["aer"] for run in runs]
        right = [100 * self._mean(run) for run in runs]
        several = len(runs) > 1
        return [
            name,
            spread(errors) if several else f"{errors[0]:.0f}",
            spread(right) if several else f"{right[0]:.0f}",
            f"{runs[0]['figures']['parameters']:,}",
        ]

    def _mean(self, run: dict) -> float:
        """The mean exact match from three digits to the longest trained."""
        right = run["figures"]["exact_match"]
        longest = run["setting"].get("longest", 6)
        return sum(right[str(n)] for n in range(3, longest + 1)) / (longest - 2)

    def draw(self, shown: list[dict], beside: list[tuple[dict, list[dict]]]) -> Figure:
        """Draw the alignment errors of all stored seeds, and the reader's."""
        figure = Figure(figsize=(6.4, 3.8))
        axes = figure.subplots()
        names = []
        for place, (setting, runs) in enumerate(self.stored.groups):
            errors = [100 * run["figures"]["aer"] for run in runs]
            axes.plot(errors, [place] * len(errors), "o", color=NEUTRAL, alpha=0.6)
            plain = setting["decoder"] == "Luong"
            names.append(setting["score"] + f", {setting['decoder']}" * (not plain))
        looks = ((ORCHID, "D", 9), (TEAL, "s", -9))
        for run, (color, marker, above) in zip(shown, looks, strict=False):
            near = self.stored.nearest(run["setting"])
            place, error = self.stored.groups.index(near), 100 * run["figures"]["aer"]
            axes.plot([error], [place], marker, color=color, ms=10)
            axes.annotate(
                run["name"],
                (error, place),
                (0, above),
                textcoords="offset points",
                fontweight="bold",
                ha="center",
                va="bottom" if above > 0 else "top",
            )
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set(xlabel="alignment errors (%); grey: a stored seed", xlim=(-4, 104))
        return figure
