"""Beyond the training length: are there too many keys, or are they too far? (C37)

In a long sequence a word meets more keys than in training, and most of them are farther
away than any was. The models of `positions` that learned to say the digit before, on up
to 16 digits, are tested on 64, and see

- all: every other token;
- near: 17 keys, at distances that training had (a window);
- more: 35 keys, at distances that training had (a wider window);
- far: 17 keys, itself and the right one, and 15 that are farther away than any in
  training.

    python -m attnlab.experiments.far_keys --seeds 5
"""

import torch
from torch import Tensor

from attnlab.attention import window_mask
from attnlab.experiments.positions import (
    RADIUS,
    STUDY,
    TASKS,
    TIMES,
    seeing_only,
    train_scheme,
)
from attnlab.experiments.study import Study, command_line
from attnlab.store import grid
from attnlab.training import tagging_accuracy

TASK = "previous"
SCHEMES = ("sinusoidal", "rotary", "alibi", "random start")
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
    "all": lambda n: torch.ones(n, n, dtype=torch.bool),
    "near": lambda n: window_mask(n, NEAR),
    "more": lambda n: window_mask(n, KNOWN),
    "far": far_mask,
}


def measure_far_keys(*, seed: int, scheme: str, lr: float) -> dict:
    """Train one model; the share it tells right in 64 digits under each mask."""
    model, tests = train_scheme(seed=seed, task=TASK, scheme=scheme, lr=lr)
    metrics = {}
    for name, mask in MASKS.items():
        with seeing_only(model, mask):
            metrics[name] = tagging_accuracy(model, tests[TIMES[-1]])[0]
    return metrics


def main() -> None:
    """Measure every scheme, with the learning rates of `positions`."""
    args = command_line(__doc__).parse_args()
    settings = grid(scheme=list(SCHEMES))
    settings = [{**s, "lr": STUDY.best_rate(task=TASK, **s)} for s in settings]
    Study("far_keys", measure_far_keys, settings).run(args)


if __name__ == "__main__":
    main()
