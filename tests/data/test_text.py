"""Subwords, characters, sentence pairs, and splits without leakage."""

import os

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnlab.data import BOS, EOS, PAD, batches
from attnlab.data.corpora import multi30k, tatoeba
from attnlab.data.text import (
    UNK,
    Characters,
    Subwords,
    TextPairs,
    _letters_and_digits,
    simplified,
    split_pairs,
)

ENGLISH = ["the cat sat on the mat .", "a cat and a dog sat there .", "the dog ran"]


@pytest.fixture(scope="module")
def subwords() -> Subwords:
    return Subwords.train(ENGLISH, 60, punctuation=False)


def test_subwords_decode_inverts_encode(subwords):
    for sentence in ENGLISH:
        ids = subwords.encode(sentence)
        assert min(ids) > UNK
        assert subwords.decode(ids) == sentence
    assert subwords.decode([*subwords.encode("the cat"), EOS, 7, 8]) == "the cat"


def test_subwords_encode_unknown_as_unk(subwords):
    assert UNK in subwords.encode("the 猫")
    assert subwords.encode("THE CAT") == subwords.encode("the cat")
    assert subwords.encode("") == []


def test_characters_decode_inverts_encode():
    characters = Characters.train(["我爱你。", "你 爱我？"])
    assert characters.decode(characters.encode("你爱我。")) == "你爱我。"
    assert characters.encode("我 爱") == characters.encode("我爱")
    assert characters.encode("他") == [UNK]
    assert characters.decode([BOS, *characters.encode("我"), EOS, 5]) == "我"


@given(st.text())
def test_tokenizers_encode_any_text(text):
    characters = Characters.train(["我爱你。"])
    ids = characters.encode(text)
    assert len(ids) == len("".join(text.split()))
    assert all(UNK <= i < len(characters) for i in ids)


def test_text_pairs_collate_into_batches(subwords):
    chinese = Characters.train(["猫坐着。"])
    pairs = TextPairs([("the cat sat", "猫坐着。"), ("cat", "猫")], subwords, chinese)
    src, tgt = pairs[0]
    assert src[-1] == EOS
    assert tgt[0] == BOS
    assert tgt[-1] == EOS
    assert chinese.decode(tgt) == "猫坐着。"
    (batch,) = batches(pairs, 2)
    assert batch.tgt.shape == (2, 6)
    assert torch.equal(batch.tgt[1, 3:], torch.full((3,), PAD))


def test_simplified_converts_traditional():
    assert simplified("漢語") == simplified("汉语") == "汉语"


sentence_pairs = st.lists(
    st.tuples(st.sampled_from("abcdefghij"), st.sampled_from("一二三四五六七八")),
    min_size=9,
    max_size=60,
)


@given(sentence_pairs, st.integers(0, 4), st.integers(0, 4), st.integers(0, 3))
def test_split_pairs_share_no_sentence(pairs, valid, test, seed):
    sides = split_pairs(pairs, valid=valid, test=test, seed=seed)
    assert sorted(pair for side in sides for pair in side) == sorted(pairs)
    assert len(sides[1]) <= valid
    assert len(sides[2]) <= test
    for language in (0, 1):
        seen = [{pair[language] for pair in side} for side in sides]
        assert not seen[0] & seen[1] | seen[0] & seen[2] | seen[1] & seen[2]


def test_split_pairs_ignores_case_and_punctuation():
    pairs = [("Hi!", "嗨"), ("hi", "你好"), ("No.", "不"), ("yes", "是"), ("so", "哦")]
    for seed in range(10):
        train, valid, test = split_pairs(pairs, valid=2, test=2, seed=seed)
        for side in (train, valid, test):
            assert (("Hi!", "嗨") in side) == (("hi", "你好") in side)


needs_corpora = pytest.mark.skipif(
    not os.environ.get("ATTNLAB_DATA"), reason="needs the corpora: set ATTNLAB_DATA"
)


def sentences_by_side(sides, language, key):
    """The sentences of each side in one language, as `key` sees them."""
    return [{key(pair[language]) for pair in side} for side in sides]


@needs_corpora
@pytest.mark.parametrize(
    "key", [str, _letters_and_digits]
)  # as they stand, or as they are compared
@pytest.mark.parametrize("language", [0, 1])
def test_corpora_splits_share_no_sentence(key, language):
    pairs = [(s.english, simplified(s.chinese)) for s in tatoeba()]
    sides = split_pairs(pairs, valid=500, test=1000, seed=0)
    assert list(map(len, sides)) == [len(pairs) - 1500, 500, 1000]
    train, valid, test = sentences_by_side(sides, language, key)
    assert not train & valid | train & test | valid & test
    sides = [multi30k(split) for split in ("train", "valid", "test")]
    train, valid, test = sentences_by_side(sides, language, key)
    assert not test & (train | valid)
    assert len(valid & train) <= 5  # as its authors split it: one in each language
