"""Positions: what tells attention, which sees a set, that it reads a sequence.

| class                 | what it does                      | source              |
| --------------------- | --------------------------------- | ------------------- |
| `SinusoidalPositions` | adds a fixed table to the input   | Vaswani et al. 2017 |
| `LearnedPositions`    | adds a trained table to the input | Gehring et al. 2017 |
| `RotaryPositions`     | turns queries and keys            | Su et al. 2021      |
| `AlibiPositions`      | lowers the scores by the distance | Press et al. 2022   |

The first two are called on the embeddings, before the first layer. `RotaryPositions`
goes into `MultiHeadAttention(…, rotary=…)`; what `AlibiPositions` returns goes in as
its `score_bias`. Positions count from 0; `start` is the position of the first row, for
a decoder that has read the rows before it already.
"""

from typing import Any, Self

import torch
from torch import Tensor, nn

from attnlab.checks import (
    check_choice,
    check_floating,
    check_integer,
    check_number,
    is_traced,
)

POSITIONS = ("sinusoidal", "learned", "rotary", "alibi", "none")
MIN_BASE = 1e-30


def frequencies(d: int, base: float = 10000.0) -> Tensor:
    """How fast each pair of dimensions turns: ωᵢ = base^(−2i/d), in radians a position.

    Returns:
        (d / 2,), float64, from 1 down to nearly 1/base.

    Raises:
        TypeError: d is not an integer, or the base no number.
        ValueError: d is odd or below 2, or the base is not positive (and above 10⁻³⁰,
            under which the frequencies overflow).
    """
    check_integer("d", d, 2)
    if d % 2:
        raise ValueError(f"positions come in pairs of sine and cosine: d={d} is odd")
    check_number("the base", base, above=MIN_BASE)
    return float(base) ** -(torch.arange(0, d, 2, dtype=torch.float64) / d)


def sinusoidal(
    n: int, d: int, base: float = 10000.0, *, dtype: torch.dtype | None = None
) -> Tensor:
    """Return the table of Vaswani et al. 2017, section 3.5.

    PE[p, 2i] = sin(p ωᵢ) and PE[p, 2i + 1] = cos(p ωᵢ), with ωᵢ = base^(−2i/d).

    Args:
        n: how many positions, at least 1.
        d: the width, even.
        base: sets the slowest frequency.
        dtype: of the table; None is torch's default. It is computed in float64.

    Returns:
        (n, d).

    Raises:
        TypeError: n or d is not an integer.
        ValueError: n < 1, d is odd or below 2, or the base is not positive.
    """
    check_integer("n", n, 1)
    positions = torch.arange(n, dtype=torch.float64)
    angles = positions[:, None] * frequencies(d, base)  # (n, d / 2)
    table = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (n, d / 2, 2)
    return table.flatten(1).to(dtype or torch.get_default_dtype())  # (n, d)


def shift_matrix(
    k: float, d: int, base: float = 10000.0, *, dtype: torch.dtype | None = None
) -> Tensor:
    """Return the rotation that moves a row of `sinusoidal` on by k, whatever the row.

    `shift_matrix(k, d) @ PE[p] == PE[p + k]`. Along the diagonal stand 2 × 2 rotations,
    one a frequency, because

        sin((p + k)ω) =  cos(kω) sin(pω) + sin(kω) cos(pω)
        cos((p + k)ω) = −sin(kω) sin(pω) + cos(kω) cos(pω)

    That it exists is said, without proof, in Vaswani et al. 2017, section 3.5.

    Args:
        k: how far; negative moves back.
        d: the width, even.
        base: that of the table.
        dtype: of the matrix; None is torch's default. It is computed in float64.

    Returns:
        (d, d), orthogonal.

    Raises:
        TypeError: d is not an integer.
        ValueError: d is odd or below 2, or the base is not positive.
    """
    angles = k * frequencies(d, base)  # (d / 2,)
    sin, cos = angles.sin(), angles.cos()
    rotations = torch.stack([cos, sin, -sin, cos], dim=-1).reshape(-1, 2, 2)
    return torch.block_diag(*rotations).to(dtype or torch.get_default_dtype())


