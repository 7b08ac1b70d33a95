"""How an experiment is asked: its options, its learning rates, its results.

A module of this folder measures something, and says at its foot what to measure:

    STUDY = Study("pooling", measure_pooling, SETTINGS, RATES, most_accurate)

    if __name__ == "__main__":
        run_studies(__doc__, STUDY)

`--tune` tries every rate with every setting, on seeds that are not among those
reported, and stores `pooling.tuning`. Without it every setting runs with each seed, at
the rate that `most_accurate` chose for it, and `pooling` is stored.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import Any

import torch
from torch import Tensor, nn

from attnlab import store
from attnlab.commands import integer, user_errors
from attnlab.device import use_threads

TUNING_SEED = 100


@dataclass(frozen=True)
class Study:
    """What is measured, and how.

    Attributes:
        name: of the results, as for `store.run`.
        measure: returns the figures of a setting and a `seed`.
        settings: one dict of keyword arguments each.
        rates: learning rates to choose from for every setting, the argument `lr`. None
            of them: there is nothing to tune.
        choose: returns the best of a setting's tuning runs, one a rate and tuning seed.
        shorter: keyword arguments for tuning alone, such as fewer epochs.
        threads: how many torch may use; None leaves that as it is.
        tuning_seeds: those on which rates are tried, none of them reported.
    """

    name: str
    measure: Callable[..., dict]
    settings: list[dict]
    rates: Sequence[float] = ()
    choose: Callable[[list[dict]], dict] | None = None
    shorter: dict = field(default_factory=dict)
    threads: int | None = None
    tuning_seeds: Sequence[int] = (TUNING_SEED,)

    def best_rate(self, **setting: object) -> float:
        """Return the rate chosen for a setting.

        Raises:
            FileNotFoundError, ValueError: nothing is tuned, or not that setting.
        """
        tuned = [
            run
            for run in store.load(f"{self.name}.tuning")["runs"]
            if run["setting"] == {**setting, "lr": run["setting"]["lr"]}
        ]
        if not tuned or self.choose is None:
            raise ValueError(f"{self.name} has no rates to choose from for {setting}")
        return self.choose(tuned)["setting"]["lr"]

    def run(self, args: argparse.Namespace, settings: list[dict] | None = None) -> None:
        """Tune, or measure with every seed, as the options say; see `command_line`.

        Args:
            args: the options. With `tune`, a study without rates does nothing.
            settings: some of the study's own; all of them without.
        """
        settings = self.settings if settings is None else settings
        name, measure, seeds = self.name, self.measure, args.seeds
        if args.tune:
            name, seeds = f"{name}.tuning", list(self.tuning_seeds)
            measure = partial(measure, **self.shorter)
            settings = [{**s, "lr": lr} for s in settings for lr in self.rates]
        elif self.rates:
            settings = [{**s, "lr": self.best_rate(**s)} for s in settings]
        if settings:
            options = {"redo": args.redo, "progress": not args.quiet}
            threads = torch.get_num_threads() if self.threads is None else self.threads
            # A ValueError is the study's own: whoever wrote it wants to see where.
            with (
                user_errors(f"finished runs are stored as {name}", (OSError,)),
                use_threads(threads),
            ):
                store.run(name, measure, settings, seeds, **options)


def mean_at_rate(runs: list[dict], figure: str) -> Callable[[dict], float]:
    """Return the mean of a figure over the tuning runs at the rate of a run.

    It is what `min` or `max` takes as a key, so that no seed alone chooses a rate.
    """

    def mean(run: dict) -> float:
        rate = run["setting"]["lr"]
        alike = [other for other in runs if other["setting"]["lr"] == rate]
        return fmean(other["figures"][figure] for other in alike)

    return mean


def run_studies(description: str | None, *studies: Study, seeds: int = 5) -> None:
    """Do what the command line asks of these studies.

    Args:
        description: of the command; its first line is shown.
        studies: what there is to tune and to run.
        seeds: how many, if the command does not say.
    """
    tune = any(study.rates for study in studies)
    args = command_line(description, seeds=seeds, tune=tune).parse_args()
    for study in studies:
        study.run(args)


def command_line(
    description: str | None, *, seeds: int = 5, tune: bool = False
) -> argparse.ArgumentParser:
    """Return the options that every experiment has: `--seeds`, `--redo`, `--quiet`.

    `args.seeds` comes out as a list: `--seeds 5` asks for five, 0 to 4; `--seeds 3 4`
    for those two; `--seed 3` for that one. With `tune` there is the option `--tune`;
    without it `args.tune` is False.
    """
    parser = argparse.ArgumentParser(description=(description or "").split("\n")[0])
    parser.add_argument(
        "--seeds",
        nargs="+",
        type=integer(0),
        action=_Seeds,
        default=list(range(seeds)),
        metavar="N",
        help=f"how many seeds, or which ones if several are named (default: {seeds})",
    )
    parser.add_argument(
        "--seed",
        nargs=1,
        type=integer(0),
        action=_Seeds,
        dest="seeds",
        metavar="N",
        help="only this seed",
    )
    parser.add_argument(
        "--redo", action="store_true", help="run again what is stored already"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")
    parser.set_defaults(tune=False)
    if tune:
        parser.add_argument("--tune", action="store_true", help="try learning rates")
    return parser


class _Seeds(argparse.Action):
    """After `--seeds` one number is how many, several are the seeds themselves."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option: str | None = None,
    ) -> None:
        how_many = self.nargs == "+" and len(values) == 1
        seeds = list(range(values[0])) if how_many else values
        if not seeds:
            parser.error(f"argument {option}: expected seeds, got {values}")
        setattr(namespace, self.dest, seeds)


# How a small model learns, and how fast ---------------------------------------------


def fit(
    model: nn.Module, draw_loss: Callable[[], Tensor], *, steps: int, lr: float
) -> None:
    """Train a model in place by Adam, on what is drawn anew for every step.

    Args:
        model: what learns.
        draw_loss: draws a batch and returns the model's loss on it, a scalar.
        steps: how many batches.
        lr: the learning rate, the same all along.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        optimizer.zero_grad()
        draw_loss().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def means_of_tens(values: Sequence[float]) -> list[float]:
    """Return the means of ten values each; the last may be of fewer."""
    groups = [values[i : i + 10] for i in range(0, len(values), 10)]
    return [sum(ten) / len(ten) for ten in groups]


def solved_at(curve: Sequence[float], level: float = 0.95) -> int | None:
    """Return the first step, in tens, that was `level` right; None if none was.

    Args:
        curve: the mean of every ten steps, see `tens`.
        level: what counts as solved.
    """
    return next((10 * i for i, share in enumerate(curve) if share >= level), None)
