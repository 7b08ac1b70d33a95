"""Attention: masks, scaled dot-product attention, many heads, attention in a band.

A mask is a bool tensor, **True = may attend**, the polarity of
`torch.nn.functional.scaled_dot_product_attention`; masks combine with `&`. A query with
nothing to attend to gets weights 0 and output 0, forward and backward: never NaN.
"""

from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.checks import (
    check_dropout,
    check_floating,
    check_integer,
    check_same_dtype,
)
from attnlab.dropout import drop

INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
FEW_ROWS = 32  # below, several small products are faster than a large one


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
        ValueError: they are not of rank 1, lie outside 0 … n, or n < 1.
    """
    if not isinstance(lengths, Tensor) or lengths.dtype not in INTEGERS:
        raise TypeError(f"lengths must be a tensor of integers, got {lengths!r}")
    if lengths.dim() != 1:
        raise ValueError(f"lengths must be (batch,), got {tuple(lengths.shape)}")
    check_integer("n, the padded length,", n, 1)
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
    _check_mask(mask, scores.shape)

    # A row of −∞ alone has a softmax of NaN. Erasing it afterwards would hide it, and
    # yet trip `torch.autograd.detect_anomaly`: an empty row gets scores 0 on the way.
    empty = ~mask.any(-1, keepdim=True)  # (…, L_q, 1)
    hidden = scores.new_zeros(empty.shape).masked_fill(~empty, float("-inf"))
    weights = torch.where(mask, scores, hidden).softmax(-1)  # (…, L_q, L_k)
    if empty.any():  # rarely; all others are spared one more pass over the weights
        weights = weights.masked_fill(empty, 0.0)
    return weights


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    *,
    scale: float | None = None,
    need_weights: bool = True,
    score_bias: Tensor | None = None,
    dropout: float = 0.0,
) -> tuple[Tensor, Tensor | None]:
    """softmax(scale · Q Kᵀ + bias) V (Vaswani et al. 2017, eq. 1).

    Args:
        query: (…, L_q, d). The dimensions before the last two broadcast.
        key: (…, L_k, d).
        value: (…, L_k, d_value).
        mask: bool, True = may attend, broadcastable to (…, L_q, L_k).
        scale: what the products are multiplied by; None is 1/√d.
        need_weights: False takes torch's fused kernel, which never holds the weights.
        score_bias: floating point, broadcastable to (…, L_q, L_k), added to the scores:
            `AlibiPositions` makes one.
        dropout: the probability of dropping a weight. A function knows no `eval()`:
            pass 0 outside training.

    Returns:
        The output (…, L_q, d_value), and the weights (…, L_q, L_k), before dropout,
        or None. A query with nothing to attend to gets output 0 and weights 0.

    Raises:
        TypeError: an input is not a floating point tensor, they differ in dtype, or the
            mask is not bool.
        ValueError: shapes that do not fit, or an empty sequence.
    """
    _check_inputs(query, key, value, mask, score_bias)
    if scale is None:
        scale = query.shape[-1] ** -0.5
    if not need_weights:
        return _fused(query, key, value, mask, scale, score_bias, dropout), None

    # Scaled before the product, which may be more than float16 can hold.
    scores = (query * scale) @ key.transpose(-2, -1)  # (…, L_q, L_k)
    if score_bias is not None:
        scores = scores + score_bias.to(scores)
    weights = masked_softmax(scores, mask)
    return drop(weights, dropout) @ value, weights


def _fused(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    scale: float,
    score_bias: Tensor | None,
    dropout: float,
) -> Tensor:
    """Compute the same by torch's kernel, which works through the keys in blocks."""
    check_dropout(dropout)
    allowed: Tensor | None = mask
    empty: Tensor | None = None
    if mask is not None:
        # What a kernel does with a row that may see nothing is its own affair: here
        # such a row sees everything, and its output is erased.
        empty = ~mask.any(-1, keepdim=True)  # (…, L_q, 1)
        allowed = mask | empty
    if score_bias is not None:
        bias = score_bias.to(query)
        allowed = bias if allowed is None else bias.masked_fill(~allowed, float("-inf"))

    if dropout and query.device.type == "cpu":
        output = _dropped(query * scale, key, value, allowed, dropout)
    else:
        output = _kernel(query, key, value, allowed, scale, dropout)
        rank = max(query.dim(), key.dim(), value.dim())
        output = output.reshape(output.shape[-rank:])  # (…, L_q, d_value), as they came
    # Erasing takes a pass over the output, asking first makes a GPU wait.
    if empty is not None and (query.device.type != "cpu" or empty.any()):
        output = output.masked_fill(empty, 0.0)
    return output


