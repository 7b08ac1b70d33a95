"""One recurrent layer, RNN, GRU or LSTM, over sequences of unequal lengths.

The weights have the names, shapes and first values of `torch.nn.RNN`, `GRU` and `LSTM`,
and torch's kernels do the work. Two things are different, so that nothing has to look
at how long a sequence is (a GPU would have to wait for that):

- Padding is not packed away. One more input, 1 at padding, shuts the gates: the input
  gate of an LSTM, the gate of a GRU that lets a new state in. So padding leaves the
  state as it is, and before the first token it is 0.
- Where torch records a graph (`torch.compile`, `torch.export`, ONNX), which has no
  kernel for sequences of any length, the steps are taken by a scan.
"""

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils._pytree import tree_map

from attnlab.checks import (
    check_choice,
    check_sizes,
    is_traced,
    is_transforming,
)

# cuDNN packs the weights at every call, since padding adds a column to them. It warns
# of that, but takes less time than packing and unpacking the sequences did.
warnings.filterwarnings(
    "ignore", "RNN module weights are not part of single contiguous"
)

CELLS = ("rnn", "gru", "lstm")
KERNELS = {"rnn": torch.rnn_tanh, "gru": torch.gru, "lstm": torch.lstm}
SATURATING_INPUT = (
    1e4  # added to what goes into a gate: σ(±10⁴) is 0 or 1 in every precision
)
# What padding adds to each gate, in the order of the rows of the weights.
PADDING_BIAS = {
    "rnn": [0.0],
    "gru": [0.0, SATURATING_INPUT, 0.0],
    "lstm": [-SATURATING_INPUT, SATURATING_INPUT, 0.0, 0.0],
}

State = Tensor | tuple[Tensor, Tensor]


