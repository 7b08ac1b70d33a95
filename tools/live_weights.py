"""Trains the models of the live figures and writes them to `live/weights`.

    python -m tools.live_weights                  # all of them, about half an hour
    python -m tools.live_weights en-de-gru-16     # one

Most are GRU `Seq2Seq` models that translate English number words of one to six digits.
Those of the bottleneck figure, `en-de-gru-…` and `en-de-attentive`, are the networks of
`attnlab.experiments.bottleneck`, of its first seed, each with the rate tuned for it.
The `places-…` are taggers of the heads figure: they say of every word of a number, of
up to twelve digits, which power of ten it is multiplied by. A number at the end of a
score's name, as in `en-de-dot-1`, is the seed of the training, where it is not 0:
Evidence 2 compares three runs of each. All seeds learn and are tested on the same
numbers. The `machine…` are those of `tools.machine`.

All but the experiment's learn from all numbers below 100, which readers like to type
and of which there are too few to hold any back, and from a sample of the longer ones.
Their accuracy from three digits on is that on numbers they have not seen; all of it is
measured with the weights as they are stored, rounded to float16.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import torch

from attnlab.data import (
    NumberPairs,
    PlacePairs,
    alignment_error_rate,
    batches,
    sample_numbers,
    split_numbers,
)
from attnlab.data.places import DIGIT_VALUES, NUM_CLASSES, class_places, read_number
from attnlab.experiments import bottleneck
from attnlab.live.alignment import SCORES, TARGETS
from attnlab.live.bottleneck import WIDTHS
from attnlab.live.heads import LAYERS, NUM_HEADS
from attnlab.recurrent import Seq2Seq, count_parameters
from attnlab.saved import FOLDER, build_model, save
from attnlab.scores import score_sizes
from attnlab.tagger import Tagger
from attnlab.training import exact_match_by_length, set_seed, tagging_loss, train
from attnlab.transformer import Transformer
from tools import machine

SEED = 0  # of the split into numbers to learn from and to test on, and of most models
SHORT_NUMBERS = list(range(100))  # all numbers of one or two digits
SHORT_REPEATS = 10  # how often an epoch shows each of them
MAX_DIGITS = 6
TRAIN_NUMBERS, TEST_NUMBERS = 19_000, 1_600  # the long ones
EPOCHS = 6

# Of the experiment's networks: how many numbers they learn from, and the longest that
# the figure draws.
BOTTLENECK_NUMBERS, BOTTLENECK_LONGEST = bottleneck.TRAIN_NUMBERS, 12
BOTTLENECK_ATTENTIVE = {"d_model": 32, "attention": True, "bidirectional": True}

ATTENTIVE_WIDTH = 48
MAX_SOURCE = 24  # places a location score knows: enough for any twelve digits

TAGGER: dict[str, Any] = {"encoder": "attention", "d_model": 64, "num_heads": NUM_HEADS}
MAX_DIGITS_TAGGER = 12
TAGGER_EPOCHS = 12
EXAMPLES_PER_LENGTH = 10  # test numbers of each length that the figure counts errors on


def recipes() -> dict[str, dict]:
    """Return for each model's name its languages, lengths and the model's arguments.

    A score is given as its name and arguments, as `build_model` takes it. A tagger has
    a `language` where the others have a `target`, and a network of the experiment says
    whether it has `attention`. A recipe without a `seed` has `SEED`.
    """
    found: dict[str, dict] = {
        f"en-de-gru-{width}": {"d_model": width, "attention": False} for width in WIDTHS
    }
    found["en-de-attentive"] = dict(BOTTLENECK_ATTENTIVE)
    for recipe in found.values():
        recipe["max_digits"] = bottleneck.MAX_TRAINED_DIGITS
    for target in TARGETS:
        for score in SCORES:
            found[f"en-{target}-{score}"] = attentive_recipe(target, score)
    for score in SCORES:
        for seed in (1, 2):
            recipe = attentive_recipe("de", score)
            found[f"en-de-{score}-{seed}"] = {**recipe, "seed": seed}
    for language in DIGIT_VALUES:
        for layers in LAYERS:
            found[f"places-{language}-{layers}"] = {
                "language": language,
                "max_digits": MAX_DIGITS_TAGGER,
                "num_layers": layers,
                **TAGGER,
            }
    found["machine-untrained"] = {"part": "nothing", "steps": 0}
    for part in machine.PARTS:
        name = "machine" if part == "nothing" else f"machine-no-{part}"
        found[name] = {"part": part, "steps": machine.STEPS}
    return found


def attentive_recipe(target: str, score: str) -> dict:
    """Return the recipe of a model that attends by this score."""
    d = ATTENTIVE_WIDTH
    return {
        "target": target,
        "max_digits": MAX_DIGITS,
        "d_model": d,
        "score": {"name": score, **score_sizes(score, d, MAX_SOURCE)},
        "bidirectional": True,
    }


def train_and_write(name: str, recipe: dict, folder: Path = FOLDER) -> dict:
    """Train one model, write it, measure it as written, and return its metadata."""
    start = time.perf_counter()
    make_one: Any = make_translator
    if "language" in recipe:
        make_one = make_tagger
    elif "attention" in recipe:
        make_one = make_bottleneck
    elif "part" in recipe:
        make_one = make_machine
    arguments = dict(recipe)
    seed = arguments.pop("seed", SEED)
    model, metadata = make_one(arguments, seed)
    metadata |= {
        "name": name,
        "parameters": count_parameters(model),
        "seed": seed,
        "command": f"python -m tools.live_weights {name}",
    }
    path = folder / f"{name}.safetensors"
    save(path, model, metadata)
    _report(metadata, path.stat().st_size, time.perf_counter() - start)
    return metadata


def make_translator(arguments: dict, seed: int) -> tuple[Seq2Seq, dict]:
    """Train a translator; return it and its metadata, measured as it is stored."""
    target, longest = arguments.pop("target"), arguments.pop("max_digits")
    learn, held_out = split_numbers(TRAIN_NUMBERS, TEST_NUMBERS, (3, longest), SEED)
    pairs = NumberPairs(SHORT_NUMBERS * SHORT_REPEATS + learn, "en", target)
    tests = NumberPairs(SHORT_NUMBERS + held_out, "en", target)
    config = {
        "src_vocab": len(pairs.src_vocab),
        "tgt_vocab": len(pairs.tgt_vocab),
        **arguments,
    }
    set_seed(seed)
    model: Any = build_model("Seq2Seq", config)
    train(model, pairs, epochs=EPOCHS, seed=seed, device="cpu")
    metadata = describe(model, pairs, tests, config, longest)
    if config["score"]:
        metadata["alignment_error_rate"] = measure_alignment(model, tests)
    return model, metadata


def make_bottleneck(arguments: dict, seed: int) -> tuple[Seq2Seq, dict]:
    """Train a network of the experiment; return it and its metadata, as stored.

    Its tests are the experiment's, and as many numbers again of twelve digits.
    """
    longest = arguments.pop("max_digits")
    lr = bottleneck.TUNED.best_rate(**arguments)
    model, pairs, tests = bottleneck.prepare_bottleneck(
        seed=seed, train_numbers=BOTTLENECK_NUMBERS, **arguments
    )
    train(model, pairs, epochs=bottleneck.EPOCHS, lr=lr, seed=seed, device="cpu")
    further = (longest + 3, BOTTLENECK_LONGEST)  # two beyond training are among them
    tests = NumberPairs(tests.numbers + sample_numbers(300, further, seed), "en", "de")
    score = {"name": "general", **score_sizes("general", model.d_model, MAX_SOURCE)}
    config = {
        "src_vocab": len(pairs.src_vocab),
        "tgt_vocab": len(pairs.tgt_vocab),
        "d_model": model.d_model,
        "score": score if arguments["attention"] else None,
        "bidirectional": arguments.get("bidirectional", False),
    }
    return model, describe(model, pairs, tests, config, longest)


def describe(
    model: Seq2Seq, pairs: NumberPairs, tests: NumberPairs, config: dict, longest: int
) -> dict:
    """Round a trained translator's weights, and return its metadata as it then is."""
    model.half().float()  # measure what is stored: the rounded weights
    return {
        "source": "en",
        "target": pairs.target,
        "digits": (1, longest),
        "config": config,
        "src_tokens": pairs.src_vocab.tokens,
        "tgt_tokens": pairs.tgt_vocab.tokens,
        "exact_match": exact_match_by_length(model, tests),
    }


