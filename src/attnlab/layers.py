"""Layers of the Transformer (Vaswani et al. 2017, section 3.1), and stacks of them.

    Encoder         EncoderLayer × n, LayerNorm
    EncoderLayer    self-attention, feed-forward
    Decoder         DecoderLayer × n, LayerNorm
    DecoderLayer    self-attention, attention to the encoder's output, feed-forward

Around every sublayer stands a residual connection and a LayerNorm:

    post-norm   x = LayerNorm(x + Dropout(Sublayer(x)))    (section 3.1; the default)
    pre-norm    x = x + Dropout(Sublayer(LayerNorm(x)))    (`norm_first=True`)

`residual=False` leaves out the "x +".

Weights are those of torch's layers, by other names: `load_torch` copies them.
"""

from collections.abc import Callable, Iterable
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from attnlab import torch_weights
from attnlab.attention import MultiHeadAttention
from attnlab.cache import LayerCache
from attnlab.checks import check_choice, check_integer
from attnlab.dropout import Dropout
from attnlab.positions import AlibiPositions, RotaryPositions

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}

# Layers -----------------------------------------------------------------------------


class FeedForward(nn.Module):
    """max(0, x W₁ + b₁) W₂ + b₂, at every position alone (Vaswani et al. 2017, eq. 2).

    Args:
        d_model: the width of input and output.
        d_ff: the width in between.
        dropout: the probability of dropping an element in between.
        activation: what bends: "relu", or "gelu", x Φ(x) (Hendrycks and Gimpel 2016,
            section 2), which BERT has, not its approximation by a tanh.

    Raises:
        TypeError: a size is not an integer, or the dropout no number.
        ValueError: a size below 1, a dropout outside [0, 1), or another activation.
    """

    def __init__(
        self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu"
    ) -> None:
        super().__init__()
        check_integer("d_model", d_model, 1)
        check_integer("d_ff", d_ff, 1)
        check_choice("activation", activation, ACTIVATIONS)
        self.d_model = d_model
        self.activation = ACTIVATIONS[activation]
        self.inner = nn.Linear(d_model, d_ff)
        self.outer = nn.Linear(d_ff, d_model)
        self.dropout = Dropout(dropout)
        for layer in (self.inner, self.outer):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Map x (…, d_model) to the same shape; ValueError if it is not so wide."""
        if x.dim() == 0 or x.shape[-1] != self.d_model:
            raise ValueError(f"x must be (…, {self.d_model}), got {tuple(x.shape)}")
        hidden = self.activation(self.inner(x))  # (…, d_ff)
        return self.outer(self.dropout(hidden))


class _Layer(nn.Module):
    """What both kinds of layers have: the way in and out of a sublayer."""

    def __init__(self, dropout: float, norm_first: bool, residual: bool) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.residual = residual
        self.dropout = Dropout(dropout)

    def _before(self, x: Tensor, norm: nn.LayerNorm) -> Tensor:
        return norm(x) if self.norm_first else x

    def _after(self, x: Tensor, change: Tensor, norm: nn.LayerNorm) -> Tensor:
        change = self.dropout(change)
        x = x + change if self.residual else change
        return x if self.norm_first else norm(x)


class EncoderLayer(_Layer):
    """Self-attention, then a feed-forward layer (Vaswani et al. 2017, section 3.1).

    Args:
        d_model: the width of input and output.
        num_heads: heads of attention, which share d_model.
        d_ff: the width inside the feed-forward layer.
        dropout: on the attention weights, inside the feed-forward layer, and on what
            each sublayer adds.
        norm_first: pre-norm instead of post-norm.
        rotary: turns queries and keys by their positions.
        init, scale: of attention, as for `MultiHeadAttention`.
        activation: of the feed-forward layer.
        residual: whether each sublayer adds to what it reads.

    Raises:
        TypeError: a size is not an integer.
        ValueError: a size below 1, heads that do not divide d_model, a dropout outside
            [0, 1), or an unknown `init` or activation.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        *,
        norm_first: bool = False,
        rotary: RotaryPositions | None = None,
        init: str = "joint",
        activation: str = "relu",
        scale: float | None = None,
        residual: bool = True,
    ) -> None:
        super().__init__(dropout, norm_first, residual)
        options: Any = {"dropout": dropout, "init": init, "scale": scale}
        self.self_attention = MultiHeadAttention(
            d_model, num_heads, rotary=rotary, **options
        )
        self.feed_forward = FeedForward(d_model, d_ff, dropout, activation)
        self.self_attention_norm = nn.LayerNorm(d_model)
        self.feed_forward_norm = nn.LayerNorm(d_model)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = False,
        *,
        score_bias: Tensor | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Map x (B, n, d_model) to the same shape.

        Args:
            x: the input.
            mask, need_weights, score_bias: as for `MultiHeadAttention`.

        Returns:
            The output, and every head's weights (B, h, n, n) or None.
        """
        change, weights = self.self_attention(
            self._before(x, self.self_attention_norm),
            mask=mask,
            need_weights=need_weights,
            score_bias=score_bias,
        )
        x = self._after(x, change, self.self_attention_norm)

        change = self.feed_forward(self._before(x, self.feed_forward_norm))
        return self._after(x, change, self.feed_forward_norm), weights

    def load_torch(self, layer: nn.TransformerEncoderLayer) -> None:
        """Copy the weights of torch's layer of the same sizes."""
        torch_weights.load_layer(self, layer)


