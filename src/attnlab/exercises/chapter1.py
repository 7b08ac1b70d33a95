"""Checks of chapter 1, The bottleneck."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor

from attnlab.exercises.checking import exercise

Rows = list[list[float]]
Ids = list[list[int]]
Words = list[list[str]]


def _random_rows(seed: int, length: int, vocab: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(length, vocab, generator=generator)


def _forgot_eos(log_probs: Rows, ids: list[int]) -> float:
    return sum(log_probs[t][i] for t, i in enumerate(ids[:-1]))


def _product_of_logs(log_probs: Rows, ids: list[int]) -> float:
    return math.prod(log_probs[t][i] for t, i in enumerate(ids))


@exercise(
    "1.1",
    inputs=[
        ([[-0.1, -2.4, -5.0], [-3.0, -0.2, -1.9], [-4.0, -2.0, -0.3]], [0, 2, 2]),
        ([[-0.7, -0.7], [-0.1, -2.3]], [1, 0]),
    ],
    mistakes={
        "EOS is a word like the others: its probability counts too.": _forgot_eos,
        "The logarithm of a product is a sum of logarithms.": _product_of_logs,
        "A sum is asked for: do not divide by the number of words.": (
            lambda log_probs, ids: sequence_log_prob(log_probs, ids) / len(ids)
        ),
        "`ids` says which word was said; you took the most probable one of each row.": (
            lambda log_probs, ids: sum(max(row) for row in log_probs)
        ),
        "Row t belongs to word t: you counted the rows from the end.": (
            lambda log_probs, ids: sequence_log_prob(log_probs[::-1], ids)
        ),
        "You returned the probability; its logarithm is asked for.": (
            lambda log_probs, ids: math.exp(
                sum(log_probs[t][i] for t, i in enumerate(ids))
            )
        ),
    },
    hint="Row t holds log P(word | the words before). Pick one entry a row and add.",
)
def sequence_log_prob(log_probs: Rows, ids: list[int]) -> float:
    """log P(y | x) of equation 1.3."""
    return sum(log_probs[t][i] for t, i in enumerate(ids))


def _reads_eos(rows: Ids) -> tuple[Ids, Ids]:
    width = max(len(row) for row in rows) + 2
    inputs = [[1, *row, 2] + [0] * (width - len(row) - 2) for row in rows]
    return inputs, _teacher_forcing(rows)[1]


@exercise(
    "1.2",
    inputs=[
        ([[5, 7, 9]],),
        ([[5, 7, 9], [4]],),
        ([[3], [8, 3, 3, 6], [4, 4]],),
    ],
    mistakes={
        "The inputs must begin with BOS (1).": (
            lambda rows: _teacher_forcing(rows, bos=False)
        ),
        "After the last word the label is EOS (2): how else would it learn to stop?": (
            lambda rows: _teacher_forcing(rows, eos=False)
        ),
        "Inputs and labels have changed places.": lambda rows: shift(rows)[::-1],
        "Inputs and labels are the same here. A decoder that reads the very word it "
        "must say learns to copy, not to translate.": (
            lambda rows: (_teacher_forcing(rows)[1], _teacher_forcing(rows)[1])
        ),
        "Nothing is said after EOS, so the decoder never reads it: the inputs end with "
        "the last word.": _reads_eos,
        "PAD comes at the end of a row, not at its beginning.": (
            lambda rows: tuple(
                [[0] * row.count(0) + [one for one in row if one] for row in side]
                for side in _teacher_forcing(rows)
            )
        ),
    },
    hint="Labels are row + EOS and inputs are BOS + row, each filled up with PAD; EOS "
    "is no input.",
)
def shift(rows: Ids) -> tuple[Ids, Ids]:
    """Rows of target ids to padded decoder inputs and labels, as lists of lists."""
    return _teacher_forcing(rows)


def _teacher_forcing(rows: Ids, bos: bool = True, eos: bool = True) -> tuple[Ids, Ids]:
    width = max(len(row) for row in rows) + 1
    inputs = [[1] * bos + row for row in rows]
    labels = [row + [2] * eos for row in rows]
    for row in inputs + labels:
        row += [0] * (width - len(row))
    return inputs, labels


_LOGITS = torch.stack([_random_rows(0, 3, 5), _random_rows(1, 3, 5)])
_LABELS = torch.tensor([[3, 2, 0], [4, 1, 2]])


def _masked_loss(logits: Tensor, labels: Tensor) -> Tensor:
    real = labels != 0
    log_probs = logits.log_softmax(dim=-1)
    picked = log_probs.gather(-1, labels[..., None])[..., 0]  # (batch, length)
    return -(picked * real).sum() / real.sum()


def _loss_with_padding(logits: Tensor, labels: Tensor) -> Tensor:
    log_probs = logits.log_softmax(dim=-1)
    return -log_probs.gather(-1, labels[..., None])[..., 0].mean()


def _divided_by_all(logits: Tensor, labels: Tensor) -> Tensor:
    real = labels != 0
    return _masked_loss(logits, labels) * real.sum() / labels.numel()


def _mean_of_means(logits: Tensor, labels: Tensor) -> Tensor:
    rows = zip(logits, labels, strict=True)
    return torch.stack([_masked_loss(*row) for row in rows]).mean()


@exercise(
    "1.3",
    inputs=[(_LOGITS, _LABELS), (_LOGITS[:, 1:], _LABELS[:, 1:])],
    mistakes={
        "Labels that are PAD (0) must not count.": _loss_with_padding,
        "The sum leaves PAD out, but you divided by all positions. Divide by the "
        "number of real labels.": _divided_by_all,
        "A loss falls as the right word grows more probable: the sign is off.": (
            lambda logits, labels: -_masked_loss(logits, labels)
        ),
        "The sum came; divide it by the number of real labels.": (
            lambda logits, labels: _masked_loss(logits, labels) * (labels != 0).sum()
        ),
        "All real labels count alike. A mean of the rows' means lets a short row's "
        "labels count for more.": _mean_of_means,
        "Logits are no log-probabilities yet: log_softmax first.": (
            lambda logits, labels: (
                -(logits.gather(-1, labels[..., None])[..., 0] * (labels != 0)).sum()
                / (labels != 0).sum()
            )
        ),
    },
    hint="log_softmax, pick the label's entry (gather), mask, sum, divide.",
)
def masked_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean cross-entropy over the labels that are not PAD.

    Logits are (B, L, vocab), labels (B, L).
    """
    return _masked_loss(logits, labels)


