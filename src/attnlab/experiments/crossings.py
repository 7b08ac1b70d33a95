"""Where does attention fall behind recurrence, with heads held fixed? (claim C41)

Attention of one head and of eight, bare and with its projections, timed by turns with
the fused RNN, GRU and LSTM: one sequence at a time and in batches, forward and in
training. What is stored is the ratio of each to the GRU in the processor's time on one
thread; see `timings`.

    python -m attnlab.experiments.crossings  # the kernels torch chooses here
    ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 MKL_CBWR=COMPATIBLE \
        python -m attnlab.experiments.crossings

Seeds are repeats.
"""

from statistics import median
from typing import Any

import torch

from attnlab.experiments import timings
from attnlab.experiments.study import Study, command_line
from attnlab.store import grid, load, select

NAME = "crossings"
WIDTHS = (64, 256)
LENGTHS = {  # by width and batch
    (64, 1): [16, 32, 64, 128, 256, 512],
    (64, 8): [16, 32, 64, 128, 256, 512],
    (64, 32): [16, 32, 64, 128, 256],
    (256, 1): [64, 128, 256, 512, 1024],
    (256, 8): [64, 128, 256, 512],
    (256, 32): [64, 128, 256],
}
SETTINGS = [
    setting
    for (d, batch), lengths in LENGTHS.items()
    for setting in grid(n=lengths, d=[d], batch=[batch], training=[False, True])
]


def measure_crossing(*, seed: int, kernels: str, **sizes: int) -> dict[str, float]:
    """Time all layers at one size; `kernels` only says which are at work.

    Returns, by layer, its time over that of the first (see `timings.measure`).
    """
    return timings.measure(question="recurrence", seed=seed, **sizes)


def ratios(
    first: str, second: str, d: int, batch: int, training: bool = False
) -> dict[str, dict[int, float]]:
    """Return the time of one layer over that of another, by kernels and length.

    The median of the repeats: {"AVX2": {16: 0.3, 32: 0.4, …}, …}.
    """
    repeats: dict[str, dict[int, list[float]]] = {}
    for run in select(load(NAME), d=d, batch=batch, training=training):
        setting, metrics = run["setting"], run["figures"]
        lengths = repeats.setdefault(setting["kernels"], {})
        lengths.setdefault(setting["n"], []).append(metrics[first] / metrics[second])
    return {
        kernels: {n: median(lengths[n]) for n in sorted(lengths)}
        for kernels, lengths in repeats.items()
    }


def longest(
    first: str, second: str, batch: int, training: bool = False
) -> dict[str, float]:
    """Return by kernels the most of those `ratios` where n is below d."""
    by_width = {d: ratios(first, second, d, batch, training) for d in WIDTHS}
    return {
        kernels: max(
            ratio
            for d, found in by_width.items()
            for n, ratio in found[kernels].items()
            if n < d
        )
        for kernels in by_width[WIDTHS[0]]
    }


def main() -> None:
    """Time all settings with the kernels of this process."""
    args = command_line(__doc__, seeds=3).parse_args()
    kernels = torch.backends.cpu.get_cpu_capability()
    settings: list[dict[str, Any]] = [{**s, "kernels": kernels} for s in SETTINGS]
    Study(NAME, measure_crossing, settings, threads=1).run(args)


if __name__ == "__main__":
    main()