def make_tagger(arguments: dict, seed: int) -> tuple[Tagger, dict]:
    """Train a tagger of places; return it and its metadata, measured as stored.

    Beside the shares of numbers read right, by length, the metadata hold those that
    are left when one head is silent, and some numbers to try that on.
    """
    language, longest = arguments.pop("language"), arguments.pop("max_digits")
    learn, held_out = split_numbers(TRAIN_NUMBERS, TEST_NUMBERS, (3, longest), SEED)
    pairs = PlacePairs(SHORT_NUMBERS * SHORT_REPEATS + learn, language)
    config = {
        "vocab_size": len(pairs.vocab),
        "num_classes": NUM_CLASSES,
        **arguments,
    }
    set_seed(seed)
    model: Any = build_model("Tagger", config)
    epochs = TAGGER_EPOCHS
    train(model, pairs, epochs=epochs, loss=tagging_loss, seed=seed, device="cpu")
    model.half().float()
    by_length = {
        digits: [
            number for number in SHORT_NUMBERS + held_out if len(str(number)) == digits
        ]
        for digits in range(1, longest + 1)
    }
    metadata = {
        "language": language,
        "digits": (1, longest),
        "config": config,
        "src_tokens": pairs.vocab.tokens,
        "exact_match": {
            digits: read_right(model, numbers, language)
            for digits, numbers in by_length.items()
        },
        "without_head": [
            [read_right(model, held_out, language, mask) for mask in masks]
            for masks in all_but_one(config["num_layers"], config["num_heads"])
        ],
        "test_numbers": [
            number
            for digits in range(3, longest + 1)
            for number in by_length[digits][:EXAMPLES_PER_LENGTH]
        ],
    }
    return model, metadata


