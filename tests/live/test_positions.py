"""The figure of positions: its arithmetic, and its use by hand and keyboard."""

from math import atan2, degrees, hypot, pi

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
    ticks,
    told,
    vertices,
)
from traitlets import TraitError

from attnlab.figures import palette
from attnlab.live import Positions
from attnlab.positions import frequencies, shift_matrix, sinusoidal


def chips(page) -> list[str]:
    return page.locator(".pos-chip").all_text_contents()


def view(page, name: str) -> None:
    """Show one of the pictures."""
    page.get_by_role("radio", name=name, exact=True).check()


# What is drawn, held against Python's -------------------------------------------------


def check_all(page, figure: Positions, *, dark: bool = False) -> None:
    """All that the pictures draw and say, and the sentence under them."""
    for label, value in zip(BOXES, figure.state().values(), strict=True):
        assert float(page.get_by_label(label, exact=True).input_value()) == value
    check_table(page, figure, dark)
    slot = page.locator(".pos-dial input:checked").input_value()
    pair = pairs_of(figure)[int(slot)]
    view(page, "Hands")
    check_hands(page, figure)
    view(page, "Kernel")
    check_kernel(page, figure)
    view(page, "Rotation")
    check_rotation(page, figure, pair, dark)


def rates_of(figure: Positions) -> list[float]:
    return frequencies(figure.d, figure.base).tolist()


def pairs_of(figure: Positions) -> list[int]:
    """Up to six pairs of dimensions, from the fastest to the slowest, evenly spread."""
    last = figure.d // 2 - 1
    hands = min(6, last + 1)
    return [int(i * last / max(1, hands - 1) + 0.5) for i in range(hands)]


def row_of(figure: Positions, p: int) -> torch.Tensor:
    angles = p * frequencies(figure.d, figure.base).double()
    return torch.stack([angles.sin(), angles.cos()], -1).flatten()


def turn_in(text: str) -> float:
    """How far "71.3°" or "1.11 turns back" turn, in degrees."""
    (size,) = numbers(text)
    turned = size * (360 if "turns" in text else 1)
    assert "turns" in text or text.split()[0].endswith("°")
    return -turned if "back" in text else turned


def turns(figure: Positions, pair: int) -> float:
    return approx(degrees(figure.shift * rates_of(figure)[pair]), rel=0.006)


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


def check_hands(page, figure: Positions) -> None:
    """Of each pair of dimensions both hands, the arc between them, and its numbers."""
    p, to, pairs = figure.position, figure.position + figure.shift, pairs_of(figure)
    note = page.locator(".pos-hands > .al-note").text_content()
    assert numbers(note.replace("p + k", ""))[:2] == [p, to]
    dials = page.locator(".pos-dial:visible")
    counts = numbers(page.locator(".pos-hands legend").text_content())
    all_pairs = figure.d // 2
    wanted = [all_pairs] if all_pairs <= 6 else [6, all_pairs]
    assert counts == (wanted if all_pairs > 1 else [])
    hands = [
        boxes(dials.locator(".first circle")),
        boxes(dials.locator(".second rect")),
    ]
    rings = boxes(dials.locator(".ring"))
    arcs = dials.locator(".arc").evaluate_all(ARC)
    laps = looks(dials.locator(".lap"), "visibility")
    for i, pair in enumerate(pairs):
        rate, ring = rates_of(figure)[pair], rings[i]
        for drawn, position in zip(hands, (p, to), strict=True):
            across, up = drawn[i].x - ring.x, ring.y - drawn[i].y
            assert alike(atan2(across, up), position * rate)
            assert hypot(across, up) > 0.8 * ring.width / 2
        check_arc(arcs[i], figure, rate)
        whole = abs(figure.shift * rate) >= 2 * pi
        assert (laps[i]["visibility"] == "visible") is whole
        said = dials.nth(i)
        dims = numbers(said.locator(".pos-dims").text_content())
        (wave,) = numbers(said.locator(".pos-wave").text_content())
        assert dims == [2 * pair, 2 * pair + 1] and wave == approx(
            2 * pi / rate, rel=0.006
        )
        assert turn_in(said.locator(".pos-turned").text_content()) == turns(
            figure, pair
        )


# Where an arc begins and ends, where its point is, and to which side it is bent.
ARC = """all => all.map((arc) => {
  const d = arc.getAttribute("d").match(/-?[\\d.]+/g).map(Number);
  return { start: d.slice(0, 2), bends: d.slice(5, 7), end: d.slice(7, 9),
    point: d.length > 9 ? d.slice(11, 13) : d.slice(7, 9) };
})"""


def check_arc(arc: dict, figure: Positions, rate: float) -> None:
    """An arc goes from the hand at p to that at p + k, the way that k says."""
    start, end = figure.position * rate, (figure.position + figure.shift) * rate
    for place, angle in (("start", start), ("end", end), ("point", end)):
        x, y = arc[place]
        assert alike(atan2(x, -y), angle)
    rest = abs(figure.shift * rate) % (2 * pi)
    assert arc["bends"] == [int(rest > pi), int(figure.shift > 0)] or rest < 1e-9


