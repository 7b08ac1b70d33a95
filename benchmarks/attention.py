"""The book's attention against PyTorch's own and others': time and peak memory.

    python -m benchmarks.attention               # everything, some minutes
    python -m benchmarks.attention --only band   # one case

Every case has contenders that do the same work on the same inputs, forward, and forward
and backward. They take turns, round after round, so that whatever else the machine does
meets all alike. Each gets

- its time: the median of the rounds and, as spread, their quartiles;
- its ratio: its time over that of the case's first contender in the same round, again
  the median and the quartiles;
- its memory: by how much one call raises the bytes that torch's allocator has given
  out, at the highest, the inputs not counted, the output and the gradients counted. It
  comes from the profiler's memory events and is the same on every run. What libraries
  under torch allocate by themselves is not seen. (On a GPU: `max_memory_allocated`.)

The figures are written with machine and versions to `benchmarks.attention.json` in
`_build/measured`. Run it on a machine that does nothing else. `x-transformers` takes
part where it is installed.
"""

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab import store
from attnlab.attention import (
    MultiHeadAttention,
    banded_attention,
    causal_mask,
    scaled_dot_product_attention,
    window_mask,
)
from attnlab.complexity.measuring import measure_in_turn, peak_memory
from attnlab.device import device, use_threads
from tools.authoring import MEASURED, ROOT

try:
    from x_transformers.x_transformers import Attention as XAttention
except ImportError:
    XAttention = None

NAME = "benchmarks.attention"
BATCH, LENGTH, D_MODEL, HEADS = 16, 256, 256, 8
LONG, LONGEST, RADIUS, D_HEAD = 8192, 100_000, 64, 64
PASSES = ("forward", "forward and backward")


@dataclass
class Contender:
    """Something to measure: `call()` returns the output."""

    name: str
    call: Callable[[], Tensor]
    inputs: list[Tensor]
    module: nn.Module = field(default_factory=nn.Module)
    same: bool = True  # gives the output of the case's first contender


# The cases ---------------------------------------------------------------------------


def many_heads(*, need_weights: bool = False, causal: bool = False) -> list[Contender]:
    """Self-attention by eight heads, as in one layer of a Transformer."""
    x = _inputs(1, BATCH, LENGTH, D_MODEL)[0]
    torchs = nn.MultiheadAttention(D_MODEL, HEADS, batch_first=True).to(device())
    ours = MultiHeadAttention.from_torch(torchs)
    mask = causal_mask(LENGTH, device=device()) if causal else None
    hidden = None if mask is None else ~mask

    def call_torch() -> Tensor:
        return torchs(x, x, x, need_weights=need_weights, attn_mask=hidden)[0]

    def call_ours() -> Tensor:
        return ours(x, mask=mask, need_weights=need_weights)[0]

    contenders = [
        Contender("torch.nn.MultiheadAttention", call_torch, [x], torchs),
        Contender("attnlab.MultiHeadAttention", call_ours, [x], ours),
    ]
    if XAttention is not None and not need_weights:
        theirs = XAttention(
            dim=D_MODEL,
            heads=HEADS,
            dim_head=D_MODEL // HEADS,
            causal=causal,
            flash=True,
        ).to(device())
        contenders.append(
            Contender(
                "x_transformers.Attention", partial(theirs, x), [x], theirs, False
            )
        )
    return contenders


