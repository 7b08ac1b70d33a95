"""The figure of positions: its table is Python's, and its rows can be dragged."""

import pytest
import torch
from drawing import evaluate_large
from matplotlib.colors import to_rgb
from playwright.sync_api import expect
from reading import expect_status, parse_numbers
from traitlets import TraitError

from attnlab.figures import palette
from attnlab.live import Positions
from attnlab.positions import sinusoidal

# The colours in the middles of a canvas's cells, row by row.
CELL_COLOURS = """(canvas, [columns, rows]) => {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const pixel = (row, column) => width * Math.floor((row + 0.5) * height / rows)
    + Math.floor((column + 0.5) * width / columns);
  return Array.from({ length: rows * columns }, (_, i) =>
    [0, 1, 2].map((c) => data[4 * pixel(Math.floor(i / columns), i % columns) + c]));
}"""


@pytest.mark.parametrize(
    ("traits", "dark", "panel"),
    [
        ({"d": 128, "n": 256, "position": 200, "shift": 255}, False, (245, 247, 249)),
        ({"base": 1.0, "n": 2, "d": 2, "position": 1}, True, (29, 35, 43)),
    ],
)
def test_positions_table_shades_equal_python(show_figures, traits, dark, panel):
    figure = Positions(**traits)
    page = show_figures(figure, dark=dark)
    n, d = figure.n, figure.d
    canvas = page.locator(".pos-table canvas")
    shades = torch.tensor(evaluate_large(canvas, CELL_COLOURS, [d, n])).view(n, d, 3)
    middle = torch.tensor(panel).float()
    above, below = (
        torch.tensor(to_rgb(palette.DARK[end] if dark else end)) * 255
        for end in (palette.ABOVE, palette.BELOW)
    )
    values = sinusoidal(n, d, figure.base)[..., None]
    wanted = middle + values.abs() * (torch.where(values > 0, above, below) - middle)
    assert (shades - wanted).abs().max() <= 2  # rounded twice
    to = figure.position + figure.shift
    chips = page.locator(".pos-chip").all_text_contents()
    assert [parse_numbers(text.replace("p+k", ""))[0] for text in chips] == [
        figure.position,
        to,
    ]


def test_positions_narrower_table_keeps_a_chosen_pair(show_figures):
    page = show_figures(Positions())
    for d, dials in [(512, 6), (14, 6), (4, 2), (2, 1)]:
        page.get_by_label("Width d", exact=True).fill(str(d))
        expect(page.locator(".pos-dial:visible")).to_have_count(dials)
        checked = page.locator(".pos-dial input:checked")
        expect(checked).to_have_count(1)
        expect(checked.locator("..")).to_be_visible()


def test_positions_drag_moves_only_one_row(show_figures):
    page = show_figures(Positions())
    box = page.locator(".pos-cells").bounding_box()

    def row_position(row: int) -> tuple[float, float]:
        return box["x"] + 50, box["y"] + (row + 0.5) / 64 * box["height"]

    page.mouse.move(*row_position(3))
    page.mouse.down()
    expect_status(page, "From p = 3 to p + k = 10")
    page.mouse.move(*row_position(12))
    expect_status(page, "From p = 12 to p + k = 19")
    page.mouse.up()
    page.mouse.move(*row_position(30))  # no longer held
    page.mouse.move(*row_position(19))  # the second row moves by itself
    page.mouse.down()
    page.mouse.move(*row_position(9))
    expect_status(page, "From p = 12 to p + k = 9")
    page.mouse.up()
    expect(page.get_by_label("Shift k", exact=True)).to_have_value("-3")


def test_positions_shorter_table_clamps_position_and_shift():
    figure = Positions(n=16)
    assert (figure.position, figure.shift) == (15, 7)
    figure.n = 4
    assert (figure.position, figure.shift) == (3, 3)
    figure.d = 64
    with pytest.raises(TraitError, match="odd"):
        figure.d = 65
    assert figure.d == 64
