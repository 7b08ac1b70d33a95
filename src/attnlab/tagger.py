"""A small reader that says something about every token of a sequence.

    logits = Tagger(vocab_size, num_classes, 64)(tokens)   # (batch, n, num_classes)

Tokens are embedded, layers mix them, and a linear layer reads every position out. What
mixes them is a choice: attention, a recurrent layer, a convolution, or nothing at all.
Everything else stays the same, so that a difference in what the model can do is the
mixing's.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.attention import MultiHeadAttention, causal_mask, head_mask
from attnlab.checks import (
    check_choice,
    check_dropout,
    check_integer,
    check_sizes,
    embed,
)
from attnlab.positions import (
    AlibiPositions,
    RotaryPositions,
    added_positions,
)
from attnlab.recurrence import Recurrence
from attnlab.tokens import PAD

ENCODERS = ("attention", "gru", "cnn", "none")
ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "gelu": nn.GELU}


class Tagger(nn.Module):
    """Embedding, layers that mix the tokens, and a linear read-out at every token.

    A layer is LayerNorm(x + Mix(x)), then, if `d_ff` is given, LayerNorm(x + FFN(x));
    `residual=False` leaves out the "x +".

    Args:
        vocab_size: how many token ids there are.
        num_classes: how many answers.
        d_model: the width of embeddings and layers.
        encoder: what mixes the tokens: "attention"; "gru", bidirectional unless
            causal; "cnn", a convolution; or "none", every token on its own.
        num_layers: how many layers.
        num_heads, d_head: of attention, as for `MultiHeadAttention`.
        positions: "sinusoidal" and "learned" are added to the embeddings, whatever the
            encoder; "rotary" and "alibi" are attention's alone; or "none".
        max_length: the longest sequence that learned positions serve.
        d_ff: the width of the feed-forward layers; None leaves them out.
        kernel_size: of the convolution, odd unless causal.
        causal: a token is told from itself and what came before it alone.
        dropout: on the embeddings and on what each sublayer adds.
        pad: the id of padding, which no token takes notice of.
        activation: of the feed-forward layers, as of `FeedForward`.
        attention_scale: what the scores are multiplied by; None is 1/√d_head.
        residual: whether each sublayer adds to what it reads.

    Raises:
        TypeError: a size is not an integer, or the dropout no number.
        ValueError: an unknown encoder, activation or kind of positions, positions that
            do not go with the encoder, or a size that does not fit.
    """

    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        *,
        encoder: str = "attention",
        num_layers: int = 1,
        num_heads: int = 4,
        d_head: int | None = None,
        positions: str = "sinusoidal",
        max_length: int = 512,
        d_ff: int | None = None,
        kernel_size: int = 3,
        causal: bool = False,
        dropout: float = 0.0,
        pad: int = PAD,
        activation: str = "relu",
        attention_scale: float | None = None,
        residual: bool = True,
    ) -> None:
        super().__init__()
        check_choice("encoder", encoder, ENCODERS)
        check_choice("activation", activation, ACTIVATIONS)
        check_sizes(vocab_size=vocab_size, num_classes=num_classes, d_model=d_model)
        check_sizes(num_layers=num_layers, num_heads=num_heads)
        check_dropout(dropout)
        check_integer("pad", pad, 0)
        if pad >= vocab_size:
            raise ValueError(f"pad must be one of {vocab_size} tokens, got {pad}")
        if positions in ("rotary", "alibi") and encoder != "attention":
            raise ValueError(f"{positions} positions are attention's, not {encoder}'s")
        self.encoder = encoder
        self.pad = pad
        self.vocab_size = vocab_size
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad)
        self.positions = added_positions(positions, d_model, max_length)
        make_mixer = {
            "attention": lambda: _Attention(
                d_model, num_heads, d_head, positions, causal, attention_scale
            ),
            "gru": lambda: _Recurrence(d_model, causal),
            "cnn": lambda: _Convolution(d_model, kernel_size, causal),
            "none": lambda: _NoMixing(d_model),
        }[encoder]
        self.layers = nn.ModuleList(
            _Layer(make_mixer(), d_model, d_ff, dropout, activation, residual)
            for _ in range(num_layers)
        )
        self.dropout = nn.Dropout(dropout)
        self.output_layer = nn.Linear(d_model, num_classes)

    def forward(self, tokens: Tensor, head_mask: Tensor | None = None) -> Tensor:
        """Say something about every token.

        Args:
            tokens: (B, n), ids, padded on the right.
            head_mask: (num_layers, h), bool, True = the head speaks; attention only.

        Returns:
            Logits (B, n, num_classes). What stands at padding has no meaning.

        Raises:
            TypeError: tokens that are not integers.
            ValueError: tokens of another rank, an empty batch or sequence, an id
                outside the vocabulary, or a head mask that does not fit.
        """
        with self.head_mask(head_mask):
            return self._run(tokens)[0]

    def attention(self, tokens: Tensor) -> Tensor:
        """Return every head's weights, (num_layers, B, h, n, n).

        Raises:
            ValueError: the encoder has no attention; see also `forward`.
        """
        if self.encoder != "attention":
            raise ValueError(f"a tagger with encoder={self.encoder!r} has no weights")
        weights: Any = self._run(tokens, need_weights=True)[1]
        return torch.stack(weights)

    def head_mask(self, mask: Tensor | None) -> AbstractContextManager[None]:
        """Within it, only the heads marked True in (num_layers, h) speak; None: all.

        Raises:
            TypeError: the mask is not bool.
            ValueError: it has another shape, or the encoder has no heads.
        """
        if mask is None:
            return nullcontext()
        if self.encoder != "attention":
            raise ValueError(f"encoder={self.encoder!r} has no heads to switch off")
        layers: Any = self.layers
        return head_mask([one.mixer.heads for one in layers], mask)

    def _run(
        self, tokens: Tensor, need_weights: bool = False
    ) -> tuple[Tensor, list[Tensor | None]]:
        x = embed("tokens", tokens, self.embedding)  # (batch, n, d_model)
        real = tokens != self.pad  # (batch, n)
        if self.positions is not None:
            x = self.positions(x)
        x = self.dropout(x)
        weights = []
        for layer in self.layers:
            x, layer_weights = layer(x, real, need_weights)
            weights.append(layer_weights)
        return self.output_layer(x), weights


class _Layer(nn.Module):
    """LayerNorm(x + Mix(x)), and LayerNorm(x + FFN(x)) if there is a d_ff."""

    def __init__(
        self,
        mixer: nn.Module,
        d_model: int,
        d_ff: int | None,
        dropout: float,
        activation: str,
        residual: bool,
    ) -> None:
        super().__init__()
        self.mixer = mixer
        self.residual = residual
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.feed_forward: nn.Module | None = None
        if d_ff is not None:
            check_integer("d_ff", d_ff, 1)
            self.feed_forward = nn.Sequential(
                nn.Linear(d_model, d_ff),
                ACTIVATIONS[activation](),
                nn.Linear(d_ff, d_model),
            )
            self.feed_forward_norm = nn.LayerNorm(d_model)

    def forward(
        self, x: Tensor, real: Tensor, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        mixed, weights = self.mixer(x, real, need_weights)
        x = self.norm(self._added(x, mixed))
        if self.feed_forward is not None:
            x = self.feed_forward_norm(self._added(x, self.feed_forward(x)))
        return x, weights

    def _added(self, x: Tensor, change: Tensor) -> Tensor:
        change = self.dropout(change)
        return x + change if self.residual else change


# What mixes the tokens. Each maps x (batch, n, d_model) and `real` (batch, n), False at
# padding, to x's shape, and returns its weights if it has any and they are wanted.


class _Attention(nn.Module):
    """Every token attends to all real ones, or to those up to itself."""

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_head: int | None,
        positions: str,
        causal: bool,
        scale: float | None,
    ) -> None:
        super().__init__()
        width = d_model // num_heads if d_head is None else d_head
        rotary = RotaryPositions(width) if positions == "rotary" else None
        self.heads = MultiHeadAttention(
            d_model, num_heads, d_head=d_head, rotary=rotary, scale=scale
        )
        self.alibi = AlibiPositions(num_heads) if positions == "alibi" else None
        self.causal = causal

    def forward(
        self, x: Tensor, real: Tensor, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        n = x.shape[1]
        mask = real[:, None]  # (batch, 1, n)
        if self.causal:
            mask = mask & causal_mask(n, device=x.device)  # (batch, n, n)
        return self.heads(
            x,
            mask=mask,
            need_weights=need_weights,
            score_bias=None if self.alibi is None else self.alibi(n),  # (heads, n, n)
        )


class _Recurrence(nn.Module):
    """A GRU over the real tokens, in both directions unless causal."""

    def __init__(self, d_model: int, causal: bool) -> None:
        super().__init__()
        directions = 1 if causal else 2
        if d_model % directions:
            raise ValueError(f"two directions cannot share d_model={d_model} evenly")
        self.gru = Recurrence(
            "gru", d_model, d_model // directions, bidirectional=not causal
        )

    def forward(self, x: Tensor, real: Tensor, *unused: object) -> tuple[Tensor, None]:
        return self.gru(x, real=real)[0], None


class _Convolution(nn.Module):
    """A convolution over the real tokens: around each, or what came before it."""

    def __init__(self, d_model: int, kernel_size: int, causal: bool) -> None:
        super().__init__()
        check_integer("kernel_size", kernel_size, 1)
        if kernel_size % 2 == 0 and not causal:
            raise ValueError(f"a centred kernel has an odd size, got {kernel_size}")
        before = kernel_size - 1 if causal else kernel_size // 2
        self.around = (before, kernel_size - 1 - before)
        self.convolution = nn.Conv1d(d_model, d_model, kernel_size)

    def forward(self, x: Tensor, real: Tensor, *unused: object) -> tuple[Tensor, None]:
        x = x.masked_fill(~real[..., None], 0.0).transpose(1, 2)  # (batch, d_model, n)
        return self.convolution(F.pad(x, self.around)).transpose(1, 2).relu(), None


class _NoMixing(nn.Module):
    """Every token on its own: what is possible without looking at the others."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, real: Tensor, *unused: object) -> tuple[Tensor, None]:
        return self.linear(x).relu(), None