_WEIGHTS = (_random_rows(2, 3, 2), _random_rows(3, 3, 3), _random_rows(4, 1, 3)[0])


def _last_state(xs: Tensor, W: Tensor, U: Tensor, b: Tensor) -> Tensor:
    h = torch.zeros(len(b))
    for x in xs:
        h = torch.tanh(W @ x + U @ h + b)
    return h


def _last_word_state(xs: Tensor, W: Tensor, U: Tensor, b: Tensor) -> Tensor:
    return torch.tanh(W @ xs[-1] + b)


def _state_without_tanh(xs: Tensor, W: Tensor, U: Tensor, b: Tensor) -> Tensor:
    h = torch.zeros(len(b))
    for x in xs:
        h = W @ x + U @ h + b
    return h


def _state_by_sigmoid(xs: Tensor, W: Tensor, U: Tensor, b: Tensor) -> Tensor:
    h = torch.zeros(len(b))
    for x in xs:
        h = torch.sigmoid(W @ x + U @ h + b)
    return h


@exercise(
    "1.4",
    inputs=[
        (_random_rows(5, 1, 2), *_WEIGHTS),
        (_random_rows(6, 4, 2), *(-one for one in _WEIGHTS)),
    ],
    mistakes={
        "That is the last word alone: the old state U h is missing.": _last_word_state,
        "Without tanh the state can grow without bound.": _state_without_tanh,
        "The equation has a tanh, not a sigmoid.": _state_by_sigmoid,
        "The bias b is missing.": lambda xs, W, U, b: _last_state(xs, W, U, 0 * b),
        "All states came; only the last one is asked for.": (
            lambda xs, W, U, b: torch.stack(
                [_last_state(xs[: t + 1], W, U, b) for t in range(len(xs))]
            )
        ),
        "You read the sentence backwards (a good trick, but not this exercise).": (
            lambda xs, W, U, b: _last_state(xs.flip(0), W, U, b)
        ),
    },
    hint="Start with h = zeros; for each row x of xs apply equation 1.1.",
)
def context_of(xs: Tensor, W: Tensor, U: Tensor, b: Tensor) -> Tensor:
    """The last state (d,) of a plain recurrent network over the rows of xs.

    xs is (n, d_in), W (d, d_in), U (d, d), b (d,).
    """
    return _last_state(xs, W, U, b)


