"""The benches of the labs: what a study's function is asked, and what is read off."""

from attnlab.bench.bench import Bench
from attnlab.bench.fields import ChoiceField, WholeNumberField
from attnlab.bench.pictures import Curve
from attnlab.experiments import (
    ablations,
    bottleneck,
    encoders,
    heads,
    hopfield,
    positions,
    recall,
    scores,
    windows,
)

COSINE_LABELS = "cosine", "cosine × 10"
BASIC = "general", "dot", "scaled dot", *COSINE_LABELS, "additive", "location"


class BottleneckBench(Bench):
    """Chapter 1's: how much fits into one vector, and what attention changes."""

    def __init__(self) -> None:
        super().__init__(
            bottleneck.TUNED,
            "Bench: what fits into one vector",
            [
                ChoiceField(
                    "Attention",
                    {"no attention": {}, "general score": {"attention": True}},
                    16,
                ),
                WholeNumberField("d_model", "Width", 32, 4, 256, 2),
                ChoiceField(
                    "Cell", {c.upper(): {"cell": c} for c in ("gru", "lstm", "rnn")}
                ),
                ChoiceField(
                    "Reads",
                    {
                        "left to right": {},
                        "both ways": {"bidirectional": True},
                        "right to left": {"reverse_source": True},
                    },
                ),
                WholeNumberField("longest", "Most digits", 9, 4, 10, 4),
                WholeNumberField("train_numbers", "Numbers", 14_000, 100, 50_000),
                WholeNumberField("epochs", "Epochs", 6, 1, 100),
            ],
            {
                "exactly right (%)": lambda setting, found: _mean_right(
                    found, 2, setting["longest"]
                ),
            },
            Curve(
                "digits of the number (dotted: more than it was trained on)",
                "exactly right (%)",
                lambda setting, found: {
                    int(n): 100 * share
                    for n, share in found["exact_match"].items()
                    if int(n) > 1
                },
                lambda setting: setting["longest"],
            ),
        )


class AlignmentBench(Bench):
    """Chapter 2's: which score, which decoder, and where the weights end up."""

    def __init__(self) -> None:
        super().__init__(
            scores.STUDY,
            "Bench: which words did it look at",
            [
                ChoiceField("Score", {name: {"variant": name} for name in BASIC}, 8),
                ChoiceField(
                    "Decoder",
                    {
                        "Luong": {},
                        "Luong, fed": {"input_feeding": True},
                        "Bahdanau": {"style": "bahdanau"},
                    },
                ),
                WholeNumberField("d_model", "Width", 64, 4, 256),
                WholeNumberField("longest", "Most digits", 6, 5, 10),
                WholeNumberField("epochs", "Epochs", 4, 1, 100),
            ],
            {
                "alignment errors (%)": lambda setting, found: 100 * found["aer"],
                "exactly right (%)": lambda setting, found: _mean_right(
                    found, 3, setting["longest"]
                ),
            },
        )

    def of_stored(self, stored: dict) -> dict:
        """Name a stored variant by its score and what it changes in the decoder."""
        changed = {**stored, **scores.VARIANTS[stored["variant"]]}
        score = changed.pop("score")  # None without attention, which is no choice here
        return changed | {"variant": str(score).replace("_", " ")}


class EncoderBench(Bench):
    """Chapter 3's: what has to mix the words of a numeral."""

    def __init__(self) -> None:
        super().__init__(
            encoders.STUDY,
            "Bench: what must a word see to know its worth",
            [
                ChoiceField(
                    "Mixed by", {name: {"variant": name} for name in encoders.VARIANTS}
                ),
                WholeNumberField("d_model", "Width", 64, 4, 256, 2),
                WholeNumberField("train_numbers", "Numbers", 6_000, 100, 50_000),
                WholeNumberField("steps", "Steps", 600, 10, 5_000),
            ],
            {
                "words right (%)": lambda setting, found: 100 * found["words"],
                "round (%)": lambda setting, found: 100 * found["round"],
            },
        )


class HeadsBench(Bench):
    """Chapter 4's: how many heads, how wide, and who reads them."""

    def __init__(self) -> None:
        super().__init__(
            heads.STUDY,
            "Bench: one shelf, several heads",
            [
                ChoiceField(
                    "Asked for", {"two labels": {"asked": 2}, "one": {"asked": 1}}
                ),
                WholeNumberField("num_heads", "Heads", 2, 1, 16),
                ChoiceField(
                    "Width",
                    {"shared out": {"width": "shared"}, "full": {"width": "full"}},
                ),
                ChoiceField(
                    "Read by",
                    {"a linear layer": {}, "a hidden layer": {"hidden": True}},
                ),
                WholeNumberField("steps", "Steps", 1_500, 100, 10_000),
            ],
            {
                "all answers right (%)": lambda setting, found: 100 * found["accuracy"],
            },
            watched=False,
        )


