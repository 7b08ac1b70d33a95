"""The book's Transformer against PyTorch's own: training and decoding.

    python -m benchmarks.transformer                    # everything, some minutes
    python -m benchmarks.transformer --only training    # one case

The model has d_model 128, 2 + 2 layers, 8 heads, d_ff 512, 1,000 words a side, dropout
0.1. A case's contenders take turns, round after round, so that whatever else the
machine does meets all alike; each gets the median of its times and of its ratios to the
case's first contender in the same round, with their quartiles.

Training: one step (forward, backward, AdamW) on 64 pairs of 24 + 24 tokens. PyTorch's
`nn.Transformer` gets the book's embeddings and read-out, and dropout on the embeddings.
"matrix products" is what the machine needs for as many multiplications as the model's
own, in square products of no more than that: a limit that no program of this kind
passes. "its own matrix products" are those of the step itself, in their own shapes, and
nothing else.

Decoding: greedy, from 24 tokens to 128, by the key–value cache, by reading the prefix
anew at every step, and by filling a padded target; by the prefix, without a cache, of
`nn.Transformer`; and by a beam of five, five times the work of greedy search.

The figures are written with machine and versions to `benchmarks.transformer.json` in
`_build/measured`; `make store NAME=benchmarks.transformer` puts them in the place of
those that the book prints. Run it on a machine that does nothing else.
"""

import argparse
import os
import warnings
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from attnlab import store
from attnlab.attention import causal_mask
from attnlab.complexity.measuring import measure_in_turn
from attnlab.data import BOS, EOS, PAD
from attnlab.decoding import (
    beam_search,
    evaluating,
    greedy,
    greedy_padded,
    greedy_prefix,
)
from attnlab.device import device, use_threads
from attnlab.transformer import Transformer
from tools.authoring import MEASURED, ROOT

NAME = "benchmarks.transformer"
VOCAB, D_MODEL, HEADS, LAYERS, D_FF, DROPOUT = 1000, 128, 8, 2, 512, 0.1
BATCH, LENGTH, MAX_LEN = 64, 24, 128

PRODUCTS = {torch.ops.aten.mm, torch.ops.aten.addmm, torch.ops.aten.bmm}

Calls = dict[str, Callable[[], object]]


class TorchTransformer(nn.Module):
    """`nn.Transformer` between the book's embeddings and read-out."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Transformer(
            D_MODEL, HEADS, LAYERS, LAYERS, D_FF, DROPOUT, batch_first=True
        )
        self.ends = Transformer.from_torch(self.layers, VOCAB, VOCAB)
        self.ends.encoder = self.ends.decoder = nn.Module()  # the ends alone

    def encode(self, src: Tensor) -> Tensor:
        """Map (B, L_s) ids to the memory, (B, L_s, d_model)."""
        x = self.ends._embed(self.ends.src_embedding, src, 0)
        return self.layers.encoder(x, src_key_padding_mask=src == PAD)

    def decode(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        """Map (B, L_t) ids and the memory of src to logits."""
        states = self.layers.decoder(
            self.ends._embed(self.ends.tgt_embedding, tgt, 0),
            memory,
            tgt_mask=~causal_mask(tgt.shape[1], device=tgt.device),
            tgt_key_padding_mask=tgt == PAD,
            memory_key_padding_mask=src == PAD,
        )
        return self.ends.output_layer(states)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Map ids to logits, as `Transformer` does."""
        return self.decode(tgt, self.encode(src), src)

    def greedy(self, src: Tensor, max_len: int) -> Tensor:
        """Return (B, max_len) ids, reading the prefix anew at every step."""
        with evaluating(self):
            memory = self.encode(src)
            prefix = torch.full((len(src), 1), BOS, device=src.device)
            for _ in range(max_len):
                tokens = self.decode(prefix, memory, src)[:, -1].argmax(-1)
                prefix = torch.cat([prefix, tokens[:, None]], dim=1)
        return prefix[:, 1:]


# The cases ---------------------------------------------------------------------------


