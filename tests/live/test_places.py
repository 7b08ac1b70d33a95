"""The places of number words in JavaScript, against the package."""

import numpy as np
import pytest
from drawing import evaluate_large

from attnlab.data import number_tokens, place_values, sample_numbers
from attnlab.data.places import DIGIT_VALUES, PLACES, class_places, read_number

pytestmark = pytest.mark.computes


@pytest.mark.parametrize("language", DIGIT_VALUES)
def test_place_values_and_read_number_equal_python(page, modules, language):
    numbers = [*range(130), *sample_numbers(600, (3, 12), seed=2), 10**12 - 1]
    modules("words/places.js")
    worths = page.evaluate(f"Object.fromEntries(digitValuesOf('{language}'))")
    assert worths == DIGIT_VALUES[language]
    classes = [*range(2 + len(PLACES))]
    places = page.evaluate("(all) => all.map(classPlace)", classes)
    assert places == class_places(classes)
    found = evaluate_large(
        page,
        "([numbers, language]) => numbers.map((n) => placeValues(n, language))",
        [numbers, language],
    )
    assert found == [place_values(number, language) for number in numbers]
    rng = np.random.default_rng(0)
    cases = []
    for number in numbers:
        tokens = number_tokens(number, language)
        places = [None if p == 12 else int(p) for p in rng.integers(0, 13, len(tokens))]
        cases.append([tokens, places])
    read = evaluate_large(
        page,
        "([cases, language]) => cases.map(([t, p]) => readNumber(t, p, language))",
        [cases, language],
    )
    assert read == [read_number(*case, language) for case in cases]


@pytest.mark.parametrize(
    ("text", "language", "number"),
    [
        ("one thousand and two hundred", "en", 1200),
        ("hundred two thousand", "en", None),
        ("twenty and one", "en", None),
        ("one million million", "en", None),
        ("five hundred thousand two", "en", 500_002),
        ("hundertundfünf", "de", None),
        ("einhundertundfünf", "de", 105),
        ("zwanzigundeins", "de", None),
        ("91 234", "en", 91_234),
    ],
)
def test_read_typed_accepts_joined_words_and_rejects_disorder(
    page, modules, text, language, number
):
    modules("words/places.js")
    read = page.evaluate("([t, l]) => readTyped(t, l)", [text, language])
    assert read["number"] == number
    assert "error" not in read
