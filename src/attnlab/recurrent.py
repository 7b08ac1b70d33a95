"""Recurrent encoder–decoder models, without attention and with it.

    Seq2Seq
    ├── encoder: Encoder                 source ids -> a state for every token, and C
    └── decoder: BottleneckDecoder       C -> target, all through one vector
              or LuongDecoder            the new state asks (style="luong")
              or BahdanauDecoder         the old state asks (style="bahdanau")
                 └── attention: Attention   score, window, soft or hard

Names in the `state_dict`, which weights on disk and the live figures rely on (d is
d_model; G is 1 for the tanh RNN, 3 for the GRU (order r, z, n), 4 for the LSTM (i, f,
g, o); vectors in brackets are joined in that order):

    encoder.embedding.weight            (src_vocab, d)
    encoder.rnn.weight_ih_l0, bias_ih_l0, weight_hh_l0, bias_hh_l0
                                        (G·d, d), (G·d,), (G·d, d), (G·d,); bidirectional:
                                        d/2 states each way, the backward ones with the
                                        suffix _reverse
    decoder.embedding.weight            (tgt_vocab, d)
    decoder.rnn.weight_ih_l0, …         its input is emb_t, followed by
                                        C (bottleneck, context "both" or "input"),
                                        c_t (bahdanau), h̃_{t−1} (input feeding)
    decoder.attention.score.…           as `attnlab.scores` lists them
    decoder.attention.window.hidden.weight (d, d), .out.weight (1, d)     local-p: W_p, v_p
    decoder.combine.weight              (d, 2d): W_c of h̃_t = tanh(W_c [c_t; s_t])
    decoder.readout.weight, .bias       (tgt_vocab, d), (tgt_vocab,)
    baseline                            (): REINFORCE's baseline, with hard attention
"""  # noqa: E501

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnlab.attention import masked_softmax, padding_mask
from attnlab.checks import (
    check_choice,
    check_dropout,
    check_floating,
    check_ids,
    check_integer,
)
from attnlab.scores import Score

CELLS = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}
CONTEXTS = ("both", "state", "input")
STYLES = ("luong", "bahdanau")
WINDOWS = ("local-m", "local-p")


