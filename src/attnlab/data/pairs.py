"""Pairs of number words for training and testing: sampling, splitting, batching."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from attnlab.checks import check_integer
from attnlab.data.grammar import MAX_NUMBER, check_spellable
from attnlab.data.numbers import number_tokens
from attnlab.data.vocabulary import BOS, EOS, PAD, number_vocabulary

MAX_DIGITS = len(str(MAX_NUMBER))
# At most this share of the numbers of one length goes into a test set. There are only
# ten one-digit numbers: an equal share of the test set would leave none to learn from.
MAX_TEST_SHARE = 5  # one in five
# Bucketing sorts by length inside pools of this many batches, not over the whole data
# set, so that a batch mixes other pairs in each epoch.
POOL_BATCHES = 20


class Batch(NamedTuple):
    """Sentences side by side, padded on the right with PAD."""

    src: Tensor  # (batch, source length), each row: tokens EOS
    tgt: Tensor  # (batch, target length), each row: BOS tokens EOS

    def to(self, device: torch.device | str) -> Batch:
        """Return the batch on `device`."""
        return Batch(self.src.to(device), self.tgt.to(device))


class Pairs(Protocol):
    """Pairs `(src ids, tgt ids)`: a list, or a data set such as `NumberPairs`."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> tuple[list[int], list[int]]: ...

    def __iter__(self) -> Iterator[tuple[list[int], list[int]]]: ...


class NumberPairs(torch.utils.data.Dataset):
    """The same numbers in two languages, as lists of token ids.

    Attributes:
        numbers: the numbers.
        src: for each number `tokens EOS` in the source language; with
            `reverse_source` the tokens stand last to first (Sutskever et al. 2014).
        tgt: for each number `BOS tokens EOS` in the target language.
        src_vocab, tgt_vocab: the two `Vocabulary` objects.
        lengths: the number of digits of each number.

    `pairs[i]` is `(src[i], tgt[i])`.

    Raises:
        ValueError, TypeError: no numbers, a number that cannot be spelled, or an
            unknown language.
    """

    def __init__(
        self,
        numbers: Sequence[int],
        source: str = "en",
        target: str = "de",
        reverse_source: bool = False,
    ) -> None:
        self.numbers = [check_spellable(number) for number in numbers]
        if not self.numbers:
            raise ValueError("numbers is empty: expected at least one number")
        self.source, self.target = source, target
        self.reverse_source = reverse_source
        self.src_vocab = number_vocabulary(source)
        self.tgt_vocab = number_vocabulary(target)
        self.src = [self.encode_source(number) for number in self.numbers]
        self.tgt = [
            [BOS, *self.tgt_vocab.encode(number_tokens(number, target)), EOS]
            for number in self.numbers
        ]
        self.lengths = [len(str(number)) for number in self.numbers]

    def encode_source(self, number: int) -> list[int]:
        """Return the ids of `number` as this data set writes its sources."""
        tokens = number_tokens(number, self.source)
        if self.reverse_source:
            tokens.reverse()
        return [*self.src_vocab.encode(tokens), EOS]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: int) -> tuple[list[int], list[int]]:
        return self.src[index], self.tgt[index]

    def __iter__(self) -> Iterator[tuple[list[int], list[int]]]:
        return zip(self.src, self.tgt, strict=True)


def collate(pairs: Pairs) -> Batch:
    """Stack `(src ids, tgt ids)` pairs into one `Batch`, padding on the right.

    Raises:
        ValueError: there are no pairs.
    """
    if len(pairs) == 0:
        raise ValueError("cannot make a batch of no pairs: expected at least one")
    sources, targets = zip(*pairs, strict=True)
    return Batch(_padded(sources), _padded(targets))


