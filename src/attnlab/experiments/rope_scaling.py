"""Rotary hands slowed down after training: do they read longer sequences?

The rotary models of `positions`, trained on short sequences, are tested on up to four
times their length with their hands as trained, and slowed down by that factor in one of
three ways. None is trained any further (the papers do that, a little).

- interpolated: every hand alike, which is to divide the positions (Chen et al. 2023).
- larger base: the fastest hand stays, the slowest is divided by the factor, the others
  in between ("NTK-aware", as Peng et al. 2023 describe it).
- YaRN: hands that turn often within the training length stay, those that hardly turn
  are divided, with a ramp between; and all scores are raised a little (Peng et al.
  2023). Once with the ramp that the paper found for Llama, once with one found for each
  task on the tuning seed, which is not among those reported.

    python -m attnlab.experiments.rope_scaling --tune       # ramps, once
    python -m attnlab.experiments.rope_scaling --seeds 5
"""

import math
from itertools import product
from typing import Any

import torch
from torch import Tensor, nn

from attnlab import store
from attnlab.commands import user_errors
from attnlab.data.pairs import Pairs
from attnlab.experiments.far_keys import MASKS
from attnlab.experiments.positions import (
    FIRST_DIGIT,
    STUDY,
    TASKS,
    TIMES,
    answers,
    numbers_right,
    seeing_only,
    train_scheme,
)
from attnlab.experiments.study import TUNING_SEED, Study, command_line
from attnlab.positions import frequencies, rotate
from attnlab.tagger import Tagger
from attnlab.training import tagging_accuracy

SCHEMES = ("as trained", "interpolated", "larger base", "YaRN", "YaRN, tuned")
# Turns within the training length, (α, β): slower hands than α are divided by the
# factor, faster ones than β stay.
LLAMA_RAMP = (1.0, 32.0)
RAMPS = [(a, b) for a, b in product((0.25, 0.5, 1.0), (1.0, 2.0, 4.0, 32.0)) if a < b]


