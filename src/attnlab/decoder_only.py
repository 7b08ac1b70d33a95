"""A decoder-only Transformer, as language models are built since LLaMA.

One stack of blocks reads a text and says at every token what may come next. There is no
encoder, hence no second attention; and four parts of the Transformer of 2017 changed:

| part            | 2017        | here                          | source               |
| --------------- | ----------- | ----------------------------- | -------------------- |
| norm            | LayerNorm   | `RMSNorm`, before a sublayer  | Zhang, Sennrich 2019 |
| feed-forward    | ReLU        | `SwiGLU`                      | Shazeer 2020         |
| positions       | sines added | `RotaryPositions`             | Su et al. 2021       |
| keys and values | every head  | a group of heads shares them  | Ainslie et al. 2023  |

The embedding is the output layer as well (Press and Wolf 2017); no layer has a bias.

    model = DecoderOnly(3000, d_model=128, num_heads=4, num_groups=2, num_layers=3)
    logits = model(tokens)                            # (B, n, 3000), all at once
    cache = model.make_cache()
    logits = model(tokens[:, :1], cache)              # or token by token
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.attention import causal_mask, scaled_dot_product_attention
from attnlab.cache import Cache, LayerCache
from attnlab.checks import (
    check_floating,
    check_groups,
    check_heads,
    check_integer,
    check_number,
    check_sizes,
    embed,
)
from attnlab.dropout import Dropout
from attnlab.positions import RotaryPositions, rotate
from attnlab.tokens import PAD


class RMSNorm(nn.Module):
    """x / √(mean(x²) + ε) · g: LayerNorm without the mean and without a bias.

    Zhang and Sennrich (2019), eq. 4. Computed in float32 at least, as a sum of squares
    overflows float16.

    Args:
        d_model: the width.
        eps: ε, which keeps a row of zeros finite.

    Raises:
        TypeError, ValueError: a width that is none, or an ε that is not positive.
    """

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        check_sizes(d_model=d_model)
        check_number("eps", eps, above=0)
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """Map x (…, d_model) to the same shape and dtype.

        Raises:
            TypeError: x is not a floating point tensor.
            ValueError: x has another width.
        """
        check_floating("x", x)
        if x.dim() == 0 or x.shape[-1] != len(self.gain):
            raise ValueError(f"x must be (…, {len(self.gain)}), got {tuple(x.shape)}")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        size = wide.square().mean(-1, keepdim=True).add(self.eps).rsqrt()
        return (wide * size).to(x.dtype) * self.gain


class SwiGLU(nn.Module):
    """(swish(x W) ⊙ x V) W₂: what passes is multiplied by a gate (Shazeer 2020, eq. 6).

    Args:
        d_model: the width of input and output.
        d_ff: the width in between. There are three matrices where ReLU has two: two
            thirds of its width cost the same.

    Raises:
        TypeError, ValueError: a size that is no integer, or below 1.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        check_sizes(d_model=d_model, d_ff=d_ff)
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.inner = nn.Linear(d_model, d_ff, bias=False)
        self.outer = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Map x (…, d_model) to the same shape."""
        return self.outer(F.silu(self.gate(x)) * self.inner(x))


class GroupedSelfAttention(nn.Module):
    """Causal self-attention: grouped queries, rotary positions, a cache.

    Heads share keys and values within a group (`attnlab.grouped`); queries and keys are
    turned by their positions, so that a score knows their distance alone.

    Args:
        d_model: the width of input and output.
        num_heads: heads of queries; they share out d_model.
        num_groups: heads of keys and values; divides num_heads.

    Raises:
        TypeError, ValueError: sizes that are no integers, under 1, or do not divide; a
            width of a head that is odd.
    """

    def __init__(self, d_model: int, num_heads: int, num_groups: int) -> None:
        super().__init__()
        check_heads(num_heads, d_model)
        check_groups(num_groups, num_heads)
        self.num_heads, self.num_groups = num_heads, num_groups
        d_head = d_model // num_heads
        self.rotary = RotaryPositions(d_head)
        self.query_layer = nn.Linear(d_model, d_model, bias=False)
        self.key_layer = nn.Linear(d_model, num_groups * d_head, bias=False)
        self.value_layer = nn.Linear(d_model, num_groups * d_head, bias=False)
        self.output_layer = nn.Linear(d_model, d_model, bias=False)

    def forward(
        self,
        x: Tensor,
        cache: LayerCache | None = None,
        mask: Tensor | None = None,
        turns: Tensor | None = None,
    ) -> Tensor:
        """Let each of x (B, n, d_model) attend to itself and to all before it.

        Args:
            x: the rows that follow those in the cache.
            cache: keys and values of the rows before; takes up those of x.
            mask: bool, True = may attend, (B, 1, n, start + n); None is all of them.
            turns: the rotary rows of x's positions, (B, 1, n, d_head) or (n, d_head);
                None: they follow those in the cache.

        Returns:
            (B, n, d_model).
        """
        start, n = 0 if cache is None else cache.length, x.shape[1]
        queries = _split(self.query_layer(x), self.num_heads)
        keys = _split(self.key_layer(x), self.num_groups)
        values = _split(self.value_layer(x), self.num_groups)
        turns = self.rotary.rows(queries, start) if turns is None else turns
        queries, keys = rotate(queries, turns), rotate(keys, turns)
        if cache is not None:
            keys, values = cache.extend(keys, values)  # (B, groups, start + n, d_head)
        share = self.num_heads // self.num_groups
        found, _ = scaled_dot_product_attention(
            queries,  # (B, h, n, d_head)
            keys.repeat_interleave(share, dim=1),  # (B, h, start + n, d_head)
            values.repeat_interleave(share, dim=1),
            _before(start, n, x.device) if mask is None else mask,
            need_weights=False,
        )
        return self.output_layer(found.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """x + Attention(norm(x)), then x + SwiGLU(norm(x)).

    Args:
        d_model, num_heads, num_groups: as for `GroupedSelfAttention`.
        d_ff: as for `SwiGLU`.
        dropout: on what each sublayer adds.
    """

    def __init__(
        self, d_model: int, num_heads: int, num_groups: int, d_ff: int, dropout: float
    ) -> None:
        super().__init__()
        self.attention_norm = RMSNorm(d_model)
        self.attention = GroupedSelfAttention(d_model, num_heads, num_groups)
        self.feed_forward_norm = RMSNorm(d_model)
        self.feed_forward = SwiGLU(d_model, d_ff)
        self.dropout = Dropout(dropout)

    def forward(
        self,
        x: Tensor,
        cache: LayerCache | None = None,
        mask: Tensor | None = None,
        turns: Tensor | None = None,
    ) -> Tensor:
        """Map x (B, n, d_model) to the same shape; see `GroupedSelfAttention`."""
        found = self.attention(self.attention_norm(x), cache, mask, turns)
        x = x + self.dropout(found)
        return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))


class DecoderOnly(nn.Module):
    """Tokens in, logits of the next token out, at every place.

    Args:
        vocab_size: how many token ids there are.
        d_model: the width of the states.
        num_heads: heads of queries.
        num_groups: heads of keys and values.
        num_layers: how many blocks.
        d_ff: the width inside feed-forward layers.
        dropout: on the embeddings and on what each sublayer adds.
        pad: the id of padding, which nobody attends to and which takes no position: it
            may stand on the left or on the right.

    Raises:
        TypeError, ValueError: sizes that are no integers, under 1, or do not divide, a
            dropout outside [0, 1), or padding that is no token.
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int = 128,
        num_heads: int = 4,
        num_groups: int = 2,
        num_layers: int = 3,
        d_ff: int = 256,
        dropout: float = 0.0,
        pad: int = PAD,
    ) -> None:
        super().__init__()
        check_sizes(vocab_size=vocab_size, num_layers=num_layers)
        check_integer("pad", pad, 0)
        if pad >= vocab_size:
            raise ValueError(f"pad must be one of {vocab_size} tokens, got {pad}")
        self.vocab_size, self.pad = vocab_size, pad
        sizes = d_model, num_heads, num_groups, d_ff
        self.blocks = nn.ModuleList(Block(*sizes, dropout) for _ in range(num_layers))
        self.norm = RMSNorm(d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        # So that the logits of the output layer, which it is as well, begin near ±1.
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.dropout = Dropout(dropout)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> Tensor:
        """Say what may follow each token.

        Each row gets what it would get alone, without its padding.

        Args:
            tokens: (B, n), ids, padded on the left or on the right.
            cache: what `make_cache` returned, and earlier calls have filled: then
                `tokens` are those that follow.

        Returns:
            Logits (B, n, vocab_size); those at place i come of the tokens up to i. At
            padding they have no meaning.

        Raises:
            TypeError: tokens that are not integers.
            ValueError: a wrong rank, nothing in it, or on a CPU an id outside the
                vocabulary.
        """
        x = self.dropout(embed("tokens", tokens, self.embedding))  # (B, n, d_model)
        start = 0
        layers: Sequence[LayerCache | None] = [None] * len(self.blocks)
        mask = (tokens != self.pad)[:, None]  # (B, 1, n)
        if cache is not None:
            start, layers = cache.length, cache.layers
            mask = cache.read(mask[:, 0])  # (B, 1, start + n)
        places = (mask.cumsum(-1)[..., start:] - 1).clamp(min=0)  # (B, 1, n)
        before = _before(start, tokens.shape[1], x.device)
        mask = (mask if before is None else mask & before)[:, None]  # (B, 1, n, keys)
        attention: Any = self.blocks[0].attention
        turns = attention.rotary.rows(_split(x, attention.num_heads), start, places)
        for block, layer in zip(self.blocks, layers, strict=True):
            x = block(x, layer, mask, turns)
        return F.linear(self.norm(x), self.embedding.weight)

    def make_cache(self) -> Cache:
        """Return an empty cache, one `LayerCache` a block."""
        return Cache([LayerCache() for _ in self.blocks])


def _before(start: int, n: int, device: torch.device) -> Tensor | None:
    """Make the causal mask (n, start + n) of n rows from `start` on; one sees all."""
    return None if n == 1 else causal_mask(start + n, device=device)[start:]


def _split(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)  # (B, heads, n, d_head)
