"""The same attention in less time: by torch's kernels, and in a band.

`attnlab.attention` shows what is computed; here stands how it is computed faster.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from attnlab.checks import (
    check_attention,
    check_dropout,
    check_integer,
    is_traced,
)
from attnlab.dropout import dropout
from attnlab.masks import masked_softmax


def fused_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    scale: float,
    score_bias: Tensor | None,
    dropout_p: float,
) -> Tensor:
    """Compute attention by torch's kernel, which works through the keys in blocks.

    Args and output are those of `attnlab.attention.scaled_dot_product_attention`, which
    checks them all but `dropout_p`: ValueError unless it lies in [0, 1).
    """
    if dropout_p != 0:
        check_dropout(dropout_p)
    allowed: Tensor | None = mask
    empty: Tensor | None = None
    on_cpu = query.device.type == "cpu"
    # Torch's kernels for CPUs give 0 to a row that may see nothing. Others need not:
    # for them such a row sees everything, and its output is erased. Nothing looks at
    # the mask, for which a GPU would have to wait.
    if mask is not None and (not on_cpu or dropout_p or is_traced()):
        empty = ~mask.any(-1, keepdim=True)  # (…, L_q, 1)
        allowed = mask | empty
    if score_bias is not None:
        bias = score_bias.to(query)
        allowed = bias if allowed is None else bias.masked_fill(~allowed, float("-inf"))

    if dropout_p and on_cpu:
        output = _drop_out(query * scale, key, value, allowed, dropout_p)
    else:
        output = _kernel(query, key, value, allowed, scale, dropout_p)
        rank = max(query.dim(), key.dim(), value.dim())
        if rank < 4:
            output = output.reshape(output.shape[-rank:])  # (…, L_q, d_value)
    return output if empty is None else output.masked_fill(empty, 0.0)


def _drop_out(
    query: Tensor, key: Tensor, value: Tensor, allowed: Tensor | None, dropout_p: float
) -> Tensor:
    """Do what torch's kernel does when it drops weights on a CPU: not in blocks.

    `allowed` is bool, or a bias that is −∞ where nothing is allowed. Added in place it
    takes less time than a choice between scores and −∞, forward and backward.
    """
    scores = query @ key.transpose(-2, -1)  # (…, L_q, L_k)
    if allowed is not None:
        if allowed.dtype == torch.bool:
            hidden = scores.new_zeros(allowed.shape)
            allowed = hidden.masked_fill(~allowed, float("-inf"))
        scores += allowed
    return dropout(scores.softmax(-1), dropout_p) @ value


def _kernel(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    allowed: Tensor | None,
    scale: float,
    dropout_p: float,
) -> Tensor:
    """Call torch's kernel; on a CPU in half precision, whose backward pass is slow.

    On short sequences it is seven times slower than float32, casts included.
    """
    if query.dtype.itemsize == 2 and query.device.type == "cpu":
        if allowed is not None and allowed.is_floating_point():
            allowed = allowed.float()
        floats = query.float(), key.float(), value.float()
        with torch.autocast("cpu", enabled=False):
            return _kernel(*floats, allowed, scale, dropout_p).to(query.dtype)
    # Only four dimensions take the fused kernel, in the mask too.
    return F.scaled_dot_product_attention(
        _at_least_4d(query),
        _at_least_4d(key),
        _at_least_4d(value),
        attn_mask=_at_least_4d(allowed),
        dropout_p=dropout_p,
        scale=scale,
    )


def _at_least_4d(x: Any) -> Any:
    if x is None or x.dim() >= 4:
        return x
    return x[(None,) * (4 - x.dim())]


def banded_attention(
    query: Tensor, key: Tensor, value: Tensor, radius: int, *, causal: bool = False
) -> Tensor:
    """Self-attention to at most `radius` positions to either side, and no more work.

    Equals attention under `window_mask(n, radius)`, with `causal=True` under
    `window_mask(n, radius) & causal_mask(n)`, in O(n · radius) time and memory (the
    restricted self-attention of Vaswani et al. 2017, section 4).

    The queries are cut into blocks. A block of queries, and the keys within reach of
    any of them, are one small attention:

        queries              [ s … s + size − 1 ]
        keys      [ s − radius … s + size − 1 + radius ]

    Args:
        query, key: (…, n, d).
        value: (…, n, d_value).
        radius: how far a position sees to either side; 0 is itself alone.
        causal: see nothing to the right.

    Returns:
        The output (…, n, d_value).

    Raises:
        TypeError: an input is not a floating point tensor, they differ in dtype, or the
            radius is not an integer.
        ValueError: radius < 0, shapes that do not fit, or an empty sequence.
    """
    check_attention(query, key, value)
    check_integer("radius", radius, 0)
    if not query.shape[:-1] == key.shape[:-1] == value.shape[:-1]:
        raise ValueError(
            "banded attention is self-attention: all but the width must agree, got "
            f"{tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}"
        )
    *leading, n, d = query.shape
    before = min(radius, n - 1)
    after = 0 if causal else before
    size = max(before, 32)  # of a block of queries; tiny blocks would be slow
    rest = -n % size  # how many queries the last block lacks

    padded = F.pad(query, (0, 0, 0, rest))
    queries = padded.reshape(-1, (n + rest) // size, size, d)
    keys, values = (_windows(x, size, before, after, rest) for x in (key, value))
    mask = _band(n, size, before, after, query.device)
    keys = keys.transpose(-2, -1)  # (batch, blocks, d, reach)
    scores = (queries * d**-0.5) @ keys  # (batch, blocks, size, reach)
    output = masked_softmax(scores, mask) @ values  # (batch, blocks, size, d_value)
    return output.reshape(*leading, n + rest, value.shape[-1])[..., :n, :]


def _windows(x: Tensor, size: int, before: int, after: int, rest: int) -> Tensor:
    """Cut out what each block of queries can see: (…, n, d) -> (…, reach, d)."""
    x = F.pad(x, (0, 0, before, after + rest))
    x = x.unfold(-2, before + size + after, size)  # (…, blocks, d, reach)
    x = x.transpose(-2, -1)  # (…, blocks, reach, d)
    return x.reshape(-1, *x.shape[-3:])  # (batch, blocks, reach, d)


def _band(n: int, size: int, before: int, after: int, device: torch.device) -> Tensor:
    """Make the mask of all blocks, (blocks, size, reach).

    Inside a block, query i stands at i and key j at j − before.
    """
    offset = torch.arange(before + size + after, device=device) - before  # (reach,)
    distance = offset - torch.arange(size, device=device)[:, None]  # (size, reach)
    near = (distance >= -before) & (distance <= after)
    position = torch.arange(0, n, size, device=device)[:, None] + offset
    real = (position >= 0) & (position < n)  # the rest is padding: (blocks, reach)
    return near & real[:, None]
