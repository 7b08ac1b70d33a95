"""One small Transformer without each of its parts: the machine of chapter 7.

A layer on either side, of width 16 and two heads, learns to turn English numerals of up
to four words into German ones: 7,134 parameters, few enough to draw them all. So it
does without its sums, its norms, its feed-forward layers, the factor √d, the positions
and the causal mask. Each has the best of three learning rates, found with a seed that
is not among those reported; all see the same numbers, a fifth of which are held back.

    python -m tools.live_weights machine machine-no-sums …   # five minutes each
"""

from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from attnlab.checks import check_choice
from attnlab.data import NumberPairs, collate, number_tokens
from attnlab.experiments.ablations import NoFeedForward, layers_of
from attnlab.live.machine import MAX_WORDS, MAX_WRITTEN, PARTS
from attnlab.tokens import BOS, PAD
from attnlab.training import set_seed, train
from attnlab.transformer import Transformer

SHAPE: dict[str, Any] = {
    "d_model": 16,
    "num_heads": 2,
    "num_layers": 1,
    "d_ff": 32,
    "dropout": 0.0,
    "last_norm": False,
}
RATES = (3e-3, 1e-2, 3e-2)
SEEDS, TUNING_SEED = range(5), 100
STEPS = 1_500
SHORT_REPEATS = 3  # how often an epoch shows each numeral below 100


@cache
def train_and_test_numbers() -> tuple[list[int], list[int]]:
    """Return the numbers to learn from, and those held back, all from 100 on."""
    # Four words have four digits other than 0 at most; to spell a million takes longer.
    short = [n for n in range(10**6) if len(str(n).replace("0", "")) <= MAX_WORDS]
    numbers = [n for n in short if len(number_tokens(n, "en")) <= MAX_WORDS]
    long = [n for n in numbers if n >= 100]
    order = torch.randperm(len(long), generator=torch.Generator().manual_seed(0))
    shuffled = [long[i] for i in order]
    fifth = len(long) // 5
    return list(range(100)) * SHORT_REPEATS + shuffled[fifth:], shuffled[:fifth]


def remove_part(model: Transformer, part: str) -> Transformer:
    """Leave a part out of a model, in place, and return it; ValueError if unknown."""
    check_choice("part", part, PARTS)
    layers: Any = layers_of(model)
    for layer in layers:
        if part == "sums":
            layer.residual = False
        if part == "feed-forward":
            layer.feed_forward = NoFeedForward()
        if part == "norms":
            for name, module in list(layer.named_children()):
                if isinstance(module, nn.LayerNorm):
                    setattr(layer, name, nn.Identity())
    if part == "factor":
        model.scale = 1.0
    if part == "positions":
        model.positions = None
    if part == "mask":
        model.causal = False
    return model


def train_machine(part: str, lr: float, seed: int, steps: int = STEPS) -> Transformer:
    """Train a machine without a part; 0 steps return it as it begins."""
    pairs = NumberPairs(train_and_test_numbers()[0])
    set_seed(seed)
    sizes = len(pairs.src_vocab), len(pairs.tgt_vocab)
    model = remove_part(Transformer(*sizes, **SHAPE), part)
    if steps:
        options: Any = {"lr": lr, "warmup": 0.1, "betas": (0.9, 0.98), "seed": seed}
        train(model, pairs, steps=steps, device="cpu", progress=False, **options)
    return model.eval()


@torch.no_grad()
def write_words(model: Transformer, src: Tensor) -> Tensor:
    """Write the likeliest words, (B, `MAX_WRITTEN`), and all anew at every step.

    A machine without its mask has nothing that could be kept: with every new word the
    states of those before it are others.
    """
    memory, mask = model.encode(src), model.src_mask(src)
    written = torch.full((len(src), 1), BOS)
    for _ in range(MAX_WRITTEN):
        said = model.decode(written, memory, mask)[:, -1].argmax(dim=-1)
        written = torch.cat([written, said[:, None]], dim=1)
    return written[:, 1:]


def share_right(model: Transformer, numbers: list[int]) -> float:
    """Return the share of numerals that are written right, in every word."""
    pairs = NumberPairs(numbers)
    src, tgt = collate([pairs[i] for i in range(len(pairs))])
    wanted = tgt[:, 1:]  # without BOS
    said = write_words(model, src)[:, : wanted.shape[1]]
    return ((said == wanted) | (wanted == PAD)).all(dim=1).float().mean().item()
