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

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.attention import causal_mask, scaled_dot_product_attention
from attnlab.cache import LayerCache
from attnlab.checks import (
    check_floating,
    check_groups,
    check_heads,
    check_ids,
    check_number,
    check_sizes,
)
from attnlab.dropout import Dropout
from attnlab.positions import RotaryPositions

Caches = Sequence[LayerCache]


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
        """Map x (…, d_model) to the same shape and dtype."""
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

    def forward(self, x: Tensor, cache: LayerCache | None = None) -> Tensor:
        """Let each of x (B, n, d_model) attend to itself and to all before it.

        Args:
            x: the rows that follow those in the cache.
            cache: keys and values of the rows before; takes up those of x.

        Returns:
            (B, n, d_model).
        """
        start, n = 0 if cache is None else cache.length, x.shape[1]
        queries = self.rotary(_split(self.query_layer(x), self.num_heads), start)
        keys = self.rotary(_split(self.key_layer(x), self.num_groups), start)
        values = _split(self.value_layer(x), self.num_groups)
        if cache is not None:
            keys, values = cache.extend(keys, values)  # (B, groups, start + n, d_head)
        share = self.num_heads // self.num_groups
        found, _ = scaled_dot_product_attention(
            queries,  # (B, h, n, d_head)
            keys.repeat_interleave(share, dim=1),  # (B, h, start + n, d_head)
            values.repeat_interleave(share, dim=1),
            None if n == 1 else causal_mask(start + n, device=x.device)[start:],
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

    def forward(self, x: Tensor, cache: LayerCache | None = None) -> Tensor:
        """Map x (B, n, d_model) to the same shape; see `GroupedSelfAttention`."""
        x = x + self.dropout(self.attention(self.attention_norm(x), cache))
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

    Raises:
        TypeError, ValueError: sizes that are no integers, under 1, or do not divide, or
            a dropout outside [0, 1).
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
    ) -> None:
        super().__init__()
        check_sizes(vocab_size=vocab_size, num_layers=num_layers)
        sizes = d_model, num_heads, num_groups, d_ff
        self.blocks = nn.ModuleList(Block(*sizes, dropout) for _ in range(num_layers))
        self.norm = RMSNorm(d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        # So that the logits of the output layer, which it is as well, begin near ±1.
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.dropout = Dropout(dropout)

    def forward(self, tokens: Tensor, cache: Caches | None = None) -> Tensor:
        """Say what may follow each token.

        Args:
            tokens: (B, n), ids. Padding stands on the right, where no one sees it.
            cache: what `make_cache` returned, and earlier calls have filled: then
                `tokens` are those that follow.

        Returns:
            Logits (B, n, vocab_size); those at place i come of the tokens up to i.

        Raises:
            TypeError: tokens that are not integers.
            ValueError: a wrong rank, nothing in it, or an id outside the vocabulary.
        """
        check_ids("tokens", tokens, self.embedding.num_embeddings)
        x = self.dropout(self.embedding(tokens))  # (B, n, d_model)
        for number, block in enumerate(self.blocks):
            x = block(x, None if cache is None else cache[number])
        return F.linear(self.norm(x), self.embedding.weight)

    def make_cache(self) -> Caches:
        """Return an empty cache, one `LayerCache` a block."""
        return [LayerCache() for _ in self.blocks]


def _split(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)  # (B, heads, n, d_head)
