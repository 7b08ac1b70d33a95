"""What the tests of the live figures wait for and measure."""

import pytest
from playwright.sync_api import Page


def redrawn(page: Page) -> None:
    """Wait until what was done before is drawn, however busy the machine.

    Figures draw in the frame after a change, or after a new width was seen; what takes
    them longer is `aria-busy` meanwhile.
    """
    page.evaluate(
        """async () => {
            const frame = () => new Promise((done) => requestAnimationFrame(done));
            for (let passed = 0; passed < 3; passed++) await frame();
            while (document.querySelector("[aria-busy=true]")) await frame();
            await frame();
            await new Promise((done) => setTimeout(done));
        }"""
    )


# The book's text column on a screen of 1280 × 800, and what its header leaves of the
# height, there and on a phone of 390 × 844.
COLUMN = 688
WIDE_HEIGHT = 800 - 48
PHONE_HEIGHT = 844 - 48


# The font of a figure is the reader's own. Most have letters as wide as Arial's; many
# on Linux have wider ones.
USUAL, WIDE = "Arial", "DejaVu Sans"
ALPHABET_OF_ARIAL = 1273  # pixels, at 100 a line


def usual_letters(page: Page) -> None:
    """Skip a test of sizes where the machine has no letters as wide as Arial's."""
    alphabet = page.evaluate(
        """() => {
          const pen = document.createElement("canvas").getContext("2d");
          pen.font = `100px ${getComputedStyle(document.body).fontFamily}`;
          return pen.measureText("abcdefghijklmnopqrstuvwxyz").width;
        }"""
    )
    if abs(alphabet / ALPHABET_OF_ARIAL - 1) > 0.02:
        pytest.skip("no letters as wide as Arial's; on Debian: fonts-liberation")


def in_column(page: Page) -> None:
    """Give the figures the width that they have in the book at 1280."""
    usual_letters(page)
    page.locator("main").evaluate(f"main => main.style.width = '{COLUMN}px'")
    redrawn(page)


def on_phone(page: Page) -> None:
    """Give the page the size of a phone."""
    usual_letters(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("main").evaluate("main => main.style.width = ''")
    redrawn(page)


def span(page: Page, first: str, last: str) -> float:
    """The height from the top of one element to the foot of another."""
    top = page.locator(first).first.bounding_box()
    foot = page.locator(last).first.bounding_box()
    return foot["y"] + foot["height"] - top["y"]
