"""Figures stand still: they fit a screen, and no control of theirs moves under a hand.

One row a figure: what its main control goes through is all that it needs.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from drawing import in_column, no_errors, opener, quiet, redrawn
from playwright.sync_api import Locator

from attnlab.live import (
    Alignment,
    Bottleneck,
    CutWire,
    Heads,
    Hero,
    Influence,
    LiveFigure,
    OneStep,
    Roofline,
    SixScores,
)

Walk = Callable[[Locator], Iterator[str]]

HIGHEST = 640  # pixels, in the book's column on a screen of 1280 × 800
CONTROLS = "input, button, select, summary"


class Row(NamedTuple):
    """A figure, and what its main control goes through: a walk, as in test_contract."""

    figure: type[LiveFigure]
    walk: Walk
    drawn: str = ".attnlab-body > *"


def filling(label: str, *values: object) -> Walk:
    """The box or slider of this label is given these, one after the other."""

    def walk(figure: Locator) -> Iterator[str]:
        for value in map(str, values):
            figure.get_by_label(label, exact=True).fill(value)
            yield value

    return walk


def choosing(*names: str) -> Walk:
    """The radio buttons of these names are checked, one after the other."""

    def walk(figure: Locator) -> Iterator[str]:
        for name in names:
            figure.get_by_role("radio", name=name, exact=True).check(force=True)
            yield name

    return walk


def cutting(figure: Locator) -> Iterator[str]:
    """Every word of the number is cut in every way."""
    words = figure.locator(".cw-words.source button")
    for way in ("the word", "its weight", "all others"):
        figure.get_by_role("radio", name=way).check(force=True)
        for place in range(words.count() - 1):
            words.nth(place).click()
            yield f"{way} {place}"


def stepping(figure: Locator) -> Iterator[str]:
    """Every step of every decoder."""
    for wiring in ("Bahdanau", "+ feeding", "Luong"):
        figure.get_by_role("radio", name=wiring).check(force=True)
        for step in "12345":
            figure.get_by_role("radio", name=step).check(force=True)
            yield f"{wiring} {step}"


def scoring(figure: Locator) -> Iterator[str]:
    """Every score, and every word of one of them."""
    for tile in figure.locator(".sc-tile input").all():
        tile.check(force=True)
        yield tile.locator("..").inner_text()
    for word in figure.locator(".aln-matrix tbody th").all():
        word.click()
        yield word.inner_text()


def looking(figure: Locator) -> Iterator[str]:
    """Every word in turn; then a number that is none."""
    for word in figure.locator(".hero-word").all():
        word.focus()
        yield word.inner_text()
    yield from filling("Type a number", "abc", "91234")(figure)


def silencing(figure: Locator) -> Iterator[str]:
    """Every pair of heads, by nothing and by their mean."""
    for instead in ("their mean", "nothing"):
        figure.get_by_role("radio", name=instead).check(force=True)
        for pair in figure.locator(".hd-damage button").all():
            pair.click()
            yield f"{instead} {pair.inner_text()}"


READ = ".aln-matrix tbody td"

ROWS = {
    "bottleneck": Row(Bottleneck, filling("Digits", *range(1, 13))),
    "cutwire": Row(CutWire, cutting, ".cw-stage:not([hidden])"),
    "step": Row(OneStep, stepping),
    "alignment": Row(Alignment, filling("Words written", *range(9)), READ),
    "heads": Row(Heads, silencing, ".hd-damage button"),
    "hero": Row(Hero, looking),
    "scores": Row(SixScores, scoring, READ),
    "roofline": Row(Roofline, filling("Batch", *range(7))),
    "influence": Row(Influence, choosing("16", "32", "128", "64"), READ),
}


@pytest.fixture(scope="module", params=ROWS.values(), ids=ROWS)
def row(request) -> Row:
    return request.param


@pytest.fixture(scope="module")
def figure(row, browser, tmp_path_factory, weight_scripts) -> Iterator[Locator]:
    with no_errors(browser.new_page()) as page:
        folder = tmp_path_factory.mktemp("still")
        opener(page, folder, weight_scripts)(row.figure())
        figure = page.locator("figure")
        figure.locator(row.drawn).first.wait_for()
        in_column(page)
        quiet(figure)
        yield figure


def test_it_fits_a_screen(figure):
    assert figure.bounding_box()["height"] <= HIGHEST


def test_nothing_moves_that_can_be_pressed_nor_what_follows_the_figure(row, figure):
    before, height = places(figure), figure.bounding_box()["height"]
    assert before
    for state in row.walk(figure):
        redrawn(figure.page)
        quiet(figure)
        assert places(figure) == before, state
        assert figure.bounding_box()["height"] == height, state


def places(figure: Locator) -> list[tuple[int, int]]:
    """Where each control stands, measured from the figure's corner."""
    found = figure.evaluate(
        """(figure, controls) => {
          const corner = figure.getBoundingClientRect();
          return [...figure.querySelectorAll(controls)]
            .filter((one) => one.checkVisibility())
            .map((one) => {
              const { left, top } = one.getBoundingClientRect();
              return [left - corner.left, top - corner.top].map(Math.round);
            });
        }""",
        CONTROLS,
    )
    return [tuple(place) for place in found]
