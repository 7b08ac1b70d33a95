"""What a Transformer's decoder keeps from step to step: keys and values."""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

FIRST_ROOM = 64  # tokens for which memory is taken at first; then twice as many, ...


@dataclass
class Memory:
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
        target: those of the target tokens read so far, `length` of them.
        length: how many tokens.
        memory: those of the encoder's output, each (B, h, L_s, d_head).
    """

    target: Memory | None = None
    length: int = 0
    memory: tuple[Tensor, Tensor] | None = None

    def extend(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Append those (B, h, n, d_head) of new target tokens, and return all."""
        start, end = self.length, self.length + keys.shape[2]
        target = self.target
        # Copies of a cache share memory. The first to go on writes there, others move
        # out; so does all that gradients may be wanted of, now or of what is there.
        if (
            target is None
            or target.used > start
            or target.keys.shape[2] < end
            or keys.requires_grad
            or target.keys.requires_grad
        ):
            target = self._move(keys, values, end)
        target.keys.narrow(2, start, end - start).copy_(keys)
        target.values.narrow(2, start, end - start).copy_(values)
        target.used = end
        self.target, self.length = target, end
        return target.keys.narrow(2, 0, end), target.values.narrow(2, 0, end)

    def _move(self, keys: Tensor, values: Tensor, needed: int) -> Memory:
        """Take memory for `needed` tokens or more, and bring along what there is."""
        room = FIRST_ROOM
        while room < needed:
            room *= 2
        batch, heads, _, d_head = keys.shape
        memory = Memory(
            keys.new_empty(batch, heads, room, d_head),
            values.new_empty(batch, heads, room, values.shape[3]),
            self.length,
        )
        if self.target is not None:
            memory.keys[:, :, : self.length] = self.target.keys[:, :, : self.length]
            memory.values[:, :, : self.length] = self.target.values[:, :, : self.length]
        return memory

    def reorder(self, index: Tensor) -> "LayerCache":
        """Return the cache whose sentence i is the old sentence `index[i]`."""
        target, memory = self.target, self.memory
        if target is not None:
            keys, values = target.keys[index], target.values[index]
            target = Memory(keys, values, self.length)
        if memory is not None:
            memory = memory[0][index], memory[1][index]
        return LayerCache(target, self.length, memory)


@dataclass
class Cache:
    """What `Transformer.decode` need not compute again; it grows with every call.

    Attributes:
        layers: one `LayerCache` a decoder layer.
        length: how many target tokens have been read.
        real: (B, length), False where a token read was padding; None if none was.
        step: a `DecoderStep`, where steps may take the short way.
    """

    layers: list[LayerCache]
    length: int = 0
    real: Tensor | None = None
    step: Any = None

    def read(self, real: Tensor) -> Tensor | None:
        """Take up the next tokens, (B, n); return the mask (B, 1, length) of all."""
        if self.real is not None or not real.all():
            before = self.real
            if before is None:
                before = real.new_ones(len(real), self.length)
            self.real = torch.cat([before, real], dim=1)  # (B, length + n)
        self.length += real.shape[1]
        return None if self.real is None else self.real[:, None]

    def copy(self) -> "Cache":
        """Return a cache that can grow without changing this one."""
        layers = [replace(layer) for layer in self.layers]
        return Cache(layers, self.length, self.real, self.step)

    def reorder(self, index: Tensor) -> "Cache":
        """Return the cache whose sentence i is the old sentence `index[i]`."""
        layers = [layer.reorder(index) for layer in self.layers]
        real = None if self.real is None else self.real[index]
        return Cache(layers, self.length, real, self.step)