def rotate(x: Tensor, table: Tensor) -> Tensor:
    """Turn each pair of `x` by the angle of its position (Su et al. 2021, eq. 34).

    The pair (x₂ᵢ, x₂ᵢ₊₁) at position p is turned by p ωᵢ. After that the product of a
    query and a key depends on the distance of their positions alone (eq. 16).

    Args:
        x: (…, n, d), queries or keys.
        table: (n, d) or what broadcasts to x: each row's sines and cosines as
            `sinusoidal` has them. `sinusoidal(n, d)` for positions 0 … n − 1,
            `sinusoidal(100, d)[positions]` for any others.

    Returns:
        (…, n, d), of x's dtype and with the same length of every pair.

    Raises:
        TypeError: x is not floating point.
        ValueError: d is odd, or the table does not broadcast to x.
    """
    check_floating("x", x)
    if x.dim() == 0 or x.shape[-1] % 2:
        raise ValueError(f"x must be (…, n, d) with d even, got {tuple(x.shape)}")
    try:
        table = table.expand_as(x)
    except RuntimeError:
        raise ValueError(
            f"table {tuple(table.shape)} does not broadcast to x {tuple(x.shape)}"
        ) from None
    sin, cos = table[..., 0::2], table[..., 1::2]  # (…, n, d / 2)
    first, second = x[..., 0::2], x[..., 1::2]
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(-2).to(x.dtype)  # (…, n, d)


class _Sinusoids(nn.Module):
    """Rows of `sinusoidal`, as many as are asked for, kept between calls."""

    table: Tensor

    def __init__(self, d: int, base: float = 10000.0) -> None:
        super().__init__()
        self.d = d
        self.base = base
        # Not persistent: it is no part of what was learned.
        self.register_buffer("table", sinusoidal(1, d, base), persistent=False)

    def _apply(self, *args: Any, **kwargs: Any) -> Self:
        # `.half()` and the like would round the table, and `.float()` not undo it:
        # once moved, it is computed anew.
        super()._apply(*args, **kwargs)
        self.table = self.table[:0]
        return self

    def rows(
        self, x: Tensor, start: int = 0, positions: Tensor | None = None
    ) -> Tensor:
        """Return the rows for x (…, n, d), at least as exact as float32.

        Args:
            x: what they are for.
            start: the position of its first row.
            positions: those of all rows, (…, n), each below start + n, if they do not
                follow one another.

        Returns:
            (n, d), or with `positions` (…, n, d).
        """
        check_floating("x", x)
        if x.dim() < 2 or x.shape[-1] != self.d or x.shape[-2] == 0:
            raise ValueError(f"x must be (…, n, {self.d}), got {tuple(x.shape)}")
        check_integer("start", start, 0)
        end = start + x.shape[-2]
        dtype = torch.promote_types(x.dtype, torch.float32)
        if is_traced():  # its length is a symbol: no table is long enough
            table = sinusoidal(end, self.d, self.base, dtype=dtype).to(x.device)
        else:
            table = self._table(end, dtype, x.device)
        return table[start:end] if positions is None else table[positions]

    def _table(self, end: int, dtype: torch.dtype, device: torch.device) -> Tensor:
        """Return the kept table; it is made anew if it is too short."""
        if end > len(self.table) or self.table.dtype != dtype:
            n = max(end, 2 * len(self.table))  # room for some more
            self.table = sinusoidal(n, self.d, self.base, dtype=dtype)
        if self.table.device != device:
            self.table = self.table.to(device)
        return self.table


class SinusoidalPositions(_Sinusoids):
    """Add the table of `sinusoidal`: there is no longest sequence.

    Args:
        d: the width, even.
        base: sets the slowest frequency.

    Raises:
        TypeError: d is not an integer.
        ValueError: d is odd or below 2, or the base is not positive.
    """

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Return x (…, n, d) plus the rows of its positions, start … start + n − 1."""
        return x + self.rows(x, start).to(x.dtype)


class LearnedPositions(nn.Module):
    """Add a trained vector a position (Gehring et al. 2017, section 3.1).

    Args:
        max_length: how many positions there are.
        d: the width.

    Raises:
        TypeError: a size is not an integer.
        ValueError: a size below 1.
    """

    def __init__(self, max_length: int, d: int) -> None:
        super().__init__()
        check_integer("max_length", max_length, 1)
        check_integer("d", d, 1)
        self.table = nn.Parameter(torch.empty(max_length, d))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the table from N(0, 0.02²), small beside the embeddings."""
        nn.init.normal_(self.table, std=0.02)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Return x (…, n, d) plus the rows of its positions, start … start + n − 1.

        Raises:
            TypeError: x is not floating point, or start is not an integer.
            ValueError: a wrong width, or a position beyond the table: nothing was
                learned about it.
        """
        max_length, d = self.table.shape
        check_floating("x", x)
        if x.dim() < 2 or x.shape[-1] != d or x.shape[-2] == 0:
            raise ValueError(f"x must be (…, n, {d}), got {tuple(x.shape)}")
        check_integer("start", start, 0)
        end = start + x.shape[-2]
        if end > max_length:
            raise ValueError(
                f"position {end - 1} lies beyond the {max_length} learned ones"
            )
        return x + self.table[start:end]


class RotaryPositions(_Sinusoids):
    """Turn queries and keys by their positions (Su et al. 2021, section 3.2.2).

    For `MultiHeadAttention(…, rotary=RotaryPositions(d_head))` in self-attention.

    Args:
        d: the width of a head, even.
        base: sets the slowest frequency.

    Raises:
        TypeError: d is not an integer.
        ValueError: d is odd or below 2, or the base is not positive.
    """

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Return x (…, n, d) turned by its positions, start … start + n − 1."""
        return rotate(x, self.rows(x, start))


