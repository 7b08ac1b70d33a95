"""The encoder and the decoders of recurrent models; `attnlab.recurrent` joins them."""

from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from attnlab.checks import check_all, embed, is_traced
from attnlab.recurrence import Recurrence, scan_steps
from attnlab.recurrent_attention import Attention, AttentionOutput

CONTEXTS = ("both", "state", "input")


class Encoded(NamedTuple):
    """What the encoder hands to a decoder; every tensor is batch first.

    Attributes:
        memory: (batch, L_s, d_model), a state for every source token; 0 at padding.
        mask: (batch, 1, L_s), True at real tokens.
        hidden: (batch, d_model), the last state, C.
        cell: (batch, d_model), the last cell of an LSTM; None for the others.
    """

    memory: Tensor
    mask: Tensor
    hidden: Tensor
    cell: Tensor | None


class Encoder(nn.Module):
    """Embedding and one recurrent layer, read in one direction or in both.

    Both directions have d_model // 2 states each, joined [forward; backward]. The last
    state is taken where a sentence truly ends: padding changes nothing.
    """

    def __init__(
        self,
        vocab: int,
        d_model: int,
        *,
        cell: str = "gru",
        bidirectional: bool = False,
        dropout: float = 0.0,
        pad: int = 0,
    ) -> None:
        super().__init__()
        self.pad = pad
        self.embedding = nn.Embedding(vocab, d_model, padding_idx=pad)
        self.dropout = nn.Dropout(dropout)
        width = d_model // 2 if bidirectional else d_model
        self.rnn = Recurrence(cell, d_model, width, bidirectional=bidirectional)

    def forward(self, src: Tensor) -> Encoded:
        """Read the source: (batch, L_s) ids -> `Encoded`.

        Raises:
            TypeError: as `embed`.
            ValueError: as `embed`, or padding before a real token.
        """
        real = src != self.pad
        check_all(
            real[:, :-1] | ~real[:, 1:],
            "src has padding before a real token; pad to the right",
        )
        embedded = self.dropout(embed("src", src, self.embedding))
        memory, last = self.rnn(embedded, real=real)  # (batch, L_s, d_model)
        hidden, cell = last if isinstance(last, tuple) else (last, None)
        return Encoded(
            memory,
            real[:, None],
            _join_directions(hidden),
            None if cell is None else _join_directions(cell),
        )


def _join_directions(last: Tensor) -> Tensor:
    return last.transpose(0, 1).flatten(1)  # (directions, batch, d) -> (batch, d_model)


# Decoders ---------------------------------------------------------------------------


class Decoded(NamedTuple):
    """A decoder's answer: logits (batch, L_t, tgt_vocab), and what attention saw."""

    logits: Tensor
    attention: AttentionOutput | None


class RecurrentDecoder(Protocol):
    """What a model asks of its decoder, whatever the state between steps is.

    `__call__` reads all targets, (batch, L_t) ids, in one pass (teacher forcing). From
    the state that `start` gives, `step` reads one token a sentence, (batch,) ids, and
    returns logits (batch, tgt_vocab) with the next state.
    """

    def __call__(self, tgt: Tensor, encoded: Encoded) -> Decoded: ...

    def start(self, encoded: Encoded) -> Any: ...

    def step(self, tokens: Tensor, state: Any) -> tuple[Tensor, Any]: ...


