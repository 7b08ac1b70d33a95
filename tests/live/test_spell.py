"""spell.js against attnlab.data, in a real browser."""

import random

import pytest
from drawing import evaluate_large, module_importer

from attnlab.data import LANGUAGES, alignment, detokenize, number_tokens
from attnlab.data import number_vocabulary as vocabulary


@pytest.fixture(scope="module")
def spell(compute_page):
    """Call a function of spell.js: `spell("numberTokens", [[24, "de"], …])`."""
    module_importer(compute_page)("words/spell.js")
    code = "([name, calls]) => calls.map((call) => window[name](...call))"
    return lambda name, calls: evaluate_large(compute_page, code, [name, calls])


def some_numbers(count, seed, every=1):
    """Small numbers and edges of the powers (every nth of them), and random ones."""
    rng = random.Random(seed)
    edges = [
        a * 10**power + b
        for power in (3, 4, 5, 6, 7, 8, 9, 10, 11)
        for a in (1, 2, 8, 9)
        for b in (-1, 0, 1, 80, 100, 200, 1000, 80_000, 101_000)
    ]
    edges = [number for number in edges if 0 <= number < 10**12]
    drawn = [rng.randrange(10 ** rng.randint(1, 12)) for _ in range(count)]
    return [*[*range(1200), *edges][::every], *drawn, 10**12 - 1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_number_tokens_and_text_equal_python(spell, language):
    numbers = some_numbers(2000, seed=1)
    expected = [number_tokens(number, language) for number in numbers]
    assert spell("numberTokens", [[n, language] for n in numbers]) == expected
    texts = [detokenize(tokens, language) for tokens in expected]
    assert spell("detokenize", [[tokens, language] for tokens in expected]) == texts


@pytest.mark.parametrize("language", LANGUAGES)
def test_detokenize_random_tokens_equals_python(spell, language):
    rng = random.Random(2)
    words = vocabulary(language).tokens[3:]
    nonsense = [rng.choices(words, k=rng.randint(0, 9)) for _ in range(1000)]
    expected = [detokenize(tokens, language) for tokens in nonsense]
    assert spell("detokenize", [[tokens, language] for tokens in nonsense]) == expected


@pytest.mark.parametrize("source", LANGUAGES)
@pytest.mark.parametrize("target", LANGUAGES)
def test_gold_links_equal_python(spell, source, target):
    numbers = some_numbers(100, seed=3, every=7)
    links = spell("goldLinks", [[n, source, target] for n in numbers])
    for number, found in zip(numbers, links, strict=True):
        assert len(found) == len({(t, s) for t, s in found})
        assert {(t, s) for t, s in found} == alignment(number, source, target)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (" 007 ", 7),
        ("91 234 567", 91234567),
        ("91\u202f234\u202f567", 91234567),
        ("1,234", 1234),
        ("1'000'000", 1000000),
        ("４２", 42),
        ("000999999999999", 10**12 - 1),
    ],
)
def test_parse_number_accepts_usual_notations(spell, text, number):
    assert spell("parseNumber", [[text]]) == [{"number": number}]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("−5", "negative"),
        ("-0.5", "negative"),
        ("1.000", "not whole"),
        ("1,23,456", "not a number"),
        ("0x10", "not a number"),
    ],
)
def test_parse_number_names_the_error(spell, text, reason):
    (answer,) = spell("parseNumber", [[text]])
    assert "number" not in answer
    assert reason in answer["error"]
