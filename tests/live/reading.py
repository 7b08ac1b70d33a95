"""What a figure shows, as numbers: tests hold pictures and sentences against Python's.

A picture is read as a reader does, by its printed ticks and by where its marks stand on
the screen, whatever the code between the two. A sentence is read by its numbers.
"""

import re
from collections.abc import Callable
from itertools import pairwise
from math import dist, log10
from typing import NamedTuple

from playwright.sync_api import Locator, Page

# A minus sign, digits in groups of three, a decimal point: "−1 234.5".
NUMBER = re.compile(r"[-−]?\d+(?:[\u202f\u2009\u00a0]\d{3})*(?:\.\d+)?")
SPACES = re.compile(r"[\u202f\u2009\u00a0]")


def numbers(text: str) -> list[float]:
    """All numbers of a text, in order."""
    return [
        float(SPACES.sub("", found).replace("−", "-")) for found in NUMBER.findall(text)
    ]


def spoken(place: Page | Locator) -> str:
    """What the figure says, once it has said the latest.

    In a hurry it waits 150 ms for the last change; a page's timers come in the order in
    which they are due, so that one of 200 ms comes after that on any machine.
    """
    return place.get_by_role("status").evaluate(
        """async (said) => {
          await new Promise((done) => setTimeout(done, 200));
          return said.innerText;
        }"""
    )


def told(form: str, text: str) -> dict[str, float]:
    """The numbers that a text has where a form has names: "key {best} is {gap} ahead".

    "<0.001" and ">0.999" are read as what they are near.
    """
    number = r"(?P<NAME>[<>]?[-−]?\d[\d\u202f]*(?:\.\d+)?)"
    pattern = re.sub(
        r"\\{(\w+)\\}", lambda name: number.replace("NAME", name[1]), re.escape(form)
    )
    found = re.search(pattern, text)
    assert found, f"no “{form}” in “{text}”"
    return {name: numbers(part)[0] for name, part in found.groupdict().items()}


class Box(NamedTuple):
    """Where an element stands on the screen, in pixels."""

    x: float  # of its centre
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width / 2

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def top(self) -> float:
        return self.y - self.height / 2

    @property
    def foot(self) -> float:
        return self.y + self.height / 2


def boxes(elements: Locator) -> list[Box]:
    """Where elements stand, all at one moment; a line's own width is left out."""
    rectangles = elements.evaluate_all(
        """all => all.map((e) => {
          const { x, y, width, height } = e.getBoundingClientRect();
          return [x + width / 2, y + height / 2, width, height];
        })"""
    )
    return [Box(*rectangle) for rectangle in rectangles]


def vertices(lines: Locator) -> list[list[tuple[float, float]]]:
    """The corners of SVG lines, polylines and paths of M and L, on the screen.

    A path's "h0", which makes a lone point a dot, is no corner.
    """
    found = lines.evaluate_all(
        """all => all.map((e) => {
          const at = e.getScreenCTM();
          const text = e.tagName === "line"
            ? ["x1", "y1", "x2", "y2"].map((name) => e.getAttribute(name)).join(" ")
            : e.getAttribute(e.tagName === "path" ? "d" : "points");
          const found = text.replaceAll("h0", "").match(/-?[\\d.]+(e-?\\d+)?/g)
            .map(Number);
          const corners = [];
          for (let i = 0; i < found.length; i += 2) {
            const point = new DOMPoint(found[i], found[i + 1]).matrixTransform(at);
            corners.push([point.x, point.y]);
          }
          return corners;
        })"""
    )
    return [[(x, y) for x, y in corners] for corners in found]


def beside(point: tuple[float, float], corners: list[tuple[float, float]]) -> float:
    """How many pixels a point stands beside the line through these corners."""
    if len(corners) == 1:
        return dist(point, corners[0])

    def from_piece(start: tuple[float, float], end: tuple[float, float]) -> float:
        (x, y), (ax, ay), (bx, by) = point, start, end
        length = (bx - ax) ** 2 + (by - ay) ** 2
        share = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length if length else 0
        share = max(0, min(1, share))
        return dist(point, (ax + share * (bx - ax), ay + share * (by - ay)))

    return min(from_piece(*piece) for piece in pairwise(corners))


def looks(elements: Locator, *properties: str) -> list[dict[str, str]]:
    """What the browser computes of these style properties, an element each."""
    return elements.evaluate_all(
        """(all, names) => all.map((e) => {
          const style = getComputedStyle(e);
          return Object.fromEntries(names.map((name) => [name, style[name]]));
        })""",
        list(properties),
    )


class Axis(NamedTuple):
    """What numbers stand where along one way of a picture."""

    slope: float  # numbers (or powers of ten) a pixel
    start: float  # at pixel 0
    log: bool

    def __call__(self, pixel: float) -> float:
        value = self.start + self.slope * pixel
        return 10**value if self.log else value

    def at(self, value: float) -> float:
        """The pixel at which a number stands."""
        return ((log10(value) if self.log else value) - self.start) / self.slope


def axis(
    pixels: list[float], values: list[float], *, log: bool = False, off: float = 1.5
) -> Axis:
    """The axis on which these numbers stand at these pixels.

    Fails if one of them stands more than `off` pixels beside the line through the first
    and the last: ticks that do not agree tell nothing.
    """
    heights = [log10(value) for value in values] if log else list(values)
    assert len(pixels) == len(heights) >= 2, "an axis needs two ticks"
    slope = (heights[-1] - heights[0]) / (pixels[-1] - pixels[0])
    found = Axis(slope, heights[0] - slope * pixels[0], log)
    for pixel, height in zip(pixels, heights, strict=True):
        beside = abs((height - found.start) / slope - pixel)
        assert beside <= off, f"the tick {height} stands {beside:.1f} pixels beside"
    return found


def ticks(
    elements: Locator,
    way: str,
    *,
    log: bool = False,
    read: Callable[[str], float] = lambda text: numbers(text)[0],
) -> Axis:
    """The axis that printed ticks make, along "x" or "y"; `read` reads one."""
    centres = [getattr(box, way) for box in boxes(elements)]
    values = [read(text) for text in elements.all_text_contents()]
    return axis(centres, values, log=log)
