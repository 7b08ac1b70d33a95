"""Numbers, words, places, batches, texts: `tests/data` has what is right about them,
here comes whatever may be put in."""

import gzip
import os
import tempfile
from itertools import chain
from pathlib import Path
from unittest import mock

import numpy as np
import torch
from fuzzing import (
    ODD_NUMBERS,
    ODD_TEXT,
    ODD_THINGS,
    REFUSED,
    attempt,
    fuzz,
    is_size,
    sizes,
    tensors,
)
from hypothesis import given
from hypothesis import strategies as st

from attnlab.data import (
    LANGUAGES,
    MAX_NUMBER,
    Batch,
    NumberPairs,
    PlacePairs,
    Vocabulary,
    alignment,
    alignment_error_rate,
    batches,
    collate,
    corpora,
    detokenize,
    grammar,
    number_tokens,
    number_vocabulary,
    place_values,
    read_number,
    sample_numbers,
    spell,
    split_numbers,
    text,
    tokenize,
)
from attnlab.data.grammar import say
from attnlab.data.pairs import Pairs, plan_batches
from attnlab.data.places import class_places
from attnlab.data.vocabulary import check_id

NUMBERS = st.one_of(
    st.integers(0, MAX_NUMBER),
    st.sampled_from([MAX_NUMBER + 1, 10**5000, np.int64(7), np.float64(7)]),
    ODD_NUMBERS,
)
TONGUES = st.one_of(st.sampled_from(list(LANGUAGES)), ODD_TEXT)


def is_number(number: object) -> bool:
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    return whole and 0 <= number <= MAX_NUMBER


@fuzz(
    spell, number_tokens, say, tokenize, detokenize, grammar.check_spellable,
    grammar.check_language,
)  # fmt: skip
@given(number=NUMBERS, language=TONGUES)
def test_any_number_is_said_or_refused(number, language):
    words = attempt(spell, number, language)
    tokens = attempt(number_tokens, number, language)
    said = attempt(say, number, language)
    fits = is_number(number) and language in LANGUAGES
    assert (words is not REFUSED) == fits
    assert (tokens is not REFUSED) == (said is not REFUSED) == fits
    known = attempt(grammar.check_language, language) is None
    assert known == (language in LANGUAGES)
    assert (attempt(grammar.check_spellable, number) is not REFUSED) == is_number(
        number
    )
    if fits:
        assert [token for token, _ in said] == tokens == tokenize(words, language)
        assert detokenize(tokens, language) == words


@fuzz(tokenize, detokenize)
@given(words=st.one_of(ODD_TEXT, ODD_THINGS), language=TONGUES)
def test_any_text_is_cut_or_refused(words, language):
    tokens = attempt(tokenize, words, language)
    if tokens is not REFUSED:
        assert set(tokens) <= set(grammar.MORPHEMES[language])
        assert isinstance(detokenize(tokens, language), str)


@fuzz(alignment, place_values, number_vocabulary, read_number)
@given(number=NUMBERS, source=TONGUES, target=TONGUES, places=st.lists(sizes(0, 12)))
def test_links_and_places_are_within_the_words(number, source, target, places):
    links = attempt(alignment, number, source, target)
    fits = is_number(number) and source in LANGUAGES and target in LANGUAGES
    assert (links is not REFUSED) == fits
    if fits:
        rows = len(number_tokens(number, target))
        columns = len(number_tokens(number, source))
        assert all(t in range(rows) and s in range(columns) for t, s in links)
        assert len(number_vocabulary(source)) > columns // 40
    found = attempt(place_values, number, source)
    assert (found is not REFUSED) == (is_number(number) and source in ("en", "de"))
    if found is not REFUSED:
        tokens = number_tokens(number, source)
        assert read_number(tokens, found, source) == number
        read = attempt(read_number, tokens[: len(places)], places, source)
        assert read is REFUSED or isinstance(read, int)
    assert (attempt(number_vocabulary, source) is not REFUSED) == (source in LANGUAGES)


@fuzz(alignment_error_rate)
@given(
    weights=tensors(),
    number=st.integers(-1, 10**13),
    links=st.sets(st.tuples(*[st.integers(0, 3)] * 2)),
)
def test_error_rates_are_shares(weights, number, links):
    for gold in (number, links):
        rate = attempt(alignment_error_rate, weights, gold)
        assert rate is REFUSED or 0 <= rate <= 1


@fuzz(class_places)
@given(st.one_of(st.lists(st.integers(0, 20)), tensors((4,), torch.int64)))
def test_classes_are_places(classes):
    for place, number in zip(class_places(classes), classes, strict=True):
        assert place is None or place == number - 2