class PositionsBench(Bench):
    """Chapter 5's: what tells the order, and how far it carries."""

    def __init__(self) -> None:
        schemes = (
            positions.POSITIONS + positions.SIMPLE_SCHEMES + positions.IMPROVED_SCHEMES
        )
        super().__init__(
            positions.STUDY,
            "Bench: what tells the order, and how far does it carry",
            [
                ChoiceField("Task", {task: {"task": task} for task in positions.TASKS}),
                ChoiceField(
                    "Positions",
                    {_scheme_label(scheme): {"scheme": scheme} for scheme in schemes},
                ),
                ChoiceField(
                    "Steps",
                    {
                        "as in the study": {},
                        f"{positions.LONGER_STEPS:,}": {
                            "steps": positions.LONGER_STEPS
                        },
                    },
                ),
            ],
            {
                "right at one length (%)": lambda setting, found: _accuracy_by_length(
                    found
                )[1],
                "at four (%)": lambda setting, found: _accuracy_by_length(found)[4],
            },
            Curve(
                "length, in those of training (dotted: beyond)",
                "right (%)",
                lambda setting, found: _accuracy_by_length(found),
                lambda setting: 1,
            ),
        )


def _scheme_label(scheme: str) -> str:
    return "ALiBi" if scheme == "alibi" else scheme


def _accuracy_by_length(found: dict) -> dict[float, float]:
    """{times the training length: right, in hundredths}: of numbers where there are."""
    shares = found.get("numbers", found["right"])
    return {int(times): 100 * share for times, share in shares.items()}


class RecallBench(Bench):
    """Chapter 6's: who fetches what stands far back, if an item is two tokens."""

    def __init__(self) -> None:
        super().__init__(
            recall.SPLIT,
            "Bench: the digit behind the letter",
            [
                ChoiceField(
                    "Mixed by",
                    {name: {"variant": name} for name in recall.SPLIT_VARIANTS},
                    5,
                ),
                WholeNumberField("items", "Items", 4, 1, 4),
                ChoiceField(
                    "An item is", {"two tokens": {"split": True}, "one token": {}}
                ),
                WholeNumberField("steps", "Steps", recall.STEPS[4], 10, 5_000, 2),
            ],
            {
                "right at 65–127 (%)": lambda setting, found: (
                    100 * found["right"]["127"]
                ),
            },
            Curve(
                "distance of the item, up to",
                "right (%)",
                lambda setting, found: {
                    int(far): 100 * share for far, share in found["right"].items()
                },
                lambda setting: recall.LENGTH,
            ),
        )

    def of_stored(self, stored: dict) -> dict:
        """Say the steps of those that had the usual number."""
        return {"steps": recall.STEPS[stored["items"]], **stored}


class PartsBench(Bench):
    """Chapter 7's: what each part of the Transformer is worth."""

    def __init__(self) -> None:
        super().__init__(
            ablations.STUDY,
            "Bench: a Transformer with a part changed",
            [
                ChoiceField(
                    "Part", {one: {"variant": one} for one in ablations.VARIANTS}
                ),
                WholeNumberField("steps", "Steps", ablations.STEPS, 10, 5_000),
            ],
            {"numerals right (%)": lambda setting, found: 100 * found["exact"]},
        )


class WindowsBench(Bench):
    """Chapter 8's: how far back must a writer see?"""

    def __init__(self) -> None:
        super().__init__(
            windows.STUDY,
            "Bench: what a window costs, and what it spares",
            [
                ChoiceField(
                    "Asked for",
                    {
                        "two far items": {"task": "far"},
                        "the latest item": {"task": "latest"},
                    },
                    8,
                ),
                ChoiceField(
                    "Sees", {name: {"variant": name} for name in windows.VARIANTS}
                ),
                WholeNumberField("steps", "Steps", 600, 10, 5_000),
                WholeNumberField("train_sequences", "Sequences", 5_000, 100, 40_000),
            ],
            {
                "questions right (%)": lambda setting, found: 100 * found["right"]["0"],
            },
            Curve(
                "distance to the item, up to",
                "right (%)",
                lambda setting, found: {
                    int(most): 100 * share
                    for most, share in found["right"].items()
                    if most != "0"  # all questions
                },
                lambda setting: windows.UP_TO[-1],
            ),
            watched=False,
        )


class MemoryBench(Bench):
    """Chapter 9's: how many patterns does a memory hold?"""

    def __init__(self) -> None:
        super().__init__(
            hopfield.STUDY,
            "Bench: how much a memory holds",
            [
                ChoiceField(
                    "Memory",
                    {
                        "attention": {"network": "modern"},
                        "spins that settle": {"network": "classical"},
                    },
                    8,
                ),
                WholeNumberField("d", "Spins", 16, 6, 512),
                WholeNumberField("one_in", "Turned over: one in", 8, 3, 64),
            ],
            {"patterns held": lambda setting, found: found["capacity"]},
            watched=False,
        )


def _mean_right(found: dict, shortest: int, longest: int) -> float:
    """Return the mean exact match over these lengths, in hundredths."""
    lengths = range(shortest, longest + 1)
    shares = [found["exact_match"][str(n)] for n in lengths]
    return 100 * sum(shares) / len(shares)
