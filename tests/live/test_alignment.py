"""The alignment figure without a kernel: its numbers, and its grid by keys."""

import re

import pytest
from linkmatrix import (
    check_bars,
    check_matrix,
    count_hits,
    known_links,
    source_words,
    torch_words_and_weights,
)
from playwright.sync_api import expect
from reading import (
    check_listed_weights,
    expect_status,
    name_words,
    parse_numbers,
    wait_for_status_check,
)
from torch import tensor

from attnlab.data import alignment_error_rate, detokenize
from attnlab.live import Alignment

STATES = [
    (2_487, "de", "scaled_dot"),
    (17, "ja", "scaled_dot"),
    (777_777, "fr", "general"),
    (777_777_777_777, "de", "location"),  # twice the trained length, and wrong
]


@pytest.mark.parametrize(("number", "target", "score"), STATES)
def test_alignment_picture_and_status_equal_pytorch(
    show_figures, number, target, score
):
    page = show_figures(Alignment(number=number, language=target, score=score))
    words, weights = torch_words_and_weights(f"en-{target}-{score}", number)
    expect(page.locator(".aln-matrix tbody th")).to_have_text(words)
    links = known_links(words, number, target)
    check_matrix(page, words, source_words(number), weights, links)
    assert page.locator(".aln-written").inner_text() == detokenize(words, target)
    if links is None:
        expect_status(page, "is wrong; it should be “")
        return
    wanted = alignment_error_rate(tensor(weights), number, "en", target)

    def check_status(said: str) -> None:
        whole = said.partition("Of all words ")[2].removesuffix(".")
        counts = [*count_hits(weights, links), pytest.approx(wanted, abs=0.0051)]
        assert parse_numbers(whole) == counts

    wait_for_status_check(page, check_status)


def test_alignment_step_shows_row_of_each_word(show_figures):
    page = show_figures(Alignment(number=777_777))
    words, weights = torch_words_and_weights("en-de-additive", 777_777)
    columns = name_words(source_words(777_777))
    form = r"Word (\d+) of \d+: “(.*?)” looks at (.*?); the row sums to 1\.00\."
    for t in reversed(range(len(words))):

        def check_status(said: str, t: int = t) -> None:
            place, word, looked = re.match(form, said).groups()
            assert (int(place), word) == (t + 1, words[t])
            check_listed_weights(looked, columns, weights[t], least=0.05, most=3)

        wait_for_status_check(page, check_status)
        check_bars(page, weights[t])
        page.get_by_label("Words written").press("ArrowLeft")
    expect_status(page, "777\u202f777: nothing written yet.")
    check_bars(page, [0] * len(columns))
    page.locator(".aln-matrix tbody tr").first.click()
    expect_status(page, f"Word 1 of {len(words)}: “{words[0]}”")
    page.get_by_label("Score").select_option("general")  # it is shown whole
    expect(page.get_by_label("Words written")).to_have_value(str(len(words)))
