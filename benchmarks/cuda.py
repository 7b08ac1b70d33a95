"""Every model on a GPU: is it what the CPU computes, and how long does a step take?

    python -m benchmarks.cuda results.json       # a minute, on a machine with CUDA

Parity: output and gradients of each model on the GPU, in four precisions, against
float64 on the CPU. What is written is the largest difference, as a share of the largest
output or gradient. TF32 is off. Every batch has padding, and a sentence that is nothing
else.

Times: the median of many training steps, or of greedy decoding with its cache, with
`torch.cuda.synchronize()` around each. `benchmarks/cuda.json` has what one GPU gave.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

from attnlab import DecoderOnly, Seq2Seq, Tagger, Transformer, greedy
from attnlab.data import Batch
from attnlab.recurrence import Recurrence
from attnlab.scores import AdditiveScore, GeneralScore
from attnlab.training import cross_entropy_loss

VOCAB, D = 37, 32
PRECISIONS = ("float64", "float32", "bfloat16", "float16")


def models() -> dict[str, Callable[[], nn.Module]]:
    """Return how each model is made, small."""
    found: dict[str, Callable[[], nn.Module]] = {}
    for kind in ("sinusoidal", "learned", "rotary", "alibi", "none"):
        found[f"Transformer, {kind}"] = lambda kind=kind: Transformer(
            VOCAB, VOCAB, D, 4, 2, 64, positions=kind
        )
    for cell in ("rnn", "gru", "lstm"):
        found[f"Seq2Seq, {cell}"] = lambda cell=cell: Seq2Seq(
            VOCAB, VOCAB, D, cell=cell, score=GeneralScore(D, D), bidirectional=True
        )
    found["Seq2Seq, Bahdanau"] = lambda: Seq2Seq(
        VOCAB, VOCAB, D, style="bahdanau", score=AdditiveScore(D, D, D)
    )
    found["DecoderOnly"] = lambda: DecoderOnly(VOCAB, D, 4, 2, 2, 64)
    for kind in ("attention", "gru", "cnn"):
        found[f"Tagger, {kind}"] = lambda kind=kind: Tagger(
            VOCAB, 5, D, encoder=kind, d_ff=64
        )
    return found


def ids(batch: int, length: int) -> Tensor:
    """Random tokens (batch, length): the first row padding, the second half of it."""
    drawn = torch.randint(1, VOCAB, (batch, length))
    drawn[1, length // 2 :] = 0
    drawn[0] = 0
    return drawn


def output_and_gradients(
    make: Callable[[], nn.Module], device: str, dtype: torch.dtype
) -> list[Tensor]:
    """Return the logits and each parameter's gradient, without dropout, in float64."""
    torch.manual_seed(0)
    model = make().eval().to(device, dtype)
    for layer in model.modules():
        if isinstance(layer, Recurrence):  # cuDNN goes backward in training mode alone
            layer.train()
    two = isinstance(model, Transformer | Seq2Seq)
    inputs = [ids(4, 9), ids(4, 7)] if two else [ids(4, 9)]
    output = model(*(one.to(device) for one in inputs))
    output.float().square().mean().backward()
    found = [
        output.detach(),
        *(p.grad for p in model.parameters() if p.grad is not None),
    ]
    return [one.double().cpu() for one in found]


def largest_relative_difference(found: list[Tensor], wanted: list[Tensor]) -> float:
    """Return it as a share of the largest output, or of the largest gradient.

    Both lists are from `output_and_gradients`.
    """
    assert all(one.isfinite().all() for one in found)
    scales = [
        wanted[0].abs().max(),
        *[max(g.abs().max() for g in wanted[1:])] * len(wanted),
    ]
    pairs = zip(found, wanted, scales, strict=False)
    largest = max(((a - b).abs().max() / scale).item() for a, b, scale in pairs)
    return float(f"{largest:.1e}")


def parity() -> dict[str, dict[str, float]]:
    """Return the largest difference of each model on the GPU, by precision."""
    table = {}
    for name, make in models().items():
        exact = output_and_gradients(make, "cpu", torch.float64)
        table[name] = {
            precision: largest_relative_difference(
                output_and_gradients(make, "cuda", getattr(torch, precision)), exact
            )
            for precision in PRECISIONS
        }
    return table


def milliseconds(call: Callable[[], object], rounds: int) -> float:
    """Return the median time of a call, in milliseconds."""
    times = []
    for number in range(5 + rounds):
        torch.cuda.synchronize()
        begun = time.perf_counter()
        call()
        torch.cuda.synchronize()
        if number >= 5:
            times.append(1e3 * (time.perf_counter() - begun))
    return round(statistics.median(times), 1)


def times() -> dict[str, float]:
    """Return the times of a training step and of decoding, in milliseconds."""
    table = {}
    for name, (d, heads, layers, d_ff), (batch, length) in (
        ("d 128, 2 + 2 layers, 64 × 24 tokens", (128, 4, 2, 512), (64, 24)),
        ("d 512, 6 + 6 layers, 32 × 128 tokens", (512, 8, 6, 2048), (32, 128)),
    ):
        model = Transformer(VOCAB, VOCAB, d, heads, layers, d_ff).cuda()
        src = torch.randint(3, VOCAB, (batch, length))
        src[::2, length // 2 :] = 0
        data = Batch(src.cuda(), torch.randint(3, VOCAB, (batch, length + 1)).cuda())
        optimizer = torch.optim.AdamW(model.parameters(), fused=True)
        one_step = partial(step, model, optimizer, data)
        table[f"step, {name}"] = milliseconds(one_step, rounds=40)
        model.output_layer.bias.data[2] = -1e9  # no sentence ends early
        decode = partial(greedy, model, data.src, 32)
        table[f"32 tokens, {name}"] = milliseconds(decode, rounds=8)
    return table


def step(model: nn.Module, optimizer: torch.optim.Optimizer, data: Batch) -> None:
    """Take one step of training."""
    optimizer.zero_grad()
    cross_entropy_loss(model, data)[0].backward()
    optimizer.step()


def main() -> None:
    """Write differences and times to the file that the command line names."""
    if not torch.cuda.is_available():
        sys.exit("benchmarks.cuda needs a GPU that CUDA knows; none is here")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    report = {
        "machine": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "largest difference from float64 on the CPU": parity(),
        "milliseconds": times(),
    }
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    Path(sys.argv[1]).write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
