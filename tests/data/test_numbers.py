import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from num2words import num2words

from attnlab.data import (
    LANGUAGES,
    MAX_NUMBER,
    detokenize,
    number_tokens,
    number_vocabulary,
    spell,
    tokenize,
)
from attnlab.data.numbers import read_english

languages = st.sampled_from(list(LANGUAGES))
# Groups of three digits in which 0, 1 and the irregular values are frequent.
three_digit_groups = st.sampled_from(
    [0, 1, 2, 10, 11, 16, 17, 21, 71, 80, 81, 99, 100, 101, 180]
)
numbers_of_groups = st.tuples(*[three_digit_groups | st.integers(0, 999)] * 4).map(
    lambda g: g[0] * 10**9 + g[1] * 10**6 + g[2] * 1000 + g[3]
)
numbers_by_length = st.integers(1, 12).flatmap(lambda d: st.integers(0, 10**d - 1))
numbers = numbers_of_groups | numbers_by_length


@given(numbers, languages)
@example(0, "ja")
@example(MAX_NUMBER, "fr")
def test_tokenize_inverts_detokenize(number, language):
    tokens = number_tokens(number, language)
    text = detokenize(tokens, language)
    assert tokenize(text, language) == tokens
    assert text == spell(number, language)
    vocabulary = number_vocabulary(language)
    assert vocabulary.decode(vocabulary.encode(tokens)) == tokens


def spell_by_num2words(number, language):
    """What `num2words` writes, without its slips."""
    text = num2words(number, lang=language)
    if language == "de":  # einhunderteinstausend, einhunderteins Millionen
        text = text.replace("einstausend", "eintausend").replace("eins M", "eine M")
    if language == "da":  # treds; en millioner; ettusinde og syvhundrede og to
        text = re.sub("(?<!halv)treds", "tres", text)
        text = re.sub(r"\ben (million|milliard)er", r"en \1", text)
        text = re.sub(r"tusind(e og )?(?=\w+hundrede)", "tusinde ", text)
        text = re.sub("tusind(?!e |$)", "tusinde og ", text)
    return text


@given(numbers, languages)
def test_spell_equals_num2words_except_its_errors(number, language):
    assert spell(number, language) == spell_by_num2words(number, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_spell_small_numbers_are_distinct_and_equal_num2words(language):
    some = [*range(1200), *range(79_000, 102_000, 77), MAX_NUMBER]
    texts = [spell(number, language) for number in some]
    assert texts == [spell_by_num2words(number, language) for number in some]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("language", "number", "text", "tokens"),
    [
        ("en", 21, "twenty-one", "twenty one"),
        ("en", 1_000_001, "one million and one", "one million and one"),
        ("de", 2487, "", "zwei tausend vier hundert sieben und acht zig"),
        ("de", 16, "sechzehn", "sech zehn"),
        ("de", 101_000, "einhunderteintausend", "ein hundert ein tausend"),
        ("de", 101_000_000, "einhunderteine Millionen", "ein hundert eine Millionen"),
        ("fr", 99, "quatre-vingt-dix-neuf", "quatre vingt dix neuf"),
        ("fr", 80_000, "quatre-vingt mille", "quatre vingt mille"),
        ("da", 60, "tres", "tres"),
        ("da", 53, "treoghalvtreds", "tre og halvtreds"),
        ("da", 21_000_000, "enogtyve millioner", "en og tyve millioner"),
        ("da", 2702, "totusinde syvhundrede og to", "to tusind syv hundrede og to"),
        ("da", 1002, "ettusinde og to", "et tusind og to"),
        ("da", 101_002, "ethundrede og ettusinde og to", ""),
        ("ja", 91_234_567, "九千百二十三万四千五百六十七", ""),
    ],
)
def test_spell_known_numbers(language, number, text, tokens):
    if text:
        assert spell(number, language) == text
    if tokens:
        assert number_tokens(number, language) == tokens.split()


@pytest.mark.parametrize("language", LANGUAGES)
@given(data=st.data())
def test_detokenize_joins_any_tokens(language, data):
    words = number_vocabulary(language).tokens[3:]
    tokens = data.draw(st.lists(st.sampled_from(words), max_size=12))
    text = detokenize(tokens, language)
    assert all(token in text for token in tokens)


def test_number_tokens_accepts_numpy_integers():
    assert spell(np.int64(7), "en") == "seven"


@given(st.integers(0, 999_999))
@example(1_000)
@example(200_007)
def test_read_english_inverts_spelling(number):
    assert read_english(number_tokens(number, "en")) == number


@pytest.mark.parametrize(
    "words",
    [
        "",
        "thousand",
        "zero thousand",
        "two thousand seven",  # and is missing
        "two thousand and one hundred",
        "one thousand two thousand",
        "two thousand and",
        "twenty thirty",
    ],
)
def test_read_english_gives_none_for_other_words(words):
    assert read_english(words.split()) is None
