"""Attention whose heads share keys and values (grouped queries).

While a decoder writes, the keys and values of all it has read stay in memory. With `g`
groups instead of `h` heads of them, that is h/g times less to keep and to read. One
group is multi-query attention (Shazeer 2019); as many groups as heads is multi-head
attention; between them lies Ainslie et al. (2023).
"""

import torch
from torch import Tensor, nn

from attnlab.attention import MultiHeadAttention, scaled_dot_product_attention
from attnlab.checks import check_groups, check_heads, check_sizes


class GroupedQueryAttention(nn.Module):
    """`num_heads` heads of queries, `num_groups` of keys and values.

    Args:
        d_model: the width of inputs and output.
        num_heads: heads of queries; they share out d_model.
        num_groups: heads of keys and values; divides num_heads.
        bias: give the projections a bias.

    Raises:
        TypeError, ValueError: sizes that are no integers, under 1, or do not divide.
    """

    def __init__(
        self, d_model: int, num_heads: int, num_groups: int, *, bias: bool = True
    ) -> None:
        super().__init__()
        check_heads(num_heads, d_model)
        check_groups(num_groups, num_heads)
        self.num_heads, self.num_groups = num_heads, num_groups
        self.d_head = d_model // num_heads
        shared = num_groups * self.d_head
        self.query_layer = nn.Linear(d_model, d_model, bias=bias)
        self.key_layer = nn.Linear(d_model, shared, bias=bias)
        self.value_layer = nn.Linear(d_model, shared, bias=bias)
        self.output_layer = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from `query` (B, L_q, d_model); see `MultiHeadAttention.forward`.

        Returns:
            The output (B, L_q, d_model), and the weights (B, h, L_q, L_k) or None.
        """
        key = query if key is None else key
        value = key if value is None else value
        queries = _split(self.query_layer(query), self.num_heads)
        keys, values = self.prepare(key, value)
        if mask is not None and mask.dim() == 3:
            mask = mask[:, None]  # (B, 1, L_q, L_k): the same for every head
        share = self.num_heads // self.num_groups
        output, weights = scaled_dot_product_attention(
            queries,
            keys.repeat_interleave(share, dim=1),  # (B, h, L_k, d_head)
            values.repeat_interleave(share, dim=1),
            mask,
            need_weights=need_weights,
        )
        return self.output_layer(output.transpose(1, 2).flatten(2)), weights

    def prepare(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Return what a decoder keeps: keys and values (B, groups, L_k, d_head)."""
        keys = _split(self.key_layer(key), self.num_groups)
        return keys, _split(self.value_layer(value), self.num_groups)

    @classmethod
    def from_heads(
        cls, heads: MultiHeadAttention, num_groups: int
    ) -> "GroupedQueryAttention":
        """Return a grouped copy whose shared keys and values are the heads' mean.

        The start that Ainslie et al. (2023, section 2.1) train on from. With as many
        groups as heads nothing changes.

        Raises:
            ValueError: heads that do not share out one width, or do not divide.
        """
        d_model = heads.num_heads * heads.d_head
        widths = {heads.d_model, heads.d_query, heads.d_key, heads.d_value, d_model}
        if len(widths) > 1 or heads.rotary is not None:
            raise ValueError(
                "heads must share out one width for query, key, value and output, and "
                "have no rotary positions"
            )
        bias = heads.key_layer.bias is not None
        copy = cls(d_model, heads.num_heads, num_groups, bias=bias)
        copy = copy.to(heads.key_layer.weight)
        copy.query_layer.load_state_dict(heads.query_layer.state_dict())
        copy.output_layer.load_state_dict(heads.output_layer.state_dict())
        with torch.no_grad():
            for name in ("key_layer", "value_layer"):
                for ours, theirs in zip(
                    getattr(copy, name).parameters(),
                    getattr(heads, name).parameters(),
                    strict=True,
                ):
                    # (groups, heads of a group, d_head, …): the mean over the second
                    cut = theirs.unflatten(0, (num_groups, -1, heads.d_head))
                    ours.copy_(cut.mean(dim=1).flatten(0, 1))
        return copy


def _split(x: Tensor, heads: int) -> Tensor:
    x = x.unflatten(-1, (heads, -1))  # (batch, length, heads, d_head)
    return x.transpose(1, 2)  # (batch, heads, length, d_head)


def cache_bytes(
    tokens: int, *, layers: int, groups: int, d_head: int, bytes_per_number: int = 2
) -> int:
    """Return the bytes of a decoder's keys and values after so many tokens.

    Two tensors (groups, tokens, d_head) a layer, for one sequence.

    Args:
        tokens: how many were read and written.
        layers: of self-attention.
        groups: heads of keys and values.
        d_head: the width of each.
        bytes_per_number: 4 for float32, 2 for float16 and bfloat16.

    Raises:
        TypeError, ValueError: a size that is no integer, or under 1.
    """
    check_sizes(tokens=tokens, layers=layers, groups=groups, d_head=d_head)
    check_sizes(bytes_per_number=bytes_per_number)
    return 2 * layers * groups * tokens * d_head * bytes_per_number
