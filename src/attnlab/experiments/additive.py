"""What makes the additive score slow, on other processors and threads? (claim C10)

Each way to score of `timings` is timed by turns with the dot product, with torch's
kernels of several processors and with one thread and two: step by step, and again as
one loop that torch's compiler makes of the steps (which needs a compiler for C++).

    python -m attnlab.experiments.additive  # the kernels torch chooses here
    ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_CBWR=AVX2 \
        python -m attnlab.experiments.additive
    ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 MKL_CBWR=COMPATIBLE \
        python -m attnlab.experiments.additive

Seeds are repeats. A run says which processor it was on, so that one on another is added
to what is stored. Two threads want an idle machine.
"""

from statistics import median
from typing import NamedTuple

import torch

from attnlab.experiments import timings
from attnlab.experiments.study import Study, command_line
from attnlab.store import grid, load, machine, select

NAME = "additive"
QUERIES = [1, 16, 64, 128]
THREADS = [1, 2]


class Place(NamedTuple):
    """Where a ratio was measured; in words "AMD EPYC, AVX2, 2 threads"."""

    cpu: str
    kernels: str
    threads: int

    def __str__(self) -> str:
        threads = "one thread" if self.threads == 1 else f"{self.threads} threads"
        return f"{self.cpu}, {self.kernels}, {threads}"


def measure_additive(
    *, seed: int, queries: int, threads: int, kernels: str, cpu: str
) -> dict[str, float]:
    """Time all ways to score; `kernels` and `cpu` only say which are at work.

    Returns, by way, its time over that of the first (see `timings.measure`).
    """
    options = {"seed": seed, "threads": threads, "queries": queries}
    step_by_step = timings.measure(question="scores", **options)
    return step_by_step | timings.measure(question="fused scores", **options)


def ratios(first: str, second: str, queries: int) -> dict[Place, float]:
    """Return the time of one way over that of another, the median of the repeats.

    With those that `timings` has of another processor; it has no fused ways.
    """
    runs = select(load(NAME), queries=queries)
    runs += select(load(timings.NAME), question="scores", queries=queries)
    repeats: dict[Place, list[float]] = {}
    for run in runs:
        made_on, metrics = run["machine"], run["figures"]
        if first in metrics and second in metrics:
            kernels = run["setting"]["kernels"]
            place = Place(made_on["cpu"], kernels, made_on["threads"])
            repeats.setdefault(place, []).append(metrics[first] / metrics[second])
    return {place: median(repeats[place]) for place in sorted(repeats)}


def main() -> None:
    """Time all settings with the kernels of this process."""
    args = command_line(__doc__).parse_args()
    here = {
        "kernels": torch.backends.cpu.get_cpu_capability(),
        "cpu": machine()["cpu"],
    }
    for threads in THREADS:
        settings = grid(queries=QUERIES, threads=[threads])
        settings = [{**setting, **here} for setting in settings]
        Study(NAME, measure_additive, settings, threads=threads).run(args)


if __name__ == "__main__":
    main()