def batches(
    pairs: Pairs,
    batch_size: int | None = None,
    seed: int | None = None,
    bucket: bool = True,
    *,
    max_tokens: int | None = None,
) -> Iterator[Batch]:
    """Return an iterator over all pairs in batches, each pair exactly once.

    With `seed=None` the pairs come in their order. With a seed they are shuffled, the
    same way for the same seed; `bucket` then puts pairs of similar source length
    together, which saves padding. Only the last batch or, when bucketed, one anywhere
    may be smaller than `batch_size`.

    With `max_tokens` instead of `batch_size`, a batch has as many pairs as fit: at most
    so many source tokens, and as many tokens for a decoder to read, padding included.
    Then `bucket` puts the pairs in order of the longer of their two lengths.

    Raises:
        ValueError: there are no pairs, `batch_size` is below 1, or a pair has more
            than `max_tokens`.
        TypeError: neither or both are given, or one that is no integer.
    """
    chunks = plan_batches(pairs, batch_size, seed, bucket, max_tokens=max_tokens)
    return (collate([pairs[i] for i in chunk]) for chunk in chunks)


def plan_batches(
    pairs: Pairs,
    batch_size: int | None = None,
    seed: int | None = None,
    bucket: bool = True,
    *,
    max_tokens: int | None = None,
) -> list[list[int]]:
    """Return the pairs' indices in batches; arguments and errors are `batches`' own.

    How many batches there are depends on the seed only if `max_tokens` comes without
    `bucket`.
    """
    if batch_size is not None and max_tokens is not None:
        raise TypeError(f"give one of them, got {batch_size=} and {max_tokens=}")
    name = "batch_size" if max_tokens is None else "max_tokens"
    size = batch_size if max_tokens is None else max_tokens
    if isinstance(size, bool) or not isinstance(size, int):
        raise TypeError(f"{name} must be an integer, got {size!r}")
    if size < 1:
        raise ValueError(f"{name} must be at least 1, got {size}")
    if len(pairs) == 0:
        raise ValueError("cannot make batches of no pairs: expected at least one")
    if seed is not None:
        check_integer("seed", seed, 0)
    order = list(range(len(pairs)))
    bucket = bucket and seed is not None
    if seed is not None:
        rng = random.Random(seed)
        rng.shuffle(order)
    if max_tokens is not None:
        chunks = _chunks_of_tokens(order, pairs, max_tokens, bucket)
    else:
        if bucket:
            order = _sort_in_pools(order, pairs, size)
        chunks = _chunks(order, size)
    if bucket:
        rng.shuffle(chunks)
    return chunks


def sample_numbers(count: int, digits: int | tuple[int, int], seed: int) -> list[int]:
    """Return `count` different numbers of given lengths, in random order.

    `digits` is a number of digits, or the lowest and highest: `(1, 6)` draws the same
    share of every length from 1 to 6, as far as numbers exist (there are only ten of
    one digit; what is missing comes from the longer ones).

    Raises:
        TypeError: a number that is no integer.
        ValueError: so many numbers do not exist, or `digits` is not within 1 to 12.
    """
    check_integer("seed", seed, 0)
    rng = random.Random(seed)
    sizes = {length: len(numbers) for length, numbers in _by_length(digits).items()}
    shares = _equal_shares(_check_count(count, "count"), sizes, "numbers exist")
    drawn = [n for length in sizes for n in _draw(shares[length], length, rng)]
    rng.shuffle(drawn)
    return drawn


