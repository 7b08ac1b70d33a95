"""Can a layer fetch what stands far away? (claim C48)

A sequence begins with *items*, each a letter with a digit such as `b7`. After them come
questions, `b?`, among noise: to each the model must answer with the digit of its
letter. The distance from a question back to its item grows from 1 to 127. All is
random, so that a model that cannot see the item is right one time in ten. (With so many
questions it is known as multi-query associative recall: Arora et al. 2023.)

Training sequences have 8 to 128 tokens, tested ones 128. There is one item in a
sequence, or four of different letters.

The contenders are taggers of nearly the same number of parameters, each causal and
without positions; they differ in what mixes the tokens, and in the width and depth that
they can afford with it:

- attention, one layer of four heads: every item is one step away;
- gru, one layer: an item is as many steps away as the distance says;
- cnn, kernels of 3 positions, 4 or 16 layers: sees 8 or 32 positions back.

A second study, `recall.split`, makes two tokens of every item: the letter, then its
digit. Who finds the letter has not found the answer. Attention comes with two layers
as well, each depth with and without rotary positions. Distances count from the digit.
Who has not learned it in 800 steps gets four times as many, tuned for that, on one
seed: is it a matter of time?

    python -m attnlab.experiments.recall --tune        # learning rates, once
    python -m attnlab.experiments.recall --seeds 5
    python -m attnlab.experiments.recall --longer --tune
    python -m attnlab.experiments.recall --longer --seed 0

The tuning seed is not among those reported.
"""

import random
from collections import Counter
from itertools import product
from typing import Any

import torch

from attnlab.checks import check_choice
from attnlab.data import PAD, collate
from attnlab.data.pairs import Pairs
from attnlab.experiments.study import Study, command_line, means_of_tens, solved_at
from attnlab.recurrent import count_parameters
from attnlab.store import grid
from attnlab.tagger import Tagger
from attnlab.training import Progress, set_seed, tagging_loss, train

LENGTH = 128
LETTERS, DIGITS, NOISE = 4, 10, 10
FIRST_QUESTION = 1  # ids: PAD, 4 questions, 10 tokens of noise, 40 items
FIRST_NOISE = FIRST_QUESTION + LETTERS
FIRST_ITEM = FIRST_NOISE + NOISE
FIRST_DIGIT = FIRST_ITEM + LETTERS  # of split items: 4 letters, 10 digits, 26 unused
VOCABULARY = FIRST_ITEM + LETTERS * DIGITS
CLASSES = 1 + DIGITS  # PAD = no answer wanted, 1 + digit
CHANCE = 1 / DIGITS

KERNEL = 3
VARIANTS: dict[str, dict] = {
    "attention": {"encoder": "attention", "num_heads": 4},
    "gru": {"encoder": "gru"},
    "cnn, 4 layers": {"encoder": "cnn", "kernel_size": KERNEL, "num_layers": 4},
    "cnn, 16 layers": {"encoder": "cnn", "kernel_size": KERNEL, "num_layers": 16},
}
ATTENTION = VARIANTS["attention"]
SPLIT_VARIANTS: dict[str, dict] = {
    **VARIANTS,
    "attention, rotary": {**ATTENTION, "d_head": 16, "positions": "rotary"},
    "attention, 2 layers": {**ATTENTION, "d_head": 12, "num_layers": 2},
    "attention, 2 layers, rotary": {
        **ATTENTION,
        "d_head": 12,
        "num_layers": 2,
        "positions": "rotary",
    },
}
PARAMETERS = 24_000  # about what attention has at width 64
UP_TO = (4, 8, 16, 32, 64, 127)  # the distances are told apart in these groups

RATES = (1e-3, 3e-3, 1e-2, 3e-2)
STEPS = {1: 300, LETTERS: 800}  # for so many items
SLOW_VARIANTS = (
    "attention",
    "attention, rotary",
    "gru",
    "cnn, 4 layers",
    "cnn, 16 layers",
)
LONGER_STEPS = 4 * STEPS[LETTERS]  # for those that do not learn split items before
TRAIN_SEQUENCES, TEST_SEQUENCES = 10_000, 300


def make_sequence(
    rng: random.Random, items: int, length: int = LENGTH, *, split: bool = False
) -> tuple[list[int], list[int]]:
    """Return the ids of one sequence and its classes, PAD where nothing is asked.

    Args:
        rng: draws everything.
        items: how many letters have a digit.
        length: in tokens; no less than the items take.
        split: an item is two tokens, the letter and then its digit.

    Raises:
        ValueError: items is not from 1 to 4.
    """
    if not 1 <= items <= LETTERS:
        raise ValueError(f"items must be from 1 to {LETTERS}, got {items}")
    letters = rng.sample(range(LETTERS), items)
    digits = {letter: rng.randrange(DIGITS) for letter in letters}
    tokens = []
    for letter in letters:
        if split:
            tokens += [FIRST_ITEM + letter, FIRST_DIGIT + digits[letter]]
        else:
            tokens.append(FIRST_ITEM + DIGITS * letter + digits[letter])
    classes = [PAD] * len(tokens)
    while len(tokens) < length:
        letter = rng.choice(letters)
        asked = rng.random() < 0.5
        noise = FIRST_NOISE + rng.randrange(NOISE)
        tokens.append(FIRST_QUESTION + letter if asked else noise)
        classes.append(1 + digits[letter] if asked else PAD)
    return tokens, classes


