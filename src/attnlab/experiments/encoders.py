"""What does a word's encoder have to see? (claims C24, C25, C26)

A tagger tells, for every word of an English numeral, which power of ten it is
multiplied by (`attnlab.data.places`). Everything stays the same but what mixes the
words: attention, a GRU, a convolution, or nothing; with or without positions.
Measured on numerals never seen in training:

- words: the share told right of the words with a worth, the ones that need a context;
- tokens, sequences: the share of all tokens, and of numerals right throughout;
- round: the share of 90 round numerals (100,000 … 900,009) right throughout;
- explained: of the variance of one word's outputs, the share that goes with its place.

Beside them stands what the best reader could reach who sees the words of a numeral but
not their order, one who sees one word and its position, and one who sees one word.

    python -m attnlab.experiments.encoders --tune        # learning rates, once
    python -m attnlab.experiments.encoders --seeds 5

The tuning seed is not among those reported.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from attnlab.checks import check_choice
from attnlab.data import PAD, collate, split_numbers
from attnlab.data.grammar import say
from attnlab.data.places import NO_PLACE, NUM_CLASSES, PlacePairs, place_values
from attnlab.experiments.study import Study, means_of_tens, run_studies, solved_at
from attnlab.recurrent import count_parameters
from attnlab.store import grid
from attnlab.tagger import Tagger
from attnlab.training import Progress, set_seed, tagging_accuracy, tagging_loss, train

DIGITS = (1, 6)
RATES = (1e-3, 3e-3, 1e-2)
TRAIN_NUMBERS, TEST_NUMBERS = 6_000, 600
# "two hundred thousand and five": "hundred" right before "thousand". So read about 20
# of the 6,000 training numerals.
ROUND = [100_000 * first + last for first in range(1, 10) for last in range(10)]

# Two layers of width 64 unless said otherwise. Attention has one head in this chapter.
VARIANTS: dict[str, dict] = {
    "attention": {"encoder": "attention"},
    "attention, one layer": {"encoder": "attention", "num_layers": 1},
    "attention, no positions": {"encoder": "attention", "positions": "none"},
    "gru": {"encoder": "gru"},
    "gru, no positions": {"encoder": "gru", "positions": "none"},
    "cnn, 3 wide": {"encoder": "cnn", "kernel_size": 3},
    "cnn, 7 wide": {"encoder": "cnn", "kernel_size": 7},
    "cnn, 7 wide, no positions": {
        "encoder": "cnn",
        "kernel_size": 7,
        "positions": "none",
    },
    "none": {"encoder": "none"},
    "none, no positions": {"encoder": "none", "positions": "none"},
}


def build(pairs: PlacePairs, variant: str, d_model: int = 64) -> Tagger:
    """Return the untrained tagger of that variant.

    Raises:
        ValueError: an unknown variant.
    """
    check_choice("variant", variant, VARIANTS)
    options = {"num_layers": 2, "num_heads": 1, **VARIANTS[variant]}
    return Tagger(len(pairs.vocab), NUM_CLASSES, d_model, **options)


def make_data(seed: int, train_numbers: int) -> tuple[PlacePairs, PlacePairs]:
    """Numerals of one to six digits to learn from, and others to be tested on."""
    numbers, held_out = split_numbers(train_numbers, TEST_NUMBERS, DIGITS, seed)
    return PlacePairs(numbers), PlacePairs(held_out)


def train_variant(
    *,
    seed: int,
    variant: str,
    lr: float,
    train_numbers: int = TRAIN_NUMBERS,
    steps: int = 600,
    d_model: int = 64,
    progress: bool | Progress = False,
) -> tuple[Tagger, PlacePairs, list[float]]:
    """Train one tagger: it, the held-out numerals, and the accuracy of every step.

    `progress` is as `attnlab.training.train` takes it.
    """
    pairs, held_out = make_data(seed, train_numbers)
    set_seed(seed)
    model = build(pairs, variant, d_model)
    history = train(
        model,
        pairs,
        steps=steps,
        lr=lr,
        loss=tagging_loss,
        seed=seed,
        progress=progress,
    )
    return model, held_out, history.accuracy


@torch.no_grad()
def read_outputs(model: Tagger, pairs: PlacePairs) -> tuple[Tensor, Tensor, Tensor]:
    """What the last layer makes of every word, before it is read out.

    Returns:
        Outputs (tokens, d_model), word ids (tokens,) and classes (tokens,) of all
        tokens of all numerals, padding left out.
    """
    caught = []
    hook = model.output_layer.register_forward_pre_hook(
        lambda layer, inputs: caught.append(inputs[0])
    )
    batch = collate(pairs)
    model(batch.src)
    hook.remove()
    real = batch.src != PAD  # (numerals, n)
    return caught[0][real], batch.src[real], batch.tgt[real]


def explained_share(outputs: Tensor, words: Tensor, classes: Tensor) -> float:
    """Of the variance of one word's outputs, the share that goes with its class.

    For every word with a worth that occurs in more than one class: the variance of the
    outputs between the classes' means, over the whole variance. 1 if the class alone
    fixes the output, 0 if the outputs do not differ. The mean over these words.
    Outputs are (tokens, d), words and classes (tokens,).
    """
    shares = []
    for word in words.unique():
        mine = (words == word) & (classes != NO_PLACE)
        if len(classes[mine].unique()) < 2:
            continue
        vectors, labels = outputs[mine].double(), classes[mine]
        centred = vectors - vectors.mean(0)
        between = sum(
            (labels == label).sum() * centred[labels == label].mean(0).square().sum()
            for label in labels.unique()
        )
        whole = centred.square().sum()
        # Below that all outputs are one and the same but for rounding.
        shares.append((between / whole).item() if whole > 1e-6 else 0.0)
    return sum(shares) / len(shares)


def word_accuracy(model: Tagger, pairs: PlacePairs) -> float:
    """Return the share told right among the words that have a worth."""
    batch = collate(pairs)
    with torch.no_grad():
        right = model(batch.src).argmax(-1) == batch.tgt
    return right[batch.tgt > NO_PLACE].float().mean().item()


def measure_encoders(*, seed: int, **setting: Any) -> dict:
    """Train one tagger and measure it; the arguments are those of `train_variant`."""
    model, held_out, accuracies = train_variant(seed=seed, **setting)
    tokens, sequences = tagging_accuracy(model, held_out)
    solved = solved_at(means_of_tens(accuracies))
    return {
        "tokens": tokens,
        "sequences": sequences,
        "round": tagging_accuracy(model, PlacePairs(ROUND))[1],
        "words": word_accuracy(model, held_out),
        "explained": explained_share(*read_outputs(model, held_out)),
        "solved_at": len(accuracies) if solved is None else solved,
        "parameters": count_parameters(model),
    }


# The best that a reader with less than the whole numeral can do ---------------------

# What each of them knows of every word of a numeral.
READERS: dict[str, Callable[[list[str]], list[tuple]]] = {
    "a set": lambda words: [(word, *sorted(words)) for word in words],
    "itself and its position": lambda words: [(w, i) for i, w in enumerate(words)],
    "itself": lambda words: [(word,) for word in words],
}


def measure_ceilings(*, seed: int, digits: tuple[int, int] = DIGITS) -> dict:
    """Accuracy on held-out words with a worth of the best reader who sees that little.

    The reader knows how often each class follows from what it sees, over *all*
    numerals of these lengths, every length as likely as in the data. No reader that
    sees the same can expect more.

    Returns:
        For each of `READERS` the share of these words it tells right.
    """
    low, high = digits
    _, held_out = split_numbers(TRAIN_NUMBERS, TEST_NUMBERS, (low, high), seed)
    lengths = Counter(len(str(number)) for number in held_out)
    tests = [_english_places(number) for number in held_out]
    # {reader: {what it sees: {place: how likely}}}, for what the tests ask alone.
    beliefs: dict[str, dict[tuple, Any]] = {
        name: {seen: Counter() for words, _ in tests for seen in sees(words)}
        for name, sees in READERS.items()
    }
    for number in range(10 ** digits[1]):
        length = len(str(number))
        likely = lengths[length] / (10 if length == 1 else 9 * 10 ** (length - 1))
        words, places = _english_places(number)
        for name, sees in READERS.items():
            for seen, place in zip(sees(words), places, strict=True):
                if seen in beliefs[name]:
                    beliefs[name][seen][place] += likely
    return {
        name: _share_right(sees, beliefs[name], tests) for name, sees in READERS.items()
    }


def _share_right(sees: Callable, beliefs: dict[tuple, Counter], tests: list) -> float:
    right = [
        beliefs[seen].most_common(1)[0][0] == place
        for words, places in tests
        for seen, place in zip(sees(words), places, strict=True)
        if place is not None
    ]
    return sum(right) / len(right)


def _english_places(number: int) -> tuple[list[str], list[int | None]]:
    words = [word for word, _ in say(number, "en")]
    return [*words, "EOS"], [*place_values(number), None]


def run_with_most_words(runs: list[dict]) -> dict:
    """Return the run with the most words right; the fastest of equals."""
    return max(
        runs, key=lambda run: (run["figures"]["words"], -run["figures"]["solved_at"])
    )


SETTINGS = grid(variant=list(VARIANTS))
STUDY = Study("encoders", measure_encoders, SETTINGS, RATES, run_with_most_words)
ORDER_BLIND = Study("encoders.order_blind", measure_ceilings, [{}])


if __name__ == "__main__":
    run_studies(__doc__, STUDY, ORDER_BLIND)
