"""What a figure shows, as numbers: tests hold pictures and sentences against Python's.

A picture is read as a reader does, by its printed ticks and by where its marks stand on
the screen, whatever the code between the two. A sentence is read by its numbers.
"""

import re
import time
from collections.abc import Callable
from io import BytesIO
from math import log10
from typing import NamedTuple

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page

# A minus sign, digits in groups of three, a decimal point: "−1 234.5".
NUMBER = re.compile(r"[-−]?\d+(?:[\u202f\u2009\u00a0]\d{3})*(?:\.\d+)?")
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


def assert_said(page: Page, check: Callable[[str], None], patience: float = 15) -> None:
    """The status passes this check, now or when it has come to what is drawn last.

    While one change chases the next it waits for the last one; `patience` is seconds.
    """
    until = time.monotonic() + patience
    while True:
        try:
            return check(page.get_by_role("status").inner_text())
        except AssertionError:
            if time.monotonic() > until:
                raise
        page.wait_for_timeout(50)


def looks(elements: Locator, *properties: str, of: str = "") -> list[dict[str, str]]:
    """What the browser computes of these style properties, an element each.

    Those `of` "::after" are of what stands behind each element's own text.
    """
    return elements.evaluate_all(
        """(all, [names, of]) => all.map((e) => {
          const style = getComputedStyle(e, of);
          return Object.fromEntries(names.map((name) => [name, style[name]]));
        })""",
        [list(properties), of],
    )


class Picture:
    """What a page looks like at one moment, in pixels.

    Not under fingers: for a picture of a whole page the browser leaves them out, and
    what is larger for them moves.
    """

    def __init__(self, page: Page):
        png = page.screenshot(full_page=True, animations="disabled")
        self._scroll = page.evaluate("[scrollX, scrollY]")
        figure = page.locator("figure").first
        self.ground = looks(figure, "backgroundColor")[0]["backgroundColor"]
        self._pixels = np.asarray(Image.open(BytesIO(png)).convert("RGB"), float)

    def fills(self, elements: Locator) -> np.ndarray:
        """The colour that most of each element has: (elements, 3)."""
        x0, y0 = self._scroll
        found = []
        for box in boxes(elements):
            rows = slice(round(box.top + y0), round(box.foot + y0))
            columns = slice(round(box.left + x0), round(box.right + x0))
            own = self._pixels[rows, columns].reshape(-1, 3)
            colours, often = np.unique(own, axis=0, return_counts=True)
            found.append(colours[often.argmax()])
        return np.array(found)

    def cells(self, grid: Locator, rows: int, columns: int) -> np.ndarray:
        """The colour in the middle of each cell of a grid: (rows, columns, 3)."""
        x0, y0 = self._scroll
        (box,) = boxes(grid)
        ys = box.top + y0 + (np.arange(rows) + 0.5) * box.height / rows
        xs = box.left + x0 + (np.arange(columns) + 0.5) * box.width / columns
        return self._pixels[np.ix_(ys.astype(int), xs.astype(int))]


def assert_shades_follow(
    colours: np.ndarray, weights: np.ndarray, ground: str, off: float = 0.02
) -> None:
    """Colours (…, 3) stand out from the ground the more, the larger their weights (…).

    `ground` is a computed colour. How strong the fullest colour is, is left to the
    figure; between two colours those of the weights lie in proportion, up to `off`.
    """
    colours, weights = np.reshape(colours, (-1, 3)), np.ravel(weights)
    away = colours - numbers(ground)[:3]
    farthest = away[np.linalg.norm(away, axis=1).argmax()]
    shades = away @ farthest / np.linalg.norm(farthest)
    slope, start = np.polyfit(weights, shades, 1)
    assert slope > 20, "more weight is not seen as more colour"  # of 256 a channel
    beside = np.abs((shades - start) / slope - weights)
    assert beside.max() <= off, f"a colour is {beside.max():.2f} beside its weight"


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
