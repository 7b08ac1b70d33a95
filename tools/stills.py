"""Take the stills of live figures, and the front page for the README.

    python -m tools.stills       # after `make book`

A card's still, on the front page, is the middle of what a live figure draws, as its
chapter shows it first, at twice the size that a card gives it; once in light and once
in dark. The page where one trains has nothing to show before: there the still is taken
when a run is over. A notebook's still is all that a live figure draws as it opens, for
whoever reads the notebook before a cell is run: on GitHub, in JupyterLab, in Colab.
"""

import argparse
import io
import sys
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize

from tools.authoring import NO_STILL, ROOT
from tools.browser import SHOW_ANSWERS, NoBrowser, open_browser

HTML = ROOT / "_build" / "html" / "book"
FOLDER = ROOT / "book" / "_static" / "stills"
README = ROOT / "docs" / "front.png"
WINDOW: ViewportSize = {"width": 1280, "height": 800}
SIZE = (448, 280)  # pixels
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

# The part of each page's figure that tells most at the size of a card.
PICTURES = {
    "01_bottleneck": ("bottleneck", ".bn-lane"),
    "02_alignment": ("alignment", ".aln-matrix"),
    "03_self_attention": ("look-up", ".lu-plane"),
    "04_multi_head": ("heads", ".hd-damage"),
    "05_positions": ("positions", ".pos-canvas"),
    "06_complexity": ("cost", ".cost-svg"),
    "07_transformer": ("machine", ".ma-columns"),
    "08_writing": ("sampling", ".sa-bars"),
    "09_memory": ("energy", ".en-stage"),
    "10_pretrained": ("published-heads", ".ph-matrix"),
    "11_fixed_state": ("state-matrix", ".sm-state"),
    "train_your_own": ("train", ".tn-exact svg"),
}
# Every figure of a page that `tools.authoring` gives a still, by their order, and what
# it draws with a small margin.
FIGURES = ".attnlab-live" + "".join(
    f':not([data-figure="{name}"])' for name in NO_STILL
)
DRAWN_BOX = """(body) => {
  const { x, y, width, height } = body.getBoundingClientRect();
  return {
    x: x + scrollX - 8, y: y + scrollY - 8, width: width + 16, height: height + 16,
  };
}"""
PAUSE = 1_500  # milliseconds until what a figure loads is drawn
COLUMN_WIDTH = 688  # pixels, a column's width: a wider figure is reduced to it


def take_screenshot(page: Page, figure: str, part: str) -> Image.Image:
    """The middle of the first of a figure's parts that match, once it is drawn."""
    whole = page.locator(f'.attnlab-live[data-figure="{figure}"]').first
    whole.scroll_into_view_if_needed()  # when some of them load their weights
    explore = whole.get_by_role("button", name="Explore", exact=True)
    if explore.is_visible():  # a tour hides what it has not come to
        explore.click()
    place = whole.locator(part).first
    place.wait_for(timeout=60_000)
    return fit_image(Image.open(io.BytesIO(place.screenshot())).convert("RGB"))


def fit_image(picture: Image.Image) -> Image.Image:
    """Cut a picture to the shape of a still, from its top and its middle."""
    width, height = picture.size
    wide, high = SIZE
    across, down = min(width, height * wide // high), min(height, width * high // wide)
    left = (width - across) // 2
    return picture.resize(SIZE, box=(left, 0, left + across, down))


def take_all(browser: Browser, names: list[str]) -> None:
    """Write the stills of these pages, light and dark."""
    FOLDER.mkdir(exist_ok=True)
    for theme in THEMES:
        context = browser.new_context(
            viewport=WINDOW,
            device_scale_factor=2,
            color_scheme=theme,
            reduced_motion="reduce",
        )
        for name in names:
            page = context.new_page()
            page.goto((HTML / f"{name}.html").as_uri())
            still = take_screenshot(page, *PICTURES[name])
            still.save(FOLDER / f"{name}-{theme}.webp", quality=60, method=6)
            page.close()
        context.close()


def take_figures(browser: Browser, names: list[str]) -> None:
    """Write a still of each live figure of these notebooks' pages."""
    page = browser.new_page(
        viewport=WINDOW, color_scheme="light", reduced_motion="reduce"
    )
    for name in names:
        page.goto((HTML / f"{name}.html").as_uri())
        page.evaluate(SHOW_ANSWERS)
        for number, figure in enumerate(page.locator(FIGURES).all(), start=1):
            figure.scroll_into_view_if_needed()  # when some of them load their weights
            page.wait_for_timeout(PAUSE)
            drawn = figure.locator(".attnlab-body:not(:has([aria-busy=true]))")
            screen = page.screenshot(full_page=True, clip=drawn.evaluate(DRAWN_BOX))
            still = Image.open(io.BytesIO(screen)).convert("RGB")
            still.thumbnail((COLUMN_WIDTH, 2 * WINDOW["height"]))
            still.save(FOLDER / f"{name}-{number}.webp", quality=40, method=6)
    page.close()


def take_front(browser: Browser) -> None:
    """Write the first screen of the front page."""
    page = browser.new_page(viewport=WINDOW, color_scheme="light")
    page.goto((HTML / "index.html").as_uri())
    page.locator(".hero-word").first.wait_for()
    with Image.open(io.BytesIO(page.screenshot())) as screen:
        screen.convert("RGB").quantize(128).save(README, optimize=True)
    page.close()


def main() -> int:
    """Take the stills; returns 1, and says why, if there is no browser or no book."""
    parser = argparse.ArgumentParser(prog="python -m tools.stills", description=__doc__)
    parser.add_argument("pages", nargs="*", default=list(PICTURES))
    pages = parser.parse_args().pages
    notebooks = sorted(path.stem for path in (ROOT / "book").glob("[0-9]*.ipynb"))
    if not HTML.exists():
        print("Build the book first: make book")
        return 1
    try:
        with open_browser() as browser:
            take_all(browser, pages)
            take_figures(browser, notebooks)
            take_front(browser)
    except NoBrowser as error:
        print(error)
        return 1
    print(f"The stills are in {FOLDER}, the front page is {README}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
