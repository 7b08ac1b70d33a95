"""The layers that chapter 6 compares, each mapping (batch, n, d) to (batch, n, d).

Every module has two ways through a sequence:

    module(x)                  (batch, n, d) -> (batch, n, d), all positions at once
    module.step(x, state)      (batch, 1, d) -> (batch, 1, d) and the next state

The second is how a text is generated: position t is computed when t − 1 is known. What
must be kept of the past is the `state`, None before the first position. With
`causal=True` both give the same numbers (`generate` runs all the steps).
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.attention import (
    MultiHeadAttention,
    banded_attention,
    causal_mask,
    masked_softmax,
    scaled_dot_product_attention,
)
from attnlab.checks import check_choice, check_integer
from attnlab.recurrence import Recurrence
from attnlab.scores import AdditiveScore

STEPPERS = {"rnn": nn.RNNCell, "gru": nn.GRUCell, "lstm": nn.LSTMCell}


def generate(module: Any, x: Tensor) -> Tensor:
    """Run a module over (batch, n, d) one position after the other."""
    state, outputs = None, []
    for position in x.split(1, dim=1):  # (batch, 1, d)
        output, state = module.step(position, state)
        outputs.append(output)
    return torch.cat(outputs, dim=1)  # (batch, n, d)


def _append(past: Tensor | None, x: Tensor) -> Tensor:
    return x if past is None else torch.cat((past, x), dim=-2)


# Attention --------------------------------------------------------------------------


class SelfAttention(nn.Module):
    """softmax(x xᵀ / √d) x: attention alone, without projections or parameters.

    Args:
        d: the width; the heads share it evenly.
        num_heads: how many heads, each with a slice of the width.
        fused: take torch's fused kernel, which never holds the n × n weights.
        causal: see nothing to the right.

    Raises:
        TypeError: a size is no integer.
        ValueError: a size below 1, or heads that do not divide d.
    """

    def __init__(
        self, d: int, num_heads: int = 1, *, fused: bool = False, causal: bool = False
    ) -> None:
        super().__init__()
        check_integer("d", d, 1)
        check_integer("num_heads", num_heads, 1)
        if d % num_heads:
            raise ValueError(f"{num_heads} heads cannot share d={d} evenly")
        self.num_heads = num_heads
        self.fused = fused
        self.causal = causal

    def forward(self, x: Tensor) -> Tensor:
        mask = causal_mask(x.shape[1], device=x.device) if self.causal else None
        return self._attend(x, x, mask)

    def step(self, x: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
        past = _append(state, x)  # (batch, t, d)
        return self._attend(x, past, None), past

    def _attend(self, query: Tensor, key: Tensor, mask: Tensor | None) -> Tensor:
        query, key = self._split(query), self._split(key)
        output, _ = scaled_dot_product_attention(
            query, key, key, mask, need_weights=not self.fused
        )
        return output.transpose(1, 2).flatten(2)  # (batch, n, d)

    def _split(self, x: Tensor) -> Tensor:
        x = x.unflatten(2, (self.num_heads, -1))  # (batch, n, heads, d / heads)
        return x.transpose(1, 2)


class ProjectedAttention(nn.Module):
    """The book's `MultiHeadAttention` of x to itself, by the fused kernel."""

    def __init__(self, d: int, num_heads: int = 8, *, causal: bool = False) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d, num_heads)
        self.causal = causal

    def forward(self, x: Tensor) -> Tensor:
        mask = causal_mask(x.shape[1], device=x.device) if self.causal else None
        return self.attention(x, mask=mask)[0]

    def step(
        self, x: Tensor, state: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        new = self.attention.prepare(x, x)  # keys and values, (batch, heads, 1, d_head)
        keys, values = map(_append, state or (None, None), new)
        return self.attention(x, kv=(keys, values))[0], (keys, values)


class AdditiveSelfAttention(nn.Module):
    """Σⱼ softmaxⱼ(v · tanh(W xᵢ + U xⱼ)) xⱼ: chapter 2's additive score on itself.

    Widths that are no integer of at least 1 raise TypeError or ValueError.
    """

    def __init__(
        self, d: int, d_hidden: int | None = None, *, causal: bool = False
    ) -> None:
        super().__init__()
        check_integer("d", d, 1)
        d_hidden = d if d_hidden is None else d_hidden
        check_integer("d_hidden", d_hidden, 1)
        self.score = AdditiveScore(d, d, d_hidden)
        self.causal = causal

    def forward(self, x: Tensor) -> Tensor:
        mask = causal_mask(x.shape[1], device=x.device) if self.causal else None
        return masked_softmax(self.score(x, x), mask) @ x

    def step(
        self, x: Tensor, state: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        keys, past = map(_append, state or (None, None), (self.score.prepare(x), x))
        weights = self.score.compare(x, keys).softmax(-1)  # (batch, 1, t)
        return weights @ past, (keys, past)


class BandedSelfAttention(nn.Module):
    """Attention to at most `radius` positions to either side, without parameters.

    A width under 1 or a radius under 0 raises ValueError, no integer TypeError.
    """

    def __init__(self, d: int, radius: int = 32, *, causal: bool = False) -> None:
        super().__init__()
        check_integer("d", d, 1)
        check_integer("radius", radius, 0)
        self.radius = radius
        self.causal = causal

    def forward(self, x: Tensor) -> Tensor:
        return banded_attention(x, x, x, self.radius, causal=self.causal)

    def step(self, x: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
        window = _append(state, x)[:, -self.radius - 1 :]  # (batch, ≤ radius + 1, d)
        return scaled_dot_product_attention(x, window, window)[0], window


# Recurrence -------------------------------------------------------------------------


class StepwiseRecurrence(nn.Module):
    """An RNN, GRU or LSTM as a loop over cells, written in Python.

    Another cell or a width under 1 raises ValueError.
    """

    def __init__(self, d: int, cell: str, *, causal: bool = True) -> None:
        super().__init__()
        check_integer("d", d, 1)
        check_choice("cell", cell, STEPPERS)
        self.cell = STEPPERS[cell](d, d)

    def forward(self, x: Tensor) -> Tensor:
        return generate(self, x)

    def step(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        state = self.cell(x[:, 0], state)  # (batch, d), or two of them: the LSTM
        output = state[0] if isinstance(state, tuple) else state
        return output[:, None], state


class FusedRecurrence(nn.Module):
    """An RNN, GRU or LSTM as one call of torch: the loop runs inside the library.

    Another cell or a width under 1 raises ValueError.
    """

    def __init__(self, d: int, cell: str, *, causal: bool = True) -> None:
        super().__init__()
        check_integer("d", d, 1)
        self.rnn = Recurrence(cell, d, d)

    def forward(self, x: Tensor) -> Tensor:
        return self.rnn(x)[0]

    def step(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        return self.rnn(x, state)


# Each position alone ----------------------------------------------------------------


class PositionsAlone(nn.Module):
    """What does the same to every position, whatever the others hold."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)

    def step(self, x: Tensor, state: None) -> tuple[Tensor, None]:
        return self.layer(x), None


# Convolution ------------------------------------------------------------------------


class Convolution(nn.Module):
    """A convolution along the sequence, padded with zeros to keep its length.

    Args:
        d: the width, in and out.
        kernel_size: how many positions one output sees; odd unless causal.
        dilation: how far these positions lie apart.
        groups: 1 mixes all of the width, `groups=d` none of it (depthwise).
        causal: the output at t sees t and what came before; otherwise the kernel is
            centred on t.

    Raises:
        TypeError: a size is no integer.
        ValueError: a size below 1, groups that do not divide d, or a centred kernel
            of even size.
    """

    def __init__(
        self,
        d: int,
        kernel_size: int = 3,
        *,
        dilation: int = 1,
        groups: int = 1,
        causal: bool = False,
    ) -> None:
        super().__init__()
        check_integer("d", d, 1)
        check_integer("dilation", dilation, 1)
        check_integer("groups", groups, 1)
        check_kernel(kernel_size, causal)
        if d % groups:
            raise ValueError(f"{groups} groups cannot share d={d} evenly")
        self.reach = dilation * (kernel_size - 1)  # from the first to the last seen
        before = self.reach if causal else self.reach // 2
        self.padding = (before, self.reach - before)
        self.causal = causal
        self.convolution = nn.Conv1d(
            d, d, kernel_size, dilation=dilation, groups=groups
        )

    def forward(self, x: Tensor) -> Tensor:
        x = F.pad(x.transpose(1, 2), self.padding)  # (batch, d, n + reach)
        return self.convolution(x).transpose(1, 2)

    def step(self, x: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
        if not self.causal:
            raise ValueError("a centred convolution sees what is not generated yet")
        if state is None:
            state = x.new_zeros(x.shape[0], self.reach, x.shape[2])
        window = _append(state, x)  # (batch, reach + 1, d)
        output = self.convolution(window.transpose(1, 2))  # (batch, d, 1)
        return output.transpose(1, 2), window[:, 1:]


class Stack(nn.Sequential):
    """Layers one upon the other."""

    def step(self, x: Tensor, state: list | None) -> tuple[Tensor, list]:
        states = []
        for layer, old in zip(self, state or [None] * len(self), strict=True):
            x, new = layer.step(x, old)  # type: ignore[operator]
            states.append(new)
        return x, states


def dilated_stack(
    d: int, kernel_size: int = 3, num_layers: int = 3, *, causal: bool = False
) -> Stack:
    """Convolutions with dilations 1, k, k², … (van den Oord et al. 2016, fig. 3).

    Raises as `Convolution`.
    """
    check_integer("num_layers", num_layers, 1)
    check_kernel(kernel_size, causal)
    return Stack(
        *(
            Convolution(d, kernel_size, dilation=kernel_size**index, causal=causal)
            for index in range(num_layers)
        )
    )


def separable_convolution(
    d: int, kernel_size: int = 3, *, causal: bool = False
) -> Stack:
    """One convolution a channel, then a mix of the channels (Chollet 2017).

    Raises as `Convolution`.
    """
    check_integer("d", d, 1)
    return Stack(
        Convolution(d, kernel_size, groups=d, causal=causal),
        Convolution(d, 1, causal=causal),
    )


def check_kernel(kernel_size: int, causal: bool) -> None:
    """Raise TypeError or ValueError unless a kernel of this size has a centre."""
    check_integer("kernel_size", kernel_size, 1)
    if not causal and kernel_size % 2 == 0:
        raise ValueError(
            f"a centred kernel must be odd to have a centre, got {kernel_size}"
        )