@fuzz(NumberPairs, PlacePairs)
@given(
    some=st.lists(NUMBERS, max_size=3),
    source=TONGUES,
    target=TONGUES,
    each=st.one_of(sizes(1, 3), st.tuples(sizes(1, 3), sizes(1, 3)), ODD_THINGS),
    seed=sizes(0, 9),
)
def test_data_sets_of_numbers(some, source, target, each, seed):
    pairs = attempt(NumberPairs, some, source, target)
    good = len(some) > 0 and all(map(is_number, some))
    assert (pairs is not REFUSED) == (
        good and source in LANGUAGES and target in LANGUAGES
    )
    if pairs is not REFUSED:
        src, tgt = pairs[len(pairs) - 1]
        assert pairs.tgt_vocab.decode(tgt) == number_tokens(some[-1], target)
        assert len(src) == len(number_tokens(some[-1], source)) + 1
    places = attempt(PlacePairs, some, source, per_sequence=each, seed=seed)
    if places is not REFUSED:
        assert good and list(chain(*places.numbers)) == [int(number) for number in some]
        assert all(len(src) == len(tgt) for src, tgt in places)


IDS = st.lists(st.integers(0, 9), max_size=4)


@fuzz(collate, batches, plan_batches, Batch, Pairs)
@given(
    pairs=st.lists(st.tuples(IDS, IDS), max_size=6),
    size=st.one_of(st.none(), sizes(1, 5)),
    seed=st.one_of(st.none(), sizes(0, 5)),
    most=st.one_of(st.none(), sizes(1, 9)),
    bucket=st.booleans(),
)
def test_batches_hold_every_pair_once(pairs, size, seed, most, bucket):
    options = {"batch_size": size, "seed": seed, "bucket": bucket, "max_tokens": most}
    plan = attempt(plan_batches, pairs, **options)
    if plan is not REFUSED:
        assert sorted(chain(*plan)) == list(range(len(pairs)))
        made = list(batches(pairs, **options))
        rows = [row for batch in made for row in batch.tgt.tolist()]
        wanted = [pairs[i][1] for chunk in plan for i in chunk]
        for row, ids in zip(rows, wanted, strict=True):
            assert row == ids + [0] * (len(row) - len(ids))
        assert made[0].to("cpu").src.dtype == torch.int64
    batch = attempt(collate, pairs)
    assert (batch is REFUSED) == (not pairs)


@fuzz(sample_numbers, split_numbers)
@given(
    count=sizes(0, 30),
    test=sizes(0, 9),
    digits=st.one_of(
        st.integers(1, 12),
        st.tuples(st.integers(1, 4), st.integers(1, 12)),
        st.tuples(sizes(1, 12), sizes(1, 12)),
        ODD_THINGS,
    ),
    seed=sizes(0, 9),
)
def test_samples_are_distinct(count, test, digits, seed):
    drawn = attempt(sample_numbers, count, digits, seed)
    if drawn is not REFUSED:
        assert len(set(drawn)) == len(drawn) == count and all(map(is_number, drawn))
        assert sample_numbers(count, digits, seed) == drawn
    split = attempt(split_numbers, count, test, digits, seed)
    if split is not REFUSED:
        assert tuple(map(len, split)) == (count, test)
        assert not set(split[0]) & set(split[1])


@fuzz(Vocabulary)
@given(
    tokens=st.lists(ODD_TEXT, max_size=5),
    words=st.lists(ODD_TEXT, max_size=3),
    ids=st.one_of(st.lists(st.one_of(st.integers(-1, 9), ODD_NUMBERS)), tensors((3,))),
)
def test_a_vocabulary_is_a_list(tokens, words, ids):
    vocabulary = attempt(Vocabulary, tokens)
    reserved = {"<pad>", "<bos>", "<eos>"} & set(tokens)
    distinct = len(set(tokens)) == len(tokens) and not reserved
    assert (vocabulary is not REFUSED) == distinct
    if vocabulary is REFUSED:
        return
    assert vocabulary.decode(vocabulary.encode(tokens)) == tokens
    assert len(vocabulary) == 3 + len(tokens) and repr(vocabulary)
    found = attempt(vocabulary.encode, words)
    assert (found is not REFUSED) == all(word in vocabulary for word in words)
    decoded = attempt(vocabulary.decode, ids)
    assert decoded is REFUSED or set(decoded) <= set(tokens)


