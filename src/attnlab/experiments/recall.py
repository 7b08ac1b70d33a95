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

    python -m attnlab.experiments.recall --tune        # learning rates, once
    python -m attnlab.experiments.recall --seeds 5

The tuning seed is not among those reported.
"""

import random
from typing import Any

import torch

from attnlab.checks import check_choice
from attnlab.data import PAD, collate
from attnlab.data.pairs import Pairs
from attnlab.experiments.study import Study, run_studies, solved_at, tens
from attnlab.recurrent import count_parameters
from attnlab.store import grid
from attnlab.tagger import Tagger
from attnlab.training import set_seed, tagging_loss, train

LENGTH = 128
LETTERS, DIGITS, NOISE = 4, 10, 10
FIRST_QUESTION = 1  # ids: PAD, 4 questions, 10 tokens of noise, 40 items
FIRST_NOISE = FIRST_QUESTION + LETTERS
FIRST_ITEM = FIRST_NOISE + NOISE
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
PARAMETERS = 24_000  # about what attention has at width 64
UP_TO = (4, 8, 16, 32, 64, 127)  # the distances are told apart in these groups

RATES = (1e-3, 3e-3, 1e-2, 3e-2)
STEPS = {1: 300, LETTERS: 800}  # for so many items
TRAIN_SEQUENCES, TEST_SEQUENCES = 10_000, 300


def make_sequence(
    rng: random.Random, items: int, length: int = LENGTH
) -> tuple[list[int], list[int]]:
    """Return the ids of one sequence and its classes, PAD where nothing is asked.

    Raises:
        ValueError: items is not from 1 to 4.
    """
    if not 1 <= items <= LETTERS:
        raise ValueError(f"items must be from 1 to {LETTERS}, got {items}")
    letters = rng.sample(range(LETTERS), items)
    digits = {letter: rng.randrange(DIGITS) for letter in letters}
    tokens = [FIRST_ITEM + DIGITS * letter + digits[letter] for letter in letters]
    classes = [PAD] * items
    while len(tokens) < length:
        letter = rng.choice(letters)
        asked = rng.random() < 0.5
        noise = FIRST_NOISE + rng.randrange(NOISE)
        tokens.append(FIRST_QUESTION + letter if asked else noise)
        classes.append(1 + digits[letter] if asked else PAD)
    return tokens, classes


def make_pairs(count: int, seed: int, items: int, *, mixed: bool = False) -> Pairs:
    """Return so many sequences with so many items each.

    Mixed, their lengths run from 8 to `LENGTH`, evenly on a logarithmic scale.
    """
    rng = random.Random(seed)

    def length() -> int:
        return round(8 * (LENGTH / 8) ** rng.random()) if mixed else LENGTH

    return [make_sequence(rng, items, length()) for _ in range(count)]


def distances(tokens: list[int]) -> list[int]:
    """How far back the item stands that is asked for; 0 for what is no question."""
    letters = {}  # where the item of each letter stands
    found = []
    for place, token in enumerate(tokens):
        if token >= FIRST_ITEM:
            letters[(token - FIRST_ITEM) // DIGITS] = place
        asks = FIRST_QUESTION <= token < FIRST_NOISE
        found.append(place - letters[token - FIRST_QUESTION] if asks else 0)
    return found


def build(variant: str) -> Tagger:
    """The untrained model, of the width that brings it nearest to `PARAMETERS`.

    Raises:
        ValueError: an unknown variant.
    """
    check_choice("variant", variant, VARIANTS)

    def model(width: int) -> Tagger:
        options = {**VARIANTS[variant], "positions": "none", "causal": True}
        return Tagger(VOCABULARY, CLASSES, width, **options)

    def surplus(width: int) -> int:
        with torch.device("meta"):  # only to count
            return abs(count_parameters(model(width)) - PARAMETERS)

    widths = range(8, 80, VARIANTS[variant].get("num_heads", 1))
    return model(min(widths, key=surplus))


def reach(variant: str) -> int:
    """How many positions back the model can see at all."""
    options = VARIANTS[variant]
    if options["encoder"] != "cnn":
        return LENGTH - 1
    return options["num_layers"] * (KERNEL - 1)


@torch.no_grad()
def right_by_distance(model: Tagger, pairs: Pairs) -> dict[int, float]:
    """The share of questions answered right, for each group of distances `UP_TO`."""
    batch = collate(pairs)
    right = model(batch.src).argmax(-1) == batch.tgt  # (sequences, LENGTH)
    far = torch.tensor([distances(tokens) for tokens, _ in pairs])
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
    steps: int | None = None,
    train_sequences: int = TRAIN_SEQUENCES,
) -> tuple[Tagger, list[float]]:
    """Train one model; return it and its accuracy at every step."""
    pairs = make_pairs(train_sequences, seed, items, mixed=True)
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
        progress=False,
        device="cpu",
    )
    return model, history.accuracy


def measure_recall(
    *, seed: int, test_sequences: int = TEST_SEQUENCES, **options: Any
) -> dict:
    """Train one model and test it on new sequences; see `train_variant`.

    Returns:
        `right`: {largest distance of a group: share of its questions answered right};
        `solved_at`; `parameters`; `width`.
    """
    model, accuracies = train_variant(seed=seed, **options)
    tests = make_pairs(test_sequences, 10_000 + seed, options["items"])
    return {
        "right": right_by_distance(model, tests),
        "solved_at": solved_at(tens(accuracies)),
        "parameters": count_parameters(model),
        "width": model.output_layer.in_features,
    }


def best_of_all_distances(runs: list[dict]) -> dict:
    """The best run by the mean over the distances.

    Of those that are equal to the hundredth, the one that got there first.
    """

    def quality(run: dict) -> tuple[float, int]:
        shares, solved = run["figures"]["right"].values(), run["figures"]["solved_at"]
        steps = STEPS[run["setting"]["items"]] if solved is None else solved
        return round(sum(shares) / len(shares), 2), -steps

    return max(runs, key=quality)


SETTINGS = grid(variant=list(VARIANTS), items=[1, LETTERS])
STUDY = Study("recall", measure_recall, SETTINGS, RATES, best_of_all_distances)


if __name__ == "__main__":
    run_studies(__doc__, STUDY)