class RotaryAtSpeeds(nn.Module):
    """Turn queries and keys as `RotaryPositions` does, at any speeds.

    Args:
        omega: (d / 2,), how far each hand turns in a position.
        size: what queries and keys are multiplied by; the scores by its square.
    """

    def __init__(self, omega: Tensor, size: float = 1.0) -> None:
        super().__init__()
        self.omega = omega
        self.size = size

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Return x (…, n, d) turned by its positions, start … start + n − 1."""
        positions = torch.arange(start, start + x.shape[-2], dtype=self.omega.dtype)
        angles = positions[:, None] * self.omega  # (n, d / 2)
        table = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)  # (n, d)
        return rotate(x, self.size * table.to(x.dtype))


def larger_base(d: int, factor: float, base: float = 10_000.0) -> Tensor:
    """Return the speeds (d / 2,) of a base of base · factor^(d / (d − 2))."""
    return frequencies(d, base * factor ** (d / (d - 2)))


def yarn_speeds(
    d: int, factor: float, length: int, ramp: tuple[float, float] = LLAMA_RAMP
) -> Tensor:
    """YaRN's speeds (d / 2,).

    The ramp is linear in the turns, as in the paper. (In its authors' program it is
    linear in the number of the hand.)

    Args:
        d: the width of a head.
        factor: what slow hands are divided by.
        length: of the longest training sequence, in tokens.
        ramp: α and β, in turns within that length.
    """
    slow, fast = ramp
    omega = frequencies(d)
    turns = length * omega / (2 * math.pi)
    stays = ((turns - slow) / (fast - slow)).clamp(0, 1)  # γ in the paper
    return (1 - stays) * omega / factor + stays * omega


def scaled_speeds(
    scheme: str,
    d: int,
    factor: float,
    length: int,
    ramp: tuple[float, float] = LLAMA_RAMP,
) -> RotaryAtSpeeds:
    """Return the hands of one of `SCHEMES`; `ramp` is that of "YaRN, tuned"."""
    if scheme == "as trained":
        return RotaryAtSpeeds(frequencies(d))
    if scheme == "interpolated":
        return RotaryAtSpeeds(frequencies(d) / factor)
    if scheme == "larger base":
        return RotaryAtSpeeds(larger_base(d, factor))
    size = 0.1 * math.log(factor) + 1  # √(1/t) in the paper
    ramp = LLAMA_RAMP if scheme == "YaRN" else ramp
    return RotaryAtSpeeds(yarn_speeds(d, factor, length, ramp), size)


def rescale_model(
    model: Tagger,
    scheme: str,
    factor: float,
    length: int,
    ramp: tuple[float, float] = LLAMA_RAMP,
) -> None:
    """Give every layer of a rotary model the hands of one of `SCHEMES`."""
    for layer in model.layers:
        heads: Any = layer.mixer.heads
        heads.rotary = scaled_speeds(scheme, heads.d_head, factor, length, ramp)


def share_right(model: Tagger, task: str, pairs: Any) -> float:
    """Return the share told right: of numbers in places, of digits elsewhere."""
    if task == "places":
        return numbers_right(model, pairs)
    return tagging_accuracy(model, pairs)[0]


def offsets(model: Tagger, task: str, pairs: Pairs, reach: int = 4) -> dict[int, float]:
    """Return which digit is named: {k: how often the one k places after the right one}.

    Chance is a tenth, for each k. Digits that have no neighbour so far do not count.
    """
    hits = dict.fromkeys(range(-reach, reach + 1), 0)
    asked = dict(hits)
    for (src, _), given in zip(pairs, answers(model, pairs), strict=True):
        last = len(src) - 2  # BOS stands at 0, EOS after the last digit
        for position in range(1, last + 1):
            right = last + 1 - position if task == "reverse" else position - 1
            for k in hits:
                if 1 <= right + k <= last:
                    asked[k] += 1
                    hits[k] += given[position] - 1 == src[right + k] - FIRST_DIGIT
    return {k: hits[k] / asked[k] for k in hits}


def measure_scaling(
    *, seed: int, task: str, lr: float, ramp: tuple[float, float]
) -> dict:
    """Train one model, and test it with the hands of each of `SCHEMES`.

    Returns:
        For each scheme `right`, {times: share}, slowed down by as much as the test is
        longer; and slowed down by the largest factor `short`, the share right at the
        training length; in the longest sequences of digits `named`; and for previous
        `near` and `far`, the share right there under these masks of `far_keys`.
    """
    model, tests = train_scheme(seed=seed, task=task, scheme="rotary", lr=lr)
    length = max(len(src) for src, _ in tests[1])
    longest = tests[TIMES[-1]]
    metrics = {}
    for scheme in SCHEMES:
        found: dict[str, Any] = {"right": {}}
        for factor in TIMES:  # the largest at the end, for what follows
            rescale_model(model, scheme, factor, length, ramp)
            found["right"][factor] = share_right(model, task, tests[factor])
        found["short"] = share_right(model, task, tests[1])
        if task != "places":
            found["named"] = offsets(model, task, longest)
        if task == "previous":
            for mask in ("near", "far"):
                with seeing_only(model, MASKS[mask]):
                    found[mask] = share_right(model, task, longest)
        metrics[scheme] = found
    return metrics


def measure_ramps(*, seed: int, task: str, lr: float) -> dict:
    """Train one model; the share right in the longest test with each ramp of YaRN."""
    model, tests = train_scheme(seed=seed, task=task, scheme="rotary", lr=lr)
    length = max(len(src) for src, _ in tests[1])
    right = []
    for ramp in RAMPS:
        rescale_model(model, "YaRN, tuned", TIMES[-1], length, ramp)
        right.append(share_right(model, task, tests[TIMES[-1]]))
    return {"ramps": RAMPS, "right": right}


def best_ramp(task: str) -> tuple[float, float]:
    """Return the ramp that did best on the tuning seed."""
    (tuned,) = store.metrics("rope_scaling.tuning", task=task)
    slow, fast = tuned["ramps"][tuned["right"].index(max(tuned["right"]))]
    return slow, fast


def main() -> None:
    """Tune the ramps, or measure every task with the ramps found."""
    args = command_line(__doc__, tune=True).parse_args()
    settings: list[dict] = [
        {"task": task, "lr": STUDY.best_rate(task=task, scheme="rotary")}
        for task in TASKS
    ]
    if args.tune:
        options = {"redo": args.redo, "progress": not args.quiet}
        name = "rope_scaling.tuning"
        with user_errors(f"finished runs are stored as {name}"):
            store.run(name, measure_ramps, settings, [TUNING_SEED], **options)
        return
    settings = [{**setting, "ramp": best_ramp(setting["task"])} for setting in settings]
    Study("rope_scaling", measure_scaling, settings).run(args)


if __name__ == "__main__":
    main()
