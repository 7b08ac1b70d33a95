"""Incremental decoding: one new token through the decoder, in as few calls as it takes.

What is computed stands in `attnlab.layers`. For one token there is little of it, and
most of the time goes into getting there: modules that call modules, checks, views. Here
it stands once more, as a plain row of calls. `Transformer.step` takes this way while
nothing is trained and the decoder is made of the book's own modules (`is_plain`).
"""

from collections.abc import Iterable
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.attention import MultiHeadAttention
from attnlab.cache import Cache, LayerCache
from attnlab.dropout import Dropout
from attnlab.fused import fused_attention
from attnlab.layers import Decoder, DecoderLayer, FeedForward
from attnlab.positions import AlibiPositions, RotaryPositions

# The modules of whose forward there is a short way.
PLAIN_TYPES = {
    *(Decoder, DecoderLayer, MultiHeadAttention, FeedForward, Dropout),
    *(AlibiPositions, RotaryPositions),
    *(nn.Identity, nn.LayerNorm, nn.Linear, nn.ModuleList),
}


def is_plain(decoder: nn.Module) -> bool:
    """Say whether the short way does what the decoder does.

    It knows nothing of other modules, of hooks, nor of methods of a single module, with
    which experiments take a part away, nor of layers without residual connections.
    """
    return not any(
        type(module) not in PLAIN_TYPES
        or module._forward_hooks
        or module._forward_pre_hooks
        or not vars(module).keys().isdisjoint({"forward", "_before", "_after"})
        or not getattr(module, "residual", True)
        for module in decoder.modules()
    )


class IncrementalDecoder:
    """A decoder's step, with its weights taken as they are now.

    Args:
        decoder: one that `is_plain`.
    """

    def __init__(self, decoder: Decoder) -> None:
        layers = cast("Iterable[DecoderLayer]", decoder.layers)
        self.layers = [_LayerStep(layer) for layer in layers]
        self.norm, self.alibi = decoder.norm, decoder.alibi

    def __call__(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None,
        src_mask: Tensor | None,
        cache: Cache,
        start: int,
    ) -> Tensor:
        """Map x (B, d_model), at position `start`, to the same shape.

        Args:
            x: the new token of every sentence, embedded.
            memory, src_mask: as for `DecoderLayer`.
            mask: (B, 1, start + 1), which target tokens are real; None if all are.
            cache: takes up the new token.
            start: how many tokens came before.
        """
        bias = None if self.alibi is None else self.alibi(1, start=start)
        # (B, 1, 1, keys): the same for every head.
        mask = None if mask is None else mask[:, None]
        src_mask = None if src_mask is None else src_mask[:, None]
        src_bias = None
        if x.device.type == "cpu":  # its kernel adds numbers: made here, not by a layer
            hidden, src_bias = _as_bias(mask, x), _as_bias(src_mask, x)
            if hidden is not None:
                bias = hidden if bias is None else bias + hidden
            mask = src_mask = None
        for layer, kept in zip(self.layers, cache.layers, strict=True):
            x = layer(x, memory, mask, src_mask, bias, src_bias, kept, start)
        return self.norm(x)


class _LayerStep:
    """The step of one `DecoderLayer`: a row of weights and biases, and what to do."""

    def __init__(self, layer: DecoderLayer) -> None:
        own, cross = layer.self_attention, layer.cross_attention
        self.own, self.cross, self.norm_first = own, cross, layer.norm_first
        self.heads = own.num_heads, 1, own.d_head  # with one query
        projections = [own.query_layer, own.key_layer, own.value_layer]
        self.projections = _joined(projections)
        self.output = _pair(own.output_layer)
        self.cross_query = _pair(cross.query_layer)
        self.cross_output = _pair(cross.output_layer)
        self.inner = _pair(layer.feed_forward.inner)
        self.outer = _pair(layer.feed_forward.outer)
        self.activation = layer.feed_forward.activation
        self.norms = [
            _norm(layer.self_attention_norm),
            _norm(layer.cross_attention_norm),
            _norm(layer.feed_forward_norm),
        ]

    def __call__(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None,
        src_mask: Tensor | None,
        bias: Tensor | None,
        src_bias: Tensor | None,
        kept: LayerCache,
        start: int,
    ) -> Tensor:
        pre, batch, rotary = self.norm_first, len(x), self.own.rotary
        own_norm, cross_norm, forward_norm = self.norms

        inputs = F.layer_norm(x, *own_norm) if pre else x
        joined = F.linear(inputs, *self.projections).view(batch, 3, *self.heads)
        query, key, value = joined.unbind(1)  # each (B, h, 1, d_head)
        if rotary is not None:
            query, key = rotary(query, start), rotary(key, start)
        found = _attend(self.own, query, *kept.extend(key, value), mask, bias)
        x = x + F.linear(found, *self.output)
        x = x if pre else F.layer_norm(x, *own_norm)

        if kept.cross_kv is None:
            kept.cross_kv = self.cross.prepare(memory, memory)
        inputs = F.layer_norm(x, *cross_norm) if pre else x
        query = F.linear(inputs, *self.cross_query).view(batch, *self.heads)
        found = _attend(self.cross, query, *kept.cross_kv, src_mask, src_bias)
        x = x + F.linear(found, *self.cross_output)
        x = x if pre else F.layer_norm(x, *cross_norm)

        inputs = F.layer_norm(x, *forward_norm) if pre else x
        hidden = self.activation(F.linear(inputs, *self.inner))
        x = x + F.linear(hidden, *self.outer)
        return x if pre else F.layer_norm(x, *forward_norm)


def _attend(
    attention: MultiHeadAttention,
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
) -> Tensor:
    scale = attention.scale
    if scale is None:
        scale = query.shape[-1] ** -0.5
    found = fused_attention(query, keys, values, mask, scale, bias, 0.0)
    if attention.head_mask is not None:
        found = found.masked_fill(~attention.head_mask[:, None, None], 0.0)
    return found.flatten(1)  # (B, h · d_head)


def _as_bias(mask: Tensor | None, x: Tensor) -> Tensor | None:
    """Return what a mask adds to scores: 0, or −∞ where it is False."""
    if mask is None:
        return None
    return x.new_zeros(()).where(mask, float("-inf"))


def _pair(layer: nn.Linear) -> tuple[Tensor, Tensor]:
    return layer.weight, layer.bias


def _joined(layers: list[nn.Linear]) -> tuple[Tensor, Tensor | None]:
    """One layer that does the work of several on the same input."""
    weight = torch.cat([layer.weight for layer in layers])
    if layers[0].bias is None:
        return weight, None
    return weight, torch.cat([layer.bias for layer in layers])


def _norm(layer: nn.LayerNorm) -> tuple:
    return layer.normalized_shape, layer.weight, layer.bias, layer.eps
