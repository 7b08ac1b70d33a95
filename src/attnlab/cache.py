"""What a Transformer's decoder keeps from step to step: keys and values."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

INITIAL_CAPACITY = (
    64  # tokens for which memory is taken at first; then twice as many, ...
)


@dataclass
class KeyValues:
    """Keys and values in memory that is taken ahead: what follows is written behind.

    Attributes:
        keys, values: (B, h, room, d_head).
        used: how many of the places hold something.
    """

    keys: Tensor
    values: Tensor
    used: int


@dataclass
class LayerCache:
    """Keys and values of one decoder layer that need not be computed again.

    Attributes:
        self_kv: of self-attention, those of the target tokens read so far.
        length: how many tokens.
        cross_kv: those of the encoder's output, each (B, h, L_s, d_head).
    """

    self_kv: KeyValues | None = None
    length: int = 0
    cross_kv: tuple[Tensor, Tensor] | None = None

    def extend(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Append those (B, h, n, d_head) of new target tokens, and return all."""
        start, end = self.length, self.length + keys.shape[2]
        kept = self.self_kv
        # Copies of a cache share memory. The first to go on writes there, others move
        # out; so does all that gradients may be wanted of, now or of what is there.
        if (
            kept is None
            or kept.used > start
            or kept.keys.shape[2] < end
            or keys.requires_grad
            or kept.keys.requires_grad
        ):
            kept = self._move(keys, values, end)
        kept.keys.narrow(2, start, end - start).copy_(keys)
        kept.values.narrow(2, start, end - start).copy_(values)
        kept.used = end
        self.self_kv, self.length = kept, end
        return kept.keys.narrow(2, 0, end), kept.values.narrow(2, 0, end)

    def _move(self, keys: Tensor, values: Tensor, needed: int) -> KeyValues:
        """Take memory for `needed` tokens or more, and bring along what there is."""
        room = INITIAL_CAPACITY
        while room < needed:
            room *= 2
        batch, heads, _, d_head = keys.shape
        new = KeyValues(
            keys.new_empty(batch, heads, room, d_head),
            values.new_empty(batch, heads, room, values.shape[3]),
            self.length,
        )
        if self.self_kv is not None:
            new.keys[:, :, : self.length] = self.self_kv.keys[:, :, : self.length]
            new.values[:, :, : self.length] = self.self_kv.values[:, :, : self.length]
        return new

    def reorder(self, index: Tensor) -> "LayerCache":
        """Return the cache whose sentence i is the old `index[i]`; index is (B,)."""
        self_kv, cross_kv = self.self_kv, self.cross_kv
        if self_kv is not None:
            keys, values = self_kv.keys[index], self_kv.values[index]
            self_kv = KeyValues(keys, values, self.length)
        if cross_kv is not None:
            cross_kv = cross_kv[0][index], cross_kv[1][index]
        return LayerCache(self_kv, self.length, cross_kv)


@dataclass
class Cache:
    """What `Transformer.decode` need not compute again; it grows with every call.

    Attributes:
        layers: one `LayerCache` a decoder layer.
        length: how many target tokens have been read.
        real: (B, length), False where a token read was padding; None before the first.
    """

    layers: list[LayerCache]
    length: int = 0
    real: Tensor | None = None

    def __iter__(self) -> Iterator[LayerCache]:
        return iter(self.layers)

    def read(self, real: Tensor) -> Tensor:
        """Take up the next tokens, (B, n); return the mask (B, 1, length) of all."""
        if self.real is not None:
            real = torch.cat([self.real, real], dim=1)  # (B, length + n)
        self.real, self.length = real, real.shape[1]
        return real[:, None]

    def copy(self) -> "Cache":
        """Return a cache that can grow without changing this one."""
        layers = [replace(layer) for layer in self.layers]
        return Cache(layers, self.length, self.real)

    def reorder(self, index: Tensor) -> "Cache":
        """Return the cache whose sentence i is the old `index[i]`; index is (B,)."""
        layers = [layer.reorder(index) for layer in self.layers]
        real = None if self.real is None else self.real[index]
        return Cache(layers, self.length, real)
