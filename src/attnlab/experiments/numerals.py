"""Transformer against GRU with attention, on numerals (claims C49 and C56).

Both learn to turn English numerals of one to nine digits into German ones. They have
the same number of parameters, nearly 62,200, see the same numbers in the same order,
each number once, and each contender has the best of four learning rates.

- transformer, post-norm and pre-norm: two layers on either side, width 40;
- gru: chapter 2's model, which reads both ways and has the general score, width 64;
- gru, additive: the same with the additive score, width 62.

As no number comes twice, what a model makes of a batch before it learns from it is a
test. The share of its numerals that come out right in every token is kept: the curve of
learning costs nothing. No decoding is needed for it: greedy search gets every token
right if and only if every token is right after the *true* tokens before it.

    python -m attnlab.experiments.numerals --tune        # learning rates, once
    python -m attnlab.experiments.numerals --seeds 5
    python -m attnlab.experiments.numerals --speed       # what a step costs

The tuning seed is not among those reported.
"""

import random
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnlab.checks import check_choice
from attnlab.data import (
    PAD,
    Batch,
    NumberPairs,
    batches,
    sample_numbers,
    split_numbers,
)
from attnlab.experiments.study import Study, command_line, means_of_tens, solved_at
from attnlab.recurrent import Seq2Seq, count_parameters
from attnlab.scores import AdditiveScore, GeneralScore
from attnlab.store import grid
from attnlab.training import History, exact_match_by_length, mean_loss, set_seed, train
from attnlab.transformer import Transformer

DIGITS, BEYOND = (1, 9), (10, 11)
STEPS, BATCH_SIZE = 800, 32
TEST_NUMBERS = 600
RATES = (1e-3, 3e-3, 1e-2, 3e-2)

SHAPE: dict[str, Any] = {
    "d_model": 40,
    "num_heads": 4,
    "num_layers": 2,
    "d_ff": 55,
    "dropout": 0.0,
}
VARIANTS = ("transformer, post-norm", "transformer, pre-norm", "gru", "gru, additive")


def vocabularies() -> tuple[int, int]:
    """Return the sizes of the English and of the German vocabulary."""
    pairs = NumberPairs([0])
    return len(pairs.src_vocab), len(pairs.tgt_vocab)


def build(variant: str) -> nn.Module:
    """Return the untrained contender.

    Raises:
        ValueError: an unknown variant.
    """
    check_choice("variant", variant, VARIANTS)
    sizes = vocabularies()
    if variant == "gru":
        return Seq2Seq(*sizes, 64, score=GeneralScore(64, 64), bidirectional=True)
    if variant == "gru, additive":
        score = AdditiveScore(62, 62, 62)
        return Seq2Seq(*sizes, 62, score=score, bidirectional=True)
    return Transformer(*sizes, **SHAPE, norm_first=variant.endswith("pre-norm"))


def numeral_loss(model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor]:
    """Cross-entropy, and the share of numerals that are right in every token.

    As `cross_entropy_loss`, for `train(…, loss=…)`, but for what it counts.
    """
    inputs, targets = batch.tgt[:, :-1], batch.tgt[:, 1:]
    logits = model(batch.src, inputs)  # (batch, length, vocabulary)
    loss = F.cross_entropy(
        logits.flatten(0, 1),  # (batch * length, vocabulary)
        targets.flatten(),
        ignore_index=PAD,
    )
    right = (logits.detach().argmax(-1) == targets) | (targets == PAD)
    return loss, right.all(dim=1).float().mean()


def learn_numerals(
    model: nn.Module,
    numbers: list[int],
    *,
    lr: float,
    seed: int,
    steps: int,
    warmup: float = 0.1,
) -> History:
    """Train a model on numbers, in place.

    Returns:
        The history; its `accuracy` is the share of every batch's numerals that were
        right before it was learned from.
    """
    return train(
        model,
        NumberPairs(numbers),
        steps=steps,
        batch_size=BATCH_SIZE,
        lr=lr,
        warmup=warmup,
        betas=(0.9, 0.98),
        loss=numeral_loss,
        seed=seed,
        progress=False,
        device="cpu",
    )


