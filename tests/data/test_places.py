"""What each word of a number is worth, and reading the number from it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.data import (
    EOS,
    MAX_NUMBER,
    PlacePairs,
    number_tokens,
    place_values,
    read_number,
)
from attnlab.data.places import FIRST_PLACE, NO_PLACE, NUM_CLASSES, class_places

LANGUAGES = ("en", "de")


@pytest.mark.parametrize("language", LANGUAGES)
@given(number=st.integers(0, MAX_NUMBER))
def test_read_number_with_true_places_returns_number(language, number):
    tokens = number_tokens(number, language)
    places = place_values(number, language)
    assert read_number(tokens, places, language) == number


def test_place_values_are_larger_before_thousand():
    assert place_values(2) == [0]
    assert place_values(200_005) == [5, None, None, None, 0]
    assert place_values(200_005, "de") == [5, None, None, 0]


def test_read_number_with_wrong_places_differs():
    assert read_number(["two", "hundred", "and", "five"], [5, None, None, 0]) == 200_005
    assert read_number(["two", "hundred"], [None, 3]) == 0


def test_place_pairs_have_one_class_per_token():
    pairs = PlacePairs([200_005, 7])
    assert pairs.numbers == [[200_005], [7]]
    assert pairs.vocab.decode(pairs.src[0]) == number_tokens(200_005, "en")
    src, tgt = pairs[0]
    assert src[-1] == EOS
    assert tgt == [FIRST_PLACE + 5, NO_PLACE, NO_PLACE, NO_PLACE, FIRST_PLACE, NO_PLACE]
    assert class_places(tgt[:-1]) == place_values(200_005)
    assert max(tgt) < NUM_CLASSES


def test_place_pairs_concatenate_several_numbers():
    pairs = PlacePairs([1, 2, 3, 4, 5], per_sequence=2)
    assert pairs.numbers == [[1, 2], [3, 4], [5]]
    single = PlacePairs([1, 2])
    assert pairs.src[0] == single.src[0] + single.src[1]
    assert pairs.tgt[0] == single.tgt[0] + single.tgt[1]
