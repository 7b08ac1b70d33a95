"""Dropout, with random bits that cost little."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.checks import (
    check_dropout,
    check_floating,
    is_traced,
    is_transformed,
)

BITS = 16  # decide over one element


def dropout(x: Tensor, p: float) -> Tensor:
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

    Raises:
        TypeError: x is not floating point, or p no number.
        ValueError: p lies outside [0, 1).
    """
    check_dropout(p)
    check_floating("x", x)
    if p == 0 or x.numel() == 0:
        return x
    if x.device.type != "cpu" or is_traced() or is_transformed(x):
        return F.dropout(x, p)
    dropped = min(round(p * 2**BITS), 2**BITS - 1)  # of the 2^16 values of 16 bits
    seed = int(torch.randint(2**63 - 1, ()).numpy())  # so that torch's seed decides
    draws = np.random.SFC64(seed).random_raw((x.numel() + 3) // 4)  # 64 bits each
    values = torch.from_numpy(draws.view(np.int16))[: x.numel()]  # −2^15 … 2^15 − 1
    noise = torch.empty_like(x, memory_format=torch.contiguous_format)
    # Written as 0.0 and 1.0 at once: by way of a bool it would take six times as long.
    torch.ge(values.view(x.shape), dropped - 2 ** (BITS - 1), out=noise)
    return x * noise.mul_(2**BITS / (2**BITS - dropped))


class Dropout(nn.Module):
    """`dropout` while training, nothing in evaluation.

    Args:
        p: the probability of dropping an element.

    Raises:
        TypeError, ValueError: p is no number in [0, 1).
    """

    def __init__(self, p: float = 0.0) -> None:
        super().__init__()
        check_dropout(p)
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """Return x (any shape), with elements dropped while training."""
        return dropout(x, self.p) if self.training else x

    def extra_repr(self) -> str:
        """Show the probability where the module is printed."""
        return f"p={self.p}"
