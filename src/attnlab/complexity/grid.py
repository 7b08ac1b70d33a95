"""Measure the layers over a grid of sizes, and keep every cell.

Three ways to use a layer, the `phase` of a setting:

- forward: all positions at once, without gradients;
- training: forward and backward, with gradients of the input and all parameters;
- generation: one position after the other, each step's state kept for the next.

The cells are measured in random order, so that a machine growing warm or busy meets
all layers alike, and stored one by one: Ctrl-C keeps what is measured, and the same
call goes on from there.
"""

import random
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from attnlab import store
from attnlab.checks import check_choice, check_integer
from attnlab.complexity.layers import LAYERS, layer_type
from attnlab.complexity.measuring import (
    is_out_of_memory,
    measure_seconds,
    memory_limit,
    peak_memory,
)
from attnlab.complexity.modules import generate
from attnlab.device import device
from attnlab.notebook import ipython_shell

PHASES = ("forward", "training", "generation")
NAME = "complexity"
MAX_STEPS = 1024  # in a loop whose memory is measured: each step is many events

# One cell ---------------------------------------------------------------------------


def measure(
    seed: int,
    layer: str,
    n: int,
    d: int,
    phase: str,
    *,
    threads: int = 1,
    batch: int = 1,
    **options: Any,
) -> dict:
    """Measure one layer at one size.

    Args:
        seed: of weights and input.
        layer: a name in `LAYERS`.
        n, d: length and width.
        phase: "forward", "training" or "generation" (which makes the layer causal).
        threads: for torch, on a CPU.
        batch: how many sequences at once.
        options: the layer's own (`LayerType.options`).

    Returns:
        "flops" by the formula, for one forward pass of the batch; "parameters";
        "seconds", {"median", "low", "high", "blocks"}; "megabytes" at the peak, None on
        other devices than CPU and CUDA and beyond `MAX_STEPS` steps; "tf32", whether a
        GPU's matrix products may round to it: no. If memory ran out, "out_of_memory" is
        True, and "seconds" and "megabytes" are None.

    Raises:
        ValueError, TypeError: an unknown layer or phase, or sizes it cannot have.
    """
    check_choice("phase", phase, PHASES)
    for name, number in (("n", n), ("d", d), ("threads", threads), ("batch", batch)):
        check_integer(name, number, 1)
    kind = layer_type(layer)
    causal = phase == "generation"
    steps = n if causal else kind.sequential_operations(n)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    metrics: dict[str, Any] = {
        "flops": batch * kind.flops(n, d, generating=causal, **options),
        "parameters": kind.parameters(d, **options),
        "seconds": None,
        "megabytes": None,
        "out_of_memory": False,
        "tf32": False,
    }
    try:
        with memory_limit():
            torch.manual_seed(seed)
            module = kind.build(d, causal=causal, **options).to(device())
            x = torch.randn(batch, n, d, device=device())
            call = partial(CALLS[phase], module, x)
            seconds = measure_seconds(call, threads=threads)
            if steps <= MAX_STEPS and device().type in ("cpu", "cuda"):
                metrics["megabytes"] = peak_memory(call) / 1e6
            metrics["seconds"] = seconds
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        metrics["out_of_memory"] = True
    return metrics


@torch.no_grad()
def _forward(module: nn.Module, x: Tensor) -> None:
    module(x)


def _train(module: nn.Module, x: Tensor) -> None:
    x = x.detach().requires_grad_()
    module(x).sum().backward()
    module.zero_grad(set_to_none=True)  # an optimizer would have used them by now


@torch.no_grad()
def _generate(module: nn.Module, x: Tensor) -> None:
    generate(module, x)


CALLS: dict[str, Callable[[nn.Module, Tensor], None]] = {
    "forward": _forward,
    "training": _train,
    "generation": _generate,
}


# The grid -----------------------------------------------------------------------------


def size_grid(
    layers: Iterable[str],
    lengths: Iterable[int],
    widths: Iterable[int],
    phases: Iterable[str] = ("forward",),
    *,
    threads: int = 1,
    most_flops: float = 1e11,
    most_numbers: float = 2**28,
    **options: int,
) -> list[dict]:
    """Return one setting for every layer, length, width and phase.

    Left out are cells beyond `most_flops` (a pass of the formula), additive attention
    beyond `most_numbers` in its n × n × d tensor, and widths that the layer's heads do
    not divide. Dilated stacks are as deep as it takes to link the causal ends.

    Raises:
        TypeError: a number of threads that is no integer.
        ValueError: an unknown layer, or fewer threads than 1.
    """
    check_integer("threads", threads, 1)
    settings = store.grid(
        layer=list(layers), n=list(lengths), d=list(widths), phase=list(phases)
    )
    chosen = []
    for setting in settings:
        kind, n, d = layer_type(setting["layer"]), setting["n"], setting["d"]
        own: dict[str, Any] = {
            key: options[key] for key in kind.options if key in options
        }
        if kind.name == "dilated":
            own["num_layers"] = kind.layers_needed(n, causal=True, **own)
        if kind.flops(n, d, **own) > most_flops:
            continue
        if kind.name == "additive" and n**2 * d > most_numbers:
            continue
        chosen.append({**setting, **own, "threads": threads})
    return chosen