def _dropped(
    query: Tensor, key: Tensor, value: Tensor, allowed: Tensor | None, dropout: float
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
    return drop(scores.softmax(-1), dropout) @ value


def _kernel(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    allowed: Tensor | None,
    scale: float,
    dropout: float,
) -> Tensor:
    """Call torch's kernel; on a CPU in half precision, whose backward pass is slow.

    On short sequences it is seven times slower than float32, casts included.
    """
    inputs: list[Any] = [query, key, value, allowed]
    half_on_cpu = query.device.type == "cpu" and query.dtype.itemsize == 2
    if half_on_cpu:
        inputs = [x.float() if _is_floating(x) else x for x in inputs]
    with torch.autocast("cpu", enabled=False) if half_on_cpu else nullcontext():
        # Only four dimensions take the fused kernel, in the mask too.
        query_4d, key_4d, value_4d, allowed_4d = map(_at_least_4d, inputs)
        output = F.scaled_dot_product_attention(
            query_4d,
            key_4d,
            value_4d,
            attn_mask=allowed_4d,
            dropout_p=dropout,
            scale=scale,
        )
    return output.to(query.dtype) if half_on_cpu else output


def _is_floating(x: Tensor | None) -> bool:
    return x is not None and x.is_floating_point()


def _at_least_4d(x: Any) -> Any:
    if x is None or x.dim() >= 4:
        return x
    return x[(None,) * (4 - x.dim())]


class MultiHeadAttention(nn.Module):
    """Attention by several heads at once (Vaswani et al. 2017, section 3.2.2).

    Each head has its own projections W_Q, W_K, W_V to `d_head` dimensions and attends
    there; the heads' outputs, side by side, go through W_O to `d_model` dimensions. All
    heads' W_Q lie in one linear layer, one below the other, and so do W_K and W_V.

    Args:
        d_model: the width of the output, and of the inputs unless said otherwise.
        num_heads: how many heads.
        d_head: the width of one head. None shares out d_model, `d_model // num_heads`
            each, as in the paper and in torch; `d_head=d_model` gives every head the
            full width.
        d_query, d_key, d_value: the widths of the inputs; None is d_model.
        bias: whether the four projections add a bias.
        dropout: the probability of dropping a weight while training.
        rotary: turns queries and keys by their positions (`RotaryPositions(d_head)`).

    Raises:
        TypeError: a size is no integer, or the dropout no number.
        ValueError: a size below 1, heads that do not divide d_model (with d_head None),
            or a dropout outside [0, 1).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        d_head: int | None = None,
        d_query: int | None = None,
        d_key: int | None = None,
        d_value: int | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        rotary: nn.Module | None = None,
    ) -> None:
        super().__init__()
        check_integer("d_model", d_model, 1)
        check_integer("num_heads", num_heads, 1)
        if d_head is None and d_model % num_heads:
            raise ValueError(f"{num_heads} heads cannot share d_model={d_model} evenly")
        check_dropout(dropout)
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_head = d_model // num_heads if d_head is None else d_head
        self.d_query = d_model if d_query is None else d_query
        self.d_key = d_model if d_key is None else d_key
        self.d_value = d_model if d_value is None else d_value
        for name in ("d_head", "d_query", "d_key", "d_value"):
            check_integer(name, getattr(self, name), 1)
        self.dropout = dropout
        self.rotary = rotary

        d_heads = num_heads * self.d_head
        self.query_layer = nn.Linear(self.d_query, d_heads, bias=bias)
        self.key_layer = nn.Linear(self.d_key, d_heads, bias=bias)
        self.value_layer = nn.Linear(self.d_value, d_heads, bias=bias)
        self.output_layer = nn.Linear(d_heads, d_model, bias=bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights (Glorot and Bengio 2010, eq. 16) and set the biases to 0."""
        for layer in self.children():
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        mask: Tensor | None = None,
        need_weights: bool = False,
        *,
        score_bias: Tensor | None = None,
        head_mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from `query` to `key` and `value`.

        Args:
            query: (B, L_q, d_query).
            key: (B, L_k, d_key); None is the query: self-attention.
            value: (B, L_k, d_value); None is the key.
            mask: bool, True = may attend: (L_q, L_k), (B, L_q, L_k), (B, h, L_q, L_k),
                or what broadcasts to them. Three dimensions are the batch's, never the
                heads'.
            need_weights: also return the weights, which takes the readable path.
            score_bias: added to the scores, (h, L_q, L_k) or what broadcasts to
                (B, h, L_q, L_k).
            head_mask: (h,), bool, True = the head speaks. What a silent head found
                does not reach the output (Michel et al. 2019, eq. 2).

        Returns:
            The output (B, L_q, d_model), and every head's weights (B, h, L_q, L_k),
            before dropout, or None. A query with nothing to attend to gets the output
            projection's bias.

        Raises:
            TypeError: an input is not a floating point tensor, or the mask is not bool.
            ValueError: a wrong rank, width, batch or length, an empty sequence, or a
                value without a key.
        """
        if key is None and value is not None:
            raise ValueError("a value came without a key")
        key = query if key is None else key
        value = key if value is None else value
        self._check("query", query, self.d_query, query)
        options: dict[str, Any] = {"score_bias": score_bias, "head_mask": head_mask}
        if key is query and value is query:
            return self.mix(*self.project(query), mask, need_weights, **options)
        keys, values = self.prepare(key, value)
        return self.attend(query, keys, values, mask, need_weights, **options)

    def project(self, x: Tensor, *, start: int = 0) -> tuple[Tensor, Tensor, Tensor]:
        """Make what self-attention needs of x (B, n, d_model), by one product.

        Args:
            x: query, key and value in one.
            start: the position of the first row. It matters to `rotary` alone.

        Returns:
            Queries, keys and values of all heads for `mix`, each (B, h, n, d_head).
        """
        self._check("query", x, self.d_query, x)
        if not self.d_query == self.d_key == self.d_value:
            raise ValueError(
                "self-attention needs query, key and value of one width, got "
                f"{self.d_query}, {self.d_key} and {self.d_value}"
            )
        queries, keys, values = self._project(
            x, self.query_layer, self.key_layer, self.value_layer
        )
        return self._rotate(queries, start), self._rotate(keys, start), values

    def prepare(
        self, key: Tensor, value: Tensor, *, start: int = 0
    ) -> tuple[Tensor, Tensor]:
        """Do the part that depends on key and value alone: what a decoder can keep.

        Args:
            key: (B, L_k, d_key).
            value: (B, L_k, d_value).
            start: the position of the first key. It matters to `rotary` alone.

        Returns:
            Keys and values of all heads, each (B, h, L_k, d_head).
        """
        self._check("key", key, self.d_key, key)
        self._check("value", value, self.d_value, key)
        if value is key:
            keys, values = self._project(key, self.key_layer, self.value_layer)
        else:
            keys = self._split(self.key_layer(key))
            values = self._split(self.value_layer(value))
        return self._rotate(keys, start), values

    def attend(
        self,
        query: Tensor,
        keys: Tensor,
        values: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = False,
        *,
        score_bias: Tensor | None = None,
        head_mask: Tensor | None = None,
        start: int = 0,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from `query` to prepared keys and values; see `forward`.

        `start` is the position of the first query. It matters to `rotary` alone.
        """
        self._check("query", query, self.d_query, keys)
        queries = self._rotate(self._split(self.query_layer(query)), start)
        return self.mix(
            queries,
            keys,
            values,
            mask,
            need_weights,
            score_bias=score_bias,
            head_mask=head_mask,
        )

    def mix(
        self,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = False,
        *,
        score_bias: Tensor | None = None,
        head_mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend where queries (B, h, L_q, d_head) are prepared too; see `forward`."""
        if isinstance(mask, Tensor) and mask.dim() == 3:
            mask = mask[:, None]  # (B, 1, L_q, L_k): the same for every head
        output, weights = scaled_dot_product_attention(
            queries,
            keys,
            values,
            mask,
            need_weights=need_weights,
            score_bias=score_bias,
            dropout=self.dropout if self.training else 0.0,
        )
        if head_mask is not None:
            self._check_head_mask(head_mask)
            output = output.masked_fill(~head_mask[:, None, None], 0.0)
        return self.output_layer(self._merge(output)), weights

    def _project(self, x: Tensor, *layers: nn.Linear) -> tuple[Tensor, ...]:
        """Apply several layers to the same input and split the heads.

        Linear layers' weights are put together first: one large product is faster than
        several small ones, unless x has so few rows that copying the weights costs
        more than multiplying by them.
        """
        batch, length, _ = x.shape
        # Somebody may have put another module in a layer's place.
        linear = all(type(layer) is nn.Linear for layer in layers)
        if not linear or batch * length < FEW_ROWS:
            return tuple(self._split(layer(x)) for layer in layers)
        weight = torch.cat([layer.weight for layer in layers])
        bias: Tensor | None = layers[0].bias
        if bias is not None:
            bias = torch.cat([layer.bias for layer in layers])
        projected = F.linear(x, weight, bias)
        shape = batch, length, len(layers), self.num_heads, self.d_head
        heads = projected.reshape(shape).permute(2, 0, 3, 1, 4)
        return heads.unbind()  # of each layer (batch, heads, length, d_head)

    def _split(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        x = x.reshape(batch, length, self.num_heads, self.d_head)
        return x.transpose(1, 2)  # (batch, heads, length, d_head)

    def _merge(self, x: Tensor) -> Tensor:
        x = x.transpose(1, 2)  # (batch, length, heads, d_head)
        return x.flatten(2)  # (batch, length, heads * d_head)

    def _rotate(self, x: Tensor, start: int) -> Tensor:
        return x if self.rotary is None else self.rotary(x, start)

    def _check_head_mask(self, head_mask: Tensor) -> None:
        if head_mask.dtype != torch.bool:
            raise TypeError(f"head_mask must be bool, got {head_mask.dtype}")
        if head_mask.shape != (self.num_heads,):
            raise ValueError(
                f"head_mask must be ({self.num_heads},), got {tuple(head_mask.shape)}"
            )

    def _check(self, name: str, x: Tensor, width: int, other: Tensor) -> None:
        check_floating(name, x)
        if x.dim() != 3 or x.shape[-1] != width:
            raise ValueError(
                f"{name} must be (batch, length, {width}), got {tuple(x.shape)}"
            )
        if x.shape[0] != other.shape[0]:
            raise ValueError(
                f"{name} has a batch of {x.shape[0]}, the key one of {other.shape[0]}"
            )
        if x.shape[1] == 0:
            raise ValueError(f"{name} is an empty sequence: {tuple(x.shape)}")

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention) -> "MultiHeadAttention":
        """Return the same attention as a `torch.nn.MultiheadAttention`.

        Weights are copied; dtype, device and train or eval mode are the module's. What
        differs is how it is called: batch first whatever `module.batch_first` says,
        True = may attend in masks, and weights of every head, not of their mean.

        Raises:
            TypeError: not a `torch.nn.MultiheadAttention`.
            ValueError: it has `add_bias_kv` or `add_zero_attn`, which this has not.
        """
        if not isinstance(module, nn.MultiheadAttention):
            raise TypeError(
                f"wanted a torch.nn.MultiheadAttention, got {type(module).__name__}"
            )
        if module.bias_k is not None or module.add_zero_attn:
            raise ValueError("add_bias_kv and add_zero_attn have no counterpart here")
        copy = cls(
            module.embed_dim,
            module.num_heads,
            d_key=module.kdim,
            d_value=module.vdim,
            bias=module.in_proj_bias is not None,
            dropout=module.dropout,
        ).to(module.out_proj.weight)
        if module.in_proj_weight is not None:  # (3 d_model, d_model), if widths agree
            weights = module.in_proj_weight.chunk(3)
        else:
            weights = module.q_proj_weight, module.k_proj_weight, module.v_proj_weight
        layers = copy.query_layer, copy.key_layer, copy.value_layer
        with torch.no_grad():
            for layer, weight in zip(layers, weights, strict=True):
                layer.weight.copy_(weight)
            if module.in_proj_bias is not None:
                for layer, bias in zip(
                    layers, module.in_proj_bias.chunk(3), strict=True
                ):
                    layer.bias.copy_(bias)
        copy.output_layer.load_state_dict(module.out_proj.state_dict())
        return copy.train(module.training)


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
    _check_inputs(query, key, value)
    check_integer("radius", radius, 0)
    if not query.shape[:-1] == key.shape[:-1] == value.shape[:-1]:
        raise ValueError(
            "banded attention is self-attention: all but the width must agree, got "
            f"{tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}"
        )
    *leading, n, _ = query.shape
    before = min(radius, n - 1)
    after = 0 if causal else before
    size = max(before, 32)  # of a block of queries; tiny blocks would be slow
    blocks = -(-n // size)  # rounded up
    rest = blocks * size - n
    reach = before + size + after  # how many keys a block can see

    query = F.pad(query, (0, 0, 0, rest))
    query = query.reshape(-1, blocks, size, query.shape[-1])  # (batch, blocks, size, d)
    windows = []
    for x in (key, value):
        x = F.pad(x, (0, 0, before, after + rest))
        x = x.unfold(-2, reach, size)  # (…, blocks, d, reach)
        x = x.transpose(-2, -1)  # (…, blocks, reach, d)
        windows.append(x.reshape(-1, *x.shape[-3:]))  # (batch, blocks, reach, d)

    # Inside a block, query i stands at i and key j at j − before.
    device = query.device
    offset = torch.arange(reach, device=device) - before
    distance = offset - torch.arange(size, device=device)[:, None]  # (size, reach)
    near = (distance >= -before) & (distance <= after)
    starts = torch.arange(0, blocks * size, size, device=device)
    position = starts[:, None] + offset  # (blocks, reach)
    real = (position >= 0) & (position < n)  # the rest is padding
    mask = near & real[:, None]  # (blocks, size, reach)

    keys, values = windows
    output, _ = scaled_dot_product_attention(query, keys, values, mask)
    output = output.reshape(*leading, blocks * size, value.shape[-1])
    return output[..., :n, :]


def _check_mask(mask: Tensor, shape: torch.Size) -> None:
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        got = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(f"mask must be a bool tensor (True = may attend), got {got}")
    _check_broadcasts("mask", mask, shape)


def _check_broadcasts(name: str, x: Tensor, shape: torch.Size) -> None:
    try:
        x.expand(shape)
    except RuntimeError:
        raise ValueError(
            f"{name} {tuple(x.shape)} does not broadcast to scores {tuple(shape)}"
        ) from None


def _check_inputs(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    score_bias: Tensor | None = None,
) -> None:
    inputs = {"query": query, "key": key, "value": value}
    check_same_dtype(**inputs)
    for name, x in inputs.items():
        if x.dim() < 2:
            raise ValueError(f"{name} must be (…, length, d), got {tuple(x.shape)}")
        if 0 in x.shape[-2:]:
            raise ValueError(f"{name} is empty: {tuple(x.shape)}")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            "query and key must be equally wide, "
            f"got {query.shape[-1]} and {key.shape[-1]}"
        )
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            "key and value must be equally long, "
            f"got {key.shape[-2]} and {value.shape[-2]}"
        )
    leading = query.shape[:-2]
    if not leading == key.shape[:-2] == value.shape[:-2]:
        try:
            leading = torch.broadcast_shapes(leading, key.shape[:-2])
            torch.broadcast_shapes(leading, value.shape[:-2])
        except RuntimeError:
            shapes = ", ".join(f"{name} {tuple(x.shape)}" for name, x in inputs.items())
            raise ValueError(f"leading dimensions do not broadcast: {shapes}") from None
    shape = torch.Size((*leading, query.shape[-2], key.shape[-2]))
    if mask is not None:
        _check_mask(mask, shape)
    if score_bias is not None:
        check_floating("score_bias", score_bias)
        _check_broadcasts("score_bias", score_bias, shape)
