"""What a training is told, checked; the plan that follows; and its seed."""

import math
import os
import random
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np
import torch
from torch import nn

from attnlab.checks import check_choice, check_integer, check_number
from attnlab.data import Batch, collate
from attnlab.data.pairs import Pairs, plan_batches
from attnlab.training.losses import Loss
from attnlab.training.schedule import SCHEDULES, learning_rate

PRECISIONS = ("float32", "bfloat16")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to learn; `attnlab.training.train` says what each setting means.

    Raises:
        TypeError, ValueError: a setting out of range, named.
    """

    epochs: int | None
    steps: int | None
    batch_size: int
    max_tokens: int | None
    accumulate: int
    lr: float
    schedule: str
    warmup: float
    betas: tuple[float, float]
    weight_decay: float
    clip: float
    precision: str
    seed: int
    checkpoint: str | os.PathLike | None
    checkpoint_every: int
    keep: int

    def __post_init__(self) -> None:
        check_choice("schedule", self.schedule, SCHEDULES)
        check_number("warmup", self.warmup)
        if not 0 <= self.warmup <= 1:
            raise ValueError(
                f"warmup is a share of all steps, 0 to 1; got {self.warmup}"
            )
        check_choice("precision", self.precision, PRECISIONS)
        check_integer("keep", self.keep, 0)
        if self.keep and self.checkpoint is None:
            raise ValueError(
                "keep needs a checkpoint, beside which to keep the weights"
            )
        for name in ("batch_size", "lr", "clip", "checkpoint_every", "accumulate"):
            value = getattr(self, name)
            if (
                value != math.inf or name != "clip"
            ):  # without a limit nothing is clipped
                check_number(name, value, above=0)
        check_integer("accumulate", self.accumulate, 1)
        check_integer("checkpoint_every", self.checkpoint_every, 1)
        check_number("weight_decay", self.weight_decay)
        if self.weight_decay < 0:
            raise ValueError(
                f"weight_decay must not be negative, got {self.weight_decay}"
            )

    def total_steps(self, steps_per_epoch: int) -> int:
        """Return how many steps to take, by `epochs` or `steps`."""
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
        return {
            "steps": total,
            "batch_size": self.batch_size if self.max_tokens is None else None,
            "max_tokens": self.max_tokens,
            "lr": self.lr,
            "schedule": self.schedule,
            "warmup": self.warmup,
            "betas": tuple(self.betas),
            "weight_decay": self.weight_decay,
            "clip": self.clip,
            "precision": self.precision,
            "seed": self.seed,
            "loss": _loss_name(loss),
            "data": _fingerprint(pairs),
            "model": repr(model),
        }


def _loss_name(loss: Loss) -> str:
    """Name a loss so that the same one has the same name in the next process."""
    if isinstance(loss, partial):
        return f"{_loss_name(loss.func)}{loss.args}{loss.keywords}"
    return getattr(loss, "__name__", type(loss).__name__)


def _fingerprint(pairs: Pairs) -> int:
    """A number that other pairs, or the same in another order, will not have."""
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