def count_parameters(model: nn.Module) -> int:
    """Count the numbers that training changes."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


# Encoder ----------------------------------------------------------------------------


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
    state is taken where a sentence truly ends: padding is packed away.
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
        self.rnn = CELLS[cell](
            d_model,
            d_model // 2 if bidirectional else d_model,
            batch_first=True,
            bidirectional=bidirectional,
        )

    def forward(self, src: Tensor) -> Encoded:
        """Read the source: (batch, L_s) ids, padded to the right -> `Encoded`."""
        real = src != self.pad
        if (real[:, 1:] & ~real[:, :-1]).any():
            raise ValueError("src has padding before a real token; pad to the right")
        lengths = real.sum(1)
        embedded = self.dropout(self.embedding(src))  # (batch, L_s, d_model)
        # A sentence of padding alone is read as one token, which the mask then hides.
        packed = pack_padded_sequence(
            embedded, lengths.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False
        )
        outputs, last = self.rnn(packed)
        memory, _ = pad_packed_sequence(
            outputs, batch_first=True, total_length=src.shape[1]
        )  # (batch, L_s, d_model)
        hidden, cell = last if isinstance(last, tuple) else (last, None)
        return Encoded(
            memory,
            padding_mask(lengths, src.shape[1]),
            _join_directions(hidden),
            None if cell is None else _join_directions(cell),
        )


def _join_directions(last: Tensor) -> Tensor:
    return last.transpose(0, 1).flatten(1)  # (directions, batch, d) -> (batch, d_model)


# Attention --------------------------------------------------------------------------


class Glimpse(NamedTuple):
    """What attention saw.

    Attributes:
        context: (batch, L_q, d_model), the weighted sum of the memory.
        weights: (batch, L_q, L_s), the weights really used: one-hot if hard.
        log_prob, entropy: (batch, L_q), of the position that hard attention chose and
            of the distribution it was chosen from; None if soft.
    """

    context: Tensor
    weights: Tensor
    log_prob: Tensor | None = None
    entropy: Tensor | None = None


class Attention(nn.Module):
    """Score, (window,) softmax, weighted sum or one sampled item.

    Args:
        score: one of `attnlab.scores`.
        window: None (global), or a `MonotonicWindow` or `PredictiveWindow`.
        hard: look at one position only (Xu et al. 2015, section 4.1): sampled from the
            weights in training, the heaviest one in evaluation.
    """

    def __init__(
        self, score: Score, window: nn.Module | None = None, hard: bool = False
    ) -> None:
        super().__init__()
        self.score = score
        self.window = window
        self.hard = hard

    def forward(
        self, query: Tensor, keys: Tensor, memory: Tensor, mask: Tensor, time: Tensor
    ) -> Glimpse:
        """Attend.

        Args:
            query: (batch, L_q, d_model).
            keys: (batch, L_s, …), `score.prepare(memory)`.
            memory: (batch, L_s, d_model), what is summed.
            mask: (batch, 1, L_s), True at real tokens.
            time: (batch or 1, L_q), the target position of each query, from 0.
        """
        scores = self.score.compare(query, keys)  # (batch, L_q, L_s)
        if self.window is None:
            weights = masked_softmax(scores, mask)
        else:
            mask, gain = self.window(query, mask, time)
            weights = masked_softmax(scores, mask) * gain
        if self.hard:
            weights, log_prob, entropy = choose(weights, sample=self.training)
            return Glimpse(weights @ memory, weights, log_prob, entropy)
        return Glimpse(weights @ memory, weights)


def choose(weights: Tensor, *, sample: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Choose one position per query: hard attention.

    Args:
        weights: (batch, L_q, L_s), rows that sum to 1 or less, or are all 0.
        sample: draw from the row (made to sum to 1), or else take its largest weight.

    Returns:
        choice (batch, L_q, L_s), one-hot, and without a gradient; log_prob and entropy,
        (batch, L_q), with one. An all-0 row chooses nothing and gets 0 everywhere.

    Raises:
        TypeError: the weights are not floating point.
        ValueError: a wrong rank, or nothing to choose from.
    """
    check_floating("weights", weights)
    if weights.dim() != 3 or weights.shape[-1] == 0:
        raise ValueError(
            f"weights must be (batch, L_q, L_k), got {tuple(weights.shape)}"
        )
    tiny = torch.finfo(weights.dtype).tiny
    total = weights.sum(-1, keepdim=True)
    empty = total == 0  # (batch, L_q, 1)
    probs = weights / total.clamp(min=tiny)
    if sample:
        # multinomial refuses an all-0 row: give it any numbers, its choice is dropped.
        rows = (probs.detach() + empty).flatten(0, 1)  # (batch * L_q, L_s)
        index = rows.multinomial(1).view_as(total)
    else:
        index = probs.argmax(-1, keepdim=True)  # (batch, L_q, 1)
    choice = torch.zeros_like(probs).scatter(-1, index, 1.0).masked_fill(empty, 0.0)
    log_probs = probs.clamp(min=tiny).log()
    log_prob = log_probs.gather(-1, index).masked_fill(empty, 0.0).squeeze(-1)
    entropy = -(probs * log_probs).sum(-1)
    return choice, log_prob, entropy