class Recurrence(nn.Module):
    """`layer(x) -> (states, last)`, as `torch.nn.GRU(…, batch_first=True)`.

    Args:
        cell: "rnn" (tanh), "gru" or "lstm".
        d_input: the width of the input.
        d_state: the width of a state; with `bidirectional`, of each direction's.
        bidirectional: read in both directions, the states joined [forward; backward].

    Raises:
        TypeError, ValueError: an unknown cell, or a size that is no integer over 0.
    """

    hold: Tensor
    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor

    def __init__(
        self, cell: str, d_input: int, d_state: int, *, bidirectional: bool = False
    ) -> None:
        super().__init__()
        check_choice("cell", cell, CELLS)
        check_sizes(d_input=d_input, d_state=d_state)
        self.cell, self.d_input, self.d_state = cell, d_input, d_state
        self.directions = ("", "_reverse") if bidirectional else ("",)
        rows = len(PADDING_BIAS[cell]) * d_state
        for direction in self.directions:
            for name, shape in (
                ("weight_ih", (rows, d_input)),
                ("weight_hh", (rows, d_state)),
                ("bias_ih", (rows,)),
                ("bias_hh", (rows,)),
            ):
                parameter = nn.Parameter(torch.empty(shape))
                self.register_parameter(f"{name}_l0{direction}", parameter)
        hold = torch.tensor(PADDING_BIAS[cell]).repeat_interleave(d_state)
        self.register_buffer("hold", hold, persistent=False)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all weights from ±1/√d_state, as torch does."""
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(self.d_state**-0.5), self.d_state**-0.5)

    def forward(
        self, x: Tensor, first: State | None = None, real: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Read sequences.

        Args:
            x: (batch, length, d_input).
            first: the first state (directions, batch, d_state), for an LSTM a pair of
                them, hidden and cell; None is 0.
            real: (batch, length), bool, False at padding, which stands on the right;
                None: there is none.

        Returns:
            States (batch, length, directions · d_state), 0 at padding, and the state
            behind the last real token, in the form of `first`.
        """
        weights = [self._weights(direction) for direction in self.directions]
        if real is not None:
            x = x.masked_fill(~real[..., None], 0.0)
            x = torch.cat([x, (~real[..., None]).to(x)], dim=-1)
            weights = [
                (
                    torch.cat([w_ih, self._padding_bias(*biases)[:, None]], dim=1),
                    w_hh,
                    *biases,
                )
                for w_ih, w_hh, *biases in weights
            ]
        if first is None:
            zeros = x.new_zeros(len(weights), x.shape[0], self.d_state)
            first = (zeros, zeros) if self.cell == "lstm" else zeros
        # Kernels are no part of a recorded graph, and `vmap` has no rule for them.
        run = self._stepwise if is_traced() or is_transforming() else self._fused
        states, last = run(x, first, weights)
        if real is None:
            return states, last
        states = states.masked_fill(~real[..., None], 0.0)
        return states, self._last(states, last, real)

    def _weights(self, direction: str) -> tuple[Tensor, ...]:
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        return tuple(getattr(self, f"{name}{direction}") for name in names)

    def _padding_bias(self, bias_ih: Tensor, bias_hh: Tensor) -> Tensor:
        """Return what the input that is 1 at padding adds before the gates."""
        if self.cell == "rnn":  # it has no gates, but tanh(0) is 0
            return -(bias_ih + bias_hh)
        return self.hold.to(bias_ih)

    def _last(self, states: Tensor, last: State, real: Tensor) -> State:
        """Return the state at the last token of each sequence, in reading order."""
        index = (real.sum(1) - 1).clamp(min=0)[:, None, None]  # (batch, 1, 1)
        forward, *backward = states.split(self.d_state, dim=-1)
        found = [forward.gather(1, index.expand(-1, -1, self.d_state))[:, 0]]
        found += [each[:, 0] for each in backward]
        hidden = torch.stack(found)  # (directions, batch, d_state)
        return (hidden, last[1]) if isinstance(last, tuple) else hidden

    def _fused(
        self, x: Tensor, first: State, weights: list[tuple[Tensor, ...]]
    ) -> tuple[Tensor, State]:
        """Call torch's kernel."""
        flat = [weight for direction in weights for weight in direction]
        kernel: Any = KERNELS[self.cell]
        # with biases, one layer, no dropout, mode, directions, batch first
        how = True, 1, 0.0, self.training, len(weights) > 1, True
        states, *last = kernel(x, first, flat, *how)
        return states, tuple(last) if self.cell == "lstm" else last[0]

    def _stepwise(
        self, x: Tensor, first: State, weights: list[tuple[Tensor, ...]]
    ) -> tuple[Tensor, State]:
        """Take the steps one by one."""
        all_states, ends = [], []
        for number, (w_ih, w_hh, b_ih, b_hh) in enumerate(weights):
            inputs = F.linear(x, w_ih, b_ih)  # (batch, length, gates · d_state)
            start = tuple(each[number].clone() for each in _as_tuple(first))
            step = self._step(w_hh, b_hh)
            if x.shape[1] == 1:
                end, state = step(start, inputs[:, 0])
                states = state[:, None]
            else:
                end, states = scan_steps(step, start, inputs, reverse=number == 1)
            all_states.append(states)
            ends.append(end)
        last: Any = tuple(torch.stack(each) for each in zip(*ends, strict=True))
        joined = torch.cat(all_states, dim=-1)
        return joined, last if isinstance(first, tuple) else last[0]

    def _step(self, weight: Tensor, bias: Tensor) -> Callable[..., Any]:
        """Return one step: (state, gates' inputs) -> (state, its hidden part)."""

        def rnn(state: tuple[Tensor], inputs: Tensor) -> Any:
            hidden = torch.tanh(inputs + F.linear(state[0], weight, bias))
            return (hidden,), hidden.clone()

        def gru(state: tuple[Tensor], inputs: Tensor) -> Any:
            r, z, n = inputs.chunk(3, dim=-1)
            r_hidden, z_hidden, n_hidden = F.linear(state[0], weight, bias).chunk(3, -1)
            n = torch.tanh(n + torch.sigmoid(r + r_hidden) * n_hidden)
            hidden = n + torch.sigmoid(z + z_hidden) * (state[0] - n)
            return (hidden,), hidden.clone()

        def lstm(state: tuple[Tensor, Tensor], inputs: Tensor) -> Any:
            hidden, cell = state
            i, f, g, o = (inputs + F.linear(hidden, weight, bias)).chunk(4, dim=-1)
            cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
            hidden = torch.sigmoid(o) * torch.tanh(cell)
            return (hidden, cell), hidden.clone()

        steps: dict[str, Callable[..., Any]] = {"rnn": rnn, "gru": gru, "lstm": lstm}
        return steps[self.cell]

    def extra_repr(self) -> str:
        """Show the cell and the sizes where the module is printed."""
        both = ", bidirectional=True" if len(self.directions) > 1 else ""
        return f"{self.cell!r}, {self.d_input}, {self.d_state}{both}"


def scan_steps(
    step: Callable[..., Any], state: Any, inputs: Any, *, reverse: bool = False
) -> tuple[Any, Any]:
    """Take `step(state, input) -> (state, outputs)` along the length of a sequence.

    In a graph that torch records it is a scan: a loop would fix the length.

    Args:
        step: must return new tensors, none of its arguments.
        state: a tuple of tensors.
        inputs: (batch, length, …), or a tuple of such; `step` gets one place of it.
        reverse: take the last step first.

    Returns:
        The last state, and the outputs of all steps along dimension 1.
    """
    if not is_traced():
        places = inputs.flip(1).unbind(1) if reverse else inputs.unbind(1)
        found = []
        for each in places:
            state, output = step(state, each)
            found.append(output)
        return state, torch.stack(found[::-1] if reverse else found, dim=1)

    from torch._higher_order_ops.scan import scan

    turned = tree_map(_swap_batch_and_time, inputs)
    end, outputs = scan(step, state, turned, dim=0, reverse=reverse)
    return end, tree_map(_swap_batch_and_time, outputs)


def _swap_batch_and_time(x: Tensor) -> Tensor:
    return x.transpose(0, 1)


def _as_tuple(state: State) -> tuple[Tensor, ...]:
    return state if isinstance(state, tuple) else (state,)
