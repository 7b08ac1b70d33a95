"""The alignment figure in a page without a kernel, by mouse and keyboard."""

import re

import pytest
from drawing import first_daily, redrawn
from linkmatrix import (
    by_torch,
    check_bars,
    check_matrix,
    english,
    judgement,
    known_links,
)
from playwright.sync_api import expect
from reading import assert_said, check_told, looks, names, numbers, says
from torch import tensor

from attnlab.data import alignment_error_rate, detokenize, number_tokens
from attnlab.live import Alignment
from attnlab.live.alignment import SCORES, TARGETS


def rows(page) -> list[str]:
    return page.locator(".aln-matrix tbody th").all_text_contents()


def written_out(number: int, target: str) -> str:
    return detokenize(number_tokens(number, target), target)


# What is asked for, number after number, and in which language and by which score.
STATES = [
    *((2_487, "de", score) for score in SCORES),
    *((24, target, SCORES[0]) for target in TARGETS),
    *((17, target, SCORES[0]) for target in TARGETS),
    *((number, "de", SCORES[0]) for number in (0, 7, 345_678)),
    *((777_777, target, "general") for target in TARGETS),
    (777_777_777_777, "de", "location"),  # twice the trained length
]


@pytest.mark.parametrize(
    ("press", "dark", "states"),
    first_daily([("mouse", False, STATES[::2]), ("keyboard", True, STATES[1::2])]),
)
def test_what_is_drawn_and_said_is_pytorchs(show_matrix, press, dark, states):
    page = show_matrix(Alignment(number=99), dark=dark)

    def choose(label: str, value: str) -> None:
        menu = page.get_by_label(label, exact=True)
        if press == "mouse":
            menu.select_option(value)
            return
        options = menu.locator("option").evaluate_all("all => all.map(o => o.value)")
        menu.press("Home")
        for _ in range(options.index(value)):
            menu.press("ArrowDown")

    for number, target, score in states:
        choose("Into", target)
        choose("Score", score)
        page.get_by_label("Number", exact=True).fill(str(number))
        words, weights = by_torch(f"en-{target}-{score}", number)
        says(page, f"Word {len(words)} of {len(words)}: ")
        expect(page.locator(".aln-matrix tbody th")).to_have_text(words)
        expect(page.locator(".al-note", has_text="Loading")).to_be_hidden()
        redrawn(page)
        links = known_links(words, number, target)
        check_matrix(page, words, english(number), weights, links)
        check_bars(page, weights[-1])
        assert page.locator(".aln-written").inner_text() == detokenize(words, target)
        check_counts(page, weights, number, target, links)


def check_counts(page, weights, number: int, target: str, links) -> None:
    """Hold what the status says of the whole number against Python's counts."""
    if links is None:
        says(page, f"is wrong; it should be “{written_out(number, target)}”.")
        return
    wanted = alignment_error_rate(tensor(weights), number, "en", target)

    def check(said: str) -> None:
        whole = said.partition("Of all words ")[2].removesuffix(".")
        counts = [*judgement(weights, links), pytest.approx(wanted, abs=0.0051)]
        assert numbers(whole) == counts

    assert_said(page, check)


ROW = re.compile(
    r"Word (\d+) of (\d+): “(.*?)” looks at (.*?); the row sums to 1\.00\."
)


def test_every_step_is_pytorchs(show_matrix):
    page = show_matrix(Alignment(number=777_777))
    words, weights = by_torch("en-de-additive", 777_777)
    for t in range(len(words) - 1, -1, -1):
        columns = names(english(777_777))

        def check(said: str, t: int = t, columns: list = columns) -> None:
            place, last, word, looked = ROW.match(said).groups()
            assert (int(place), int(last), word) == (t + 1, len(words), words[t])
            check_told(looked, columns, weights[t], least=0.05, most=3)

        assert_said(page, check)
        check_bars(page, weights[t])
        now = page.locator("tr.current th")
        assert now.all_text_contents() == [words[t]]
        assert "▸" in looks(now, "content", part="::before")[0]["content"]
        grounds = looks(page.locator("tr.future td"), "backgroundColor", "boxShadow")
        assert len(grounds) == len(columns) * (len(words) - t - 1)
        assert all("0, 0, 0, 0" in look["backgroundColor"] for look in grounds)
        text = page.locator(".aln-written").inner_text()
        assert text == detokenize(words[: t + 1], "de")
        page.get_by_label("Words written").press("ArrowLeft")
    says(page, "777\u202f777: nothing written yet.")
    check_bars(page, [0] * len(columns))


def test_the_keyboard_reaches_every_cell(show_matrix):
    page = show_matrix(Alignment(number=24))  # 4 rows, 3 columns
    expect(page.locator('.aln-matrix [tabindex="0"]')).to_have_count(1)
    page.locator('.aln-matrix [tabindex="0"]').focus()
    place = """() => {
      const cell = document.activeElement;
      return [cell.parentElement.rowIndex - 1, cell.cellIndex - 1];
    }"""
    for key, where in [
        ("ArrowRight", [0, 1]),
        ("ArrowDown", [1, 1]),
        ("End", [1, 2]),
        ("ArrowRight", [1, 2]),
        ("Home", [1, 0]),
        ("ArrowUp", [0, 0]),
        ("ArrowUp", [0, 0]),
        ("ArrowRight", [0, 1]),
    ]:
        page.keyboard.press(key)
        assert page.evaluate(place) == where
    expect(page.locator('.aln-matrix [tabindex="0"]')).to_have_count(1)
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    says(page, f"“vier” → “four”: {label}.")
    page.keyboard.press("Enter")
    says(page, "Word 1 of 4")
    redrawn(page)  # what a frame later would wipe, is wiped by now
    assert page.evaluate(place) == [0, 1]
    expect(page.locator(".aln-readout")).to_have_text(f"“vier” → “four”: {label}")
