"""A memory that does not grow: linear attention, decay, the delta rule, both.

Softmax attention keeps every key and value. Here one matrix per head takes them all:
the *state* S (d_key, d_value). A pair is written as an outer product and read back with
a query, as in chapter 9's associative memories:

    write: S ← S + k vᵀ          read: o = Sᵀ q

The mechanisms differ in how they write. `linear_attention` adds. `decayed_attention`
first fades what is there. `delta_rule` reads what the state has for the key, and writes
only what is missing. `gated_delta_rule` does both.

Each comes in three forms with equal results: recurrent, token by token, as decoding
does it; parallel, all tokens at once by a matrix (n, n), as softmax attention does; and
chunked, parallel within a chunk and recurrent from one chunk to the next. Chunks cost
n · chunk and not n², and only n / chunk steps wait for each other.

All are causal: a token's output reads the state after its own pair was written. Shapes
are (…, length, d), as a rule (B, h, n, d), and states (B, h, d_key, d_value).
"""

from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.checks import (
    check_all,
    check_choice,
    check_floating,
    check_heads,
    check_same_dtype,
    check_sizes,
)

FORMS = ("recurrent", "parallel", "chunked")
Result = tuple[Tensor, Tensor]

# Linear attention ---------------------------------------------------------------------


def linear_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    state: Tensor | None = None,
    form: str = "chunked",
    chunk: int = 64,
) -> Result:
    """Add every pair to the state: S ← S + k vᵀ (Katharopoulos et al. 2020, eq. 18).

    The paper divides by the sum of its weights. Give every value a last entry of 1, and
    that sum is the last entry of the output; `LinearAttention` does it on demand.

    Args:
        query, key: (…, n, d_key).
        value: (…, n, d_value).
        state: (…, d_key, d_value), what was written before; None is all zeros.
        form: "recurrent", "parallel" or "chunked": the same result by another way.
        chunk: how many tokens a chunk has.

    Returns:
        The outputs (…, n, d_value), and the state after the last token.

    Raises:
        TypeError: inputs that are not floating point, or not of one dtype.
        ValueError: shapes that do not fit, an empty sequence, or an unknown form.
    """
    inputs = _checked(query, key, value)
    return _run(_sum_step, _sum_chunk, inputs, state, form, chunk)


def _sum_step(state: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return state + key[..., :, None] * value[..., None, :]  # (…, d_key, d_value)


def _sum_chunk(state: Tensor, query: Tensor, key: Tensor, value: Tensor) -> Result:
    scores = (query @ key.mT).tril()  # (…, n, n): no token reads what comes after it
    return query @ state + scores @ value, state + key.mT @ value


# With a decay -------------------------------------------------------------------------


def decayed_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    decay: Tensor,
    *,
    state: Tensor | None = None,
    form: str = "chunked",
    chunk: int = 64,
) -> Result:
    """Fade the state before each write: S ← γ S + k vᵀ.

    With a constant γ per head it is RetNet's retention (Sun et al. 2023), with one from
    each token gated linear attention, one gate per head (Yang et al. 2024a; Mamba-2).

    Args:
        query, key, value, state, form, chunk: as for `linear_attention`.
        decay: γ, above 0, at most 1, broadcastable to (…, n): (h, 1) is one per head.

    Returns, raises:
        As `linear_attention`; ValueError too for a decay out of bounds.
    """
    inputs = _checked(query, key, value, decay=decay)
    return _run(_decay_step, _decay_chunk, inputs, state, form, chunk)


def _decay_step(state: Tensor, key: Tensor, value: Tensor, decay: Tensor) -> Tensor:
    return _sum_step(decay[..., None] * state, key, value)


def _decay_chunk(
    state: Tensor, query: Tensor, key: Tensor, value: Tensor, decay: Tensor
) -> Result:
    start, kept = _decay_factors(decay)
    scores = (query @ key.mT) * kept
    output = start * (query @ state) + scores @ value
    to_the_end = kept[..., -1, :, None]  # (…, n, 1)
    state = start[..., -1:, :] * state + (to_the_end * key).mT @ value
    return output, state


def _decay_factors(decay: Tensor) -> tuple[Tensor, Tensor]:
    """Return what is left of the first state (…, n, 1), and of each write (…, n, n).

    Row t, column s is the product of γ from s + 1 to t, and 0 where s is yet to come.
    """
    logs = decay.log()  # summed anew from each s: differences of sums lose digits
    between = logs.expand(*logs.shape[:-1], logs.shape[-2]).tril(-1).cumsum(-2)
    return logs.cumsum(-2).exp(), between.exp().tril()


# The delta rule -----------------------------------------------------------------------


