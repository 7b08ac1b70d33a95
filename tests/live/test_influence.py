"""The figure of influence in a page without a kernel, by mouse and keyboard."""

import re
from functools import partial

import pytest
from drawing import first_daily, redrawn
from linkmatrix import (
    check_bars,
    check_matrix,
    greedily,
    judgement,
    known_links,
)
from playwright.sync_api import expect
from reading import assert_said, check_told, names, numbers

from attnlab.data import number_tokens
from attnlab.experiments.influence import log_prob_gradients
from attnlab.live import Influence, load_weights
from attnlab.live.bottleneck import WIDTHS

ATTENTIVE = "en-de-attentive"


def number_box(page):
    return page.get_by_label("Number", exact=True)


def written(page, number: int) -> None:
    """Wait until the right German words are written, by both."""
    words = number_tokens(number, "de")
    expect(page.locator(".aln-matrix tbody th")).to_have_text(words * 2)


def by_torch(name: str, number: int):
    """The words that are written, and how far each English one moves them.

    The largest of a row is 1.
    """
    src, tgt, words = greedily(name, number)
    table = log_prob_gradients(load_weights(name)[0], src, tgt)[0, :, :-1]
    return words, (table / table.amax(dim=1, keepdim=True)).tolist()


STATES = [
    *((number, width) for width in (64, 128) for number in (7, 2_487, 345_678)),
    (786_291, 32),  # which one of them gets wrong
]
WITHOUT, WITH = 0, 1


def side(page, which: int):
    """The matrix without attention, or the one with it."""
    return page.locator(".inf-side").nth(which)


@pytest.mark.parametrize(
    ("press", "dark", "states"),
    first_daily([("mouse", False, STATES[::2]), ("keyboard", True, STATES[1::2])]),
)
def test_what_is_drawn_and_said_is_pytorchs(show_matrix, press, dark, states):
    page = show_matrix(Influence(number=24), dark=dark)

    def choose(width: int) -> None:
        radios = page.get_by_role("radio")
        wanted = WIDTHS.index(width)
        if press == "mouse":
            radios.nth(wanted).check()
            return
        now = radios.evaluate_all("all => all.findIndex((radio) => radio.checked)")
        for _ in range(abs(wanted - now)):
            key = "ArrowRight" if wanted > now else "ArrowLeft"
            page.get_by_role("radio", checked=True).press(key)

    for number, width in states:
        choose(width)
        number_box(page).fill(str(number))
        told = [by_torch(name, number) for name in (f"en-de-gru-{width}", ATTENTIVE)]
        for which, (words, _) in enumerate(told):
            rows = side(page, which).locator(".aln-matrix tbody th")
            expect(rows).to_have_text(words)
        expect(page.locator(".al-note", has_text="Loading")).to_be_hidden()
        redrawn(page)
        columns = number_tokens(number, "en")
        for which, (words, weights) in enumerate(told):
            links = known_links(words, number)
            check_matrix(side(page, which), words, columns, weights, links)
            expect(side(page, which).locator(".inf-count")).to_have_text(
                "{} of {} by their own word".format(*judgement(weights, links))
                if links
                else "✗\ufe0e writes it wrongly"
            )
        for t in (len(words) // 2, 0):
            cell = side(page, WITH).locator(".aln-matrix tbody tr").nth(t)
            cell.locator("td").last.click()
            for which, (_, weights) in enumerate(told):
                check_bars(side(page, which), weights[t])
            check = partial(check_said, number=number, width=width, told=told, t=t)
            assert_said(page, check)


SAID = re.compile(
    r"([\d\u202f]+)\. Without attention, width (\d+): (.*)\. With attention: (.*)\."
)
MOVED = re.compile(r"(?:(\d+) of (\d+) right|wrong); “(.*?)” is moved by (.*)")


def check_said(text: str, number: int, width: int, told, t: int) -> None:
    """Hold what the status says of both networks' row `t` against Python's numbers."""
    said, its_width, *parts = SAID.fullmatch(text).groups()
    assert (numbers(said), its_width) == ([number], str(width))
    columns = names(number_tokens(number, "en"))
    for part, (words, weights) in zip(parts, told, strict=True):
        *hits, word, moved = MOVED.fullmatch(part).groups()
        assert word == words[t]
        check_told(moved, columns, weights[t], least=0.3, most=3)
        links = known_links(words, number)
        counts = judgement(weights, links) if links else [None, None]
        assert hits == [count and str(count) for count in counts]
