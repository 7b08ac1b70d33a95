"""Beyond the training length: are there too many keys, or are they too far? (C37)

In a long sequence a word meets more keys than in training, and most of them are farther
away than any was. The models of `positions` that learned to say the digit before, on up
to 16 digits, are tested on 64, and see

- all: every other token;
- near: 17 keys, at distances that training had (a window);
- more: 35 keys, at distances that training had (a wider window);
- far: 17 keys, itself and the right one, and 15 that are farther away than any in
  training.

`sharper` is all keys once more, with every score multiplied by log 66 / log 18: the
logarithm of the number of keys, over that of the longest in training. What is found is
not to hang on the learning rate: every rate that learns the task is measured.

    python -m attnlab.experiments.far_keys --seeds 5
"""

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch
from torch import Tensor, nn

from attnlab.attention import window_mask
from attnlab.experiments.positions import (
    RADIUS,
    RATES,
    TASKS,
    TIMES,
    seeing_only,
    train_scheme,
)
from attnlab.experiments.study import Study, run_studies
from attnlab.store import grid
from attnlab.tagger import Tagger
from attnlab.training import tagging_accuracy

TASK = "previous"
SCHEMES = (
    "sinusoidal",
    "learned",
    "rotary",
    "alibi",
    "random start",
    "few hands",
    "slow hands",
)
NEAR = RADIUS[TASK]
# BOS and EOS stand around the digits: the largest distance in training.
KNOWN = TASKS[TASK]["longest"] + 1


def far_mask(n: int) -> Tensor:
    """Return (n, n): each token sees itself, the one before, and others far away.

    They are as many as a window of radius `NEAR` would show, drawn evenly from those
    more than `KNOWN` away.
    """
    itself = torch.eye(n, dtype=torch.bool)
    before = itself.roll(-1, dims=1)  # the first token has none: it sees the last
    generator = torch.Generator().manual_seed(0)
    lot = torch.rand(n, n, generator=generator)
    lot = lot.masked_fill(window_mask(n, KNOWN), 2.0)  # after all that are far
    others = lot.argsort(dim=1).argsort(dim=1) < 2 * NEAR - 1
    return itself | before | (others & ~window_mask(n, KNOWN))


MASKS = {
    "near": lambda n: window_mask(n, NEAR),
    "more": lambda n: window_mask(n, KNOWN),
    "far": far_mask,
}


@contextmanager
def multiply_scores(model: Tagger, factor: float) -> Iterator[None]:
    """Within it, every score of every head, its bias included, is multiplied."""

    def multiply_output(layer: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        return factor * output

    def multiply_bias(heads: nn.Module, inputs: tuple, options: dict) -> tuple:
        bias = options["score_bias"]
        bias = None if bias is None else factor * bias
        return inputs, {**options, "score_bias": bias}

    with ExitStack() as hooks:
        for layer in model.layers:
            heads = layer.mixer.heads
            for hook in (
                heads.query_layer.register_forward_hook(multiply_output),
                heads.register_forward_pre_hook(multiply_bias, with_kwargs=True),
            ):
                hooks.callback(hook.remove)
        yield


def measure_far_keys(*, seed: int, scheme: str, lr: float) -> dict:
    """Train one model; the share it tells right.

    Returns:
        `right`: {times: share}, with all keys, at one to four times the training
        length; and at four times `near`, `more`, `far` and `sharper`.
    """
    model, tests = train_scheme(seed=seed, task=TASK, scheme=scheme, lr=lr)
    right = {k: tagging_accuracy(model, pairs)[0] for k, pairs in tests.items()}
    longest = tests[TIMES[-1]]
    metrics: dict = {"right": right}
    for name, mask in MASKS.items():
        with seeing_only(model, mask):
            metrics[name] = tagging_accuracy(model, longest)[0]
    factor = math.log(len(longest[0][0])) / math.log(KNOWN + 1)
    with multiply_scores(model, factor):
        metrics["sharper"] = tagging_accuracy(model, longest)[0]
    return metrics


# The least of the rates does not learn the task in so many steps.
SETTINGS = grid(scheme=list(SCHEMES), lr=list(RATES[1:]))
STUDY = Study("far_keys", measure_far_keys, SETTINGS)

if __name__ == "__main__":
    run_studies(__doc__, STUDY)