def delta_rule(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    beta: Tensor,
    *,
    state: Tensor | None = None,
    form: str = "chunked",
    chunk: int = 64,
) -> Result:
    """Write what is missing: S ← S + β k (v − Sᵀ k)ᵀ (Schlag et al. 2021, section 4.2).

    With a key of length 1 and β = 1 the state then gives exactly v for k. One write is
    one step of gradient descent on ½ ‖v − Sᵀ k‖²; it diverges where β ‖k‖² is over 2.

    Args:
        query, key, value, state, form, chunk: as for `linear_attention`.
        beta: how much of what is missing is written, broadcastable to (…, n).

    Returns, raises:
        As `linear_attention`.
    """
    inputs = _checked(query, key, value, beta=beta)
    return _run(_delta_step, _delta_chunk, inputs, state, form, chunk)


def _delta_step(state: Tensor, key: Tensor, value: Tensor, beta: Tensor) -> Tensor:
    return _sum_step(state, key, beta * (value - _read(state, key)))


def _delta_chunk(
    state: Tensor, query: Tensor, key: Tensor, value: Tensor, beta: Tensor
) -> Result:
    # What a token adds depends on what those before it did: u = β (v − Sᵀk − Σ u k·k).
    # That is a triangular system of equations (Yang et al. 2024b, section 3).
    added = _solve(beta * (key @ key.mT), beta * (value - key @ state))
    return _sum_chunk(state, query, key, added)


def _solve(among: Tensor, right: Tensor) -> Tensor:
    """Solve (1 + what is below the diagonal) u = right, in float32 at the least."""
    wide = torch.promote_types(right.dtype, torch.float32)
    solve = partial(torch.linalg.solve_triangular, upper=False, unitriangular=True)
    return solve(among.to(wide).tril(-1), right.to(wide)).to(right.dtype)


# The gated delta rule -----------------------------------------------------------------


def gated_delta_rule(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    beta: Tensor,
    decay: Tensor,
    *,
    state: Tensor | None = None,
    form: str = "chunked",
    chunk: int = 64,
) -> Result:
    """Fade the state, then write what is missing (Yang et al. 2025, section 3.1).

    The gate clears the whole state at once, the delta rule one key's place in it.

    Args:
        query, key, value, state, form, chunk: as for `linear_attention`.
        beta, decay: as for `delta_rule` and `decayed_attention`.

    Returns, raises:
        As `decayed_attention`.
    """
    inputs = _checked(query, key, value, beta=beta, decay=decay)
    return _run(_gated_delta_step, _gated_delta_chunk, inputs, state, form, chunk)


def _gated_delta_step(
    state: Tensor, key: Tensor, value: Tensor, beta: Tensor, decay: Tensor
) -> Tensor:
    return _delta_step(decay[..., None] * state, key, value, beta)


def _gated_delta_chunk(
    state: Tensor, query: Tensor, key: Tensor, value: Tensor, *gates: Tensor
) -> Result:
    beta, decay = gates
    start, kept = _decay_factors(decay)
    among = beta * (key @ key.mT) * kept
    added = _solve(among, beta * (value - start * (key @ state)))
    return _decay_chunk(state, query, key, added, decay)


# Three forms of all -------------------------------------------------------------------


def _read(state: Tensor, query: Tensor) -> Tensor:
    return (query[..., None, :] @ state).squeeze(-2)  # (…, d_value)


def _run(
    step: Callable[..., Tensor],
    block: Callable[..., Result],
    inputs: Sequence[Tensor],
    state: Tensor | None,
    form: str,
    chunk: int,
) -> Result:
    """Write and read token by token with `step`, several at once with `block`."""
    check_choice("form", form, FORMS)
    check_sizes(chunk=chunk)
    query, key, value = inputs[:3]
    shape = *query.shape[:-2], key.shape[-1], value.shape[-1]
    if state is None:
        state = value.new_zeros(shape)
    check_same_dtype(query=query, state=state)
    if tuple(state.shape) != shape:
        raise ValueError(f"state must be {shape}, got {tuple(state.shape)}")
    if form == "parallel":
        return block(state, *inputs)
    outputs: list[Tensor] = []
    if form == "recurrent":
        for t in range(query.shape[-2]):
            state = step(state, *(x[..., t, :] for x in inputs[1:]))
            outputs.append(_read(state, query[..., t, :]))
        return torch.stack(outputs, dim=-2), state
    for start in range(0, query.shape[-2], chunk):
        part = slice(start, start + chunk)
        output, state = block(state, *(x[..., part, :] for x in inputs))
        outputs.append(output)
    return torch.cat(outputs, dim=-2), state


def _checked(query: Tensor, key: Tensor, value: Tensor, **gates: Tensor) -> list:
    """Return query, key, value and the gates, the gates as (…, n, 1)."""
    check_same_dtype(query=query, key=key, value=value, **gates)
    for name, x in (("query", query), ("key", key), ("value", value)):
        if x.dim() < 2 or 0 in x.shape[-2:]:
            got = tuple(x.shape)
            raise ValueError(f"{name} must be (…, length, d), none 0, got {got}")
    if query.shape != key.shape or key.shape[:-1] != value.shape[:-1]:
        raise ValueError(
            "query and key must have one shape, and value all of it but the width, "
            f"got {tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}"
        )
    spread = []
    for name, gate in gates.items():
        shape = query.shape[:-1]
        try:
            spread.append(gate.expand(shape)[..., None])
        except RuntimeError:
            what = f"{name} {tuple(gate.shape)}"
            raise ValueError(f"{what} does not broadcast to {tuple(shape)}") from None
    if "decay" in gates:
        decay = gates["decay"]
        check_all((decay > 0) & (decay <= 1), "decay must be above 0, at most 1")
    return [query, key, value, *spread]