def split_numbers(
    train: int, test: int, digits: int | tuple[int, int], seed: int
) -> tuple[list[int], list[int]]:
    """Return `train` and `test` numbers that have no number in common.

    Both lists hold an equal share of every length, as `sample_numbers` does; but of
    the numbers of one length at most a fifth goes into the test list.

    Raises:
        TypeError: a number that is no integer.
        ValueError: so many numbers do not exist, or `digits` is not within 1 to 12.
    """
    check_integer("seed", seed, 0)
    rng = random.Random(seed)
    sizes = {length: len(numbers) for length, numbers in _by_length(digits).items()}
    held_out = {length: size // MAX_TEST_SHARE for length, size in sizes.items()}
    test_shares = _equal_shares(
        _check_count(test, "test"), held_out, "may be held out for testing"
    )
    left = {length: size - test_shares[length] for length, size in sizes.items()}
    train_shares = _equal_shares(
        _check_count(train, "train"), left, "are left for training"
    )
    train_numbers, test_numbers = [], []
    for length in sizes:
        drawn = _draw(train_shares[length] + test_shares[length], length, rng)
        test_numbers += drawn[: test_shares[length]]
        train_numbers += drawn[test_shares[length] :]
    rng.shuffle(train_numbers)
    rng.shuffle(test_numbers)
    return train_numbers, test_numbers


def _padded(sequences: Sequence[list[int]]) -> Tensor:
    width = max(map(len, sequences))
    rows = [[*ids, *[PAD] * (width - len(ids))] for ids in sequences]
    return torch.tensor(rows, dtype=torch.long)  # said, for rows without any ids


def _chunks(items: list, size: int) -> list[list]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _sort_in_pools(order: list[int], pairs: Pairs, batch_size: int) -> list[int]:
    pools = _chunks(order, batch_size * POOL_BATCHES)
    return [i for pool in pools for i in sorted(pool, key=lambda i: len(pairs[i][0]))]


def _chunks_of_tokens(
    order: list[int], pairs: Pairs, max_tokens: int, bucket: bool
) -> list[list[int]]:
    """Fill one batch after the other with as many pairs as fit."""
    # A decoder reads all of the target but its last token.
    lengths = {i: max(len(pairs[i][0]), len(pairs[i][1]) - 1) for i in order}
    if max(lengths.values()) > max_tokens:
        raise ValueError(
            f"a pair has {max(lengths.values())} tokens, more than {max_tokens=}"
        )
    if bucket:  # pairs of equal length stay in the order drawn
        order = sorted(order, key=lengths.__getitem__)
    chunks: list[list[int]] = [[]]
    longest = 0
    for i in order:
        longest = max(longest, lengths[i])
        if (len(chunks[-1]) + 1) * longest > max_tokens:
            chunks.append([])
            longest = lengths[i]
        chunks[-1].append(i)
    return chunks


def _by_length(digits: int | tuple[int, int]) -> dict[int, range]:
    """Return all numbers of each length, as ranges, shortest first."""
    wanted = f"a length or a pair (low, high) from 1 to {MAX_DIGITS}"
    bounds = (digits, digits) if isinstance(digits, int) else digits
    is_pair = isinstance(bounds, tuple | list) and len(bounds) == 2
    if not is_pair or not all(isinstance(bound, int) for bound in bounds):
        raise TypeError(f"digits must be {wanted}, got {digits!r}")
    low, high = bounds
    if isinstance(digits, bool) or not 1 <= low <= high <= MAX_DIGITS:
        raise ValueError(f"digits must be {wanted}, got {digits!r}")
    return {length: _numbers_of(length) for length in range(low, high + 1)}


def _numbers_of(length: int) -> range:
    return range(0 if length == 1 else 10 ** (length - 1), 10**length)


def _draw(count: int, length: int, rng: random.Random) -> list[int]:
    return rng.sample(_numbers_of(length), count)


def _equal_shares(count: int, sizes: dict[int, int], what: str) -> dict[int, int]:
    """Split `count` over the lengths as evenly as their sizes allow."""
    total = sum(sizes.values())
    if count > total:
        raise ValueError(
            f"{count} numbers wanted, but only {total} of "
            f"{min(sizes)} to {max(sizes)} digits {what}"
        )
    shares: dict[int, int] = {}
    # Shorter lengths have fewer numbers: what they lack passes on to the longer ones.
    for position, (length, size) in enumerate(sizes.items()):
        share = (count - sum(shares.values())) // (len(sizes) - position)
        shares[length] = min(share, size)
    return shares


def _check_count(count: int, name: str) -> int:
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(f"{name} must be an integer, got {count!r}")
    if count < 0:
        raise ValueError(f"{name} must not be negative, got {count}")
    return count
