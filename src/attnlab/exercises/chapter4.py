"""The exercises of chapter 4, Many heads."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.checking import exercise


@exercise(
    "4.1",
    mistakes={
        "That is three matrices. What comes after the heads?": lambda: 3 * 512 * 512,
        "That is heads of full width. Here they share the 512.": (
            lambda: 4 * 8 * 512 * 512
        ),
        "That is one head. There are eight of them.": lambda: 4 * 512 * 64,
        "That is one matrix. How many are there?": lambda: 512 * 512,
        "No biases: you counted four of them.": lambda: 4 * (512 * 512 + 512),
    },
    hint="W_Q, W_K and W_V of all heads together, and W_O: how large is each?",
    tolerance=0,  # a count
)
def parameters_of_the_paper() -> int:
    return 4 * 512 * 512


def _numbered_tensor(*shape: int) -> Tensor:
    """Numbers that say where they stand, so that a shuffle shows."""
    size = torch.Size(shape).numel()
    return torch.arange(size, dtype=torch.float).reshape(shape)


def _random(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator)


@exercise(
    "4.2",
    inputs=[
        (_numbered_tensor(1, 3, 4), 2),
        (_numbered_tensor(3, 5, 6), 3),
        (_numbered_tensor(2, 4, 4), 1),
    ],
    mistakes={
        "The shape is right, the numbers are not: a reshape mixes the tokens. First "
        "cut the last dimension, then move the heads.": (
            lambda x, h: x.reshape(x.shape[0], h, x.shape[1], -1)
        ),
        "That is (B, n, h, d/h). The heads belong in front of the tokens.": (
            lambda x, h: x.reshape(*x.shape[:2], h, -1)
        ),
        "The first head takes the first d/h numbers; yours takes every h-th.": (
            lambda x, h: x.reshape(*x.shape[:2], -1, h).permute(0, 3, 1, 2)
        ),
        "That is (h, B, n, d/h). The batch stays in front.": (
            lambda x, h: x.reshape(*x.shape[:2], h, -1).permute(2, 0, 1, 3)
        ),
    },
    hint="Cut d into (h, d/h) first: (B, n, h, d/h). Which two dimensions change "
    "places then?",
)
def split_heads(x: Tensor, h: int) -> Tensor:
    batch, n, d = x.shape
    return x.reshape(batch, n, h, d // h).transpose(1, 2)


@exercise(
    "4.3",
    inputs=[
        (_numbered_tensor(1, 2, 3, 2),),
        (_numbered_tensor(2, 3, 4, 5),),
        (_numbered_tensor(2, 1, 3, 4),),
    ],
    mistakes={
        "The shape is right, the numbers are not: the heads have to stand beside the "
        "width before the two become one.": (
            lambda x: x.reshape(x.shape[0], x.shape[2], -1)
        ),
        "The numbers of one head stay together: (h, d_head), not (d_head, h).": (
            lambda x: x.permute(0, 2, 3, 1).flatten(2)
        ),
        "You added the heads up. They stand side by side.": lambda x: x.sum(dim=1),
        "That is (B, n, h, d_head). The last two become one.": (
            lambda x: x.transpose(1, 2)
        ),
    },
    hint="First (B, n, h, d_head), then the last two dimensions become one.",
)
def merge_heads(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)  # (B, n, h * d_head)


def _split(x: Tensor, h: int) -> Tensor:
    n, d = x.shape
    return x.reshape(n, h, d // h).transpose(0, 1)  # (h, n, d_head)


def _merge(heads: Tensor) -> Tensor:
    return heads.transpose(0, 1).flatten(1)  # (n, h * d_head)


def _mixing_split(x: Tensor, h: int) -> Tensor:
    """The right shape, made of the wrong numbers."""
    return x.reshape(h, x.shape[0], -1)


def _mixing_merge(heads: Tensor) -> Tensor:
    """The right shape, made of the wrong numbers."""
    return heads.reshape(heads.shape[1], -1)


def _attend(
    x: Tensor,
    W_Q: Tensor,
    W_K: Tensor,
    W_V: Tensor,
    h: int,
    width: float,
    *,
    split: Callable = _split,
    merge: Callable = _merge,
    axis: int = -1,
) -> Tensor:
    """All heads side by side, (n, d); the scores are divided by the root of width."""
    q, k, v = (split(x @ W, h) for W in (W_Q, W_K, W_V))
    weights = (q @ k.mT / width**0.5).softmax(dim=axis)
    return merge(weights @ v)


def _random_layer(n: int, d: int, h: int, seed: int) -> tuple:
    x, *matrices = (
        _random(*size, seed=seed + i)
        for i, size in enumerate([(n, d), (d, d), (d, d), (d, d), (d, d)])
    )
    return (x, *matrices, h)


@exercise(
    "4.4",
    inputs=[
        _random_layer(3, 4, 2, 10),
        _random_layer(5, 6, 3, 20),
        _random_layer(4, 8, 8, 30),
    ],
    mistakes={
        "That is one head of full width.": (
            lambda x, W_Q, W_K, W_V, W_O, h: (
                _attend(x, W_Q, W_K, W_V, 1, x.shape[1]) @ W_O
            )
        ),
        "Divide by the root of the head's width, d/h: that is how many products a "
        "score adds up.": (
            lambda x, W_Q, W_K, W_V, W_O, h: (
                _attend(x, W_Q, W_K, W_V, h, x.shape[1]) @ W_O
            )
        ),
        "Divide by the root of the head's width, d/h: the number of heads has nothing "
        "to do with it.": (
            lambda x, W_Q, W_K, W_V, W_O, h: _attend(x, W_Q, W_K, W_V, h, h) @ W_O
        ),
        "The scores are not scaled.": (
            lambda x, W_Q, W_K, W_V, W_O, h: _attend(x, W_Q, W_K, W_V, h, 1) @ W_O
        ),
        "The heads' outputs still have to go through W_O.": (
            lambda x, W_Q, W_K, W_V, W_O, h: _attend(
                x, W_Q, W_K, W_V, h, x.shape[1] // h
            )
        ),
        "The matrices act from the right: x @ W.": (
            lambda x, W_Q, W_K, W_V, W_O, h: (
                _attend(x, W_Q.T, W_K.T, W_V.T, h, x.shape[1] // h) @ W_O.T
            )
        ),
        "The split mixes the tokens: first cut the width into (h, d/h), then move the "
        "heads, as in exercise 4.2.": (
            lambda x, W_Q, W_K, W_V, W_O, h: (
                _attend(x, W_Q, W_K, W_V, h, x.shape[1] // h, split=_mixing_split) @ W_O
            )
        ),
        "The merge mixes the tokens: the heads go back beside the width first, as in "
        "exercise 4.3.": (
            lambda x, W_Q, W_K, W_V, W_O, h: (
                _attend(x, W_Q, W_K, W_V, h, x.shape[1] // h, merge=_mixing_merge) @ W_O
            )
        ),
        "Split and merge both mix the tokens: see exercises 4.2 and 4.3.": (
            lambda x, W_Q, W_K, W_V, W_O, h: (
                _attend(
                    x,
                    W_Q,
                    W_K,
                    W_V,
                    h,
                    x.shape[1] // h,
                    split=_mixing_split,
                    merge=_mixing_merge,
                )
                @ W_O
            )
        ),
        "Your softmax runs over the queries. The keys are the last dimension.": (
            lambda x, W_Q, W_K, W_V, W_O, h: (
                _attend(x, W_Q, W_K, W_V, h, x.shape[1] // h, axis=-2) @ W_O
            )
        ),
    },
    hint="Project, split (exercise 4.2 without the batch), attend in every head, "
    "merge, W_O. Print the shape after each.",
)
def multi_head(
    x: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor, h: int
) -> Tensor:
    return _attend(x, W_Q, W_K, W_V, h, x.shape[1] // h) @ W_O


@exercise(
    "4.5",
    inputs=[
        (
            torch.tensor([1.0, 2.0]),
            torch.tensor([[1.0, 0.0], [3.0, 1.0]]),
            torch.tensor([0.5, 0.0]),
        ),
        (_random(4, seed=1), _random(4, 4, seed=2), _random(4, seed=3)),
        (_random(4, seed=4), _random(4, 3, seed=5), _random(3, seed=6)),
    ],
    mistakes={
        "The value's bias goes through W_O on its way.": (
            lambda b_V, W_O, b_O: b_V + b_O
        ),
        "W_O acts from the right: b_V @ W_O.": lambda b_V, W_O, b_O: W_O @ b_V + b_O,
        "The output has a bias already; the other one is added to it.": (
            lambda b_V, W_O, b_O: b_V @ W_O
        ),
    },
    hint="What comes out of all heads side by side if every value is b_V? And what "
    "does W_O make of it?",
)
def move_bias(b_V: Tensor, W_O: Tensor, b_O: Tensor) -> Tensor:
    return b_V @ W_O + b_O


def _random_mask(*shape: int, seed: int) -> Tensor:
    return _random(*shape, seed=seed) > 0


@exercise(
    "4.6",
    inputs=[
        (
            torch.tensor(
                [
                    [[[True, False]], [[True, True]]],
                    [[[False, True]], [[False, False]]],
                ]
            ),
        ),
        (_random_mask(2, 3, 4, 5, seed=7),),
        (_random_mask(3, 2, 2, 2, seed=8),),
    ],
    mistakes={
        "True still means the book's: may attend. For torch, True means hidden.": (
            lambda mask: mask.flatten(0, 1)
        ),
        "Torch wants all heads of the first sequence first; you put all sequences of "
        "the first head first.": (lambda mask: ~mask.transpose(0, 1).flatten(0, 1)),
        "Polarity and order are both the other way round.": (
            lambda mask: mask.transpose(0, 1).flatten(0, 1)
        ),
        "Batch and heads become one dimension, B·h.": lambda mask: ~mask,
    },
    hint="Two things: what True means, and how (B, h) becomes B·h.",
)
def torch_mask(mask: Tensor) -> Tensor:
    return ~mask.flatten(0, 1)


@exercise(
    "4.7",
    inputs=[(100, 64, 8, 8), (10, 32, 4, 5), (7, 6, 1, 5)],
    mistakes={
        "A multiplication and its addition are two.": (
            lambda n, d, h, d_head: 4 * n * d * h * d_head + 2 * n * n * h * d_head
        ),
        "That is one head.": (
            lambda n, d, h, d_head: 8 * n * d * d_head + 4 * n * n * d_head
        ),
        "W_O is missing: four projections.": (
            lambda n, d, h, d_head: 6 * n * d * h * d_head + 4 * n * n * h * d_head
        ),
        "The weighted sum costs as much as the scores.": (
            lambda n, d, h, d_head: 8 * n * d * h * d_head + 2 * n * n * h * d_head
        ),
        "That holds if h · d_head = d. Here the heads may have any width.": (
            lambda n, d, h, d_head: 8 * n * d * d + 4 * n * n * d
        ),
        "The projections are missing.": (
            lambda n, d, h, d_head: 4 * n * n * h * d_head
        ),
    },
    hint="A product of (a, b) and (b, c) takes 2abc. List the products: four "
    "projections between d and h · d_head numbers, and for each head the scores and "
    "the weighted sum.",
)
def attention_operations(n: int, d: int, h: int, d_head: int) -> int:
    projections = 4 * 2 * n * d * h * d_head
    scores_and_sums = 2 * 2 * n * n * h * d_head
    return projections + scores_and_sums


@exercise(
    "4.10",
    mistakes={
        "That is the mean over the heads, which PyTorch returns. Here each head has a "
        "map of its own.": lambda: (2, 10, 7),
        "A row for each query, a column for each key.": lambda: (2, 8, 7, 10),
        "That is what the heads put out, 64 / 8 numbers for each query. A weight "
        "belongs to a query and a key.": lambda: (2, 8, 10, 8),
        "That is the layer's output. The weights are asked for.": lambda: (2, 10, 64),
        "The heads come right after the batch.": lambda: (2, 10, 7, 8),
    },
    hint="One map for each sequence and each head; what is a row of it, and a column?",
)
def shape_of_weights() -> tuple[int, ...]:
    return (2, 8, 10, 7)


def _largest(row: Tensor, among: int) -> tuple[int, ...]:
    return tuple(row.topk(among).indices.tolist())


@exercise(
    "4.12",
    inputs=[
        (torch.tensor([0.3, 0.0, 0.7, 0.0]),),
        (torch.tensor([0.0, 1.0, 0.0, 0.0]),),
        (torch.tensor([0.0, 0.6, 0.0, 0.4, 0.0]),),
    ],
    mistakes={
        "Where both boxes hold the same content, one entry is 1, and the "
        "second-largest is a 0.": lambda row: _largest(row, 2),
        "The heavier box is the one that is asked for first.": (
            lambda row: _largest(row, 2)[::-1]
        ),
        "You name the heavier content twice. What is left without it?": (
            lambda row: _largest(row, 1) * 2
        ),
        "The smallest entry of all is a 0, and belongs to no box that was asked for.": (
            lambda row: (int(row.argmax()), int(row.argmin()))
        ),
    },
    hint="Take the larger entry first. Is anything left beside it?",
)
def read_two(row: Tensor) -> tuple[int, int]:
    first = int(row.argmax())
    rest = row.clone()
    rest[first] = 0
    second = int(rest.argmax()) if rest.any() else first
    return first, second


def _wrong_in(wrong_way: str, instead: Callable) -> Callable:
    """The mistake of putting something else in the head's place in one of the ways."""

    def mistake(
        found: Tensor, head: int, way: str, pool: Tensor, donors: Tensor
    ) -> Tensor:
        changed = ablate(found, head, way, pool, donors)
        if way == wrong_way:
            changed[:, :, head] = instead(found, head, pool, donors)
        return changed

    return mistake