@fuzz(check_id)
@given(id=st.one_of(st.integers(-2, 9), ODD_THINGS), size=st.integers(1, 9))
def test_an_id_is_an_integer_within_the_size(id, size):
    found = attempt(check_id, id, size)
    whole = isinstance(id, int | np.integer)
    assert (found is not REFUSED) == (whole and 0 <= id < size)


# Sentences --------------------------------------------------------------------------

LEARNED = ["the cat sat", "the dog sat on the mat", "ein Hund", "猫坐"]
SUBWORDS = text.Subwords.train(LEARNED, 60)
CHARACTERS = text.Characters.train(LEARNED)


@fuzz(text.Subwords, text.Characters, text.Tokenizer)
@given(
    said=st.one_of(ODD_TEXT, ODD_THINGS),
    ids=st.lists(st.one_of(st.integers(-1, 70), ODD_NUMBERS), max_size=5),
)
def test_any_text_has_ids_and_any_ids_a_text(said, ids):
    for tokenizer in (SUBWORDS, CHARACTERS):
        found = attempt(tokenizer.encode, said)
        assert (found is not REFUSED) == isinstance(said, str)
        if found is not REFUSED:
            assert all(3 <= i < len(tokenizer) for i in found)
            again = tokenizer.encode(tokenizer.decode(found))
            assert again == found or text.UNK in found or tokenizer is SUBWORDS
        read = attempt(tokenizer.decode, ids)
        assert read is REFUSED or isinstance(read, str)


@fuzz(text.Subwords, text.Characters, text.TextPairs, share=0.5)
@given(
    said=st.lists(ODD_TEXT, max_size=4),
    size=sizes(5, 50),
    least=sizes(1, 2),
    definition=st.one_of(ODD_TEXT, st.just(SUBWORDS.to_json())),
)
def test_tokenizers_are_learned_or_refused(said, size, least, definition):
    learned = attempt(text.Subwords.train, said, size)
    if learned is not REFUSED:
        assert len(learned) <= max(size, 4) or is_size(size)
        assert text.Subwords(learned.to_json()).encode("a") == learned.encode("a")
    known = attempt(text.Characters.train, said, at_least=least)
    made = attempt(text.Characters, said)
    assert made is REFUSED or all(len(character) == 1 for character in said)
    tokenizer = attempt(text.Subwords, definition)
    assert (tokenizer is not REFUSED) or definition != SUBWORDS.to_json()
    pairs = list(zip(said, said, strict=True))
    if known is not REFUSED:
        data = attempt(text.TextPairs, pairs, SUBWORDS, known)
        assert data is not REFUSED
        src, tgt = data[0]
        assert src[-1] == tgt[-1] == 2 and tgt[0] == 1 and len(data) == len(said)


@fuzz(text.simplified)
@given(st.one_of(ODD_TEXT, ODD_THINGS))
def test_simplified_is_text_and_stays(said):
    found = attempt(text.simplified, said)
    assert (found is not REFUSED) == isinstance(said, str)
    if isinstance(said, str) and said.isascii():
        assert found == said


@fuzz(text.split_pairs)
@given(
    pairs=st.lists(st.tuples(ODD_TEXT, ODD_TEXT), max_size=8),
    valid=sizes(0, 3),
    test=sizes(0, 3),
    seed=sizes(0, 3),
)
def test_splits_hold_every_pair_once(pairs, valid, test, seed):
    split = attempt(text.split_pairs, pairs, valid=valid, test=test, seed=seed)
    if split is not REFUSED:
        assert sorted(chain(*split)) == sorted(pairs)
        assert len(split[1]) <= valid and len(split[2]) <= test


@fuzz(corpora.multi30k, corpora.tatoeba, corpora.Sentence)
@given(
    split=st.one_of(st.sampled_from(["train", "valid", "test"]), ODD_TEXT),
    contents=st.one_of(st.binary(), ODD_TEXT.map(str.encode)),
    packed=st.booleans(),
    cut=st.integers(0, 30),
)
def test_broken_corpora_are_refused(split, contents, packed, cut):
    data = gzip.compress(contents)[: -cut or None] if packed else contents
    with tempfile.TemporaryDirectory() as folder:
        for name in ("train", "val", "test_2016_flickr"):
            path = Path(folder, f"multi30k/{name}.lc.norm.tok.en.gz")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        path = Path(folder, "tatoeba-cmn-eng/cmn.txt.gz")
        path.parent.mkdir()
        path.write_bytes(data)
        with mock.patch.dict(os.environ, {"ATTNLAB_DATA": folder}):
            errors = (ValueError, FileNotFoundError)
            assert attempt(corpora.multi30k, split, errors=errors) is REFUSED
            assert attempt(corpora.tatoeba, errors=errors) is REFUSED
