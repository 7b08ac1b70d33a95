"""Attention: scaled dot products, and many heads of them.

Masks are bool, **True = may attend** (`attnlab.masks`). A query with nothing to attend
to gets weights 0 and output 0, forward and backward: never NaN.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from attnlab import torch_weights
from attnlab.checks import (
    check_attention,
    check_choice,
    check_dropout,
    check_floating,
    check_heads,
    check_integer,
    check_sizes,
)
from attnlab.dropout import dropout
from attnlab.fused import banded_attention, fused_attention
from attnlab.masks import causal_mask, masked_softmax, padding_mask, window_mask

__all__ = [
    "MultiHeadAttention",
    "banded_attention",
    "causal_mask",
    "head_mask",
    "masked_softmax",
    "padding_mask",
    "scaled_dot_product_attention",
    "window_mask",
]

# Of the initial W_Q, W_K and W_V. One matrix of all three has as many inputs and three
# times the outputs, for which Glorot and Bengio's limit, √(6 / (in + out)), is √2 less.
GAINS = {"joint": 0.5**0.5, "separate": 1.0}


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    *,
    scale: float | None = None,
    need_weights: bool = True,
    score_bias: Tensor | None = None,
    dropout_p: float = 0.0,
) -> tuple[Tensor, Tensor | None]:
    """softmax(scale · Q Kᵀ + bias) V (Vaswani et al. 2017, eq. 1).

    Args:
        query: (…, L_q, d). The dimensions before the last two broadcast.
        key: (…, L_k, d).
        value: (…, L_k, d_value).
        mask: bool, True = may attend, broadcastable to (…, L_q, L_k).
        scale: what the products are multiplied by; None is 1/√d.
        need_weights: False takes torch's fused kernel, which never holds the weights.
        score_bias: floating point, broadcastable to (…, L_q, L_k), added to the scores:
            `AlibiPositions` makes one.
        dropout_p: the probability of dropping a weight. A function knows no `eval()`:
            pass 0 outside training.

    Returns:
        The output (…, L_q, d_value), and the weights (…, L_q, L_k), before dropout,
        or None. A query with nothing to attend to gets output 0 and weights 0.

    Raises:
        TypeError: an input is not a floating point tensor, they differ in dtype, or the
            mask is not bool.
        ValueError: shapes that do not fit, or an empty sequence.
    """
    check_attention(query, key, value, mask, score_bias)
    if scale is None:
        scale = query.shape[-1] ** -0.5
    if not need_weights:
        output = fused_attention(query, key, value, mask, scale, score_bias, dropout_p)
        return output, None

    # Scaled before the product, which may be more than float16 can hold.
    scores = (query * scale) @ key.transpose(-2, -1)  # (…, L_q, L_k)
    if score_bias is not None:
        scores = scores + score_bias.to(scores)
    weights = masked_softmax(scores, mask)
    return dropout(weights, dropout_p) @ value, weights


class MultiHeadAttention(nn.Module):
    """Attention by several heads at once (Vaswani et al. 2017, section 3.2.2).

    Each head has its own projections W_Q, W_K, W_V to `d_head` dimensions and attends
    there; the heads' outputs, side by side, go through W_O to `d_model` dimensions. All
    heads' W_Q lie in one linear layer, one below the other, and so do W_K and W_V.

    Args:
        d_model: the width of the output, and of the inputs unless said otherwise.
        num_heads: how many heads.
        d_head: the width of one head. None shares out d_model, `d_model // num_heads`
            each, as in the paper and in torch; `d_head=d_model` gives every head the
            full width.
        d_query, d_key, d_value: the widths of the inputs; None is d_model.
        bias: whether the four projections add a bias.
        dropout: the probability of dropping a weight while training.
        rotary: turns queries and keys by their positions (`RotaryPositions(d_head)`).
        init: how W_Q, W_K and W_V are drawn. "joint": as one matrix, as torch does,
            hence smaller by 1/√2. "separate": each as a layer of its own.
        scale: what the scores are multiplied by; None is 1/√d_head.

    Raises:
        TypeError: a size is no integer, or the dropout no number.
        ValueError: a size below 1, heads that do not divide d_model (with d_head None),
            a dropout outside [0, 1), or an unknown `init`.
    """

    head_mask: Tensor | None = None  # (h,), bool: see the function `head_mask`

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        d_head: int | None = None,
        d_query: int | None = None,
        d_key: int | None = None,
        d_value: int | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        rotary: nn.Module | None = None,
        init: str = "joint",
        scale: float | None = None,
    ) -> None:
        super().__init__()
        check_sizes(d_model=d_model, num_heads=num_heads)
        if d_head is None:
            check_heads(num_heads, d_model)
        check_dropout(dropout)
        check_choice("init", init, GAINS)
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_head = d_model // num_heads if d_head is None else d_head
        self.d_query = d_model if d_query is None else d_query
        self.d_key = d_model if d_key is None else d_key
        self.d_value = d_model if d_value is None else d_value
        for name in ("d_head", "d_query", "d_key", "d_value"):
            check_integer(name, getattr(self, name), 1)
        self.dropout = dropout
        self.rotary = rotary
        self.init = init
        self.scale = scale

        d_heads = num_heads * self.d_head
        self.query_layer = nn.Linear(self.d_query, d_heads, bias=bias)
        self.key_layer = nn.Linear(self.d_key, d_heads, bias=bias)
        self.value_layer = nn.Linear(self.d_value, d_heads, bias=bias)
        self.output_layer = nn.Linear(d_heads, d_model, bias=bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights (Glorot and Bengio 2010, eq. 16) and set the biases to 0."""
        one_width = self.d_query == self.d_key == self.d_value
        gain = GAINS[self.init] if one_width else 1.0  # unequal ones are never joint
        for layer in (self.query_layer, self.key_layer, self.value_layer):
            nn.init.xavier_uniform_(layer.weight, gain)
        nn.init.xavier_uniform_(self.output_layer.weight)
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        mask: Tensor | None = None,
        need_weights: bool = False,
        *,
        score_bias: Tensor | None = None,
        kv: tuple[Tensor, Tensor] | None = None,
        start: int = 0,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from `query` to `key` and `value`.

        Args:
            query: (B, L_q, d_query).
            key: (B, L_k, d_key); None is the query: self-attention.
            value: (B, L_k, d_value); None is the key.
            mask: bool, True = may attend: (L_q, L_k), (B, L_q, L_k), (B, h, L_q, L_k),
                or what broadcasts to them. Three dimensions are the batch's, never the
                heads'.
            need_weights: also return the weights, which takes the readable path.
            score_bias: added to the scores, (h, L_q, L_k) or what broadcasts to
                (B, h, L_q, L_k).
            kv: keys and values from `prepare`, in place of `key` and `value`.
            start: the position of the first query. It matters to `rotary` alone.

        Returns:
            The output (B, L_q, d_model), and every head's weights (B, h, L_q, L_k),
            before dropout, or None. A query with nothing to attend to gets the output
            projection's bias.

        Raises:
            TypeError: an input is not a floating point tensor, or the mask is not bool.
            ValueError: a wrong rank, width, batch or length, an empty sequence, or a
                value without a key.
        """
        if key is None and value is not None:
            raise ValueError("a value came without a key")
        key = query if key is None else key
        value = key if value is None else value
        self._check("query", query, self.d_query)
        queries = self._rotate(self._split(self.query_layer(query)), start)
        keys, values = self.prepare(key, value, start=start) if kv is None else kv
        self._check_batch("query", query, keys)

        if isinstance(mask, Tensor) and mask.dim() == 3:
            mask = mask[:, None]  # (B, 1, L_q, L_k): the same for every head
        output, weights = scaled_dot_product_attention(
            queries,
            keys,
            values,
            mask,
            scale=self.scale,
            need_weights=need_weights,
            score_bias=score_bias,
            dropout_p=self.dropout if self.training else 0.0,
        )
        if self.head_mask is not None:
            output = output.masked_fill(~self.head_mask[:, None, None], 0.0)
        output = output.transpose(1, 2).flatten(2)  # (B, L_q, heads * d_head)
        return self.output_layer(output), weights

    def prepare(
        self, key: Tensor, value: Tensor, *, start: int = 0
    ) -> tuple[Tensor, Tensor]:
        """Do the part that depends on key and value alone: what a decoder can keep.

        Args:
            key: (B, L_k, d_key).
            value: (B, L_k, d_value).
            start: the position of the first key. It matters to `rotary` alone.

        Returns:
            Keys and values of all heads, each (B, h, L_k, d_head).

        Raises:
            TypeError, ValueError: as `forward`.
        """
        self._check("key", key, self.d_key)
        self._check("value", value, self.d_value)
        self._check_batch("value", value, key)
        keys = self._rotate(self._split(self.key_layer(key)), start)
        return keys, self._split(self.value_layer(value))

    def _split(self, x: Tensor) -> Tensor:
        x = x.unflatten(-1, (self.num_heads, self.d_head))  # (B, length, h, d_head)
        return x.transpose(1, 2)  # (B, h, length, d_head)

    def _rotate(self, x: Tensor, start: int) -> Tensor:
        return x if self.rotary is None else self.rotary(x, start)

    def _check(self, name: str, x: Tensor, width: int) -> None:
        check_floating(name, x)
        if x.dim() != 3 or x.shape[-1] != width:
            raise ValueError(
                f"{name} must be (batch, length, {width}), got {tuple(x.shape)}"
            )
        if x.shape[1] == 0:
            raise ValueError(f"{name} is an empty sequence: {tuple(x.shape)}")

    def _check_batch(self, name: str, x: Tensor, key: Tensor) -> None:
        if x.shape[0] != key.shape[0]:
            raise ValueError(
                f"{name} has a batch of {x.shape[0]}, the key one of {key.shape[0]}"
            )

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention) -> "MultiHeadAttention":
        """Return the same attention as a `torch.nn.MultiheadAttention`.

        Weights are copied; dtype, device and train or eval mode are the module's. What
        differs is how it is called: batch first whatever `module.batch_first` says,
        True = may attend in masks, and weights of every head, not of their mean.

        Raises:
            TypeError: not a `torch.nn.MultiheadAttention`.
            ValueError: it has `add_bias_kv` or `add_zero_attn`, which this has not.
        """
        return torch_weights.attention_from_torch(cls, module)


@contextmanager
def head_mask(
    layers: Sequence[MultiHeadAttention], mask: Tensor | None, name: str = "head_mask"
) -> Iterator[None]:
    """Within it, only the heads marked True speak, whatever is called.

    What a silent head found does not reach the output (Michel et al. 2019, eq. 2).

    Args:
        layers: whose heads; all have as many.
        mask: (layers, h), bool; None lets all of them speak.
        name: what to call it in an error.

    Raises:
        TypeError: `mask` is not bool.
        ValueError: it has another shape.
    """
    if mask is not None:
        wanted = len(layers), layers[0].num_heads
        if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
            raise TypeError(f"{name} must be a bool tensor, got {mask!r}")
        if mask.shape != wanted:
            raise ValueError(f"{name} must be {wanted}, got {tuple(mask.shape)}")
    before = [layer.head_mask for layer in layers]
    try:
        for number, layer in enumerate(layers):
            layer.head_mask = None if mask is None else mask[number]
        yield
    finally:
        for layer, its_mask in zip(layers, before, strict=True):
            layer.head_mask = its_mask
