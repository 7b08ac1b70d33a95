"""What a training is told, checked; the plan that follows; and its seed."""

import argparse
import math
import os
import random
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Annotated, get_type_hints

import numpy as np
import torch
from torch import nn

from attnlab.checks import check_choice, check_integer, check_number
from attnlab.commands import integer
from attnlab.data import Batch, collate
from attnlab.data.pairs import Pairs, plan_batches
from attnlab.training.losses import Loss
from attnlab.training.schedule import SCHEDULES, learning_rate

PRECISIONS = ("float32", "bfloat16")


CHOICES = {"schedule": SCHEDULES, "precision": PRECISIONS}

# What may differ when a training goes on from its checkpoint.
CHANGEABLE = (
    "epochs",
    "accumulate",
    "checkpoint",
    "checkpoint_every",
    "keep_last_epochs",
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to learn: what `attnlab.training.train` takes by name.

    Give `epochs` or `steps`. With `max_tokens` instead of `batch_size`, a step takes as
    many pairs of similar length as have at most so many tokens on either side. With
    `accumulate`, gradients add up over the pieces of a batch: less memory, the same
    step. The optimizer is AdamW (Loshchilov & Hutter 2019): with `weight_decay=0` Adam,
    whose betas stand in algorithm 1 of Kingma & Ba (2015). `learning_rate` says what
    the schedules are. In "bfloat16" products are computed in 16 bits where that is
    harmless (`torch.autocast`); weights and sums stay float32. The seed decides from
    here on: the model's first weights were drawn before, so call `set_seed` before
    making it.

    Raises:
        TypeError, ValueError: a setting out of range, named.
    """

    epochs: Annotated[int | None, "times through the data"] = None
    steps: Annotated[int | None, "how many batches to learn from"] = None
    batch_size: Annotated[int, "pairs in a step"] = 64
    max_tokens: Annotated[int | None, "of each side of a batch, padding included"] = (
        None
    )
    accumulate: Annotated[int, "pieces a batch is computed in"] = 1
    lr: Annotated[float, "peak learning rate"] = 3e-3
    schedule: Annotated[str, "its fall"] = "cosine"
    warmup: Annotated[float, "share of steps with a rising rate"] = 0.05
    betas: Annotated[tuple[float, float], "what AdamW's means keep"] = (0.9, 0.999)
    weight_decay: Annotated[float, "AdamW's"] = 0.01
    clip: Annotated[float, "largest gradient norm; inf: no limit"] = 1.0
    precision: Annotated[str, "of products"] = "float32"
    seed: Annotated[int, "weights, data order, dropout"] = 0
    checkpoint: Annotated[str | os.PathLike | None, "save to and go on from it"] = None
    checkpoint_every: Annotated[int, "steps, beside every epoch"] = 200
    keep_last_epochs: Annotated[int, "weights that are kept beside the checkpoint"] = 0

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        check_number("warmup", self.warmup)
        if not 0 <= self.warmup <= 1:
            raise ValueError(
                f"warmup is a share of all steps, 0 to 1; got {self.warmup}"
            )
        check_integer("keep_last_epochs", self.keep_last_epochs, 0)
        if self.keep_last_epochs and self.checkpoint is None:
            raise ValueError(
                "keep_last_epochs needs a checkpoint, beside which to keep the weights"
            )
        for name in ("batch_size", "lr", "checkpoint_every", "accumulate"):
            check_number(name, getattr(self, name), above=0)
        if self.clip != math.inf:  # without a limit nothing is clipped
            check_number("clip", self.clip, above=0)
        check_integer("accumulate", self.accumulate, 1)
        check_integer("checkpoint_every", self.checkpoint_every, 1)
        check_number("weight_decay", self.weight_decay)
        if self.weight_decay < 0:
            raise ValueError(
                f"weight_decay must not be negative, got {self.weight_decay}"
            )

    def total_steps(self, steps_per_epoch: int) -> int:
        """Return how many steps to take, by `epochs` or `steps`.

        Raises:
            TypeError: the one given is no integer.
            ValueError: both are given, or neither, or the one is below 1.
        """
        epochs, steps = self.epochs, self.steps
        if (epochs is None) == (steps is None):
            raise ValueError(
                f"give epochs or steps, one of them; got {epochs=}, {steps=}"
            )
        given, worth = (steps, 1) if epochs is None else (epochs, steps_per_epoch)
        if isinstance(given, bool) or not isinstance(given, int):
            raise TypeError(f"epochs or steps must be an int, got {epochs=}, {steps=}")
        total = given * worth
        if total < 1:
            raise ValueError(
                f"epochs or steps must be at least 1, got {epochs or steps}"
            )
        return total

    def identity(self, total: int, loss: Loss, pairs: Pairs, model: nn.Module) -> dict:
        """Return what a checkpoint must match for a training to go on from it."""
        own = {
            name: value for name, value in vars(self).items() if name not in CHANGEABLE
        }
        return own | {
            "steps": total,
            "batch_size": self.batch_size if self.max_tokens is None else None,
            "betas": tuple(self.betas),
            "loss": _loss_name(loss),
            "data": _fingerprint(pairs),
            "model": repr(model),
        }


def add_settings(group: argparse._ArgumentGroup, *names: str) -> None:
    """Add the options of a command line that stand for these settings."""
    hints = get_type_hints(Settings, include_extras=True)
    for name in names:
        default = getattr(Settings, name)
        kind = int if default is None else type(default)
        group.add_argument(
            f"--{name.replace('_', '-')}",
            type=integer(0 if name == "seed" else 1) if kind is int else kind,
            default=default,
            choices=CHOICES.get(name),
            help=hints[name].__metadata__[0],
        )


def _loss_name(loss: Loss) -> str:
    """Name a loss so that the same one has the same name in the next process."""
    if isinstance(loss, partial):
        return f"{_loss_name(loss.func)}{loss.args}{loss.keywords}"
    return getattr(loss, "__name__", type(loss).__name__)


def _fingerprint(pairs: Pairs) -> int:
    """Return a number that other pairs, or the same in another order, will not have."""
    return zlib.crc32(repr([pairs[i] for i in range(len(pairs))]).encode())


@dataclass
class Plan:
    """How many steps there are, and what each of them learns from."""

    pairs: Pairs
    settings: Settings
    order: Callable[..., list[list[int]]]
    steps_per_epoch: int
    total: int

    def learning_rate(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0."""
        settings = self.settings
        return learning_rate(
            step,
            self.total,
            peak=settings.lr,
            warmup=round(settings.warmup * self.total),
            schedule=settings.schedule,
        )

    def batches_from(self, step: int) -> Iterator[Batch]:
        """Yield the batches of one epoch after another, beginning with that of `step`.

        The order of an epoch follows from the seed and the epoch's number alone, so
        that a resumed training finds its place without having seen what came before.
        """
        first_epoch, skip = divmod(step, self.steps_per_epoch)
        for epoch in count(first_epoch):
            # 1000: the epochs of two seeds must not share their orders.
            for chunk in self.order(seed=self.settings.seed * 1000 + epoch)[skip:]:
                yield collate([self.pairs[i] for i in chunk])
            skip = 0

    def ends_epoch(self, step: int) -> bool:
        """Say whether an epoch, or all, is over after so many steps."""
        return step % self.steps_per_epoch == 0 or step == self.total


def make_plan(pairs: Pairs, settings: Settings) -> Plan:
    """Return the plan that follows from the settings; raises what they make unfit."""
    size = settings.batch_size if settings.max_tokens is None else None
    order = partial(plan_batches, pairs, size, max_tokens=settings.max_tokens)
    steps_per_epoch = len(order(seed=0))  # the same for every seed
    total = settings.total_steps(steps_per_epoch)
    return Plan(pairs, settings, order, steps_per_epoch, total)


def set_seed(seed: int) -> None:
    """Seed every random generator in use: Python's, NumPy's and torch's.

    Raises:
        TypeError, ValueError: the seed is no integer from 0 to 2³² − 1.
    """
    check_integer("seed", seed, 0)
    if seed >= 2**32:
        raise ValueError(f"seed must be below 2**32, got {seed}")
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
