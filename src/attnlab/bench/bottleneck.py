"""Chapter 1's bench: how much fits into one vector, and what attention changes."""

from typing import ClassVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import nn

from attnlab.bench.base import BATCH, Bench
from attnlab.bench.fields import Choice, Field, Whole, epochs
from attnlab.data import NumberPairs, sample_numbers, split_numbers
from attnlab.experiments.bottleneck import (
    EPOCHS,
    LONGEST,
    TEST_NUMBERS,
    TRAIN_NUMBERS,
    attentive_model,
    balance,
    measure_bottleneck,
    plain_model,
)
from attnlab.figures.palette import NEUTRAL, ORCHID, TEAL
from attnlab.figures.seeds import plot_seeds, spread
from attnlab.training import Progress

WAYS = {"forward": "left to right", "both": "both ways", "backward": "right to left"}
CELLS = {"gru": "GRU", "lstm": "LSTM", "rnn": "tanh"}
# What a stored setting does not say.
DEFAULTS = {
    "attention": False,
    "bidirectional": False,
    "context": "both",
    "reverse_source": False,
    "longest": LONGEST,
    "train_numbers": TRAIN_NUMBERS,
    "epochs": EPOCHS,
}


class BottleneckBench(Bench):
    """Train a translator of numbers, plain or attentive, and see where it fails.

    It trains and measures as `attnlab.experiments.bottleneck` does. The seed it begins
    with is none of those stored, so that the first run is one more of them.
    """

    study = "bottleneck"
    heading = "Bench: what fits into one vector"
    fields: ClassVar[tuple[Field, ...]] = (
        Choice("attention", "Attention", {"none": False, "general score": True}),
        Whole("d_model", "Width", 32, 4, 256),
        Choice("cell", "Cell", {label: cell for cell, label in CELLS.items()}),
        Choice("direction", "Reads", {label: way for way, label in WAYS.items()}),
        Whole("longest", "Most digits", LONGEST, 4, 10),
        Whole("train_numbers", "Numbers", TRAIN_NUMBERS, 100, 50_000),
        Whole("epochs", "Epochs", EPOCHS, 1, 100),
        Whole("seed", "Seed", 5, 0, 9_999),
    )
    weights: ClassVar[dict[str, float]] = {
        "attention": 16,
        "direction": 4,
        "longest": 4,
        "d_model": 2,
        "epochs": 1,
    }
    header: ClassVar[list[str]] = [
        "",
        "exactly right (%), mean of the trained lengths",
        "parameters",
    ]

    def check(self, setting: dict) -> None:
        """Raise ValueError unless there are so many numbers, and states both ways."""
        if setting["direction"] == "both" and setting["d_model"] % 2:
            raise ValueError(
                "Reading both ways takes half of the width each: Width must be even."
            )
        self._train_set(setting)

    def _train_set(self, setting: dict) -> list[int]:
        lengths = 1, setting["longest"]
        try:
            count, seed = setting["train_numbers"], setting["seed"]
            return split_numbers(count, TEST_NUMBERS, lengths, seed)[0]
        except ValueError as error:
            raise ValueError(f"Too many numbers: {error}.") from error

    def measure(self, setting: dict, progress: Progress) -> dict:
        """Return what the study measures."""
        options = {k: v for k, v in setting.items() if k != "direction"}
        return measure_bottleneck(
            **options,
            bidirectional=setting["direction"] == "both",
            reverse_source=setting["direction"] == "backward",
            progress=progress,
        )

    def untrained(self, setting: dict) -> tuple[nn.Module, NumberPairs]:
        """Return the network and a batch of the longest numbers."""
        pairs = NumberPairs(sample_numbers(BATCH, setting["longest"], seed=0))
        make_model = attentive_model if setting["attention"] else plain_model
        both = setting["direction"] == "both"
        options: dict = {"cell": setting["cell"], "bidirectional": both}
        return make_model(pairs, setting["d_model"], **options), pairs

    def examples(self, setting: dict) -> int:
        """Return how many pairs an epoch has; short numbers are repeated."""
        return len(balance(self._train_set(setting)))

    def as_setting(self, stored: dict) -> dict | None:
        """Return a stored setting in the bench's terms; None for other contexts."""
        whole = {**DEFAULTS, **stored}
        if whole["context"] != "both":
            return None
        backward = "backward" if whole["reverse_source"] else "forward"
        return {
            "attention": whole["attention"],
            "d_model": whole["d_model"],
            "cell": "gru",
            "direction": "both" if whole["bidirectional"] else backward,
            "longest": whole["longest"],
            "train_numbers": whole["train_numbers"],
            "epochs": whole["epochs"],
        }

    def describe(self, setting: dict) -> str:
        """Say in a few words what is trained."""
        kind = "attentive" if setting["attention"] else "plain"
        return (
            f"{kind}, {CELLS[setting['cell']]}, width {setting['d_model']}, "
            f"{WAYS[setting['direction']]}, {setting['longest']} digits, "
            f"{epochs(setting)}"
        )

    def row(self, name: str, runs: list[dict]) -> list[str]:
        """Return name, exact match over the trained lengths, parameters."""
        found = [run["figures"] for run in runs]
        means = [100 * self._mean(run) for run in runs]
        right = spread(means) if len(means) > 1 else f"{means[0]:.0f}"
        return [name, right, f"{found[0]['parameters']:,}"]

    def _mean(self, run: dict) -> float:
        """The mean exact match from two digits to the longest trained."""
        right = run["figures"]["exact_match"]
        longest = run["setting"].get("longest", DEFAULTS["longest"])
        return sum(right[str(n)] for n in range(2, longest + 1)) / (longest - 1)

    def draw(self, shown: list[dict], beside: list[tuple[dict, list[dict]]]) -> Figure:
        """Draw exact match by length; dotted where numbers are longer than trained."""
        figure = Figure(figsize=(6.4, 3.6))
        axes = figure.subplots()
        for (setting, runs), dashes in zip(beside, ("-", "--"), strict=False):
            label = "stored" + f", {setting['d_model']}" * (len(beside) > 1)
            _curve(axes, runs, setting["longest"], label, NEUTRAL, dashes)
        for run, color in zip(shown, (ORCHID, TEAL), strict=False):
            _curve(axes, [run], run["setting"]["longest"], run["name"], color, "-")
        axes.set(
            xlabel="digits of the number (dotted: more than it was trained on)",
            ylabel="exactly right (%)",
        )
        most = max(setting["longest"] for setting, _ in beside)
        most = max([most, *(run["setting"]["longest"] for run in shown)])
        axes.set(ylim=(-4, 104), xticks=range(2, most + 3))
        figure.legend(loc="outside upper left", ncols=2)
        return figure


def _curve(
    axes: Axes, runs: list[dict], longest: int, label: str, color: str, dashes: str
) -> None:
    """Draw the seeds of one setting from two digits on."""
    curves = [run["figures"]["exact_match"] for run in runs]
    lengths = range(2, longest + 3)
    shares = [[100 * curve[str(n)] for n in lengths] for curve in curves]
    trained = longest - 1  # of these points
    within = [seed[:trained] for seed in shares]
    plot_seeds(axes, lengths[:trained], within, ls=dashes, color=color, label=label)
    beyond = [sum(values) / len(values) for values in zip(*shares, strict=True)]
    axes.plot(lengths[trained - 1 :], beyond[trained - 1 :], ":", color=color, lw=1.5)