def rounded_tens(values: list[float]) -> list[float]:
    """Return the means of ten values each, to four places."""
    return [round(mean, 4) for mean in means_of_tens(values)]


def measure_numerals(
    *,
    seed: int,
    variant: str,
    lr: float,
    steps: int = STEPS,
    test_numbers: int = TEST_NUMBERS,
) -> dict:
    """Train one contender on `steps` batches of new numbers, and test it on others.

    Returns:
        `parameters`; `exact_match` by digits, two lengths beyond training included;
        `exact`, that of all the trained lengths; `valid_loss`, of unseen numbers of
        these lengths; `curve` and `loss`, see `rounded_tens`; `solved_at`;
        `cpu_seconds` of the training.
    """
    trained, held_out = split_numbers(steps * BATCH_SIZE, test_numbers, DIGITS, seed)
    tests = NumberPairs(held_out)
    beyond = NumberPairs(sample_numbers(test_numbers // 3, BEYOND, seed))
    set_seed(seed)
    model = build(variant)
    clock = time.process_time()
    history = learn_numerals(model, trained, lr=lr, seed=seed, steps=steps)
    seconds = time.process_time() - clock
    by_length = exact_match_by_length(model, tests)
    curve = rounded_tens(history.accuracy)
    right = [by_length[digits] * tests.lengths.count(digits) for digits in by_length]
    return {
        "parameters": count_parameters(model),
        "exact": round(sum(right) / len(tests), 4),
        "exact_match": by_length | exact_match_by_length(model, beyond),
        "valid_loss": mean_loss(model, tests),
        "curve": curve,
        "loss": rounded_tens(history.loss),
        "solved_at": solved_at(curve),
        "cpu_seconds": round(seconds, 2),
    }


def seconds_per_step(
    models: dict[str, nn.Module], steps: Sequence[Batch], *, seed: int = 0
) -> dict[str, float]:
    """Return the median CPU seconds of a training step of each model.

    The models take their steps in turn, in an order drawn anew for every batch: what
    else the machine does meets them all alike.

    Args:
        models: by name; they are trained.
        steps: the batches.
        seed: of the order.
    """
    rng = random.Random(seed)
    optimizers = {
        name: torch.optim.AdamW(model.parameters(), 1e-3, fused=True)
        for name, model in models.items()
    }
    seconds: dict[str, list[float]] = {name: [] for name in models}
    for batch in steps:
        for name in rng.sample(list(models), len(models)):
            clock = time.process_time()
            optimizers[name].zero_grad()
            numeral_loss(models[name], batch)[0].backward()
            nn.utils.clip_grad_norm_(models[name].parameters(), 1.0)
            optimizers[name].step()
            seconds[name].append(time.process_time() - clock)
    return {name: median(its) for name, its in seconds.items()}


def measure_speed(*, seed: int, steps: int = 60) -> dict:
    """Time the steps of all contenders: `{variant: milliseconds of one core}`."""
    set_seed(seed)
    pairs = NumberPairs(sample_numbers(steps * BATCH_SIZE, DIGITS, seed))
    models = {variant: build(variant) for variant in VARIANTS}
    drawn = list(batches(pairs, BATCH_SIZE, seed))
    seconds = seconds_per_step(models, drawn, seed=seed)
    return {name: round(1000 * value, 2) for name, value in seconds.items()}


def lowest_loss(runs: list[dict]) -> dict:
    """Return the run with the lowest validation loss."""
    return min(runs, key=lambda run: run["figures"]["valid_loss"])


# CPU seconds are those of one core.
SETTINGS = grid(variant=list(VARIANTS))
STUDY = Study("numerals", measure_numerals, SETTINGS, RATES, lowest_loss, threads=1)
SPEED = Study("numerals.speed", measure_speed, [{}], threads=1)


def main() -> None:
    """Tune; or time; or run every contender with the rate found."""
    parser = command_line(__doc__, tune=True)
    parser.add_argument("--speed", action="store_true", help="time the steps alone")
    args = parser.parse_args()
    (SPEED if args.speed else STUDY).run(args)


if __name__ == "__main__":
    main()