def small_grid(threads: int = 1) -> list[dict]:
    """Return the default: well under 90 seconds on two cores."""
    limits: dict[str, Any] = {
        "threads": threads,
        "most_flops": 2e9,
        "most_numbers": 2**24,
    }
    return [
        *size_grid(LAYERS, [64, 256, 1024], [64, 256], ["forward"], **limits),
        *size_grid(LAYERS, [64, 256], [64], ["training", "generation"], **limits),
    ]


def full_grid(threads: int = 1) -> list[dict]:
    """Everything that chapter 6 shows: most of an hour on two cores."""
    lengths = [2**i for i in range(5, 14)]  # 32 … 8192
    widths = [64, 128, 256, 512, 1024]
    small: dict[str, Any] = {"threads": threads, "most_flops": 5e9}
    return [
        *size_grid(
            LAYERS, lengths, widths, ["forward"], threads=threads, most_flops=2e10
        ),
        *size_grid(LAYERS, lengths, [64, 256], ["training"], **small),
        *size_grid(LAYERS, lengths[:7], [64, 256], ["generation"], **small),
        *(
            {**setting, "d": 64, "phase": "forward", "threads": threads}
            for setting in [*_reach_grid(), *_long_grid()]
        ),
    ]


def _reach_grid() -> list[dict]:
    """How far a layer reaches: r and k from a few to all positions, and many heads."""
    radii = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2047]
    kernels = [3, 7, 15, 31, 63, 127, 255, 511]
    with_kernels = ["convolution", "separable"]
    with_heads = ["attention", "attention_fused", "multi_head"]
    return [
        *store.grid(layer=["banded"], n=[2048], radius=radii),
        *store.grid(layer=with_kernels, n=[511], kernel_size=kernels),
        *store.grid(layer=with_heads, n=[511], num_heads=[1, 2, 4, 8, 16]),
    ]


def _long_grid() -> list[dict]:
    """Return where n² hurts: up to what the memory holds."""
    layers = ["attention", "attention_fused", "banded", "convolution"]
    return store.grid(layer=layers, n=[2**14, 2**15, 2**16])


def measure_grid(
    settings: Iterable[dict],
    *,
    name: str = NAME,
    folder: str | Path = ".",
    seed: int = 0,
    redo: bool = False,
    progress: bool = True,
) -> dict:
    """Measure every setting in random order, and store each at once.

    Args:
        settings: keyword arguments of `measure`, one dict a cell; see `small_grid`.
        name: of the file, without `.json`.
        folder: where it lies.
        seed: of the order, the weights and the inputs.
        redo: measure again what is stored.
        progress: show a bar with the time left on stderr.

    Returns:
        All that is stored in the file, `{"name": …, "runs": […]}`, as
        `store.load` does, and "interrupted": whether Ctrl-C ended it
        early. What was measured until then is kept.
    """
    settings = list(settings)
    random.Random(seed).shuffle(settings)
    interrupted = False
    try:
        store.run(
            name,
            measure,
            settings,
            [seed],
            redo=redo,
            progress=progress,
            folder=folder,
        )
    except KeyboardInterrupt:
        if ipython_shell() is not None:  # in a notebook, what follows shall not run
            raise
        interrupted = True
        print("Stopped by Ctrl-C: what is measured is kept.", file=sys.stderr)
    path = Path(folder, f"{name}.json")
    found = store.load(name, folder=folder) if path.exists() else {"runs": []}
    return {"name": name, **found, "interrupted": interrupted}


def points(results: dict, **setting: object) -> list[dict]:
    """Return the measured cells of a setting as flat dicts, the smallest first.

    `points(results, layer="gru", phase="forward")` gives one dict a cell with n, d, the
    options, "seconds" (the median), "low" and "high" (the quartiles), "megabytes" and
    "flops". Cells that ran out of memory are left out.
    """
    flat = []
    for run in store.select(results, **setting):
        metrics = run["figures"]
        if metrics["out_of_memory"]:
            continue
        times = metrics["seconds"]
        flat.append(
            {
                **run["setting"],
                "seconds": times["median"],
                "median": times["median"],
                "low": times["low"],
                "high": times["high"],
                "megabytes": metrics["megabytes"],
                "flops": metrics["flops"],
            }
        )
    return sorted(flat, key=lambda point: (point["n"], point["d"]))


# The table ----------------------------------------------------------------------------


def print_results(results: dict) -> None:
    """Print every cell: milliseconds with quartiles, megabytes, FLOPs a second."""
    print(
        f"{'layer':16} {'n':>6} {'d':>5} {'phase':10} {'ms':>10} "
        f"{'quartiles':>20} {'MB':>9} {'GFLOP/s':>8}"
    )

    def order(run: dict) -> tuple:
        setting = run["setting"]
        return setting["phase"], setting["layer"], setting["d"], setting["n"]

    for run in sorted(results["runs"], key=order):
        setting, metrics = run["setting"], run["figures"]
        start = "{layer:16} {n:6} {d:5} {phase:10}".format(**setting)
        if metrics["out_of_memory"]:
            print(f"{start} {'out of memory':>10}")
            continue
        seconds = metrics["seconds"]
        spread = f"{1000 * seconds['low']:.3f} … {1000 * seconds['high']:.3f}"
        memory = metrics["megabytes"]
        print(
            f"{start} {1000 * seconds['median']:10.3f} {spread:>20} "
            f"{'' if memory is None else format(memory, '.2f'):>9} "
            f"{metrics['flops'] / seconds['median'] / 1e9:8.1f}"
        )