def _one_ablation(way: str, head: int, seed: int) -> tuple:
    found, pool = _random(2, 3, 4, 2, seed=seed), _random(5, 4, 2, seed=seed + 1)
    donors = (_random(2, 3, seed=seed + 2).abs() * 5).long().clamp(max=4)
    return found, head, way, pool, donors


@exercise(
    "4.13",
    inputs=[
        _one_ablation("zero", 1, seed=40),
        _one_ablation("mean", 2, seed=50),
        _one_ablation("other", 2, seed=60),
        _one_ablation("other", 3, seed=70),
    ],
    mistakes={
        "Heads are counted from 0.": (
            lambda found, head, way, pool, donors: ablate(
                found, head - 1, way, pool, donors
            )
        ),
        "Only one head is ablated. The others keep what they found.": (
            lambda found, head, way, pool, donors: {
                "zero": torch.zeros_like(found),
                "mean": pool.mean(dim=0).expand(found.shape),
                "other": pool[donors],
            }[way]
        ),
        "The mean is taken over the words of the pool, and over nothing else. It is "
        "a row of d_head numbers.": _wrong_in(
            "mean", lambda found, head, pool, donors: pool[:, head].mean()
        ),
        "Each head has a mean of its own. Yours is that of all heads.": _wrong_in(
            "mean", lambda found, head, pool, donors: pool.mean(dim=(0, 1))
        ),
        "The mean is that of the pool's words, not of these.": _wrong_in(
            "mean", lambda found, head, pool, donors: found[:, :, head].mean(dim=(0, 1))
        ),
        "Each word has a donor of its own. Yours share one.": _wrong_in(
            "other", lambda found, head, pool, donors: pool[donors[0, 0], head]
        ),
    },
    hint="Copy `found` first. Which of its entries belong to this head? Put zeros "
    "there, a row of means, or what `pool[donors]` has for this head.",
)
def ablate(found: Tensor, head: int, way: str, pool: Tensor, donors: Tensor) -> Tensor:
    changed = found.clone()
    if way == "zero":
        changed[:, :, head] = 0
    elif way == "mean":
        changed[:, :, head] = pool[:, head].mean(dim=0)
    else:
        changed[:, :, head] = pool[donors][:, :, head]
    return changed
