"""Exact attention that never holds all of its weights (online softmax).

The keys come in blocks. For every query three things are kept: the highest score so
far, the sum of exp(score − highest), and the weighted sum of the values with the same
factors. When a block brings a higher score, both sums are scaled down to it. In the end
one divides. (Milakov and Gimelshein 2018 for the softmax; Rabe and Staats 2021 for the
attention; Dao et al. 2022 for both passes on a GPU.)
"""

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

from attnlab.checks import check_integer, check_same_dtype


def online_softmax_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    causal: bool = False,
    block: int = 128,
) -> Tensor:
    """Attend as `scaled_dot_product_attention` does, in O(L · block) memory.

    Forward and backward go through the keys block by block. Backward computes each
    block's weights a second time instead of having kept them.

    Args:
        query: (…, L_q, d).
        key: (…, L_k, d).
        value: (…, L_k, d_value).
        causal: query i sees keys 0 … i alone, as under `causal_mask`; L_q = L_k then.
        block: how many keys are looked at together.

    Returns:
        The output (…, L_q, d_value). There are no weights to return.

    Raises:
        TypeError: an input is no floating point tensor, they differ in dtype, or the
            block is no integer.
        ValueError: shapes that do not fit, an empty sequence, or block < 1.
    """
    _check(query, key, value, causal, block)
    return _Online.apply(query, key, value, causal, block)


class _Online(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: FunctionCtx,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        causal: bool,
        block: int,
    ) -> Tensor:
        ctx.causal, ctx.block = causal, block
        rows = query.shape[:-1]  # (…, L_q)
        highest = query.new_full((*rows, 1), float("-inf"))
        total = query.new_zeros((*rows, 1))
        mixed = query.new_zeros((*rows, value.shape[-1]))
        for start in range(0, key.shape[-2], block):
            keys, values = _block(start, block, key, value)
            scores = _scores(query, keys, start, causal)  # (…, L_q, block)
            now = torch.maximum(highest, scores.amax(dim=-1, keepdim=True))
            shrink = (highest - now).exp()  # 0 at the first block
            factors = (scores - now).exp()
            total = total * shrink + factors.sum(dim=-1, keepdim=True)
            mixed = mixed * shrink + factors @ values
            highest = now
        output = mixed / total
        # All that is kept: one number a query says what its row of weights sums to.
        ctx.save_for_backward(query, key, value, output, highest + total.log())
        return output

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple:
        query, key, value, output, lse = ctx.saved_tensors
        scale = query.shape[-1] ** -0.5
        by_query, by_key, by_value = map(torch.zeros_like, (query, key, value))
        # The softmax's gradient needs Σ weight · (its gradient) of every row.
        mean = (gradient * output).sum(dim=-1, keepdim=True)  # (…, L_q, 1)
        for start in range(0, key.shape[-2], ctx.block):
            keys, values = _block(start, ctx.block, key, value)
            weights = (_scores(query, keys, start, ctx.causal) - lse).exp()
            by_score = weights * (gradient @ values.transpose(-2, -1) - mean) * scale
            by_query += by_score @ keys
            _block(start, ctx.block, by_key)[0].add_(by_score.transpose(-2, -1) @ query)
            _block(start, ctx.block, by_value)[0].add_(
                weights.transpose(-2, -1) @ gradient
            )
        return by_query, by_key, by_value, None, None


def _block(start: int, block: int, *tensors: Tensor) -> list[Tensor]:
    """Return a view of the rows from `start` on of each tensor."""
    return [tensor[..., start : start + block, :] for tensor in tensors]


def _scores(query: Tensor, keys: Tensor, start: int, causal: bool) -> Tensor:
    """Scaled scores of all queries and the keys from `start` on; −∞ where hidden."""
    scores = query @ keys.transpose(-2, -1) * query.shape[-1] ** -0.5
    if causal:
        queries = torch.arange(query.shape[-2], device=query.device)[:, None]
        ahead = torch.arange(keys.shape[-2], device=query.device) + start > queries
        scores = scores.masked_fill(ahead, float("-inf"))
    return scores


def _check(query: Tensor, key: Tensor, value: Tensor, causal: bool, block: int) -> None:
    check_same_dtype(query=query, key=key, value=value)
    for name, x in (("query", query), ("key", key), ("value", value)):
        if x.dim() < 2 or 0 in x.shape[-2:]:
            raise ValueError(
                f"{name} must be (…, length, d), neither of them 0, "
                f"got {tuple(x.shape)}"
            )
    check_integer("block", block, 1)
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            "query and key must be equally wide, "
            f"got {query.shape[-1]} and {key.shape[-1]}"
        )
    if key.shape[:-1] != value.shape[:-1] or query.shape[:-2] != key.shape[:-2]:
        raise ValueError(
            "leading dimensions of all three and the lengths of key and value must "
            f"agree, got {tuple(query.shape)}, {tuple(key.shape)} and "
            f"{tuple(value.shape)}"
        )
    if causal and query.shape[-2] != key.shape[-2]:
        raise ValueError(
            "causal attention needs as many queries as keys, "
            f"got {query.shape[-2]} and {key.shape[-2]}"
        )
