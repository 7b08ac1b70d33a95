"""The exercises of chapter 7, The Transformer."""

from collections.abc import Callable
from math import ceil
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.exercises import blank_page
from attnlab.exercises.checking import exercise
from attnlab.transformer import Transformer

_D_MODEL, _D_FF = 512, 2048
_ATTENTION = 4 * (_D_MODEL * _D_MODEL + _D_MODEL)
_FEED_FORWARD = 2 * _D_MODEL * _D_FF + _D_FF + _D_MODEL


@exercise(
    "7.1",
    mistakes={
        "The two norms have parameters too: a gain and a bias each.": (
            lambda: _ATTENTION + _FEED_FORWARD
        ),
        "There are two norms, one for each sublayer.": (
            lambda: _ATTENTION + _FEED_FORWARD + 2 * _D_MODEL
        ),
        "With biases, please: every linear layer has one.": (
            lambda: 4 * _D_MODEL * _D_MODEL + 2 * _D_MODEL * _D_FF + 4 * _D_MODEL
        ),
        "That is attention alone. What comes after it?": lambda: _ATTENTION,
        "Attention has four matrices: what comes after the heads?": (
            lambda: 3 * (_D_MODEL * _D_MODEL + _D_MODEL) + _FEED_FORWARD + 4 * _D_MODEL
        ),
        "The feed-forward layer has two matrices: up and back.": (
            lambda: _ATTENTION + _D_MODEL * _D_FF + _D_FF + 4 * _D_MODEL
        ),
        "That is a decoder layer.": (
            lambda: 2 * _ATTENTION + _FEED_FORWARD + 3 * 2 * _D_MODEL
        ),
    },
    hint="Four matrices of attention, two of the feed-forward layer, a bias for each, "
    "and two norms with gain and bias.",
    tolerance=0,  # a count
)
def parameters_of_an_encoder_layer() -> int:
    return _ATTENTION + _FEED_FORWARD + 2 * 2 * _D_MODEL


def _random(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator)


def _normalise(x: Tensor, axis: int | tuple, *, unbiased: bool = False) -> Tensor:
    mean = x.mean(axis, keepdim=True)
    variance = x.var(axis, keepdim=True, unbiased=unbiased)
    return (x - mean) / (variance + 1e-5).sqrt()


