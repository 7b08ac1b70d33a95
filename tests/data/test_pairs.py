from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.data import (
    BOS,
    EOS,
    PAD,
    NumberPairs,
    batches,
    collate,
    number_tokens,
    sample_numbers,
    split_numbers,
)
from attnlab.data.pairs import plan_batches

length_ranges = st.tuples(st.integers(1, 12), st.integers(1, 12)).map(sorted).map(tuple)


def pairs_without_padding(batch):
    """The pairs of a batch as lists, without their padding."""
    return [
        tuple([i for i in row.tolist() if i != PAD] for row in pair)
        for pair in zip(batch.src, batch.tgt, strict=True)
    ]


def test_number_pairs_spell_both_languages():
    pairs = NumberPairs([24, 7], "en", "de")
    assert len(pairs) == 2 and pairs.lengths == [2, 1] and pairs.numbers == [24, 7]
    src, tgt = pairs[0]
    assert src[-1] == EOS and tgt[0] == BOS and tgt[-1] == EOS
    assert pairs.src_vocab.decode(src) == number_tokens(24, "en")
    assert pairs.tgt_vocab.decode(tgt) == number_tokens(24, "de")


def test_collate_pads_on_the_right():
    pairs = NumberPairs([2487, 7])
    batch = collate([pairs[0], pairs[1]])
    assert batch.src.dtype == batch.tgt.dtype == torch.long
    assert batch.src.shape == (2, len(pairs.src[0]))
    assert batch.tgt.shape == (2, len(pairs.tgt[0]))
    assert batch.src[1].tolist() == [*pairs.src[1], *[PAD] * 6]
    assert batch.to("cpu").tgt.equal(batch.tgt)


@settings(max_examples=30)
@given(
    st.integers(1, 90), st.integers(1, 40), st.none() | st.integers(0, 9), st.booleans()
)
def test_batches_yield_every_pair_once(count, batch_size, seed, bucket):
    pairs = NumberPairs(sample_numbers(count, (1, 6), seed=count))
    made = list(batches(pairs, batch_size, seed=seed, bucket=bucket))
    again = list(batches(pairs, batch_size, seed=seed, bucket=bucket))
    found = [pair for batch in made for pair in pairs_without_padding(batch)]
    wanted = [pairs[i] for i in range(len(pairs))]
    assert sorted(found) == sorted(wanted)
    assert seed is not None or found == wanted
    assert max(len(batch.src) for batch in made) <= batch_size
    assert len(made) == -(-count // batch_size)
    for one, other in zip(made, again, strict=True):
        assert one.src.equal(other.src) and one.tgt.equal(other.tgt)
    for batch in made:
        for ids in (batch.src, batch.tgt):
            is_padding = (ids == PAD).int()
            assert (is_padding.diff(dim=1) >= 0).all()  # once padding, always padding
            assert not is_padding[:, -1].all()  # no wider than its longest row


def test_batches_with_bucketing_have_less_padding():
    pairs = NumberPairs(sample_numbers(2000, (1, 9), seed=0))

    def count_padding(bucket):
        made = batches(pairs, 32, seed=0, bucket=bucket)
        return sum((batch.src == PAD).sum().item() for batch in made)

    assert count_padding(bucket=True) < count_padding(bucket=False) / 4


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(2, 9)), min_size=1, max_size=40),
    st.integers(9, 40),
    st.none() | st.integers(0, 3),
    st.booleans(),
)
def test_batches_by_tokens_yield_every_pair_once_within_limit(
    sizes, limit, seed, bucket
):
    pairs = [([i + 3] * n, [i + 3] * m) for i, (n, m) in enumerate(sizes)]
    made = list(batches(pairs, None, seed, bucket, max_tokens=limit))
    for batch in made:
        assert batch.src.numel() <= limit
        assert batch.tgt[:, 1:].numel() <= limit  # what a decoder reads
    shown = [row for batch in made for row in batch.src[:, 0].tolist()]
    wanted = [i + 3 for i in range(len(pairs))]
    assert shown == wanted if seed is None else sorted(shown) == wanted


def test_batches_by_tokens_are_full_and_equally_many():
    pairs = NumberPairs(sample_numbers(2000, (1, 9), seed=0))
    orders = [plan_batches(pairs, seed=seed, max_tokens=500) for seed in range(4)]
    assert len({len(order) for order in orders}) == 1
    assert orders[0] != orders[1]
    made = list(batches(pairs, seed=0, max_tokens=500))
    tokens = [batch.src.numel() for batch in made]
    assert sorted(tokens)[len(tokens) // 2] > 400
    padding = sum((batch.src == PAD).sum().item() for batch in made)
    assert padding < 0.25 * sum(tokens)
    lengths = [batch.src.shape[1] for batch in made]
    assert lengths != sorted(lengths)  # short and long ones take turns


@settings(max_examples=50)
@given(st.integers(1, 300), length_ranges, st.integers(0, 5))
def test_sample_numbers_are_distinct_and_balanced_by_length(count, digits, seed):
    low, high = digits
    if count > 10**high - (10 ** (low - 1) if low > 1 else 0):
        with pytest.raises(ValueError, match="numbers exist"):
            sample_numbers(count, digits, seed)
        return
    drawn = sample_numbers(count, digits, seed)
    assert drawn == sample_numbers(count, digits, seed)
    assert len(drawn) == len(set(drawn)) == count
    shares = Counter(len(str(number)) for number in drawn)
    assert set(shares) <= set(range(low, high + 1))
    # Lengths with numbers to spare differ by one at most.
    sizes = {n: 10 if n == 1 else 9 * 10 ** (n - 1) for n in range(low, high + 1)}
    spare = [shares[n] for n in sizes if shares[n] < sizes[n]]
    assert not spare or max(shares.values()) - min(spare) <= 1


@settings(max_examples=50)
@given(st.integers(0, 400), st.integers(0, 100), st.integers(3, 12), st.integers(0, 5))
def test_split_numbers_are_disjoint(train, test, high, seed):
    train_numbers, test_numbers = split_numbers(train, test, (1, high), seed)
    assert (train_numbers, test_numbers) == split_numbers(train, test, (1, high), seed)
    assert len(set(train_numbers)) == train and len(set(test_numbers)) == test
    assert not set(train_numbers) & set(test_numbers)