def one_function() -> list[Contender]:
    """Return the function alone, on heads that are split already."""
    query, key, value = inputs = _inputs(3, BATCH, HEADS, LENGTH, D_MODEL // HEADS)
    ours = partial(scaled_dot_product_attention, query, key, value)
    return [
        Contender(
            "F.scaled_dot_product_attention",
            lambda: F.scaled_dot_product_attention(query, key, value),
            inputs,
        ),
        Contender("attnlab, fused", lambda: ours(need_weights=False)[0], inputs),
        Contender("attnlab, readable", lambda: ours()[0], inputs),
    ]


def band() -> list[Contender]:
    """Return a long sequence whose positions see 64 to either side, and all of it."""
    query, key, value = inputs = _inputs(3, 1, LONG, D_HEAD)
    mask = window_mask(LONG, RADIUS, device=device())
    full = partial(scaled_dot_product_attention, query, key, value)
    banded = partial(banded_attention, query, key, value, RADIUS)
    return [
        Contender("full, readable", lambda: full()[0], inputs),
        Contender("full, fused", lambda: full(need_weights=False)[0], inputs),
        Contender(
            "full, fused, window mask",
            lambda: full(mask, need_weights=False)[0],
            inputs,
            same=False,
        ),
        Contender("banded", banded, inputs, same=False),
        Contender("banded, causal", partial(banded, causal=True), inputs, same=False),
    ]


def long_band() -> list[Contender]:
    """Return a sequence too long for the square of its length."""
    inputs = _inputs(3, 1, LONGEST, D_HEAD)
    banded = partial(banded_attention, *inputs, RADIUS)
    return [
        Contender("banded", banded, inputs),
        Contender("banded, causal", partial(banded, causal=True), inputs, same=False),
    ]


# By name: how to make the contenders, and how many rounds they get.
CASES = {
    "heads": (many_heads, 21),
    "heads-weights": (partial(many_heads, need_weights=True), 21),
    "heads-causal": (partial(many_heads, causal=True), 21),
    "heads-causal-weights": (partial(many_heads, need_weights=True, causal=True), 21),
    "function": (one_function, 21),
    "band": (band, 5),
    "long-band": (long_band, 7),
}


def _inputs(count: int, *shape: int) -> list[Tensor]:
    return [
        torch.randn(shape, device=device(), requires_grad=True) for _ in range(count)
    ]


# Measuring ---------------------------------------------------------------------------


def measure(seed: int, case: str, rounds: int) -> dict:
    """Return every contender's seconds, ratio and megabytes, by pass and name.

    Raises:
        RuntimeError: a contender that should agree with the first does not.
    """
    torch.manual_seed(seed)
    contenders = CASES[case][0]()
    with torch.no_grad():
        first, *others = (contender.call() for contender in contenders)
        for contender, output in zip(contenders[1:], others, strict=True):
            if contender.same and not torch.allclose(output, first, atol=1e-4):
                raise RuntimeError(f"{contender.name} computes something else")
    metrics = {}
    for name, step in zip(PASSES, (_forward, _forward_and_backward), strict=True):
        steps = {c.name: partial(step, c, torch.randn_like(first)) for c in contenders}
        metrics[name] = _measure_steps(steps, rounds)
    if XAttention is not None:
        metrics["x-transformers"] = version("x-transformers")
    return metrics


def _forward(contender: Contender, up: Tensor) -> None:
    contender.module.eval()
    with torch.no_grad():
        contender.call()


def _forward_and_backward(contender: Contender, up: Tensor) -> None:
    contender.module.train()
    for x in (*contender.inputs, *contender.module.parameters()):
        x.grad = None
    contender.call().backward(up)


def _measure_steps(steps: dict[str, Callable[[], None]], rounds: int) -> dict:
    metrics = measure_in_turn(steps, rounds)
    for name, step in steps.items():
        metrics[name]["megabytes"] = peak_memory(step) / 1e6
    return metrics


# The table ---------------------------------------------------------------------------


def print_table(results: dict) -> None:
    """Print each stored case: milliseconds, ratio to the first contender, memory."""
    for run in results["runs"]:
        machine = run["machine"]
        print(
            f"\n{run['setting']['case']} ({run['setting']['rounds']} rounds; ", end=""
        )
        print(f"{machine['cpu']}, {machine['threads']} threads, {machine['device']})")
        for pass_ in PASSES:
            print(f"  {pass_:32} {'ms':>9}  ratio (quartiles)     {'MB':>9} ratio")
            metrics = run["figures"][pass_]
            first = next(iter(metrics.values()))
            for name, of in metrics.items():
                milliseconds = 1000 * of["seconds"]["median"]
                times = "{median:.3f} ({low:.3f} … {high:.3f})".format(**of["ratio"])
                memory = of["megabytes"] / first["megabytes"]
                print(
                    f"  {name:32} {milliseconds:9.2f}  {times:21} "
                    f"{of['megabytes']:9.1f} {memory:5.3f}"
                )


def main() -> None:
    """Read the options and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=CASES, help="one case instead of all")
    parser.add_argument("--rounds", type=int, help="instead of each case's own number")
    parser.add_argument("--threads", type=int, default=2, help="(default: 2)")
    parser.add_argument("--folder", default=ROOT / MEASURED, help="where to write")
    args = parser.parse_args()
    with use_threads(args.threads):
        compare(args)


def compare(args: argparse.Namespace) -> None:
    """Measure as the options say, write and print."""
    if XAttention is None:
        print("x-transformers is not installed and takes no part")
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > 0.5:
        print(f"The machine is busy: its load is {os.getloadavg()[0]:.1f}")
    settings = [
        {"case": case, "rounds": args.rounds or rounds}
        for case, (_, rounds) in CASES.items()
        if args.only in (None, case)
    ]
    results = store.run(
        NAME, measure, settings, seeds=[0], redo=True, folder=args.folder
    )
    results["runs"] = [run for run in results["runs"] if run["setting"] in settings]
    print_table(results)
    print(f"\nIn {args.folder}; `make store NAME={NAME}` puts it into the book")


if __name__ == "__main__":
    main()
