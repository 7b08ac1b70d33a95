"""Where is the roof of a machine, and how near do layers come to it?

The roof has a height, how many FLOPs a second a product of matrices reaches at most,
and slopes: how many bytes a second are read and written where numbers are scaled, few
that stay in the cache, or many (McCalpin 1995). Under it layers are timed, all
positions at once and one after the other, with one head and eight, alone and in a
batch.

    python -m attnlab.experiments.roofline

What is stored is the quickest of several calls, on one thread, by the processor's own
clock: other work on the machine only ever adds. (There was other work when the stored
times were taken, and it shared cache and memory.) Seeds are repeats.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.nn import functional as F

from attnlab.checks import check_choice
from attnlab.complexity.grid import CALLS
from attnlab.complexity.layers import layer_type
from attnlab.complexity.measuring import memory_limit
from attnlab.complexity.roof import (
    ATTENTIONS,
    PHASES,
    ROOF_LAYERS,
    TINY_SIZES,
    count_work,
)
from attnlab.experiments.study import Study, run_studies
from attnlab.store import grid

NAME = "roofline"
SECONDS, MIN_CALLS = 0.3, 3  # for the calls of one setting, and how many at least

SIZES = [TINY_SIZES, *grid(n=[128, 512], d=[64, 256, 1024], batch=[1, 16])]
MAX_FLOPS = 1.2e11  # a call: more takes seconds
HEADS = grid(num_heads=[1, 8])
SETTINGS = [
    *grid(what=["product"], size=[256, 512, 1024]),
    *grid(what=["scale"], megabytes=[1, 2, 4, 8, 16, 32, 64, 128, 256]),
    *(
        {"what": "layer", "layer": layer, "phase": phase, **sizes, **heads}
        for sizes in SIZES
        for layer in ROOF_LAYERS
        for phase in PHASES
        for heads in (HEADS if layer in ATTENTIONS else [{}])
        if count_work({"layer": layer, "phase": phase, **sizes}) <= MAX_FLOPS
    ),
]


def measure_rate(*, seed: int, what: str, **sizes: Any) -> dict[str, float]:
    """Time one thing.

    Args:
        seed: of the numbers.
        what: "product", "scale" or "layer".
        sizes: of a product its "size"; of a scaling the "megabytes" that it reads and
            writes; of a layer its name and its phase, n, d, batch and options.

    Returns:
        "seconds", of the quickest call; "flops" of a product, "bytes" of a scaling.

    Raises:
        ValueError: an unknown thing, layer or phase.
    """
    check_choice("what", what, MEASURED)
    torch.manual_seed(seed)
    with memory_limit(), torch.no_grad():
        call, counted = MEASURED[what](**sizes)
        return {"seconds": min_seconds(call), **counted}


def min_seconds(call: Callable[[], object]) -> float:
    """Return the fewest seconds of processor time a call takes, of several calls."""
    call()  # the first is slow
    times: list[float] = []
    while len(times) < MIN_CALLS or sum(times) < SECONDS:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


Measured = tuple[Callable[[], object], dict[str, float]]


def _product_call(size: int) -> Measured:
    """As a convolution of three positions: no product of torch's is quicker here."""
    x, weight = torch.randn(1, size, size + 2), torch.randn(size, size, 3)
    return partial(F.conv1d, x, weight), {"flops": 3 * 2.0 * size**3}


def _scaling_call(megabytes: int) -> Measured:
    numbers = torch.randn(megabytes * 125_000)  # four bytes each, read and written
    return lambda: numbers * 2, {"bytes": 1e6 * megabytes}


def _layer_call(
    layer: str, phase: str, n: int, d: int, batch: int, **options: int
) -> Measured:
    check_choice("phase", phase, PHASES)
    module = layer_type(layer).build(d, causal=phase == "generation", **options)
    return partial(CALLS[phase], module, torch.randn(batch, n, d)), {}


MEASURED: dict[str, Callable[..., Measured]] = {
    "product": _product_call,
    "scale": _scaling_call,
    "layer": _layer_call,
}

STUDY = Study(NAME, measure_rate, SETTINGS, threads=1)


if __name__ == "__main__":
    run_studies(__doc__, STUDY, seeds=1)
