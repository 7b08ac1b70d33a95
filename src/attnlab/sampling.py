"""Drawing what comes next: temperature, top-k, top-p.

A model says how probable each token is. To take the best one at every step (greedy) is
to write the same again and again; to draw from all of them is to be led astray, sooner
or later, by one of thousands that are improbable each. Between them lie three settings:

    temperature   logits are divided by it: below 1 the probable gains, above 1 it loses
    top_k         only the k most probable are left (Fan et al. 2018)
    top_p         only the fewest that make up p together (Holtzman et al. 2020)
"""

from typing import Any

import torch
from torch import Tensor

from attnlab.checks import (
    check_floating,
    check_ids,
    check_integer,
    check_number,
    check_vocabulary,
)
from attnlab.decoding import evaluating
from attnlab.tokens import BOS, EOS, PAD

# Temperatures beyond these do what these do; float32 has none below 10⁻³⁸.
MIN_TEMPERATURE, MAX_TEMPERATURE = 1e-30, 1e30


def next_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
) -> Tensor:
    """Return the probabilities that are drawn from.

    The temperature comes first, then top-k, then top-p of what is left; those left out
    get 0, the others are scaled up to add to 1. Of equal ones the lower id comes first.

    Args:
        logits: (…, vocab). What must never be drawn is −∞.
        temperature: 0 leaves the most probable alone.
        top_k: how many to leave at most; None leaves all.
        top_p: the share that those left must reach, 0 < p ≤ 1. The most probable one
            is always among them.

    Returns:
        (…, vocab), of the logits' dtype, float32 at least.

    Raises:
        TypeError: logits or a setting of the wrong kind.
        ValueError: a negative temperature, top_k < 1, top_p outside (0, 1], or logits
            of which none is the largest: no tokens, NaN, ∞, or −∞ throughout.
    """
    check_floating("logits", logits)
    if logits.dim() == 0 or logits.numel() == 0:
        raise ValueError(f"logits must be (…, vocab), got {tuple(logits.shape)}")
    if not logits.amax(-1).isfinite().all():
        raise ValueError("logits must be numbers, or −∞ where nothing is to be drawn")
    check_number("temperature", temperature)
    if temperature < 0:
        raise ValueError(f"temperature must not be negative, got {temperature}")
    if top_k is not None:
        check_integer("top_k", top_k, 1)
    check_number("top_p", top_p, above=0)
    if top_p > 1:
        raise ValueError(f"top_p must be at most 1, got {top_p}")
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    logits, ids = logits.sort(descending=True, stable=True)
    logits = logits - logits[..., :1]  # the best is 0: no temperature overflows
    if temperature > 0:
        logits = logits / float(min(max(temperature, MIN_TEMPERATURE), MAX_TEMPERATURE))
    else:
        top_k = 1
    places = torch.arange(logits.shape[-1], device=logits.device)
    if top_k is not None:
        logits = logits.masked_fill(places >= top_k, float("-inf"))
    chances = logits.softmax(-1)
    before = chances.cumsum(-1) - chances  # of all that are more probable
    chances = chances.masked_fill((before >= top_p) & (places > 0), 0.0)
    chances = chances / chances.sum(-1, keepdim=True)
    return torch.zeros_like(chances).scatter(-1, ids, chances)


def sample(
    model: Any,
    prefix: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    generator: torch.Generator | None = None,
    *,
    max_len: int = 40,
) -> Tensor:
    """Go on from a prefix, token by token, until every text has ended.

    Args:
        model: a `DecoderOnly`, or what else has its `make_cache` and `forward`.
        prefix: (B, n), ids, BOS first. Shorter ones are padded, on the left or on the
            right, and each is continued as it would be alone.
        temperature, top_k, top_p: as for `next_probabilities`.
        generator: what draws; None is torch's own. It lies on the CPU, as the draws do:
            the same seed draws the same on every device.
        max_len: the most tokens to write, EOS included.

    Returns:
        (B, ≤ max_len), what was written: the prefix left out, EOS kept, PAD after it.

    Raises:
        TypeError, ValueError: a setting out of range, a prefix that the model does not
            take, or a row of it that is padding alone.
    """
    check_integer("max_len", max_len, 1)
    check_ids("prefix", prefix)
    if hasattr(model, "vocab_size"):
        check_vocabulary("prefix", prefix.cpu(), model.vocab_size)
    real = prefix != PAD
    if not real.any(1).all():
        raise ValueError("each row of the prefix needs a token that is not padding")
    last = prefix.shape[1] - 1 - real.flip(1).int().argmax(1)  # the last token of each
    written = []
    with evaluating(model):
        cache, tokens, rows = model.make_cache(), prefix, torch.arange(len(prefix))
        ended = torch.zeros(len(prefix), dtype=torch.bool)
        for _ in range(max_len):
            logits = model(tokens, cache)[rows, last].cpu()  # (B, vocab)
            logits[:, [PAD, BOS]] = float("-inf")
            chances = next_probabilities(logits, temperature, top_k, top_p)
            drawn = torch.multinomial(chances, 1, generator=generator)[:, 0]
            drawn = drawn.masked_fill(ended, PAD)
            written.append(drawn)
            ended = ended | (drawn == EOS)
            if ended.all():
                break
            tokens, last = drawn[:, None].to(prefix.device), last.new_zeros(len(last))
    return torch.stack(written, dim=1).to(prefix.device)