def alike(angle: float, other: float) -> bool:
    """Are two directions the same, to half a degree?"""
    return abs((angle - other + pi) % (2 * pi) - pi) < pi / 360


def check_kernel(page, figure: Positions) -> None:
    """Both curves, both lines, the dot and the rings, by the printed ticks."""
    p, k, n = figure.position, figure.shift, figure.n
    x = ticks(page.locator(".pos-xticks span"), "x")
    y = ticks(page.locator(".pos-yticks span"), "y")
    kernel = [(row_of(figure, 0) @ row_of(figure, j)).item() for j in range(n)]

    def curve(kind: str) -> list[tuple[float, float]]:
        return vertices(page.locator(f".pos-plot .{kind}"))[0]

    for kind, first in (("whole", 1 - n), ("inside", -p)):
        line = curve(kind)
        assert len(line) == (2 * n - 1 if kind == "whole" else n)
        for i, point in enumerate(line):
            wanted = (x.at(first + i), y.at(kernel[abs(first + i)]))
            assert point == approx(wanted, abs=1)
    widths = [
        looks(page.locator(f".pos-plot .{kind}"), "strokeWidth", "strokeDasharray")[0]
        for kind in ("inside", "whole", "neighbour")
    ]
    assert numbers(widths[0]["strokeWidth"]) > numbers(widths[1]["strokeWidth"])
    assert widths[2]["strokeDasharray"] != "none"
    for kind, height in (("zero", 0), ("neighbour", kernel[1])):
        flat = page.locator(f".pos-plot .{kind}")
        assert boxes(flat)[0].y == approx(y.at(height), abs=1)
    (dot,) = boxes(page.locator(".pos-dot"))
    product = kernel_at(figure, k)
    assert (dot.x, dot.y) == approx((x.at(k), y.at(product)), abs=1)
    alike_at = look_alike(figure)
    rings = [(box.x, box.y) for box in boxes(page.locator(".pos-ring:visible"))]
    wanted = [] if alike_at is None else [-alike_at, alike_at]
    assert len(rings) == len(wanted)
    for ring, at in zip(rings, wanted, strict=True):
        assert ring == approx((x.at(at), y.at(kernel[abs(at)])), abs=1)
    begun = frequencies(32, 10_000).double()
    for i, point in enumerate(curve("start")):
        before = torch.cos((1 - n + i) * begun).mean().item() * figure.d / 2
        assert point == approx((x.at(1 - n + i), y.at(before)), abs=1)
    note = page.locator(".pos-kernel .al-note").text_content()
    assert told("Thick: row {p} with all rows", note)["p"] == p


def kernel_at(figure: Positions, k: int) -> float:
    return (row_of(figure, 0) @ row_of(figure, k)).item()


def look_alike(figure: Positions) -> int | None:
    """The nearest row beyond the neighbour that is as similar."""
    neighbour = kernel_at(figure, 1)
    rows = range(2, figure.n)
    return next((j for j in rows if kernel_at(figure, j) >= neighbour), None)


def check_rotation(page, figure: Positions, pair: int, dark: bool) -> None:
    """The matrix's cells, the frame on its block, and the block's numbers."""
    p, k, d = figure.position, figure.shift, figure.d
    matrix = shift_matrix(k, d, figure.base)
    if d <= 64:
        shades = cells(page, ".pos-rotation canvas", d, d)
        solid = shades[..., 3] > 0
        blocks = torch.block_diag(*torch.ones(d // 2, 2, 2)).bool()
        assert (solid == blocks).all()
        assert_shades(shades[blocks], matrix[blocks], dark)
    (canvas,), (frame,) = (
        boxes(page.locator(".pos-map canvas")),
        boxes(page.locator(".pos-block")),
    )
    share = (2 * pair + 1) / d
    middle = (canvas.left + share * canvas.width, canvas.top + share * canvas.height)
    assert (frame.x, frame.y) == approx(middle, abs=1)
    dims = slice(2 * pair, 2 * pair + 2)
    before, after = row_of(figure, p)[dims], row_of(figure, p + k)[dims]
    wanted = torch.cat([matrix[dims, dims].flatten(), before, after]).tolist()
    shown = page.locator(".pos-bracket span").all_text_contents()
    assert [numbers(text)[0] for text in shown] == approx(wanted, abs=0.006)
    label = page.locator(".pos-equation").get_attribute("aria-label")
    assert numbers(label) == approx(wanted, abs=0.006)
    under = page.locator(".pos-under").all_text_contents()
    assert [numbers(text)[0] for text in under] == [k, p, p + k]
    which = page.locator(".pos-numbers p").text_content()
    assert numbers(which)[:2] == [2 * pair, 2 * pair + 1]
    assert turn_in(which.split("turn by ")[1]) == turns(figure, pair)
    heading = page.locator(".pos-rotation .pos-heading").text_content()
    assert numbers(heading) == [k]
    note = numbers(page.locator(".pos-rotation .al-note").text_content())
    assert note[:2] == [2 * d, d * d]


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
        check_hands(page, Positions(d=d))
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
