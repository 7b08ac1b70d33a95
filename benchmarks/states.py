"""What a state costs beside a cache: time and memory against length.

    python -m benchmarks.states                # everything, some minutes
    python -m benchmarks.states --only step    # one case

Four heads of 64 read a sequence of 256 to 16,384 tokens, causally, by

- softmax attention, in torch's fused kernel;
- the state of linear attention, and of the delta rule, in chunks of 64;
- the same token by token.

Cases: `read`, all of it without gradients; `learn`, forward and backward, to 4,096
tokens, token by token to 1,024 (a state per token is kept for the way back: 66 kB
each); `step`, one token more after as many, by the cache of keys and values or by the
state. Contenders take turns, round after round. Each gets the median of its times, of
its ratios to softmax attention in the same round, and the most bytes a call holds
(token by token, to 1,024: the profiler is slow).

The figures are written with machine and versions to `benchmarks.states.json` in
`_build/measured`; `make store NAME=benchmarks.states` puts them in the place of those
that the book prints. Run it on a machine that does nothing else.
"""

import argparse
import os
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from attnlab import store
from attnlab.complexity.measuring import measure_in_turn, peak_memory
from attnlab.device import device, use_threads
from attnlab.linear_attention import delta_rule, linear_attention
from tools.authoring import MEASURED, ROOT

NAME = "benchmarks.states"
HEADS, D_HEAD = 4, 64
ROUNDS = {256: 41, 1024: 15, 4096: 5, 16_384: 3}  # by length
LEARNED, STEPWISE = 4096, 1024  # the longest, with gradients; token by token
CASES = {
    "read": list(ROUNDS),
    "learn": [n for n in ROUNDS if n <= LEARNED],
    "step": list(ROUNDS),
}
Calls = dict[str, Callable[[], Tensor]]


def softmax(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Causal attention of (B, h, n, d); a single query sees all keys."""
    causal = query.shape[-2] > 1
    return F.scaled_dot_product_attention(query, key, value, is_causal=causal)


def contenders(case: str, length: int) -> tuple[Calls, list[Tensor]]:
    """What takes part, softmax attention first, and query, key, value: (1, h, n, d)."""
    tokens = 1 if case == "step" else length
    query, key, value = inputs = [
        torch.randn(1, HEADS, tokens, D_HEAD, device=device()) for _ in range(3)
    ]
    key = inputs[1] = F.normalize(key, dim=-1)  # or the delta rule diverges
    beta = torch.full((1,), 0.5, device=device())
    for x in inputs:
        x.requires_grad_(case == "learn")
    if case == "step":
        state = torch.randn(1, HEADS, D_HEAD, D_HEAD, device=device())
        cache = torch.randn(2, 1, HEADS, length, D_HEAD, device=device())
        options = {"state": state, "form": "recurrent"}
        return {
            "softmax": partial(softmax, query, *cache),
            "linear": lambda: linear_attention(query, key, value, **options)[0],
            "delta": lambda: delta_rule(query, key, value, beta, **options)[0],
        }, inputs
    calls: Calls = {"softmax": partial(softmax, query, key, value)}
    for form in ("chunked", "recurrent"):
        if case == "learn" and form == "recurrent" and length > STEPWISE:
            continue
        linear = partial(linear_attention, query, key, value, form=form)
        delta = partial(delta_rule, query, key, value, beta, form=form)
        calls[f"linear, {form}"] = lambda linear=linear: linear()[0]
        calls[f"delta, {form}"] = lambda delta=delta: delta()[0]
    return calls, inputs


def measure(seed: int, case: str, length: int, rounds: int) -> dict:
    """Return every contender's quartiles of seconds and ratios, and its megabytes."""
    torch.manual_seed(seed)
    calls, inputs = contenders(case, length)

    def learn(call: Callable[[], Tensor]) -> None:
        for x in inputs:
            x.grad = None
        call().sum().backward()

    def weigh(name: str) -> bool:
        return length <= STEPWISE or "recurrent" not in name

    if case == "learn":
        steps = {name: partial(learn, call) for name, call in calls.items()}
        return _measure(steps, rounds, weigh)
    with torch.no_grad():
        return _measure(calls, rounds, weigh)


def _measure(
    steps: dict[str, Callable[[], object]], rounds: int, weigh: Callable[[str], bool]
) -> dict:
    metrics = measure_in_turn(steps, rounds)
    for name, step in steps.items():
        if weigh(name):
            metrics[name]["megabytes"] = peak_memory(step) / 1e6
    return metrics


def print_table(results: dict) -> None:
    """Print each stored case: milliseconds, ratio to softmax attention, memory."""
    for run in results["runs"]:
        print("\n{case}, {length} tokens".format(**run["setting"]))
        for name, of in run["figures"].items():
            ratio = "{median:.3f} ({low:.3f} … {high:.3f})".format(**of["ratio"])
            milliseconds = 1000 * of["seconds"]["median"]
            print(f"  {name:20} {milliseconds:9.2f} ms  {ratio:24}", end="")
            print(f"{of['megabytes']:9.2f} MB" if "megabytes" in of else "")


def main() -> None:
    """Read the options and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=CASES, help="one case instead of all")
    parser.add_argument(
        "--rounds", type=int, help="instead of each length's own number"
    )
    parser.add_argument("--longest", type=int, help="no more tokens than so many")
    parser.add_argument("--threads", type=int, default=1, help="(default: 1)")
    parser.add_argument("--folder", default=ROOT / MEASURED, help="where to write")
    args = parser.parse_args()
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > 0.5:
        print(f"The machine is busy: its load is {os.getloadavg()[0]:.1f}")
    settings = [
        {"case": case, "length": n, "rounds": args.rounds or ROUNDS[n]}
        for case, lengths in CASES.items()
        for n in lengths
        if args.only in (None, case) and n <= (args.longest or n)
    ]
    with use_threads(args.threads):
        results = store.run(
            NAME, measure, settings, seeds=[0], redo=True, folder=args.folder
        )
    print_table(results)
    print(f"\nIn {args.folder}; `make store NAME={NAME}` puts it into the book")


if __name__ == "__main__":
    main()
