"""Which score, which decoder, which window? (claims C07, C12)

Trains English → German models with attention on numbers of one to six digits, all on
the same data and budget. Measured for each: exact match by length (two digits beyond
training included), the alignment error rate and the weight on the right words,
against the known alignment; what deleting a source token does; parameters.

    python -m attnlab.experiments.scores --tune        # learning rates, once
    python -m attnlab.experiments.scores --seeds 5

The tuning seed is not among those reported.
"""

from typing import Any

import torch
from torch import Tensor

from attnlab import scores
from attnlab.checks import check_choice
from attnlab.data import (
    NumberPairs,
    alignment,
    alignment_error_rate,
    collate,
    sample_numbers,
    split_numbers,
)
from attnlab.experiments.study import Study, command_line
from attnlab.recurrent import Seq2Seq, count_parameters
from attnlab.scores import SCORES, CosineScore, Score
from attnlab.store import grid
from attnlab.training import Progress, exact_match_by_length, set_seed, train

TRAINED_DIGITS = (1, 6)
BEYOND_DIGITS = (7, 8)
MAX_LENGTH = 32  # no English number below 10¹² has more tokens, EOS included
RATES = (1e-3, 3e-3, 1e-2)
UNIT_WORDS = {"zig", "ßig", "hundert", "tausend"}  # how much a digit counts


class SharpCosineScore(CosineScore):
    """Ten times the cosine: one weight may then be e²⁰ times another."""

    def compare(self, query: Tensor, keys: Tensor) -> Tensor:
        return 10 * super().compare(query, keys)


# What each variant changes in the standard model: an encoder that reads both ways,
# Luong's decoder, attention over the whole source. "none" is chapter 1's model. Stored
# results hold these labels: "scaled dot", where the registry has "scaled_dot".
VARIANTS: dict[str, dict] = {
    **{name.replace("_", " "): {"score": name} for name in SCORES},
    "cosine × 10": {"score": "cosine × 10"},
    "general, one way": {"score": "general", "bidirectional": False},
    "general, fed": {"score": "general", "input_feeding": True},
    "additive, Bahdanau": {"score": "additive", "style": "bahdanau"},
    "local-m": {"score": "general", "window": "local-m"},
    "local-p": {"score": "general", "window": "local-p"},
    "none": {"score": None},
}


def score_of(name: str, d_model: int) -> Score:
    """Return the score of that name for queries and keys of width `d_model`."""
    if name == "cosine × 10":
        return SharpCosineScore()
    return scores.make_score(name, d_model, MAX_LENGTH)


def build(pairs: NumberPairs, variant: str, d_model: int, **changes: Any) -> Seq2Seq:
    """The untrained model of that variant, with other options of `Seq2Seq` if given.

    A variant that is none of `VARIANTS` raises ValueError.
    """
    check_choice("variant", variant, VARIANTS)
    options = {"bidirectional": True, **VARIANTS[variant], **changes}
    name = options.pop("score")
    score = None if name is None else score_of(name, d_model)
    sizes = len(pairs.src_vocab), len(pairs.tgt_vocab)
    return Seq2Seq(*sizes, d_model, score=score, **options)


@torch.no_grad()
def attention_of(model: Seq2Seq, pairs: NumberPairs) -> Tensor:
    """The weights of all pairs, `(pairs, target length, source length)`."""
    batch = collate(pairs)
    return model.attention(batch.src, batch.tgt[:, :-1])


def mass_on_links(weights: Tensor, links: list[set]) -> float:
    """The mean weight of a linked target token on the source tokens it is linked to.

    Weights are (sentences, L_t, L_s); each sentence's links, (target, source) pairs.
    """
    masses = []
    for matrix, linked in zip(weights, links, strict=True):
        for target in {t for t, _ in linked}:
            sources = [s for t, s in linked if t == target]
            masses.append(matrix[target, sources].sum().item())
    return sum(masses) / len(masses)