def alibi_slopes(num_heads: int) -> Tensor:
    """The heads' slopes 2^(−8/h), 2^(−16/h), … 2^−8 (Press et al. 2022, section 3).

    The formula serves every h. (The authors' program interpolates where h is no power
    of two.)

    Returns:
        (h,), falling from head to head: the first sees near, the last sees far.

    Raises:
        TypeError: num_heads is not an integer.
        ValueError: num_heads < 1.
    """
    check_integer("num_heads", num_heads, 1)
    heads = torch.arange(1, num_heads + 1)
    return 2.0 ** (-8.0 * heads / num_heads)


class AlibiPositions(nn.Module):
    """Biases that lower a score the more the farther away the key (Press et al. 2022).

    To the left a head subtracts its slope times the distance (section 3), and a causal
    decoder sees nothing else. An encoder looks to the right as well, where the same
    slope could not tell what comes before from what comes behind. So to the right the
    first, third, … head has twice its slope and leans to the left; the second,
    fourth, … has half of it and leans to the right. (That part is ours: the paper has
    no encoder.)

    Args:
        num_heads: how many heads.

    Raises:
        TypeError: num_heads is not an integer.
        ValueError: num_heads < 1.
    """

    left: Tensor
    right: Tensor

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        left = alibi_slopes(num_heads)
        right = left.clone()
        right[0::2] *= 2
        right[1::2] /= 2
        self.register_buffer("left", left, persistent=False)
        self.register_buffer("right", right, persistent=False)

    def forward(
        self, n_query: int, n_key: int | None = None, *, start: int = 0
    ) -> Tensor:
        """Return the biases of `n_query` queries towards keys 0 … n_key − 1.

        Args:
            n_query: the queries stand at start … start + n_query − 1.
            n_key: None is start + n_query: the keys end where the queries do.
            start: the position of the first query.

        Returns:
            (h, n_query, n_key), 0 where the query meets itself, negative elsewhere:
            the `score_bias` of `MultiHeadAttention`.

        Raises:
            TypeError: a number is not an integer.
            ValueError: a length below 1, or start < 0.
        """
        check_integer("start", start, 0)
        check_integer("n_query", n_query, 1)
        n_key = start + n_query if n_key is None else n_key
        check_integer("n_key", n_key, 1)
        device = self.left.device
        queries = torch.arange(start, start + n_query, device=device)
        distance = queries[:, None] - torch.arange(n_key, device=device)
        left = self.left[:, None, None] * distance.clamp(min=0)
        right = self.right[:, None, None] * (-distance).clamp(min=0)
        return -(left + right)  # (h, n_query, n_key)


def added_positions(kind: str, d_model: int, max_length: int) -> nn.Module | None:
    """Return the module that adds positions to embeddings.

    Args:
        kind: one of `POSITIONS`.
        d_model: the width of the embeddings.
        max_length: how many positions "learned" has.

    Returns:
        None for the kinds that add nothing: they belong into attention, or are "none".

    Raises:
        TypeError: a size is not an integer.
        ValueError: an unknown kind, or a size that the kind cannot have.
    """
    check_choice("positions", kind, POSITIONS)
    if kind == "sinusoidal":
        return SinusoidalPositions(d_model)
    if kind == "learned":
        return LearnedPositions(max_length, d_model)
    return None