def training(*, padded: bool = False) -> Calls:
    """One training step of each model, and the matrix products in it."""
    src, tgt = _ids(BATCH), _ids(BATCH)
    if padded:  # lengths from half to all of it
        for row in range(BATCH):
            src[row, LENGTH - row % (LENGTH // 2) :] = PAD
            tgt[row, LENGTH - (row + 7) % (LENGTH // 2) :] = PAD
    ours = Transformer(VOCAB, VOCAB, D_MODEL, HEADS, LAYERS, D_FF, DROPOUT)
    calls = {
        "torch.nn.Transformer": _step(TorchTransformer(), src, tgt),
        "attnlab.Transformer": _step(ours, src, tgt),
    }
    with FlopCounterMode(display=False) as counter, _Products() as products:
        calls["attnlab.Transformer"]()
    calls["matrix products"] = square_products(counter.get_total_flops())
    calls["its own matrix products"] = products.multiply
    return calls


def decoding(batch: int) -> Calls:
    """Greedy decoding of `batch` sentences to 128 tokens, none of which ends them.

    Raises:
        RuntimeError: the ways do not give the same tokens.
    """
    src = _ids(batch)
    ours = Transformer(VOCAB, VOCAB, D_MODEL, HEADS, LAYERS, D_FF).to(device())
    theirs = TorchTransformer().to(device())
    for layer in (ours.output_layer, theirs.ends.output_layer):
        with torch.no_grad():
            layer.bias[[PAD, EOS]] = -1e4
    calls = {
        "prefix": partial(greedy_prefix, ours, src, MAX_LEN),
        "cache": partial(greedy, ours, src, MAX_LEN),
        "padded": partial(greedy_padded, ours, src, MAX_LEN),
        "torch.nn.Transformer, prefix": partial(theirs.greedy, src, MAX_LEN),
        "cache, beam of 5": partial(beam_search, ours, src, MAX_LEN, width=5),
    }
    first, *others = (call() for call in list(calls.values())[:3])
    if not all(torch.equal(tokens, first) for tokens in others):
        raise RuntimeError("the ways of decoding differ in their tokens")
    return calls


# By name: how to make the contenders, and how many rounds they get.
CASES = {
    "training": (training, 31),
    "training-padded": (partial(training, padded=True), 31),
    "decoding-1": (partial(decoding, 1), 11),
    "decoding-16": (partial(decoding, 16), 5),
}


def _ids(batch: int) -> Tensor:
    return torch.randint(EOS + 1, VOCAB, (batch, LENGTH), device=device())


def _step(model: nn.Module, src: Tensor, tgt: Tensor) -> Callable[[], None]:
    """Make a function that takes one training step."""
    model.to(device()).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    wanted = tgt.roll(-1, 1).flatten()

    def cross_entropy() -> Tensor:
        logits = model(src, tgt).flatten(0, 1)  # (batch * length, vocab)
        return F.cross_entropy(logits, wanted, ignore_index=PAD)

    def step() -> None:
        optimizer.zero_grad()
        cross_entropy().backward()
        optimizer.step()

    return step


def square_products(flops: int) -> Callable[[], None]:
    """Make a function that spends so many operations on large matrix products."""
    size = 1024
    left, right = torch.randn(2, size, size, device=device())
    out = torch.empty_like(left)
    times, rest = divmod(flops, 2 * size**3)
    columns = round(rest / (2 * size**2))

    def multiply() -> None:
        for _ in range(times):
            torch.mm(left, right, out=out)
        left @ right[:, :columns]

    return multiply


class _Products(TorchDispatchMode):
    """Takes down the matrix products that are made within it, to make them again."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[tuple] = []

    def __torch_dispatch__(self, kind, types, args=(), kwargs=None) -> Tensor:
        if kind.overloadpacket in PRODUCTS:
            self.taken.append((kind, tuple(torch.randn_like(x) for x in args)))
        return kind(*args, **(kwargs or {}))

    def multiply(self) -> None:
        """Make all of them, on numbers of their own laid out alike."""
        for kind, args in self.taken:
            kind(*args)


# Measuring ---------------------------------------------------------------------------


def measure(seed: int, case: str, rounds: int) -> dict:
    """Return every contender's seconds and ratio, by name."""
    torch.manual_seed(seed)
    return measure_in_turn(CASES[case][0](), rounds)


def print_table(results: dict) -> None:
    """Print each case: milliseconds, and the ratio to the first contender."""
    for run in results["runs"]:
        machine, setting = run["machine"], run["setting"]
        print(f"\n{setting['case']} ({setting['rounds']} rounds; ", end="")
        print(f"{machine['cpu']}, {machine['threads']} threads, {machine['device']})")
        for name, of in run["figures"].items():
            milliseconds = 1000 * of["seconds"]["median"]
            ratio = "{median:.3f} ({low:.3f} … {high:.3f})".format(**of["ratio"])
            print(f"  {name:32} {milliseconds:9.2f} ms  {ratio}")


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
    warnings.filterwarnings("ignore", ".*nested tensors")  # torch's, of its own
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