@exercise(
    "7.2",
    inputs=[
        (
            torch.tensor([[1.0, 2.0, 3.0, 6.0], [0.0, 0.0, 4.0, 4.0]]),
            torch.tensor([1.0, 1.0, 2.0, 1.0]),
            torch.tensor([0.0, 0.5, 0.0, 0.0]),
        ),
        (_random(2, 3, 4, seed=1), _random(4, seed=2), _random(4, seed=3)),
        (5 + 3 * _random(5, 8, seed=4), _random(8, seed=5), _random(8, seed=6)),
    ],
    mistakes={
        "Each word by itself: mean and variance run over the last dimension.": (
            lambda x, gain, bias: gain * _normalise(x, -2) + bias
        ),
        "Each word by itself: you took mean and variance over all numbers.": (
            lambda x, gain, bias: gain * _normalise(x, tuple(range(x.dim()))) + bias
        ),
        "The variance divides by d here, not by d - 1: unbiased=False.": (
            lambda x, gain, bias: gain * _normalise(x, -1, unbiased=True) + bias
        ),
        "Gain and bias are missing.": lambda x, gain, bias: _normalise(x, -1),
        "The bias comes last: it is not multiplied by the gain.": (
            lambda x, gain, bias: gain * (_normalise(x, -1) + bias)
        ),
        "The mean stays in: take it off first.": (
            lambda x, gain, bias: (
                gain * x / (x.var(-1, keepdim=True, unbiased=False) + 1e-5).sqrt()
                + bias
            )
        ),
        "Divide by the standard deviation, the root of the variance.": (
            lambda x, gain, bias: (
                gain
                * (x - x.mean(-1, keepdim=True))
                / (x.var(-1, keepdim=True, unbiased=False) + 1e-5)
                + bias
            )
        ),
    },
    hint="Equation 7.2, with keepdim=True so that mean and variance still broadcast.",
)
def layer_norm(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return gain * _normalise(x, -1) + bias


@exercise(
    "7.3",
    inputs=[
        (torch.tensor([[1, 7, 8, 2]]),),
        (torch.tensor([[1, 7, 8, 9, 2], [1, 7, 2, 0, 0]]),),
    ],
    mistakes={
        "Not shifted: a model that reads what it is to say learns to copy.": (
            lambda tgt: (tgt, tgt)
        ),
        "Not shifted: both leave out the same column.": (
            lambda tgt: (tgt[:, :-1], tgt[:, :-1])
        ),
        "The wrong way round: what is read comes first.": (
            lambda tgt: (tgt[:, 1:], tgt[:, :-1])
        ),
        "The lengths differ: the last column is never read.": (
            lambda tgt: (tgt, tgt[:, 1:])
        ),
        "That cuts off the rows: the batch is the first dimension.": (
            lambda tgt: (tgt[:-1], tgt[1:])
        ),
    },
    hint="At BOS the model is to say the first word, at the last word EOS.",
)
def shift(tgt: Tensor) -> tuple[Tensor, Tensor]:
    return tgt[:, :-1], tgt[:, 1:]


def _causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


@exercise(
    "7.4",
    inputs=[
        (torch.tensor([[1, 7, 8]]),),
        (torch.tensor([[1, 7, 8, 9], [1, 7, 0, 0]]),),
    ],
    mistakes={
        "Padding is still seen.": lambda tgt: _causal_mask(tgt.shape[1]).expand(
            len(tgt), -1, -1
        ),
        "The future is still seen.": lambda tgt: (tgt != 0)[:, None].expand(
            -1, tgt.shape[1], -1
        ),
        "The other way round: True means that a place may be seen.": (
            lambda tgt: ~(_causal_mask(tgt.shape[1]) & (tgt != 0)[:, None])
        ),
        "It is the keys (the last dimension) that are padding, not the queries.": (
            lambda tgt: _causal_mask(tgt.shape[1]) & (tgt != 0)[:, :, None]
        ),
        "Each place sees itself as well: it has been read already.": (
            lambda tgt: (
                torch.ones(tgt.shape[1], tgt.shape[1]).tril(-1).bool()
                & (tgt != 0)[:, None]
            )
        ),
        "A row is a query: it sees the columns up to itself.": (
            lambda tgt: _causal_mask(tgt.shape[1]).T & (tgt != 0)[:, None]
        ),
    },
    hint="Two masks with & between them: one (L, L), the other (B, 1, L).",
)
def decoder_mask(tgt: Tensor) -> Tensor:
    return _causal_mask(tgt.shape[1]) & (tgt != 0)[:, None]


@exercise(
    "7.8",
    mistakes={
        "That is what it is to say. What has it read when it says the first word?": (
            lambda: ["sieben", "und", "acht", "zig", "EOS"]
        ),
        "After EOS nothing is to be said, so it is never read.": (
            lambda: ["BOS", "sieben", "und", "acht", "zig", "EOS"]
        ),
        "Something has to be read before the first word can be said.": (
            lambda: ["sieben", "und", "acht", "zig"]
        ),
        "So it is when it begins to write. In training it reads all positions at "
        "once.": lambda: ["BOS"],
    },
    hint="The same target twice, one column apart: which end does the reader lack?",
)
def read_in_training() -> list[str]:
    return ["BOS", "sieben", "und", "acht", "zig"]


def _attend(queries: Tensor, keys: Tensor, values: Tensor, scale: float) -> Tensor:
    return (queries @ keys.T * scale).softmax(dim=-1) @ values


@exercise(
    "7.10",
    inputs=[
        (
            _random(3, 4, seed=1),
            _random(5, 4, seed=2),
            _random(5, 4, seed=3),
            *(_random(4, 2, seed=seed) for seed in (4, 5, 6)),
        ),
        (
            _random(6, 8, seed=7),
            _random(6, 8, seed=8),
            _random(6, 8, seed=9),
            *(_random(8, 4, seed=seed) for seed in (10, 11, 12)),
        ),
    ],
    mistakes={
        "The source asks here. One row for each target word must come out: the queries "
        "are made of y.": (
            lambda y, where, what, W_Q, W_K, W_V: _attend(
                where @ W_Q, y @ W_K, y @ W_V, W_Q.shape[1] ** -0.5
            )
        ),
        "The keys are made of `where`, the values of `what`; yours are the other way "
        "round.": (
            lambda y, where, what, W_Q, W_K, W_V: _attend(
                y @ W_Q, what @ W_K, where @ W_V, W_Q.shape[1] ** -0.5
            )
        ),
        "Divide the scores by the root of the head's width.": (
            lambda y, where, what, W_Q, W_K, W_V: _attend(
                y @ W_Q, where @ W_K, what @ W_V, 1.0
            )
        ),
        "The head is as wide as W_Q has columns; you took the root of the model's "
        "width.": (
            lambda y, where, what, W_Q, W_K, W_V: _attend(
                y @ W_Q, where @ W_K, what @ W_V, W_Q.shape[0] ** -0.5
            )
        ),
    },
    hint="Queries of y, keys of `where`, values of `what`; softmax over the last "
    "dimension of (m, n) scores.",
)
def cross_attention(
    y: Tensor, where: Tensor, what: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor
) -> Tensor:
    scale = W_Q.shape[1] ** -0.5
    return _attend(y @ W_Q, where @ W_K, what @ W_V, scale)


@exercise(
    "7.11",
    choices=(
        "pre-norm",
        "no norm after the last layer",
        "more steps",
        "a better search for the most likely caption",
    ),
    mistakes={
        "The second row has no such norm. Does it read?": (
            lambda: "no norm after the last layer"
        ),
        "Compare the steps of the third row with those of the fourth.": (
            lambda: "more steps"
        ),
        "A search can find only what the model knows. Whose caption would it be?": (
            lambda: "a better search for the most likely caption"
        ),
    },
    hint="Find the rows that have the same first weights. Which of them reads?",
)
def what_would_have_helped() -> str:
    return "pre-norm"


@exercise(
    "7.12",
    mistakes={
        "A decoder layer has two attentions.": lambda: 12 * 2 * 512 * 8 * 48,
        "Queries and keys are compared, so both get narrower.": (
            lambda: 18 * 512 * 8 * 48
        ),
        "The values keep their width, and so does W_O.": lambda: 18 * 4 * 512 * 8 * 48,
        "That is one head. There are eight.": lambda: 18 * 2 * 512 * 48,
        "That is what is left of these matrices. How many parameters went?": (
            lambda: 18 * 2 * 512 * 8 * 16
        ),
    },
    hint="How many attentions are there in six layers on either side, and which of the "
    "four matrices of each get narrower, by how much?",
    tolerance=0,  # a count
)
def parameters_that_went() -> int:
    return 18 * 2 * 512 * 8 * (64 - 16)


@exercise(
    "7.13",
    # The last is 1250 to the last bit, however the formula is rearranged.
    inputs=[(0.5, 0.6), (0.9, 0.3), (0.3, 0.7), (0.4, 0.1), (2.0, 25.0)],
    tolerance=0,  # a count
    mistakes={
        "Both means are uncertain, so the variances add up: 2 s²/n.": (
            lambda difference, s: ceil((2 * s / difference) ** 2)
        ),
        "Twice the standard error, please, not once.": (
            lambda difference, s: ceil(2 * (s / difference) ** 2)
        ),
        "Square the ratio: the standard error falls with the root of n.": (
            lambda difference, s: ceil(2 * 2**0.5 * s / difference)
        ),
        "Runs are whole: round up.": lambda difference, s: 8 * (s / difference) ** 2,
        "Round up, not down: fewer runs are too few.": (
            lambda difference, s: int(8 * (s / difference) ** 2)
        ),
        "Where the number is whole already, adding 1 is a run too many.": (
            lambda difference, s: int(8 * (s / difference) ** 2) + 1
        ),
    },
    hint="Solve difference ≥ 2 · s · √(2/n) for n, and round up.",
)
def runs_needed(difference: float, s: float) -> int:
    return ceil(8 * (s / difference) ** 2)


@exercise(
    "7.14",
    choices=(
        "Eight heads are better than one.",
        "Sixteen heads are as good as eight.",
        "In the runs that were made, eight heads scored 0.9 BLEU more than one.",
        "Dropout matters more than the number of heads.",
    ),
    mistakes={
        "That speaks of all runs. How many are there of each?": (
            lambda: "Eight heads are better than one."
        ),
        "The numbers are equal, in one run each. What could other seeds have said?": (
            lambda: "Sixteen heads are as good as eight."
        ),
        "The two rows differ by less than the digits suggest, in one run each.": (
            lambda: "Dropout matters more than the number of heads."
        ),
    },
    hint="Which sentence would stay true whatever other seeds say?",
)
def what_the_table_shows() -> str:
    return "In the runs that were made, eight heads scored 0.9 BLEU more than one."


def _spoilt(change: Callable[[Any], object]) -> Callable[[int, int], nn.Module]:
    def make(src_vocab: int, tgt_vocab: int) -> nn.Module:
        model = whole_transformer(src_vocab, tgt_vocab)
        change(model)
        return model

    return make


def _answers(change: Callable[[Tensor], Tensor]) -> Callable[[nn.Module], object]:
    """Return what makes a model change its logits."""
    return lambda model: model.register_forward_hook(lambda _, ids, out: change(out))


def _put_into_a_list(model: Any) -> None:
    layers = list(model.encoder.layers)
    del model.encoder.layers
    model.encoder.layers = layers


def _look_at_nothing(model: Any) -> None:
    for layer in model.decoder.layers:
        layer.self_attention.head_mask = torch.zeros(4, dtype=torch.bool)


def _leave_out_residuals(model: Any) -> None:
    for layer in (*model.encoder.layers, *model.decoder.layers):
        layer.residual = False


def _read_no_words(model: nn.Module) -> None:
    model.register_forward_pre_hook(lambda _, ids: (ids[0].clamp(max=1), ids[1]))


_SPOILT: dict[Callable, Callable[[Any], object]] = {
    blank_page.returns_logits: _answers(lambda logits: logits[:, -1]),
    blank_page.has_no_softmax: _answers(lambda logits: logits.softmax(dim=-1)),
    blank_page.repeats_itself: _answers(lambda logits: F.dropout(logits, 0.1)),
    blank_page.registers_its_layers: _put_into_a_list,
    blank_page.keeps_sentences_apart: _answers(
        lambda logits: logits + logits.roll(1, dims=0)
    ),
    blank_page.hides_the_future: lambda model: setattr(model, "causal", False),
    blank_page.hides_padding: lambda model: setattr(model, "pad", -1),
    blank_page.reads_the_source: _read_no_words,
    blank_page.reads_what_was_said: _look_at_nothing,
    blank_page.uses_every_parameter: (
        lambda model: setattr(model, "spare", nn.LayerNorm(32))
    ),
    blank_page.learns_one_batch: _leave_out_residuals,
    blank_page.knows_positions: lambda model: setattr(model, "positions", None),
}


@exercise(
    "7.15",
    inputs=[(20, 23), (23, 20)],
    mistakes={blank_page.hint_of(one): _spoilt(how) for one, how in _SPOILT.items()},
    hint="build is called with the two sizes; its module is called with src and tgt.",
    judge=blank_page.find_fault,
)
def whole_transformer(src_vocab: int, tgt_vocab: int) -> nn.Module:
    return Transformer(src_vocab, tgt_vocab, 32, 4, 2, 64, dropout=0.0)
