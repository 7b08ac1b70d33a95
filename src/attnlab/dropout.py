"""Dropout, with random bits that cost little."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

BITS = 16  # decide over one element


def drop(x: Tensor, p: float) -> Tensor:
    """Set elements to 0 at random and scale the others up (Srivastava et al. 2014).

    What `F.dropout` does. On a CPU that draws a number for every element, which takes a
    fifth of a small Transformer's training step. Here one number of 64 bits decides
    over four elements, by 16 bits each.

    Args:
        x: floating point, of any shape.
        p: the probability of dropping an element, in [0, 1). On a CPU it is rounded to
            a multiple of 2^−16.

    Returns:
        x's shape and dtype; each element is 0, or x / (1 − p): x in the mean.
    """
    if p == 0 or x.numel() == 0:
        return x
    if x.device.type != "cpu":
        return F.dropout(x, p)
    dropped = min(round(p * 2**BITS), 2**BITS - 1)  # of the 2^16 values of 16 bits
    draws = torch.empty((x.numel() + 3) // 4, dtype=torch.int64)
    draws.random_(-(2**63), None)  # all 64 bits
    values = draws.view(torch.int16)[: x.numel()].view(x.shape)  # −2^15 … 2^15 − 1
    noise = torch.empty_like(x, memory_format=torch.contiguous_format)
    # Written as 0.0 and 1.0 at once: by way of a bool it would take six times as long.
    torch.ge(values, dropped - 2 ** (BITS - 1), out=noise)
    return x * noise.mul_(2**BITS / (2**BITS - dropped))


class Dropout(nn.Module):
    """`drop` while training, nothing in evaluation.

    Args:
        p: the probability of dropping an element.

    Raises:
        ValueError: p lies outside [0, 1).
    """

    def __init__(self, p: float = 0.0) -> None:
        super().__init__()
        if not 0 <= p < 1:
            raise ValueError(f"dropout must lie in [0, 1), got {p}")
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """Return x (any shape), with elements dropped while training."""
        return drop(x, self.p) if self.training else x

    def extra_repr(self) -> str:
        """Show the probability where the module is printed."""
        return f"p={self.p}"
