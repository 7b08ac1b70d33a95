"""The figure of positions: its table is Python's, and its rows can be dragged."""

import pytest
import torch
from drawing import evaluate_large
from matplotlib.colors import to_rgb
from playwright.sync_api import expect
from reading import parse_numbers
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


def test_positions_shorter_table_clamps_position_and_shift():
    figure = Positions(n=16)
    assert (figure.position, figure.shift) == (15, 7)
    figure.n = 4
    assert (figure.position, figure.shift) == (3, 3)
    figure.d = 64
    with pytest.raises(TraitError, match="odd"):
        figure.d = 65
    assert figure.d == 64