def neighbours(links: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the links, and those to the source tokens next to them."""
    return {(t, s + step) for t, s in links for step in (-1, 0, 1)}


def share_within(weights: Tensor, links: list[set]) -> float:
    """The share of linked target tokens whose heaviest source is in their links.

    Arguments as for `mass_on_links`.
    """
    right = [
        (target, int(matrix[target].argmax())) in linked
        for matrix, linked in zip(weights, links, strict=True)
        for target in {t for t, _ in linked}
    ]
    return sum(right) / len(right)


def measure_alignment(model: Seq2Seq, numbers: list[int]) -> dict[str, float]:
    """Return how well the weights fit the known alignment, English → German.

    The alignment error rate; the same with the source tokens next to the right one
    counted as right (`near_errors`); and the mean weight on the right ones (`mass`).
    """
    weights = attention_of(model, NumberPairs(numbers))
    links = [alignment(number) for number in numbers]
    near = [neighbours(linked) for linked in links]
    return {
        "aer": alignment_error_rate(weights, numbers),
        "near_errors": 1 - share_within(weights, near),
        "mass": mass_on_links(weights, links),
    }


def train_variant(
    *,
    seed: int,
    variant: str,
    lr: float = 3e-3,
    d_model: int = 64,
    longest: int = TRAINED_DIGITS[1],
    train_numbers: int = 10_000,
    epochs: int = 4,
    progress: bool | Progress = False,
    **changes: Any,
) -> tuple[Seq2Seq, list[int]]:
    """Train one model on numbers of up to `longest` digits, and return it.

    With it come the numbers held out, of up to two digits more. `changes` are as for
    `build`; `progress` is as `attnlab.training.train` takes it.
    """
    set_seed(seed)
    train_set, test_set = split_numbers(train_numbers, 1_200, (1, longest), seed)
    pairs = NumberPairs(train_set)
    model = build(pairs, variant, d_model, **changes)
    train(model, pairs, epochs=epochs, lr=lr, seed=seed, progress=progress)
    beyond = longest + 1, longest + 2
    return model, test_set + sample_numbers(400, beyond, seed)


def measure_scores(
    *, seed: int, longest: int = TRAINED_DIGITS[1], **options: Any
) -> dict:
    """Train one model and measure it on numbers it has not seen.

    Takes what `train_variant` takes. A model without attention has no weights to
    measure: the figures are its parameters and the exact match alone.
    """
    model, held_out = train_variant(seed=seed, longest=longest, **options)
    trained = [number for number in held_out if number < 10**longest]
    metrics = {
        "parameters": count_parameters(model),
        "exact_match": exact_match_by_length(model, NumberPairs(held_out)),
    }
    if options["variant"] == "none":
        return metrics
    return metrics | measure_alignment(model, trained[:600])


def mean_exact(metrics: dict, digits: tuple[int, int] = (3, 6)) -> float:
    """Return the mean exact match over the lengths from `digits[0]` to `digits[1]`.

    Of the numbers of one and two digits only twenty are held out: too few.
    """
    low, high = digits
    shares = [
        share
        for length, share in metrics["exact_match"].items()
        if low <= int(length) <= high
    ]
    return sum(shares) / len(shares)


def run_with_most_right(runs: list[dict]) -> dict:
    """Return the run that got most numbers right."""
    return max(runs, key=lambda run: mean_exact(run["figures"]))


SETTINGS = grid(variant=list(VARIANTS))
TUNED_BY = {"epochs": 3}
STUDY = Study(
    "scores", measure_scores, SETTINGS, RATES, run_with_most_right, shorter=TUNED_BY
)


def main() -> None:
    """Tune, or run every variant with the rates found."""
    parser = command_line(__doc__, tune=True)
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=[*VARIANTS])
    args = parser.parse_args()
    STUDY.run(args, grid(variant=args.variants))


if __name__ == "__main__":
    main()
