"""The figure of influence in a page without a kernel, by mouse and keyboard."""

import re
from functools import partial

import pytest
from drawing import redrawn
from linkmatrix import (
    check_bars,
    check_matrix,
    check_readout,
    greedily,
    judgement,
    known_links,
    strongest,
)
from playwright.sync_api import expect
from reading import assert_said, check_told, names, numbers, says

from attnlab.data import detokenize, number_tokens
from attnlab.experiments.influence import log_prob_gradients, origins
from attnlab.live import Influence, load_weights


def number_box(page):
    return page.get_by_label("Number", exact=True)


def written(page, number: int) -> None:
    """Wait until the right German words are written."""
    words = number_tokens(number, "de")
    expect(page.locator(".aln-matrix tbody th")).to_have_text(words)


def by_torch(name: str, number: int):
    """The words that are written, and how far each English one moves them.

    The largest of a row is 1.
    """
    src, tgt, words = greedily(name, number)
    table = log_prob_gradients(load_weights(name)[0], src, tgt)[0, :, :-1]
    return words, (table / table.amax(dim=1, keepdim=True)).tolist()


STATES = [
    *((number, width) for width in (64, 128) for number in (7, 2_487, 345_678)),
    *((number, None) for number in (7, 2_487, 777_777)),
    (786_291, 32),  # which it gets wrong
]


@pytest.mark.parametrize(("press", "dark"), [("mouse", False), ("keyboard", True)])
def test_what_is_drawn_and_said_is_pytorchs(show_matrix, press, dark):
    page = show_matrix(Influence(number=24), dark=dark)

    def choose(group: str, option: str) -> None:
        radios = page.get_by_role("group", name=group).get_by_role("radio")
        labels = [
            radio.evaluate("e => e.labels[0].innerText") for radio in radios.all()
        ]
        wanted = labels.index(option)
        if press == "mouse":
            radios.nth(wanted).check()
            return
        now = radios.evaluate_all("all => all.findIndex((radio) => radio.checked)")
        for _ in range(abs(wanted - now)):
            key = "ArrowRight" if wanted > now else "ArrowLeft"
            page.get_by_role("group", name=group).get_by_role(
                "radio", checked=True
            ).press(key)

    for number, width in STATES:
        choose("Network", "without attention" if width else "with attention")
        expect(page.get_by_role("group", name="Its width")).to_be_visible(
            visible=bool(width)
        )
        if width:
            choose("Its width", str(width))
        number_box(page).fill(str(number))
        name = f"en-de-gru-{width}" if width else "en-de-attentive"
        words, weights = by_torch(name, number)
        expect(page.locator(".aln-matrix tbody th")).to_have_text(words)
        expect(page.locator(".al-note", has_text="Loading")).to_be_hidden()
        redrawn(page)
        columns = number_tokens(number, "en")
        links = known_links(words, number)
        check_matrix(page, words, columns, weights, links)
        for t in (len(words) // 2, 0):
            page.locator(".aln-matrix tbody tr").nth(t).locator("td").last.click()
            check_bars(page, weights[t])
            assert_said(page, partial(check_said, number=number, width=width, t=t))
        about = "rightly" if links else "wrongly"
        line = f"It writes, {about}, {detokenize(words, 'de')}"
        expect(page.locator(".inf-output")).to_have_text(line)
        says(page, page.locator(".inf-hits").inner_text())


SAID = re.compile(
    r"([\d\u202f]+), (with|without) attention(?:, width (\d+))?, becomes “(.*?)”"
    r"(?:, which should be “(.*?)”)?\. Word (\d+), “(.*?)”, is moved most by (.*?)\. "
    r"The (?:word that moves it most is the one it translates: (\d+ of \d+)\. Of the "
    r"words for digits alone: (\d+ of \d+)\.|translation is wrong: there are no "
    r"counterparts to count\.)"
)


def check_said(text: str, number: int, width: int | None, t: int) -> None:
    """Hold what the status says, row `t` first, against Python's numbers."""
    words, weights = by_torch(
        f"en-de-gru-{width}" if width else "en-de-attentive", number
    )
    said, network, its_width, becomes, truth, place, word, moved, *hits = (
        SAID.fullmatch(text).groups()
    )
    assert numbers(said) == [number]
    assert (network, its_width) == (
        ("without", str(width)) if width else ("with", None)
    )
    assert becomes == detokenize(words, "de")
    assert (int(place), word) == (t + 1, words[t])
    columns = names(number_tokens(number, "en"))
    check_told(moved, columns, weights[t], least=0.3, most=3)
    links = known_links(words, number)
    if links is None:
        assert truth == detokenize(number_tokens(number, "de"), "de")
        return
    digits = origins(number)
    right = sum(strongest(weights[row]) == own for row, own in digits.items())
    counts = "{} of {}".format(*judgement(weights, links))
    assert (truth, hits) == (None, [counts, f"{right} of {len(digits)}"])


def test_cells_are_read_by_keyboard_and_computed_once(show_matrix):
    page = show_matrix(Influence(number=24))
    written(page, 24)
    page.evaluate(
        """() => {
          const { tanh } = Math;
          globalThis.calls = 0;
          Math.tanh = (x) => { calls += 1; return tanh(x); };
        }"""
    )
    page.locator('.aln-matrix [tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    says(page, "“vier” → “four”: ")
    words, weights = by_torch("en-de-gru-64", 24)
    links = known_links(words, 24)
    check_readout(page, words, number_tokens(24, "en"), weights, links)
    redrawn(page)
    assert page.evaluate("calls") == 0  # no network runs for a cell
    number_box(page).fill("25")
    written(page, 25)
    assert page.evaluate("calls") > 0


@pytest.mark.touch
def test_a_finger_reads_a_cell(show_matrix):
    page = show_matrix(Influence(number=24), width=390)
    page.locator(".aln-matrix tbody td").nth(1).tap()
    readout = page.locator(".aln-readout")
    expect(readout).to_contain_text(re.compile(r"^“vier” → “four”: \d\.\d\d"))