def make_pairs(
    count: int, seed: int, items: int, *, mixed: bool = False, split: bool = False
) -> Pairs:
    """Return so many sequences with so many items each, see `make_sequence`.

    Mixed, their lengths run from 8 to `LENGTH`, evenly on a logarithmic scale.
    """
    rng = random.Random(seed)

    def length() -> int:
        return round(8 * (LENGTH / 8) ** rng.random()) if mixed else LENGTH

    return [make_sequence(rng, items, length(), split=split) for _ in range(count)]


def distances(tokens: list[int], *, split: bool = False) -> list[int]:
    """Return how far back the item stands that is asked for; 0 for what is no question.

    Split items count from their second token, the digit.
    """
    letters = {}  # where the item of each letter stands
    found = []
    for place, token in enumerate(tokens):
        if split and FIRST_ITEM <= token < FIRST_DIGIT:
            letters[token - FIRST_ITEM] = place + 1
        elif not split and token >= FIRST_ITEM:
            letters[(token - FIRST_ITEM) // DIGITS] = place
        asks = FIRST_QUESTION <= token < FIRST_NOISE
        found.append(place - letters[token - FIRST_QUESTION] if asks else 0)
    return found


def right_without_order(items: int) -> float:
    """The share right, at best, of who knows the digits of all items but not whose.

    The best such answer is always the digit that most of the items have.
    """
    draws = product(range(DIGITS), repeat=items)
    most = sum(max(Counter(digits).values()) for digits in draws)
    return most / (items * DIGITS**items)


def build(variant: str) -> Tagger:
    """Return the untrained model, of the width that brings it nearest to `PARAMETERS`.

    Raises:
        ValueError: an unknown variant.
    """
    check_choice("variant", variant, SPLIT_VARIANTS)
    options = {"positions": "none", **SPLIT_VARIANTS[variant]}

    def model(width: int) -> Tagger:
        return Tagger(VOCABULARY, CLASSES, width, causal=True, **options)

    def parameter_gap(width: int) -> int:
        with torch.device("meta"):  # only to count
            return abs(count_parameters(model(width)) - PARAMETERS)

    widths = range(8, 80, options.get("num_heads", 1))
    return model(min(widths, key=parameter_gap))


@torch.no_grad()
def right_by_distance(
    model: Tagger, pairs: Pairs, *, split: bool = False
) -> dict[int, float]:
    """The share of questions answered right, for each group of distances `UP_TO`."""
    batch = collate(pairs)
    right = model(batch.src).argmax(-1) == batch.tgt  # (sequences, LENGTH)
    far = torch.tensor([distances(tokens, split=split) for tokens, _ in pairs])
    shares, nearest = {}, 1
    for most in UP_TO:
        chosen = (far >= nearest) & (far <= most)
        shares[most] = right[chosen].float().mean().item()
        nearest = most + 1
    return shares


def train_variant(
    *,
    seed: int,
    variant: str,
    items: int,
    lr: float,
    split: bool = False,
    steps: int | None = None,
    train_sequences: int = TRAIN_SEQUENCES,
    progress: bool | Progress = False,
) -> tuple[Tagger, list[float]]:
    """Train one model; return it and its accuracy at every step.

    `progress` is as `attnlab.training.train` takes it.
    """
    pairs = make_pairs(train_sequences, seed, items, mixed=True, split=split)
    set_seed(seed)
    model = build(variant)
    history = train(
        model,
        pairs,
        steps=STEPS[items] if steps is None else steps,
        batch_size=32,
        lr=lr,
        loss=tagging_loss,
        seed=seed,
        progress=progress,
        device="cpu",
    )
    return model, history.accuracy


def measure_recall(
    *,
    seed: int,
    split: bool = False,
    test_sequences: int = TEST_SEQUENCES,
    **options: Any,
) -> dict:
    """Train one model and test it on new sequences; see `train_variant`.

    Returns:
        `right`: {largest distance of a group: share of its questions answered right};
        `solved_at`; `parameters`; `width`.
    """
    model, accuracies = train_variant(seed=seed, split=split, **options)
    tests = make_pairs(test_sequences, 10_000 + seed, options["items"], split=split)
    return {
        "right": right_by_distance(model, tests, split=split),
        "solved_at": solved_at(means_of_tens(accuracies)),
        "parameters": count_parameters(model),
        "width": model.output_layer.in_features,
    }


def best_of_all_distances(runs: list[dict]) -> dict:
    """Return the best run by the mean over the distances.

    Of those that are equal to the hundredth, the one that got there first.
    """

    def accuracy_then_speed(run: dict) -> tuple[float, float]:
        shares, solved = run["figures"]["right"].values(), run["figures"]["solved_at"]
        steps = float("inf") if solved is None else solved
        return round(sum(shares) / len(shares), 2), -steps

    return max(runs, key=accuracy_then_speed)


SETTINGS = grid(variant=list(VARIANTS), items=[1, LETTERS])
STUDY = Study("recall", measure_recall, SETTINGS, RATES, best_of_all_distances)
SPLIT_SETTINGS = grid(variant=list(SPLIT_VARIANTS), items=[LETTERS], split=[True])
LATE_SETTINGS = [
    {**setting, "steps": LONGER_STEPS}
    for setting in SPLIT_SETTINGS
    if setting["variant"] in SLOW_VARIANTS
]
SPLIT = Study(
    "recall.split", measure_recall, SPLIT_SETTINGS, RATES, best_of_all_distances
)


def main() -> None:
    """Tune, or run, both studies; or those that need longer."""
    parser = command_line(__doc__, tune=True)
    parser.add_argument(
        "--longer", action="store_true", help=f"split items alone, {LONGER_STEPS} steps"
    )
    args = parser.parse_args()
    if args.longer:
        SPLIT.run(args, LATE_SETTINGS)
    else:
        STUDY.run(args)
        SPLIT.run(args)


if __name__ == "__main__":
    main()
