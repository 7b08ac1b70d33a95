"""The learning rate of every step: it warms up, and then falls."""

import math

from attnlab.checks import check_choice, check_integer, check_number

SCHEDULES = ("cosine", "linear", "inverse_sqrt", "constant")


def learning_rate(
    step: int, total: int, *, peak: float, warmup: int, schedule: str
) -> float:
    """Return the learning rate of a step, `step` counted from 0.

    It rises in a straight line to `peak` over the first `warmup` steps. From there to
    step `total` it falls along a "cosine" to 0, in a straight line to 0 ("linear"),
    as 1 / √step ("inverse_sqrt", Vaswani et al. 2017, eq. 3), or stays ("constant").

    Raises:
        TypeError: a number of steps is no integer, or the peak no number.
        ValueError: an unknown schedule, a step beyond `total`, or a peak of 0 or less.
    """
    check_choice("schedule", schedule, SCHEDULES)
    for name, number in (("step", step), ("total", total), ("warmup", warmup)):
        check_integer(name, number, 0)
    check_number("peak", peak, above=0)
    if step > total:
        raise ValueError(f"step {step} lies beyond the last, {total}")
    if step < warmup:
        return peak * (step + 1) / warmup
    done = (step - warmup) / max(1, total - warmup)
    if schedule == "cosine":
        return peak * (1 + math.cos(math.pi * done)) / 2
    if schedule == "linear":
        return peak * (1 - done)
    if schedule == "inverse_sqrt":
        return peak * math.sqrt(max(1, warmup) / (step + 1))
    return peak