def make_machine(arguments: dict, seed: int) -> tuple[Transformer, dict]:
    """Train the machine without a part; return it and its metadata.

    The file has all weights of a whole machine, those of a missing part as they began.
    The metadata hold the share of held-out numerals right, for each of five seeds.
    """
    part, steps = arguments["part"], arguments["steps"]
    held_out = machine.train_and_test_numbers()[1]

    def trained(lr: float, seed: int) -> tuple[Transformer, float]:
        model = machine.train_machine(part, lr, seed, steps)
        model.half().float()  # measure what is stored: the rounded weights
        return model, machine.share_right(model, held_out)

    rates = machine.RATES if steps else (0.0,)
    tried = {lr: trained(lr, machine.TUNING_SEED)[1] for lr in rates}
    lr = max(tried, key=tried.__getitem__)
    runs = [trained(lr, one) for one in (machine.SEEDS if steps else (seed,))]
    pairs = NumberPairs(SHORT_NUMBERS)
    config = {
        "src_vocab": len(pairs.src_vocab),
        "tgt_vocab": len(pairs.tgt_vocab),
        **machine.SHAPE,
    }
    whole: Any = build_model("Transformer", config)
    whole.load_state_dict(runs[0][0].state_dict(), strict=False)
    return whole, {
        "source": "en",
        "target": "de",
        "config": config,
        "src_tokens": pairs.src_vocab.tokens,
        "tgt_tokens": pairs.tgt_vocab.tokens,
        "part": part,
        "tried": {str(lr): right for lr, right in tried.items()},
        "right": [right for _, right in runs],
    }


@torch.no_grad()
def read_right(
    model: Tagger,
    numbers: list[int],
    language: str,
    head_mask: torch.Tensor | None = None,
) -> float:
    """Return the share of numbers whose words add up to them, as the model reads.

    `head_mask` is (layers, h), bool.
    """
    pairs = PlacePairs(numbers, language)
    right, left = 0, iter(numbers)
    for batch in batches(pairs, 256):
        classes = model(batch.src, head_mask).argmax(-1)  # (batch, n)
        for ids, row in zip(batch.src.tolist(), classes, strict=True):
            tokens = pairs.vocab.decode(ids)
            places = class_places(row[: len(tokens)])
            right += read_number(tokens, places, language) == next(left)
    return right / len(numbers)


def all_but_one(num_layers: int, num_heads: int) -> list[list[torch.Tensor]]:
    """Return at [layer][head] the mask, (layers, h), that silences that head alone."""
    masks: list[list[torch.Tensor]] = []
    for layer in range(num_layers):
        masks.append([])
        for head in range(num_heads):
            mask = torch.ones(num_layers, num_heads, dtype=torch.bool)
            mask[layer, head] = False
            masks[layer].append(mask)
    return masks


@torch.no_grad()
def measure_alignment(model: Seq2Seq, pairs: NumberPairs) -> float:
    """Return the alignment error rate, the model reading the true translations."""
    weights: list[torch.Tensor] = []
    for batch in batches(pairs, 256):
        weights += model.attention(batch.src, batch.tgt[:, :-1])
    return alignment_error_rate(weights, pairs.numbers, pairs.source, pairs.target)


def _report(metadata: dict, size: int, seconds: float) -> None:
    if "right" in metadata:
        right = f"right by seeds {metadata['right']}, of the rates {metadata['tried']}"
    else:
        shares = metadata["exact_match"].values()
        right = "exact match by digits " + " ".join(f"{x:.3f}" for x in shares)
    error = metadata.get("alignment_error_rate")
    print(
        f"{metadata['name']}: {size / 1000:.0f} kB, {right}"
        + ("" if error is None else f", alignment error {error:.3f}")
        + f", {seconds:.0f} s",
        flush=True,
    )


def main() -> None:
    """Train the models named on the command line, or all."""
    known = recipes()
    parser = argparse.ArgumentParser(
        prog="python -m tools.live_weights",
        description="Train the models of the live figures and store them.",
    )
    parser.add_argument("names", nargs="*", help=f"of {', '.join(known)}; default all")
    args = parser.parse_args()
    if unknown := set(args.names) - set(known):
        parser.error(f"there is no model {', '.join(sorted(unknown))}")
    for name in args.names or known:
        train_and_write(name, known[name])


if __name__ == "__main__":
    main()
