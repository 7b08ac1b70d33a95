"""The figure of positions: its arithmetic, and its use by hand and keyboard."""

import pytest
import torch
from matplotlib.colors import to_rgb
from playwright.sync_api import expect
from pytest import approx
from reading import (
    boxes,
    looks,
    numbers,
    says,
)
from traitlets import TraitError

from attnlab.figures import palette
from attnlab.live import Positions
from attnlab.positions import sinusoidal


def chips(page) -> list[str]:
    return page.locator(".pos-chip").all_text_contents()


def view(page, name: str) -> None:
    """Show one of the pictures."""
    page.get_by_role("radio", name=name, exact=True).check()


# What is drawn, held against Python's -------------------------------------------------


def check_all(page, figure: Positions, *, dark: bool = False) -> None:
    """The settings, and the table drawn from them."""
    for label, value in zip(BOXES, figure.state().values(), strict=True):
        assert float(page.get_by_label(label, exact=True).input_value()) == value
    check_table(page, figure, dark)


def pairs_of(figure: Positions) -> list[int]:
    """Up to six pairs of dimensions, from the fastest to the slowest, evenly spread."""
    last = figure.d // 2 - 1
    hands = min(6, last + 1)
    return [int(i * last / max(1, hands - 1) + 0.5) for i in range(hands)]


def check_table(page, figure: Positions, dark: bool) -> None:
    """Cells, the marks of both rows, what names them, and the pairs of the hands."""
    p, to, n, d = figure.position, figure.position + figure.shift, figure.n, figure.d
    shades = cells(page, ".pos-table canvas", d, n)
    assert_shades(shades, sinusoidal(n, d, figure.base), dark)
    (canvas,) = boxes(page.locator(".pos-table canvas"))
    inside = 0 <= to < n
    marks = page.locator(".pos-mark:visible")
    for box, row in zip(boxes(marks), [p, to] if inside else [p], strict=True):
        top, foot = (canvas.top + canvas.height * r / n for r in (row, row + 1))
        wanted = (top, max(foot, top + 2), canvas.left, canvas.right)
        found = (box.top, box.foot, box.left, box.right)
        assert found == approx(wanted, abs=2)  # its ends stand out by 2
    dashes = [look["outlineStyle"] for look in looks(marks, "outlineStyle")]
    assert dashes == ["solid", "dashed"][: len(dashes)]
    assert [numbers(text.replace("p+k", ""))[0] for text in chips(page)] == [p, to]
    for box, row in zip(boxes(page.locator(".pos-chip")), [p, to], strict=True):
        middle = canvas.top + canvas.height * (min(max(row, 0), n - 1) + 0.5) / n
        assert box.y == approx(middle, abs=1)
    hands = [canvas.left + canvas.width * (2 * i + 1) / d for i in pairs_of(figure)]
    assert [box.x for box in boxes(page.locator(".pos-ticks span"))] == approx(
        hands, abs=1.5
    )
    slots = page.locator(".pos-dial input").evaluate_all("a => a.map((e) => e.checked)")
    kinds = page.locator(".pos-ticks span").evaluate_all(
        "a => a.map((e) => e.className)"
    )
    assert [kind == "chosen" for kind in kinds] == slots[: len(kinds)]
    assert page.locator(".pos-legend").text_content() == "−11"  # a ramp between
    label = page.locator(".pos-table canvas").get_attribute("aria-label")
    assert numbers(label) == [n, d, p, to]
    note = page.locator(".pos-table > .al-note").text_content()
    assert numbers(note) == [0, n - 1, 0, d - 1]


def cells(page, canvas: str, columns: int, rows: int) -> torch.Tensor:
    """The colours in the middles of a canvas's cells, by row and column."""
    pixels = page.locator(canvas).evaluate(
        """(canvas, [columns, rows]) => {
          const { width, height } = canvas;
          const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
          const pixel = (row, column) => width * Math.floor((row + 0.5) * height / rows)
            + Math.floor((column + 0.5) * width / columns);
          return Array.from({ length: rows * columns }, (_, i) =>
            [0, 1, 2, 3].map((c) =>
              data[4 * pixel(Math.floor(i / columns), i % columns) + c]));
        }""",
        [columns, rows],
    )
    return torch.tensor(pixels).view(rows, columns, 4)


def assert_shades(shades: torch.Tensor, values: torch.Tensor, dark: bool) -> None:
    middle = torch.tensor(GROUNDS[dark]).float()
    above, below = (
        torch.tensor(to_rgb(palette.DARK[end] if dark else end)) * 255
        for end in (palette.ABOVE, palette.BELOW)
    )
    values = values[..., None]
    wanted = middle + values.abs() * (torch.where(values > 0, above, below) - middle)
    assert (shades[..., :3] - wanted).abs().max() <= 2  # rounded twice


# What it shows ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("traits", "dark"),
    [
        ({"position": 45, "shift": -45}, True),
        # Out of the table.
        ({"d": 128, "n": 256, "position": 200, "shift": 255}, False),
        ({"base": 1.0, "n": 2, "d": 2, "position": 1, "shift": -1}, True),
    ],
)
def test_what_is_drawn_is_pythons(show, traits, dark):
    figure = Positions(**traits)
    check_all(show(figure, dark=dark), figure, dark=dark)


GROUNDS = {False: (245, 247, 249), True: (29, 35, 43)}  # --al-panel


def test_a_handful_of_hands_from_the_fastest_to_the_slowest(show):
    page = show(Positions())
    for d, dials in [(512, 6), (14, 6), (12, 6), (4, 2), (2, 1)]:
        page.get_by_label("Width d", exact=True).fill(str(d))
        expect(page.locator(".pos-dial:visible")).to_have_count(dials)
        checked = page.locator(".pos-dial input:checked")
        expect(checked).to_have_count(1)
        expect(checked.locator("..")).to_be_visible()


# How it is used ---------------------------------------------------------------------


def test_dragging_the_rows_of_the_table(show):
    page = show(Positions())
    box = page.locator(".pos-cells").bounding_box()

    def at(row: int) -> tuple[float, float]:
        return box["x"] + 50, box["y"] + (row + 0.5) / 64 * box["height"]

    page.mouse.move(*at(3))
    page.mouse.down()
    says(page, "From p = 3 to p + k = 10")
    page.mouse.move(*at(12))
    says(page, "From p = 12 to p + k = 19")
    page.mouse.up()
    page.mouse.move(*at(30))  # no longer held
    page.mouse.move(*at(19))  # the second row moves by itself
    page.mouse.down()
    page.mouse.move(*at(9))
    says(page, "From p = 12 to p + k = 9")
    page.mouse.up()
    expect(page.get_by_label("Shift k", exact=True)).to_have_value("-3")


BOXES = {"Base": "10000", "Width d": "32", "Length n": "64"}
BOXES |= {"Position p": "20", "Shift k": "7"}


# From Python's side -----------------------------------------------------------------


def test_a_shorter_table_draws_in_python_too():
    figure = Positions(n=16)
    assert (figure.position, figure.shift) == (15, 7)
    figure.n = 4
    assert (figure.position, figure.shift) == (3, 3)
    figure.d = 64
    with pytest.raises(TraitError, match="odd"):
        figure.d = 65
    assert figure.d == 64
