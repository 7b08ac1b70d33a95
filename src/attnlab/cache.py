"""What a Transformer's decoder keeps from step to step: keys and values."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class LayerCache:
    """Keys and values of one decoder layer that need not be computed again.

    Attributes:
        target: those of the target tokens read so far, each (B, h, length, d_head).
        memory: those of the encoder's output, each (B, h, L_s, d_head).
    """

    target: tuple[Tensor, Tensor] | None = None
    memory: tuple[Tensor, Tensor] | None = None

    def extend(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Append those of new target tokens, and return all."""
        if self.target is not None:
            keys = torch.cat([self.target[0], keys], dim=2)  # (B, h, length, d_head)
            values = torch.cat([self.target[1], values], dim=2)
        self.target = keys, values
        return self.target


@dataclass
class Cache:
    """What `Transformer.decode` need not compute again; it grows with every call.

    Attributes:
        layers: one `LayerCache` a decoder layer.
        real: (B, length), False where the token read was padding; None at the start.
    """

    layers: list[LayerCache]
    real: Tensor | None = None

    @property
    def length(self) -> int:
        """How many target tokens have been read."""
        return 0 if self.real is None else self.real.shape[1]

    def read(self, real: Tensor) -> Tensor:
        """Take up the next tokens, (B, L_t), and return `real` of all."""
        if self.real is not None:
            real = torch.cat([self.real, real], dim=1)  # (B, length)
        self.real = real
        return real

    def copy(self) -> "Cache":
        """Return a cache that can grow without changing this one."""
        layers = [LayerCache(layer.target, layer.memory) for layer in self.layers]
        return Cache(layers, self.real)

    def reorder(self, index: Tensor) -> "Cache":
        """Return the cache whose sentence i is the old sentence `index[i]`."""

        def pick(pair: tuple[Tensor, Tensor] | None) -> tuple[Tensor, Tensor] | None:
            return None if pair is None else (pair[0][index], pair[1][index])

        layers = [LayerCache(pick(one.target), pick(one.memory)) for one in self.layers]
        return Cache(layers, None if self.real is None else self.real[index])