class DecoderLayer(_Layer):
    """Masked self-attention, attention to the memory, feed-forward (section 3.1).

    Args:
        d_model, num_heads, d_ff, dropout, norm_first: as for `EncoderLayer`.
        init, activation, scale, residual: as for `EncoderLayer`.
        rotary: turns queries and keys of self-attention by their positions.

    Raises:
        TypeError, ValueError: as `EncoderLayer`.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        *,
        norm_first: bool = False,
        rotary: RotaryPositions | None = None,
        init: str = "joint",
        activation: str = "relu",
        scale: float | None = None,
        residual: bool = True,
    ) -> None:
        super().__init__(dropout, norm_first, residual)
        options: Any = {"dropout": dropout, "init": init, "scale": scale}
        self.self_attention = MultiHeadAttention(
            d_model, num_heads, rotary=rotary, **options
        )
        self.cross_attention = MultiHeadAttention(d_model, num_heads, **options)
        self.feed_forward = FeedForward(d_model, d_ff, dropout, activation)
        self.self_attention_norm = nn.LayerNorm(d_model)
        self.cross_attention_norm = nn.LayerNorm(d_model)
        self.feed_forward_norm = nn.LayerNorm(d_model)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        src_mask: Tensor | None = None,
        need_weights: bool = False,
        *,
        score_bias: Tensor | None = None,
        cache: LayerCache | None = None,
        start: int = 0,
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """Map x (B, L_t, d_model) to the same shape.

        Args:
            x: the input, at positions start … start + L_t − 1.
            memory: (B, L_s, d_model), the encoder's output.
            tgt_mask: what the target may see of itself, (B, L_t, start + L_t) or what
                broadcasts to it.
            src_mask: what it may see of the memory, (B, 1, L_s).
            need_weights: also return the weights.
            score_bias: of self-attention, as for `MultiHeadAttention`.
            cache: holds the keys and values of the `start` positions before x, and
                takes up those of x.
            start: the position of the first row of x.

        Returns:
            The output, the weights of self-attention (B, h, L_t, start + L_t) and
            those towards the memory (B, h, L_t, L_s), or None and None.
        """
        inputs = self._before(x, self.self_attention_norm)
        self_kv = cross_kv = None
        if cache is not None:
            new = self.self_attention.prepare(inputs, inputs, start=start)
            self_kv = cache.extend(*new)
        change, weights = self.self_attention(
            inputs,
            mask=tgt_mask,
            need_weights=need_weights,
            score_bias=score_bias,
            kv=self_kv,
            start=start,
        )
        x = self._after(x, change, self.self_attention_norm)

        inputs = self._before(x, self.cross_attention_norm)
        if cache is not None:
            if cache.cross_kv is None:
                cache.cross_kv = self.cross_attention.prepare(memory, memory)
            cross_kv = cache.cross_kv
        change, cross_weights = self.cross_attention(
            inputs, memory, mask=src_mask, need_weights=need_weights, kv=cross_kv
        )
        x = self._after(x, change, self.cross_attention_norm)

        change = self.feed_forward(self._before(x, self.feed_forward_norm))
        return self._after(x, change, self.feed_forward_norm), weights, cross_weights

    def load_torch(self, layer: nn.TransformerDecoderLayer) -> None:
        """Copy the weights of torch's layer of the same sizes."""
        torch_weights.load_layer(self, layer)


# Stacks of layers -------------------------------------------------------------------


class Encoder(nn.Module):
    """Layers one after the other, and a last LayerNorm.

    Args:
        layers: the layers.
        d_model: their width.
        alibi: makes the score biases of every self-attention.
        last_norm: whether the last LayerNorm is there.
    """

    def __init__(
        self,
        layers: Iterable[EncoderLayer],
        d_model: int,
        alibi: AlibiPositions | None = None,
        last_norm: bool = True,
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.norm = nn.LayerNorm(d_model) if last_norm else nn.Identity()
        self.alibi = alibi

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, list[Tensor | None]]:
        """Map x (B, n, d_model) to the same shape; also return each layer's weights.

        The arguments are those of `EncoderLayer`.
        """
        bias = None if self.alibi is None else self.alibi(x.shape[1])  # (h, n, n)
        weights = []
        for layer in self.layers:
            x, layer_weights = layer(x, mask, need_weights, score_bias=bias)
            weights.append(layer_weights)
        return self.norm(x), weights


class Decoder(nn.Module):
    """Layers one after the other, and a last LayerNorm; arguments as for `Encoder`."""

    def __init__(
        self,
        layers: Iterable[DecoderLayer],
        d_model: int,
        alibi: AlibiPositions | None = None,
        last_norm: bool = True,
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.norm = nn.LayerNorm(d_model) if last_norm else nn.Identity()
        self.alibi = alibi

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        src_mask: Tensor | None = None,
        need_weights: bool = False,
        *,
        caches: list[LayerCache] | None = None,
        start: int = 0,
    ) -> tuple[Tensor, list[Tensor | None], list[Tensor | None]]:
        """Map x (B, L_t, d_model) to the same shape; also return each layer's weights.

        `caches` holds one a layer, the rest is as for `DecoderLayer`.
        """
        bias = None if self.alibi is None else self.alibi(x.shape[1], start=start)
        own, cross = [], []
        for number, layer in enumerate(self.layers):
            x, own_weights, cross_weights = layer(
                x,
                memory,
                tgt_mask,
                src_mask,
                need_weights,
                score_bias=bias,  # (h, L_t, start + L_t)
                cache=None if caches is None else caches[number],
                start=start,
            )
            own.append(own_weights)
            cross.append(cross_weights)
        return self.norm(x), own, cross