def run_rnn(
    rnn: Recurrence, inputs: Tensor, hidden: Tensor, cell: Tensor | None
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Run a recurrent layer from a given state.

    Args:
        inputs: (batch, length, width).
        hidden, cell: (batch, d_model); cell is None unless it is an LSTM.

    Returns:
        states (batch, length, d_model), and the last hidden and cell, as they came in.
    """
    hidden = hidden[None].contiguous()  # (layers = 1, batch, d_model)
    if cell is None:
        states, hidden = rnn(inputs, hidden)
        return states, hidden[0], None
    states, (hidden, cell) = rnn(inputs, (hidden, cell[None].contiguous()))
    return states, hidden[0], cell[0]


class BottleneckState(NamedTuple):
    """Between two steps: hidden, cell (or None), and C, each (batch, d_model)."""

    hidden: Tensor
    cell: Tensor | None
    context: Tensor


class BottleneckDecoder(nn.Module):
    """A decoder that knows the source only through C, the encoder's last state.

    C is the decoder's first state (context "state"; Sutskever et al. 2014), or stands
    beside every input (context "input", from a first state of 0), or both ("both"; Cho
    et al. 2014).
    """

    def __init__(
        self, vocab: int, d_model: int, *, cell: str, context: str, dropout: float
    ) -> None:
        super().__init__()
        self.context = context
        self.embedding = nn.Embedding(vocab, d_model)
        self.dropout = nn.Dropout(dropout)
        d_input = d_model if context == "state" else 2 * d_model
        self.rnn = Recurrence(cell, d_input, d_model)
        self.readout = nn.Linear(d_model, vocab)

    def forward(self, tgt: Tensor, encoded: Encoded) -> Decoded:
        logits, _ = self._run(tgt, self.start(encoded))
        return Decoded(logits, None)

    def start(self, encoded: Encoded) -> BottleneckState:
        hidden, cell = encoded.hidden, encoded.cell
        if self.context == "input":
            hidden = torch.zeros_like(hidden)
            cell = None if cell is None else torch.zeros_like(cell)
        return BottleneckState(hidden, cell, encoded.hidden)

    def step(
        self, tokens: Tensor, state: BottleneckState
    ) -> tuple[Tensor, BottleneckState]:
        logits, state = self._run(tokens[:, None], state)
        return logits[:, 0], state

    def _run(
        self, tgt: Tensor, state: BottleneckState
    ) -> tuple[Tensor, BottleneckState]:
        inputs = self.dropout(embed("tgt", tgt, self.embedding))
        if self.context != "state":
            context = state.context[:, None].expand_as(inputs)
            inputs = torch.cat([inputs, context], dim=-1)  # (batch, L_t, 2 d_model)
        states, hidden, cell = run_rnn(self.rnn, inputs, state.hidden, state.cell)
        logits = self.readout(self.dropout(states))  # (batch, L_t, vocab)
        return logits, state._replace(hidden=hidden, cell=cell)


class AttentiveState(NamedTuple):
    """Between two steps of a decoder with attention; every tensor is batch first.

    Attributes:
        hidden, cell: (batch, d_model), s_t and an LSTM's cell (or None).
        feed: (batch, d_model), h̃ of the step before; 0 at the start.
        time: (batch,), the number of steps taken.
        keys, memory, mask: (batch, L_s, …), (batch, L_s, d_model), (batch, 1, L_s).
    """

    hidden: Tensor
    cell: Tensor | None
    feed: Tensor
    time: Tensor
    keys: Tensor
    memory: Tensor
    mask: Tensor


STEP_STATE = (
    "hidden",
    "cell",
    "feed",
)  # what a step changes of the state, beside the time


class AttentiveDecoder(nn.Module):
    """What both styles share. They differ in `advance`: who asks, and when.

    The encoder's last state is the first state s_0. Each step's read-out is

        h̃_t = tanh(W_c [c_t; s_t]),  logits = W h̃_t + b      (Luong 2015, eq. 5, 6)

    With `input_feeding`, h̃ of the step before stands beside the input (section 3.3).
    """

    context_in_input = False

    def __init__(
        self,
        vocab: int,
        d_model: int,
        attention: Attention,
        *,
        cell: str,
        input_feeding: bool,
        dropout: float,
    ) -> None:
        super().__init__()
        self.input_feeding = input_feeding
        self.embedding = nn.Embedding(vocab, d_model)
        self.dropout = nn.Dropout(dropout)
        d_input = d_model * (1 + self.context_in_input + input_feeding)
        self.rnn = Recurrence(cell, d_input, d_model)
        self.attention = attention
        self.combine = nn.Linear(2 * d_model, d_model, bias=False)
        self.readout = nn.Linear(d_model, vocab)

    def forward(self, tgt: Tensor, encoded: Encoded) -> Decoded:
        """Teacher forcing, one step after the other: tgt (batch, L_t) ids."""
        state = self.start(encoded)
        embedded = self.dropout(embed("tgt", tgt, self.embedding))
        if is_traced():
            return self._scanned(embedded, state)
        attended, outputs = [], []
        for inputs in embedded.split(1, dim=1):  # (batch, 1, d_model)
            state, output = self.advance(inputs, state)
            attended.append(state.feed)
            outputs.append(output)
        return Decoded(self._logits(torch.stack(attended, 1)), _join_times(outputs))

    def _scanned(self, embedded: Tensor, state: AttentiveState) -> Decoded:
        """Take the steps as one operation of a graph that torch records."""
        moving = [name for name in STEP_STATE if getattr(state, name) is not None]
        fields = AttentionOutput._fields[: 4 if self.attention.hard else 2]

        def step(now: tuple[Tensor, ...], inputs: tuple[Tensor, Tensor]) -> Any:
            word, time = inputs
            old = state._replace(time=time, **dict(zip(moving, now, strict=True)))
            new, output = self.advance(word[:, None], old)
            nothing = 0.0 * new.feed[:, :1]  # a scan wants gradients of all its outputs
            seen = [getattr(output, name)[:, 0] for name in fields]
            outputs = [x + (nothing if x.dim() > 1 else nothing[:, 0]) for x in seen]
            moved = tuple(getattr(new, name) for name in moving)
            return moved, [new.feed.clone(), *outputs]

        first = tuple(getattr(state, name) for name in moving)
        times = torch.arange(embedded.shape[1], device=embedded.device)
        inputs = embedded, state.time[:, None] + times  # (batch, L_t)
        _, (attended, *outputs) = scan_steps(step, first, inputs)
        return Decoded(self._logits(attended), AttentionOutput(*outputs))

    def start(self, encoded: Encoded) -> AttentiveState:
        return AttentiveState(
            encoded.hidden,
            encoded.cell,
            feed=torch.zeros_like(encoded.hidden),
            time=encoded.hidden.new_zeros(encoded.hidden.shape[0], dtype=torch.long),
            keys=self.attention.score.prepare(encoded.memory),
            memory=encoded.memory,
            mask=encoded.mask,
        )

    def step(
        self, tokens: Tensor, state: AttentiveState
    ) -> tuple[Tensor, AttentiveState]:
        inputs = self.dropout(embed("tokens", tokens[:, None], self.embedding))
        state, _ = self.advance(inputs, state)
        return self._logits(state.feed), state

    def advance(
        self, inputs: Tensor, state: AttentiveState
    ) -> tuple[AttentiveState, AttentionOutput]:
        """Take one step on an embedded token, (batch, 1, d_model)."""
        raise NotImplementedError

    def _attend(
        self, query: Tensor, state: AttentiveState, time: Tensor
    ) -> AttentionOutput:
        return self.attention(query, state.keys, state.memory, state.mask, time)

    def _run_rnn(
        self, parts: list[Tensor], state: AttentiveState
    ) -> tuple[Tensor, AttentiveState]:
        """Join the parts of the input and run the cell over them."""
        if self.input_feeding:
            parts = [*parts, state.feed[:, None]]
        inputs = torch.cat(parts, dim=-1)  # (batch, length, d_input)
        states, hidden, cell = run_rnn(self.rnn, inputs, state.hidden, state.cell)
        return states, state._replace(hidden=hidden, cell=cell)

    def _combine(self, context: Tensor, states: Tensor) -> Tensor:
        joined = torch.cat([context, states], dim=-1)  # (batch, length, 2 d_model)
        return torch.tanh(self.combine(joined))  # h̃: (batch, length, d_model)

    def _logits(self, attended: Tensor) -> Tensor:
        return self.readout(self.dropout(attended))


class LuongDecoder(AttentiveDecoder):
    """The new state asks, and the answer goes to the read-out (Luong et al. 2015).

        s_t = cell(emb_t, s_{t−1}),  c_t = attend(s_t)

    Nothing flows from attention back into the states (without input feeding), so all
    steps run in one call of the cell and one of attention.
    """

    def forward(self, tgt: Tensor, encoded: Encoded) -> Decoded:
        if self.input_feeding:
            return super().forward(tgt, encoded)
        state = self.start(encoded)
        embedded = self.dropout(embed("tgt", tgt, self.embedding))
        states, state = self._run_rnn([embedded], state)
        time = torch.arange(tgt.shape[1], device=tgt.device)[None]  # (1, L_t)
        output = self._attend(states, state, time)
        return Decoded(self._logits(self._combine(output.context, states)), output)

    def advance(
        self, inputs: Tensor, state: AttentiveState
    ) -> tuple[AttentiveState, AttentionOutput]:
        states, state = self._run_rnn([inputs], state)  # (batch, 1, d_model)
        output = self._attend(states, state, state.time[:, None])
        feed = self._combine(output.context, states)[:, 0]
        return state._replace(feed=feed, time=state.time + 1), output


class BahdanauDecoder(AttentiveDecoder):
    """The old state asks, and the answer enters the new one (Bahdanau et al. 2015).

        c_t = attend(s_{t−1}),  s_t = cell([emb_t; c_t], s_{t−1})

    Each step needs the one before it, in training too.
    """

    context_in_input = True

    def advance(
        self, inputs: Tensor, state: AttentiveState
    ) -> tuple[AttentiveState, AttentionOutput]:
        output = self._attend(state.hidden[:, None], state, state.time[:, None])
        states, state = self._run_rnn([inputs, output.context], state)
        feed = self._combine(output.context, states)[:, 0]
        return state._replace(feed=feed, time=state.time + 1), output


def _join_times(outputs: list[AttentionOutput]) -> AttentionOutput:
    """Join the outputs of single steps along the time."""
    fields = zip(*outputs, strict=True)
    joined: Any = (None if f[0] is None else torch.cat(f, dim=1) for f in fields)
    return AttentionOutput(*joined)


DECODERS = {"luong": LuongDecoder, "bahdanau": BahdanauDecoder}
