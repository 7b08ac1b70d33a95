"""What a figure shows, as numbers: tests hold pictures and sentences against Python's.

A picture is read as a reader does, by its printed ticks and by where its marks stand on
the screen, whatever the code between the two. A sentence is read by its numbers.
"""

import re
import time
from collections.abc import Callable, Iterable
from io import BytesIO
from math import dist, log10
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

# A minus sign, digits in groups of three, a decimal point: "−1 234.5".
NUMBER = re.compile(r"[-−]?\d+(?:[\u202f\u2009\u00a0]\d{3})*(?:\.\d+)?(?:e[-−]\d+)?")
SPACES = re.compile(r"[\u202f\u2009\u00a0]")


def numbers(text: str) -> list[float]:
    """All numbers of a text, in order."""
    return [
        float(SPACES.sub("", found).replace("−", "-")) for found in NUMBER.findall(text)
    ]


def says(place: Page | Locator, text: str) -> None:
    """Wait until the figure says this."""
    expect(place.get_by_role("status")).to_contain_text(text)


def assert_said(place: Page | Locator, check: Callable[[str], None]) -> None:
    """What the figure says passes this check, now or once it has said its last.

    It says what it draws a little later, and while one change chases the next it waits.
    """
    until = time.monotonic() + 15
    while True:
        try:
            return check(place.get_by_role("status").inner_text())
        except Exception:  # a sentence of another form may not be readable at all
            if time.monotonic() > until:
                raise
        place.get_by_role("status").page.wait_for_timeout(50)


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


def looks(
    elements: Locator, *properties: str, part: str | None = None
) -> list[dict[str, str]]:
    """What the browser computes of these style properties, an element each.

    With a `part`, "::before" or "::after", it is of what the style puts there.
    """
    return elements.evaluate_all(
        """(all, [names, part]) => all.map((e) => {
          const style = getComputedStyle(e, part);
          return Object.fromEntries(names.map((name) => [name, style[name]]));
        })""",
        [list(properties), part],
    )


class Picture:
    """What a page looks like at one moment, in pixels.

    Not under fingers: for a picture of a whole page the browser leaves them out, and
    what is larger for them moves.
    """

    def __init__(self, page: Page):
        png = page.screenshot(full_page=True, animations="disabled")
        self._scroll = page.evaluate("[scrollX, scrollY]")
        self.ground = ground(page)
        self._pixels = np.asarray(Image.open(BytesIO(png)).convert("RGB"), float) / 255

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


def settled(page: Page) -> None:
    """Wait for the end of what changes by degrees, as a bar that grows."""
    page.evaluate(
        """() => Promise.allSettled(
            document.getAnimations().map((animation) => animation.finished))"""
    )


# Red, green and blue, each from 0 to 1.
Colour = tuple[float, float, float]


def colour(text: str) -> Colour:
    """A computed colour; fails if one can see through it."""
    parts = [float(part) for part in re.findall(r"\d*\.?\d+(?:e-?\d+)?", text)]
    assert len(parts) == 3 or parts[3] == 1, f"{text} hides nothing"
    red, green, blue = (part if "srgb" in text else part / 255 for part in parts[:3])
    return red, green, blue


def ground(page: Page) -> Colour:
    """The colour behind the first figure of a page."""
    return colour(
        looks(page.locator("figure").first, "backgroundColor")[0]["backgroundColor"]
    )


def contrast(one: Colour, other: Colour) -> float:
    """The ratio of WCAG: 1 of equal colours, 21 of black and white."""

    def light(colour: Colour) -> float:
        linear = (
            c / 12.92 if c <= 0.04 else ((c + 0.055) / 1.055) ** 2.4 for c in colour
        )
        return float(np.dot([0.2126, 0.7152, 0.0722], list(linear)))

    dark, bright = sorted((light(one), light(other)))
    return (bright + 0.05) / (dark + 0.05)


def shading(
    fills: np.ndarray | list[Colour],
    weights: np.ndarray | list[float],
    ground: Colour,
    off: float = 0.02,
) -> tuple[Colour, Colour]:
    """The colours of no weight and of all of it, between which these fills (…, 3) lie.

    The more weight, the more a fill stands out from the ground; none lies more than
    `off` of the way beside its weight. How strong all of it is, is left to the figure.
    """
    fills = np.reshape(fills, (-1, 3))
    slope, empty = np.polyfit(np.ravel(weights), fills, 1)
    beside = empty + np.outer(weights, slope) - fills
    assert np.linalg.norm(beside, axis=1).max() <= off * np.linalg.norm(slope)
    none, all_of_it = tuple(empty.tolist()), tuple((empty + slope).tolist())
    assert dist(all_of_it, ground) > dist(none, ground) + 0.08, "weight is not seen"
    return none, all_of_it


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def names(words: list[str]) -> list[str]:
    """What sentences call words: of equal ones the first, the second and so on."""
    found = []
    for place, word in enumerate(words):
        which = ORDINALS[words[:place].count(word)] if words.count(word) > 1 else ""
        found.append(f"{which} {word}".strip())
    return found


def quoted(words: list[str]) -> list[str]:
    """The same in quotation marks: the first “seven”."""
    return [
        f"the {name[: -len(word)]}“{word}”" if name != word else f"“{word}”"
        for name, word in zip(names(words), words, strict=True)
    ]


# One of a list: a name, which may be the word "and", and a number or a share.
TOLD = re.compile(r"(?:^|, | and )(.+?) \(?([\d.]+)%?\)?(?=, | and |$)")


def check_told(
    text: str,
    names: list[str],
    weights: list[float],
    *,
    least: float,
    most: int | None = None,
    unit: float = 0.01,
) -> None:
    """Fail unless a list, "four 0.93, the end 0.05", tells the largest of the weights.

    It must have those of at least `least`, `most` of them at most, the largest first,
    each with its name, and as many parts as it has of the `unit` to which it rounds.
    """
    told = TOLD.findall(text)
    ranked = sorted(zip(weights, names, strict=True), reverse=True)
    wanted = [(name, weight) for weight, name in ranked if weight >= least][:most]
    assert [name for name, _ in told] == [name for name, _ in wanted]
    scale = unit if "%" in text else 1
    found = [scale * float(value) for _, value in told]
    assert found == pytest.approx([weight for _, weight in wanted], abs=0.51 * unit)


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


def alike(elements: Locator, name: str, value: str) -> Locator:
    """The one of these elements that has this style: what a legend's entry is of."""
    found = [look[name] for look in looks(elements, name)]
    assert found.count(value) == 1, f"{found.count(value)} have the {name} {value}"
    return elements.nth(found.index(value))


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
            tuple(
                pytest.approx(float(x), abs=d) for x, d in zip(point, off, strict=True)
            )
            for point in points
        ]
