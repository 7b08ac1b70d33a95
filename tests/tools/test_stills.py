"""The stills of live figures on the front page's cards."""

import re

import pytest
from PIL import Image

from tools.authoring import HAS_STILL, is_lab
from tools.stills import COLUMN, FOLDER, PICTURES, SIZE, THEMES, fitted, take

HEAVIEST = 15_000  # bytes
HEAVIEST_FIGURE = 30_000


def size_of_drawn(path):
    """A still's size, when something is drawn there."""
    with Image.open(path) as still:
        darkest, lightest = still.convert("L").getextrema()
        assert lightest - darkest > 100, path
        return still.size


def test_every_card_has_a_still_light_and_dark(root):
    chapters = root.glob("book/[0-9][0-9]_*.ipynb")
    lectures = {path.stem for path in chapters if not is_lab(path)}
    stills = sorted(FOLDER.glob("*-[dl]*.webp"))
    pages = lectures | {"train_your_own"}
    assert set(PICTURES) == pages
    names = {f"{name}-{theme}.webp" for name in pages for theme in THEMES}
    assert {path.name for path in stills} == names
    for path in stills:
        assert path.stat().st_size <= HEAVIEST
        assert size_of_drawn(path) == SIZE


def test_every_stored_figure_has_its_still_and_no_still_is_left_over(root):
    shown = []
    for path in root.glob("book/[0-9]*.ipynb"):
        outputs = path.read_text(encoding="utf-8")
        stills = re.findall(r"_static/stills/([\w-]+\.webp)", outputs)
        assert len(stills) == len(HAS_STILL.findall(outputs.replace('\\"', '"')))
        shown += stills
    taken = sorted(FOLDER.glob("*-[0-9]*.webp"))
    assert sorted(shown) == [path.name for path in taken]
    for path in taken:
        assert path.stat().st_size <= HEAVIEST_FIGURE
        assert size_of_drawn(path)[0] <= COLUMN


@pytest.mark.parametrize("size", [(900, 300), (300, 900)])
def test_fitted_cuts_a_picture_from_its_top_and_middle(size):
    picture = Image.new("RGB", size, "white")
    width, height = size
    picture.paste("red", (0, height - 1, width, height))
    middle = picture.getpixel((width // 2, 0))
    still = fitted(picture)
    assert still.size == SIZE
    assert still.getpixel((SIZE[0] // 2, 0)) == middle
    is_tall = width * SIZE[1] < height * SIZE[0]
    assert (still.getpixel((0, SIZE[1] - 1)) == (255, 255, 255)) == is_tall


@pytest.mark.weekly
@pytest.mark.book
def test_still_of_a_training_is_taken_when_it_is_over(browser, html):
    """That the part of another page's still is there is in `book/test_pages.py`."""
    page = browser.new_page()
    page.goto((html / "book" / "train_your_own.html").as_uri())
    page.get_by_label("Steps", exact=True).fill("20")
    page.get_by_label("Steps", exact=True).press("Enter")
    assert take(page, *PICTURES["train_your_own"]).size == SIZE
    page.close()