@exercise(
    "1.5",
    inputs=[(10.0,), (6.0,), (26.6,), (64.0,)],
    mistakes={
        "A part of a digit is no digit: round down.": (
            lambda bits: bits / math.log2(10)
        ),
        "One too many: there are more numbers of that length than bits can tell.": (
            lambda bits: math.ceil(bits / math.log2(10))
        ),
        "That is how many bits these digits take. Divide instead of multiplying.": (
            lambda bits: math.floor(bits * math.log2(10))
        ),
        "That is the base-10 logarithm of bits; a bit is a factor of 2.": (
            lambda bits: math.floor(math.log10(bits))
        ),
    },
    hint="k digits can say 10**k different things, b bits 2**b. When is 10**k <= 2**b?",
)
def digits_in(bits: float) -> int:
    """How many decimal digits can be told apart with this many bits."""
    return math.floor(bits / math.log2(10))


@exercise(
    "1.6",
    inputs=[
        (
            [7, 20, 46],
            [["sieben"], ["drei", "ßig"], ["sechs", "und", "vier", "zig"]],
            [["sieben"], ["zwan", "zig"], ["sechs", "und", "vier", "zig"]],
        ),
        (
            [1, 2, 34, 400],
            [["eins"], ["drei"], ["drei", "und", "drei", "ßig"], ["vier", "hundert"]],
            [["eins"], ["zwei"], ["vier", "und", "drei", "ßig"], ["vier", "hundert"]],
        ),
    ],
    mistakes={
        "That is one share for everything. Keep a list for each number of digits.": (
            lambda numbers, said, truth: {
                0: sum(s == t for s, t in zip(said, truth, strict=True)) / len(numbers)
            }
        ),
        "You counted the right ones; divide by how many there are of that length.": (
            lambda numbers, said, truth: {
                k: v * sum(len(str(n)) == k for n in numbers)
                for k, v in _exact_by_length(numbers, said, truth).items()
            }
        ),
        "A translation is exact or not; you gave credit for single words.": (
            lambda numbers, said, truth: _mean_by(
                [len(str(number)) for number in numbers], map(_word_share, said, truth)
            )
        ),
        "The digits of the number are its length, not the words of its translation.": (
            lambda numbers, said, truth: _mean_by(
                [len(words) for words in truth], map(list.__eq__, said, truth)
            )
        ),
        "That is the share of wrong ones.": lambda numbers, said, truth: {
            length: 1 - share
            for length, share in _exact_by_length(numbers, said, truth).items()
        },
    },
    hint="A dict from len(str(number)) to a list of True and False, then its mean.",
)
def exact_by_length(numbers: list[int], said: Words, truth: Words) -> dict[int, float]:
    """Share of exact answers for each number of digits."""
    return _exact_by_length(numbers, said, truth)


def _exact_by_length(numbers: list[int], said: Words, truth: Words) -> dict[int, float]:
    hits = [answer == right for answer, right in zip(said, truth, strict=True)]
    return _mean_by([len(str(number)) for number in numbers], hits)


def _mean_by(lengths: list[int], scores: Iterable[float]) -> dict[int, float]:
    by_length: dict[int, list[float]] = {}
    for length, score in zip(lengths, scores, strict=True):
        by_length.setdefault(length, []).append(score)
    return {length: sum(some) / len(some) for length, some in by_length.items()}


def _word_share(answer: list[str], right: list[str]) -> float:
    return sum(a == b for a, b in zip(answer, right, strict=False)) / len(right)


_SPOKEN = (0.9, 1.0, 0.8, 1.0, 0.5)  # sieben, und, acht, zig, EOS


@exercise(
    "1.8",
    mistakes={
        "EOS is a word like the others: its probability counts too.": (
            lambda: math.prod(_SPOKEN[:-1])
        ),
        "That is their mean. Equation 1.3 is a product.": (
            lambda: sum(_SPOKEN) / len(_SPOKEN)
        ),
        "That is their sum, which is no probability. Equation 1.3 is a product.": (
            lambda: sum(_SPOKEN)
        ),
        "That is the weakest word alone. All of them have to come out.": (
            lambda: min(_SPOKEN)
        ),
    },
    hint="How often do all five come out, one after the other?",
)
def probability_of_the_answer() -> float:
    return math.prod(_SPOKEN)
