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

from typing import Any

import torch
from torch import Tensor, nn

from attnlab.checks import (
    check_choice,
    check_dropout,
    check_ids,
    check_integer,
    check_sizes,
    check_vocabulary,
    has_values,
)
from attnlab.recurrence import CELLS
from attnlab.recurrent_attention import (
    WINDOWS,
    Attention,
    make_window,
)
from attnlab.recurrent_layers import (
    CONTEXTS,
    DECODERS,
    AttentiveState,
    BottleneckDecoder,
    BottleneckState,
    Decoded,
    Encoded,
    Encoder,
    RecurrentDecoder,
)
from attnlab.scores import Score


def count_parameters(model: nn.Module) -> int:
    """Count the numbers that training changes."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


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
        check_sizes(
            src_vocab=src_vocab, tgt_vocab=tgt_vocab, d_model=d_model, radius=radius
        )
        if bidirectional and d_model % 2:
            raise ValueError(f"bidirectional needs an even d_model, got {d_model}")
        check_integer("pad", pad, 0)
        check_dropout(dropout)
        if pad >= src_vocab:
            raise ValueError(f"pad must be a source token, got {pad} of {src_vocab}")
        check_choice("cell", cell, CELLS)
        check_choice("style", style, DECODERS)
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
        self.decoder: RecurrentDecoder
        if score is None:
            if style != "luong" or input_feeding or window or hard:
                raise ValueError(
                    "style, input_feeding, window and hard belong to attention: "
                    "give a score"
                )
            self.decoder = BottleneckDecoder(
                tgt_vocab, d_model, cell=cell, context=context, dropout=dropout
            )
        else:
            _check_score(score, d_model, context)
            self.decoder = DECODERS[style](
                tgt_vocab,
                d_model,
                Attention(score, make_window(window, d_model, radius), hard),
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
            ValueError: a wrong rank, an empty batch or sequence, unequal batches, or on
                a CPU an id outside its vocabulary, or padding before a token.
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
        output: Any = self._decode(src, tgt).attention
        return output.weights

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
        output: Any
        logits, output = self._decode(src, tgt)
        return logits, output.log_prob, output.entropy

    def encode(self, src: Tensor) -> Encoded:
        """Read the source: (batch, L_s) ids -> `Encoded`. Raises as `check_ids`."""
        check_ids("src", src)
        return self.encoder(src)

    def start(self, src: Tensor) -> BottleneckState | AttentiveState:
        """Read the source and return the state before the first step.

        Raises:
            TypeError, ValueError: as `forward`, for ids outside the vocabulary on every
                device: here, before the first step, the ids are looked at.
        """
        check_ids("src", src)
        if has_values(src):
            check_vocabulary("src", src.cpu(), self.src_vocab)
        return self.decoder.start(self.encode(src))

    def step(
        self, tokens: Tensor, state: BottleneckState | AttentiveState
    ) -> tuple[Tensor, BottleneckState | AttentiveState]:
        """Take one step: tokens (batch,) -> logits (batch, tgt_vocab), next state."""
        return self.decoder.step(tokens, state)

    def reorder(
        self, state: BottleneckState | AttentiveState, index: Tensor
    ) -> BottleneckState | AttentiveState:
        """Return the state whose sentence i is the old `index[i]`; index is (B,)."""
        chosen: Any = (None if x is None else x[index] for x in state)
        return type(state)(*chosen)

    def _decode(self, src: Tensor, tgt: Tensor) -> Decoded:
        encoded = self.encode(src)
        check_ids("tgt", tgt)
        if src.shape[0] != tgt.shape[0]:
            raise ValueError(
                f"src and tgt differ in batch: {src.shape[0]} and {tgt.shape[0]}"
            )
        return self.decoder(tgt, encoded)


def _check_score(score: Score, d_model: int, context: str) -> None:
    if context != "both":
        raise ValueError(f"context={context!r} belongs to the model without score")
    if not isinstance(score, Score):
        raise TypeError(f"score must be a Score such as DotScore(), got {score!r}")
    score.check_widths(d_model, d_model)
