"""Figures stand still: they fit a screen, and no control of theirs moves under a hand.

One row a figure. A figure's name and what its main control goes through are all that a
row needs.
"""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from drawing import in_column, no_errors, opener, quiet, redrawn
from playwright.sync_api import Locator, expect

from attnlab.live import Bottleneck, LiveFigure

HIGHEST = 640  # pixels, in the book's column on a screen of 1280 × 800
CONTROLS = "input, button:not([data-word], td button), select, summary"


class Row(NamedTuple):
    """A figure, its main control by label, and the values that this goes through."""

    figure: type[LiveFigure]
    control: str
    values: tuple[str, ...]
    drawn: str = ".attnlab-body > *"


def whole(*numbers: int) -> tuple[str, ...]:
    return tuple(str(number) for number in numbers)


ROWS = {
    "bottleneck": Row(Bottleneck, "Digits", whole(*range(1, 13))),
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
    control = figure.get_by_label(row.control, exact=True)
    before, height = places(figure), figure.bounding_box()["height"]
    assert before
    for value in row.values:
        control.fill(value)
        expect(control).to_have_value(value)
        redrawn(figure.page)
        quiet(figure)
        assert places(figure) == before, value
        assert figure.bounding_box()["height"] == height, value


def places(figure: Locator) -> dict[str, tuple[int, int]]:
    """Where each control stands, by its name, measured from the figure's corner."""
    found = figure.evaluate(
        """(figure, controls) => {
          const corner = figure.getBoundingClientRect();
          return [...figure.querySelectorAll(controls)]
            .filter((one) => one.checkVisibility())
            .map((one) => {
              const { left, top } = one.getBoundingClientRect();
              const name = one.ariaLabel ?? one.labels?.[0]?.textContent ?? "";
              const at = [left - corner.left, top - corner.top].map(Math.round);
              return [name.trim() || one.textContent, at];
            });
        }""",
        CONTROLS,
    )
    return {name: tuple(place) for name, place in found}
