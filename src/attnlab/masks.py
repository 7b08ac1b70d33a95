"""Who may attend to whom, and the softmax that obeys.

A mask is a bool tensor, **True = may attend**, the polarity of
`torch.nn.functional.scaled_dot_product_attention`; masks combine with `&`. A query with
nothing to attend to gets weights 0, forward and backward: never NaN.
"""

import torch
from torch import Tensor

from attnlab.checks import check_all, check_integer, check_mask

INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def causal_mask(n: int, *, device: torch.device | str | None = None) -> Tensor:
    """Let every position see itself and what came before (Vaswani et al. 2017, 3.2.3).

    Args:
        n: the length of the sequence, at least 1.
        device: where the mask is to lie.

    Returns:
        (n, n), bool, True at [i, j] where j ≤ i.

    Raises:
        TypeError: n is not an integer.
        ValueError: n < 1.
    """
    check_integer("n", n, 1)
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


def window_mask(
    n: int, radius: int, *, device: torch.device | str | None = None
) -> Tensor:
    """Let every position see those at most `radius` away (Vaswani et al. 2017, 4).

    Args:
        n: the length of the sequence, at least 1.
        radius: how far a position sees to either side; 0 is itself alone.
        device: where the mask is to lie.

    Returns:
        (n, n), bool, True at [i, j] where |i − j| ≤ radius.

    Raises:
        TypeError: n or the radius is not an integer.
        ValueError: n < 1 or radius < 0.
    """
    check_integer("n", n, 1)
    check_integer("radius", radius, 0)
    everything = torch.ones(n, n, dtype=torch.bool, device=device)
    return everything.tril(radius).triu(-radius)


def padding_mask(lengths: Tensor, n: int) -> Tensor:
    """Say which of `n` padded positions hold a real token.

    Args:
        lengths: (batch,), integers: the number of real tokens of each sequence,
            0 … n, with the padding to their right.
        n: the padded length.

    Returns:
        (batch, 1, n), bool. It broadcasts over the queries.

    Raises:
        TypeError: the lengths are not a tensor of integers, or n is not an integer.
        ValueError: they are not of rank 1, or n < 1; on a CPU also if they lie outside
            0 … n, which on a GPU is an assertion of its stream.
    """
    if not isinstance(lengths, Tensor) or lengths.dtype not in INTEGERS:
        raise TypeError(f"lengths must be a tensor of integers, got {lengths!r}")
    if lengths.dim() != 1:
        raise ValueError(f"lengths must be (batch,), got {tuple(lengths.shape)}")
    check_integer("n, the padded length,", n, 1)
    within = (lengths >= 0) & (lengths <= n)
    check_all(within, f"lengths must lie in 0 … {n}")
    positions = torch.arange(n, device=lengths.device)
    return positions < lengths[:, None, None]  # (batch, 1, n)


def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Softmax over the last dimension, with weight 0 wherever the mask is False.

    A row with nothing to attend to gets weights 0, and gradient 0: neither NaN (what
    −∞ in every place gives) nor uniform weights (what −10⁹ gives).

    Args:
        scores: (…, L_q, L_k), floating point, half precision included.
        mask: bool, broadcastable to the scores; None hides nothing.

    Returns:
        Weights of the scores' shape and dtype; every row sums to 1 or is all 0.

    Raises:
        TypeError: the scores are not floating point, or the mask is not bool.
        ValueError: there are no keys, or the mask does not broadcast to the scores.
    """
    if not scores.is_floating_point():
        raise TypeError(f"scores must be floating point, got {scores.dtype}")
    if scores.dim() == 0 or scores.shape[-1] == 0:
        raise ValueError(f"scores need at least one key, got {tuple(scores.shape)}")
    if mask is None:
        return scores.softmax(-1)
    check_mask(mask, scores.shape)

    # A row of −∞ alone has a softmax of NaN. Erasing it afterwards would hide it, and
    # yet trip `torch.autograd.detect_anomaly`: an empty row gets scores 0 on the way.
    empty = ~mask.any(-1, keepdim=True)  # (…, L_q, 1)
    hidden = scores.new_zeros(empty.shape).masked_fill(~empty, float("-inf"))
    weights = torch.where(mask, scores, hidden).softmax(-1)  # (…, L_q, L_k)
    return weights.masked_fill(empty, 0.0)
