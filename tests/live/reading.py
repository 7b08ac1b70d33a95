"""What a figure shows, as numbers: tests hold pictures and sentences against Python's.

A picture is read as a reader does, by its printed ticks and by where its marks stand on
the screen, whatever the code between the two. A sentence is read by its numbers.
"""

import re
from collections.abc import Callable, Iterable
from math import log10
from typing import NamedTuple

from playwright.sync_api import Locator, Page
from pytest import approx

# A minus sign, digits in groups of three, a decimal point: "−1 234.5".
NUMBER = re.compile(r"[-−]?\d+(?:[\u202f\u2009\u00a0]\d{3})*(?:\.\d+)?(?:e[-−]\d+)?")
SPACES = re.compile(r"[\u202f\u2009\u00a0]")


def numbers(text: str) -> list[float]:
    """All numbers of a text, in order."""
    return [
        float(SPACES.sub("", found).replace("−", "-")) for found in NUMBER.findall(text)
    ]


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
    """The corners of SVG lines, polylines and paths of M and L, on the screen."""
    found = lines.evaluate_all(
        """all => all.map((e) => {
          const at = e.getScreenCTM();
          const text = e.tagName === "line"
            ? ["x1", "y1", "x2", "y2"].map((name) => e.getAttribute(name)).join(" ")
            : e.getAttribute(e.tagName === "path" ? "d" : "points");
          const found = text.match(/-?[\\d.]+(e-?\\d+)?/g).map(Number);
          const corners = [];
          for (let i = 0; i < found.length; i += 2) {
            const point = new DOMPoint(found[i], found[i + 1]).matrixTransform(at);
            corners.push([point.x, point.y]);
          }
          return corners;
        })"""
    )
    return [[(x, y) for x, y in corners] for corners in found]


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


def alike(elements: Locator, name: str, value: str) -> Locator:
    """The one of these elements that has this style: what a legend's entry is of."""
    found = [look[name] for look in looks(elements, name)]
    assert found.count(value) == 1, f"{found.count(value)} have the {name} {value}"
    return elements.nth(found.index(value))


def becomes(page: Page, read: Callable[[], object], wanted: object) -> None:
    """Wait until what is read is as wanted: some things are said a moment later."""
    for _ in range(200):
        if (found := read()) == wanted:
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{found} stays what it is, not {wanted}")


def grow_alike(sizes: list[float], values: list[float], off: float) -> None:
    """Fails unless sizes grow evenly with values, but for `off`."""
    pairs = sorted(zip(values, sizes, strict=True))
    if pairs[-1][0] - pairs[0][0] < 0.01:
        assert max(sizes) - min(sizes) <= 2 * off
    else:
        values, sizes = zip(*pairs, strict=True)
        assert axis(sizes, values, off=off).slope > 0


class Plot(NamedTuple):
    """A picture with two ways: what stands in it, as numbers."""

    across: Axis
    up: Axis

    def corners(self, line: Locator) -> list[tuple[float, float]]:
        """The corners of one line."""
        [found] = vertices(line)
        return [(self.across(x), self.up(y)) for x, y in found]

    def centres(self, marks: Locator) -> list[tuple[float, float]]:
        return [(self.across(box.x), self.up(box.y)) for box in boxes(marks)]

    def near(self, points: Iterable, pixels: float = 1) -> list:
        """What equals numbers that stand there, to a pixel."""
        off = [pixels * abs(one.slope) for one in self]
        return [
            tuple(approx(float(x), abs=d) for x, d in zip(point, off, strict=True))
            for point in points
        ]