# A layer ------------------------------------------------------------------------------

RULES: dict[str, Callable[..., Result]] = {
    "linear": linear_attention,
    "decayed": decayed_attention,
    "delta": delta_rule,
    "gated": gated_delta_rule,
}


class LinearAttention(nn.Module):
    """Heads that each keep a state, in the place of causal `MultiHeadAttention`.

    Queries and keys pass SiLU and are scaled to length 1, as DeltaNet does; each head's
    output is divided by its root mean square before W_O. β and γ are computed from each
    token, one per head, by a sigmoid. γ begins near 1 − 2^−5, 1 − 2^−6, … (RetNet's).

    Args:
        d_model: the width of inputs and output.
        num_heads: how many heads.
        rule: "linear", "decayed", "delta" or "gated": how a pair is written.
        d_key, d_value: the widths of a head; None is d_model // num_heads.
        positive: for "linear" alone: the features elu(x) + 1 and the division by the
            sum of weights (Katharopoulos et al. 2020). The state has one more column.
        form, chunk: as for `linear_attention`. A graph recorded for any length, as by
            `torch.export`, needs "parallel": the others are loops in Python.

    Raises:
        TypeError, ValueError: sizes, a rule or a form that do not fit.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        rule: str = "delta",
        d_key: int | None = None,
        d_value: int | None = None,
        positive: bool = False,
        form: str = "chunked",
        chunk: int = 64,
    ) -> None:
        super().__init__()
        check_sizes(d_model=d_model, num_heads=num_heads, chunk=chunk)
        check_choice("rule", rule, RULES)
        check_choice("form", form, FORMS)
        if d_key is None or d_value is None:
            check_heads(num_heads, d_model)
        if positive and rule != "linear":
            raise ValueError(f"positive features are linear attention's, not {rule}'s")
        self.d_model, self.num_heads, self.rule = d_model, num_heads, rule
        self.d_key = d_model // num_heads if d_key is None else d_key
        self.d_value = d_model // num_heads if d_value is None else d_value
        check_sizes(d_key=self.d_key, d_value=self.d_value)
        self.positive, self.form, self.chunk = positive, form, chunk
        self.query_layer = nn.Linear(d_model, num_heads * self.d_key, bias=False)
        self.key_layer = nn.Linear(d_model, num_heads * self.d_key, bias=False)
        self.value_layer = nn.Linear(d_model, num_heads * self.d_value, bias=False)
        self.output_layer = nn.Linear(num_heads * self.d_value, d_model, bias=False)
        if rule in ("delta", "gated"):
            self.beta_layer = nn.Linear(d_model, num_heads)
        if rule in ("decayed", "gated"):
            self.decay_layer = nn.Linear(d_model, num_heads)
            with torch.no_grad():
                heads = torch.arange(num_heads, dtype=torch.float32)
                self.decay_layer.bias.copy_(torch.logit(1 - 2 ** (-5 - heads)))

    def forward(self, x: Tensor, state: Tensor | None = None) -> Result:
        """Write all tokens of x (B, n, d_model) and read at each.

        Returns the output (B, n, d_model), and the state (B, h, d_key, d_value) that
        the next call takes. TypeError for x that is not floating point, ValueError for
        another shape.
        """
        check_floating("x", x)
        if x.dim() != 3 or x.shape[-1] != self.d_model or x.shape[1] == 0:
            wanted = f"(batch, length, {self.d_model})"
            raise ValueError(f"x must be {wanted}, got {tuple(x.shape)}")
        query = self._features(self._split(self.query_layer(x)))
        key = self._features(self._split(self.key_layer(x)))
        value = self._split(self.value_layer(x))  # (B, h, n, d_value)
        if self.positive:
            value = F.pad(value, (0, 1), value=1.0)
        gates = {
            name: torch.sigmoid(getattr(self, f"{name}_layer")(x)).mT  # (B, h, n)
            for name in ("beta", "decay")
            if hasattr(self, f"{name}_layer")
        }
        options = {"state": state, "form": self.form, "chunk": self.chunk}
        output, state = RULES[self.rule](query, key, value, **gates, **options)
        if self.positive:
            output = output[..., :-1] / output[..., -1:]
        else:
            output = output * (output.square().mean(-1, True) + 1e-5).rsqrt()
        return self.output_layer(output.transpose(1, 2).flatten(2)), state

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # (B, h, n, width)

    def _features(self, x: Tensor) -> Tensor:
        return F.elu(x) + 1 if self.positive else F.normalize(F.silu(x), dim=-1)