class MonotonicWindow(nn.Module):
    """local-m: query t sees positions t − radius … t + radius (Luong 2015, 3.2).

    Where the target runs on past the source by more than `radius` there is nothing to
    see, and the context is 0.
    """

    def __init__(self, radius: int) -> None:
        super().__init__()
        self.radius = radius

    def forward(
        self, query: Tensor, mask: Tensor, time: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the narrowed mask (batch, L_q, L_s), and 1: no weight is changed."""
        positions = torch.arange(mask.shape[-1], device=mask.device)  # (L_s,)
        inside = (positions - time[..., None]).abs() <= self.radius
        return mask & inside, query.new_ones(())


class PredictiveWindow(nn.Module):
    """local-p: the query predicts the window's centre p_t (Luong 2015, eq. 9, 10).

    p_t = S · sigmoid(v_p · tanh(W_p s_t)), S the source's length, positions from 0. The
    softmax over the window is multiplied by exp(−(position − p_t)² / 2σ²) with σ =
    radius / 2, through which alone p_t learns; as in the paper, a row then sums to less
    than 1.
    """

    def __init__(self, d_query: int, radius: int) -> None:
        super().__init__()
        self.radius = radius
        self.hidden = nn.Linear(d_query, d_query, bias=False)
        self.out = nn.Linear(d_query, 1, bias=False)

    def forward(
        self, query: Tensor, mask: Tensor, time: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the narrowed mask and the Gaussian, both (batch, L_q, L_s)."""
        length = mask.sum(-1, keepdim=True)  # (batch, 1, 1)
        centre = length * torch.sigmoid(self.out(torch.tanh(self.hidden(query))))
        positions = torch.arange(mask.shape[-1], device=mask.device)  # (L_s,)
        distance = positions - centre  # (batch, L_q, L_s)
        gaussian = torch.exp(-(distance**2) / (2 * (self.radius / 2) ** 2))
        return mask & (distance.abs() <= self.radius), gaussian


# Decoders ---------------------------------------------------------------------------


class Decoded(NamedTuple):
    """A decoder's answer: logits (batch, L_t, tgt_vocab), and what attention saw."""

    logits: Tensor
    glimpse: Glimpse | None


def run_rnn(
    rnn: nn.Module, inputs: Tensor, hidden: Tensor, cell: Tensor | None
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
        self.rnn = CELLS[cell](d_input, d_model, batch_first=True)
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
        inputs = self.dropout(self.embedding(tgt))  # (batch, L_t, d_model)
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
        self.rnn = CELLS[cell](d_input, d_model, batch_first=True)
        self.attention = attention
        self.combine = nn.Linear(2 * d_model, d_model, bias=False)
        self.readout = nn.Linear(d_model, vocab)

    def forward(self, tgt: Tensor, encoded: Encoded) -> Decoded:
        """Teacher forcing, one step after the other."""
        state = self.start(encoded)
        embedded = self.dropout(self.embedding(tgt))  # (batch, L_t, d_model)
        attended, glimpses = [], []
        for inputs in embedded.split(1, dim=1):  # (batch, 1, d_model)
            state, glimpse = self.advance(inputs, state)
            attended.append(state.feed)
            glimpses.append(glimpse)
        return Decoded(self._logits(torch.stack(attended, 1)), _join_times(glimpses))

    def start(self, encoded: Encoded) -> AttentiveState:
        return AttentiveState(
            encoded.hidden,
            encoded.cell,
            feed=torch.zeros_like(encoded.hidden),
            time=encoded.hidden.new_zeros(len(encoded.hidden), dtype=torch.long),
            keys=self.attention.score.prepare(encoded.memory),
            memory=encoded.memory,
            mask=encoded.mask,
        )

    def step(
        self, tokens: Tensor, state: AttentiveState
    ) -> tuple[Tensor, AttentiveState]:
        inputs = self.dropout(self.embedding(tokens[:, None]))  # (batch, 1, d_model)
        state, _ = self.advance(inputs, state)
        return self._logits(state.feed), state

    def advance(
        self, inputs: Tensor, state: AttentiveState
    ) -> tuple[AttentiveState, Glimpse]:
        """Take one step on an embedded token, (batch, 1, d_model)."""
        raise NotImplementedError

    def _attend(self, query: Tensor, state: AttentiveState, time: Tensor) -> Glimpse:
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
        embedded = self.dropout(self.embedding(tgt))  # (batch, L_t, d_model)
        states, state = self._run_rnn([embedded], state)
        time = torch.arange(tgt.shape[1], device=tgt.device)[None]  # (1, L_t)
        glimpse = self._attend(states, state, time)
        return Decoded(self._logits(self._combine(glimpse.context, states)), glimpse)

    def advance(
        self, inputs: Tensor, state: AttentiveState
    ) -> tuple[AttentiveState, Glimpse]:
        states, state = self._run_rnn([inputs], state)  # (batch, 1, d_model)
        glimpse = self._attend(states, state, state.time[:, None])
        feed = self._combine(glimpse.context, states)[:, 0]
        return state._replace(feed=feed, time=state.time + 1), glimpse


class BahdanauDecoder(AttentiveDecoder):
    """The old state asks, and the answer enters the new one (Bahdanau et al. 2015).

        c_t = attend(s_{t−1}),  s_t = cell([emb_t; c_t], s_{t−1})

    Each step needs the one before it, in training too.
    """

    context_in_input = True

    def advance(
        self, inputs: Tensor, state: AttentiveState
    ) -> tuple[AttentiveState, Glimpse]:
        glimpse = self._attend(state.hidden[:, None], state, state.time[:, None])
        states, state = self._run_rnn([inputs, glimpse.context], state)
        feed = self._combine(glimpse.context, states)[:, 0]
        return state._replace(feed=feed, time=state.time + 1), glimpse


def _join_times(glimpses: list[Glimpse]) -> Glimpse:
    """Join glimpses of single steps along the time."""
    fields = zip(*glimpses, strict=True)
    joined: Any = (None if f[0] is None else torch.cat(f, dim=1) for f in fields)
    return Glimpse(*joined)


# The model --------------------------------------------------------------------------


class Seq2Seq(nn.Module):
    """A recurrent encoder–decoder: `model(src, tgt) -> logits`.

    Args:
        src_vocab, tgt_vocab: the sizes of the vocabularies.
        d_model: the width of embeddings and states.
        cell: "rnn" (tanh), "gru" or "lstm".
        score: how to score a state against the source, one of `attnlab.scores` with
            query and key width d_model; None is the model without attention.
        bidirectional: read the source in both directions, d_model // 2 states each.
        style: with attention, "luong" (the new state asks) or "bahdanau" (the old one).
        input_feeding: with attention, feed each step's h̃ into the next.
        context: without attention, where C goes: "state", "input" or "both".
        window: with attention, None (global), "local-m" or "local-p".
        radius: the window's reach to either side, in tokens, at least 1.
        hard: with attention, look at one position a step, sampled in training.
        dropout: on embeddings and before the read-out.
        pad: the id of the padding.

    Raises:
        TypeError: `score` is not a score, a size not an integer, the dropout no number.
        ValueError: an unknown or unfitting value, named.
    """

    baseline: Tensor  # of hard attention

    def __init__(
        self,
        src_vocab: int,
        tgt_vocab: int,
        d_model: int,
        *,
        cell: str = "gru",
        score: Score | None = None,
        bidirectional: bool = False,
        style: str = "luong",
        input_feeding: bool = False,
        context: str = "both",
        window: str | None = None,
        radius: int = 2,
        hard: bool = False,
        dropout: float = 0.0,
        pad: int = 0,
    ) -> None:
        super().__init__()
        for name, size in (
            ("src_vocab", src_vocab),
            ("tgt_vocab", tgt_vocab),
            ("d_model", d_model),
            ("radius", radius),
        ):
            check_integer(name, size, 1)
        if bidirectional and d_model % 2:
            raise ValueError(f"bidirectional needs an even d_model, got {d_model}")
        check_integer("pad", pad, 0)
        check_dropout(dropout)
        if pad >= src_vocab:
            raise ValueError(f"pad must be a source token, got {pad} of {src_vocab}")
        check_choice("cell", cell, CELLS)
        check_choice("style", style, STYLES)
        check_choice("context", context, CONTEXTS)
        check_choice("window", window, (None, *WINDOWS))

        self.src_vocab, self.tgt_vocab, self.d_model = src_vocab, tgt_vocab, d_model
        self.encoder = Encoder(
            src_vocab,
            d_model,
            cell=cell,
            bidirectional=bidirectional,
            dropout=dropout,
            pad=pad,
        )
        self.decoder: Any  # a BottleneckDecoder, LuongDecoder or BahdanauDecoder
        if score is None:
            if style != "luong" or input_feeding or window or hard:
                raise ValueError(
                    "style, input_feeding, window and hard belong to attention: "
                    "give a score"
                )
            self.decoder = BottleneckDecoder(
                tgt_vocab, d_model, cell=cell, context=context, dropout=dropout
            )
            return

        if context != "both":
            raise ValueError(f"context={context!r} belongs to the model without score")
        if not isinstance(score, Score):
            raise TypeError(f"score must be a Score such as DotScore(), got {score!r}")
        score.check_widths(d_model, d_model)
        windows = {
            None: lambda: None,
            "local-m": lambda: MonotonicWindow(radius),
            "local-p": lambda: PredictiveWindow(d_model, radius),
        }
        decoder = LuongDecoder if style == "luong" else BahdanauDecoder
        self.decoder = decoder(
            tgt_vocab,
            d_model,
            Attention(score, windows[window](), hard),
            cell=cell,
            input_feeding=input_feeding,
            dropout=dropout,
        )
        if hard:
            self.register_buffer("baseline", torch.zeros(()))

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Predict every next target token, given the true ones before it.

        Args:
            src: (batch, L_s), ids, padded to the right.
            tgt: (batch, L_t), ids, starting with BOS.

        Returns:
            logits (batch, L_t, tgt_vocab): `logits[:, t]` predicts what follows
            `tgt[:, t]`.

        Raises:
            TypeError: ids that are not integers.
            ValueError: a wrong rank, an empty batch or sequence, unequal batches, or an
                id outside its vocabulary.
        """
        return self._decode(src, tgt).logits

    def attention(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Return where each step looks: (batch, L_t, L_s), the weights really used.

        Row t belongs to `logits[:, t]`. Raises ValueError without attention.
        """
        if isinstance(self.decoder, BottleneckDecoder):
            raise ValueError(
                "this model has no attention (score=None): all it knows of the source "
                "is the encoder's last state"
            )
        glimpse: Any = self._decode(src, tgt).glimpse
        return glimpse.weights

    def forward_sampled(
        self, src: Tensor, tgt: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Do `forward` with hard attention, and tell how likely its choices were.

        Returns:
            logits (batch, L_t, tgt_vocab); the log-probability of each chosen position
            and the entropy of what it was chosen from, both (batch, L_t).

        Raises:
            ValueError: the model's attention is not hard.
        """
        if not getattr(getattr(self.decoder, "attention", None), "hard", False):
            raise ValueError("forward_sampled needs a Seq2Seq with hard=True")
        glimpse: Any
        logits, glimpse = self._decode(src, tgt)
        return logits, glimpse.log_prob, glimpse.entropy

    def encode(self, src: Tensor) -> Encoded:
        """Read the source: (batch, L_s) ids -> `Encoded`."""
        check_ids("src", src, self.src_vocab)
        return self.encoder(src)

    def start(self, src: Tensor) -> BottleneckState | AttentiveState:
        """Read the source and return the state before the first step."""
        return self.decoder.start(self.encode(src))

    def step(
        self, tokens: Tensor, state: BottleneckState | AttentiveState
    ) -> tuple[Tensor, BottleneckState | AttentiveState]:
        """Take one step: tokens (batch,) -> logits (batch, tgt_vocab), next state."""
        return self.decoder.step(tokens, state)

    def reorder(
        self, state: BottleneckState | AttentiveState, index: Tensor
    ) -> BottleneckState | AttentiveState:
        """Return the state whose sentence i is the old sentence `index[i]`."""
        chosen: Any = (None if x is None else x[index] for x in state)
        return type(state)(*chosen)

    def _decode(self, src: Tensor, tgt: Tensor) -> Decoded:
        encoded = self.encode(src)
        check_ids("tgt", tgt, self.tgt_vocab)
        if len(src) != len(tgt):
            raise ValueError(f"src and tgt differ in batch: {len(src)} and {len(tgt)}")
        return self.decoder(tgt, encoded)
