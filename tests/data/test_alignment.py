import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnlab.data import LANGUAGES, alignment, alignment_error_rate, number_tokens

languages = st.sampled_from(list(LANGUAGES))
numbers = st.integers(1, 12).flatmap(lambda d: st.integers(0, 10**d - 1))
FUNCTION_WORDS = {"en": {"and"}, "de": {"und"}, "fr": {"et"}, "da": {"og"}, "ja": set()}
THOUSANDS = ["en", "de", "fr", "da"]


def linked_words(links, number, source, target):
    """The links as pairs of words, in the order of the target."""
    src, tgt = number_tokens(number, source), number_tokens(number, target)
    return [(tgt[t], src[s]) for t, s in sorted(links)]


def weights_along_links(links, number, target="de"):
    """Weights that follow the first link of each target token, with an EOS each."""
    shape = [len(number_tokens(number, language)) + 1 for language in (target, "en")]
    weights = torch.full(shape, 0.01)
    for t, s in sorted(links, reverse=True):
        weights[t] = 0.01
        weights[t, s] = 0.9
    return weights


@given(numbers, st.sampled_from(THOUSANDS), st.sampled_from(THOUSANDS))
def test_alignment_covers_content_words(number, source, target):
    linked = {t for t, _ in alignment(number, source, target)}
    for t, token in enumerate(number_tokens(number, target)):
        assert (t in linked) == (token not in FUNCTION_WORDS[target])


@given(numbers, languages, languages)
def test_alignment_is_symmetric(number, source, target):
    back = {(s, t) for t, s in alignment(number, target, source)}
    assert alignment(number, source, target) == back


@given(numbers, languages)
def test_alignment_of_reversed_source_reverses_columns(number, source):
    last = len(number_tokens(number, source)) - 1
    flipped = {(t, last - s) for t, s in alignment(number, source, "de")}
    assert alignment(number, source, "de", reverse_source=True) == flipped


def test_alignment_of_known_numbers():
    # zwei tausend vier hundert sieben und acht zig
    assert linked_words(alignment(2487), 2487, "en", "de") == [
        ("zwei", "two"),
        ("tausend", "thousand"),
        ("vier", "four"),
        ("hundert", "hundred"),
        ("sieben", "seven"),
        ("acht", "eighty"),
        ("zig", "eighty"),
    ]
    assert linked_words(alignment(173, "en", "fr"), 173, "en", "fr") == [
        ("cent", "one"),
        ("cent", "hundred"),
        ("soixante", "seventy"),
        ("treize", "seventy"),
        ("treize", "three"),
    ]
    assert linked_words(alignment(40_000, "en", "ja"), 40_000, "en", "ja") == [
        ("四", "forty"),
        ("万", "forty"),
    ]


def test_alignment_error_rate_of_right_and_wrong_weights():
    number = 2487
    links = alignment(number)
    weights = weights_along_links(links, number)
    for gold in (number, links):
        assert alignment_error_rate(weights, gold) == 0
    turned = weights_along_links(alignment(number, reverse_source=True), number)
    assert alignment_error_rate(turned, number, reverse_source=True) == 0
    assert alignment_error_rate(turned, number) > 0.5
    wrong = weights.clone()
    wrong[2] = wrong[2].roll(1)  # vier now looks at hundred
    assert alignment_error_rate(wrong, number) == pytest.approx(1 / len(links))
    assert alignment_error_rate(weights.roll(1, dims=1), number) == 1


def test_alignment_error_rate_takes_any_of_several_counterparts():
    links = alignment(173, "en", "fr")  # cent is one and hundred, treize 70 and 3
    weights = weights_along_links(links, 173, "fr")
    assert alignment_error_rate(weights, 173, "en", "fr") == 0
    weights[0] = weights[0].roll(-1)  # cent looks at the EOS
    assert alignment_error_rate(weights, 173, "en", "fr") == pytest.approx(1 / 4)


def test_alignment_error_rate_skips_unlinked_target_tokens():
    weights = weights_along_links(alignment(2487), 2487)
    und = number_tokens(2487, "de").index("und")
    for row in (und, -1):
        weights[row] = 0
        weights[row, 0] = 1
    assert alignment_error_rate(weights, 2487) == 0
    weights[0, -1] = 1
    assert alignment_error_rate(weights, 2487) == pytest.approx(1 / 7)
