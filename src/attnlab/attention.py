"""Masks and the masked softmax, shared by every attention of the book.

A mask is a bool tensor, **True = may attend**, the polarity of
`torch.nn.functional.scaled_dot_product_attention`.
"""

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, n: int) -> Tensor:
    """Say which of `n` padded positions hold a real token.

    Args:
        lengths: (batch,), integers: the number of real tokens of each sequence,
            0 … n, with the padding to their right.
        n: the padded length.

    Returns:
        (batch, 1, n), bool. It broadcasts over the queries.

    Raises:
        TypeError: the lengths are not a tensor of integers.
        ValueError: they are not of rank 1, lie outside 0 … n, or n < 1.
    """
    if not isinstance(lengths, Tensor) or lengths.dtype.is_floating_point:
        raise TypeError(f"lengths must be a tensor of integers, got {lengths!r}")
    if lengths.dim() != 1:
        raise ValueError(f"lengths must be (batch,), got {tuple(lengths.shape)}")
    if n < 1:
        raise ValueError(f"the padded length must be at least 1, got {n}")
    if ((lengths < 0) | (lengths > n)).any():
        raise ValueError(f"lengths must lie in 0 … {n}, got {lengths.tolist()}")
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
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        got = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(f"mask must be a bool tensor (True = may attend), got {got}")
    try:
        mask = mask.expand_as(scores)
    except RuntimeError:
        raise ValueError(
            f"mask {tuple(mask.shape)} does not broadcast to scores "
            f"{tuple(scores.shape)}"
        ) from None

    # A row of −∞ alone has a softmax of NaN. The last line would hide it, yet it would
    # trip `torch.autograd.detect_anomaly`: an empty row gets scores 0 on the way.
    empty = ~mask.any(-1, keepdim=True)
    scores = scores.masked_fill(~mask, float("-inf")).masked_fill(empty, 0.0)
    return scores.softmax(-1).masked_fill(~mask, 0.0)
