"""The stills of live figures on the front page's cards."""

import re

from PIL import Image

from tools.authoring import HAS_STILL, page_of
from tools.stills import COLUMN_WIDTH, FOLDER, PICTURES, SIZE, THEMES

MAX_STILL_BYTES = 15_000  # bytes
MAX_FIGURE_BYTES = 30_000


def still_size(path):
    """A still's size, when something is drawn there."""
    with Image.open(path) as still:
        darkest, lightest = still.convert("L").getextrema()
        assert lightest - darkest > 100, path
        return still.size


def test_cards_have_light_and_dark_stills(root):
    chapters = root.glob("book/[0-9][0-9]_*.ipynb")
    lectures = {path.stem for path in chapters if page_of(path) == "lecture"}
    stills = sorted(FOLDER.glob("*-[dl]*.webp"))
    pages = lectures | {"train_your_own"}
    assert set(PICTURES) == pages
    names = {f"{name}-{theme}.webp" for name in pages for theme in THEMES}
    assert {path.name for path in stills} == names
    for path in stills:
        assert path.stat().st_size <= MAX_STILL_BYTES
        assert still_size(path) == SIZE


def test_stills_equal_stored_figures(root):
    shown = []
    for path in root.glob("book/[0-9]*.ipynb"):
        outputs = path.read_text(encoding="utf-8")
        stills = re.findall(r"_static/stills/([\w-]+\.webp)", outputs)
        assert len(stills) == len(HAS_STILL.findall(outputs.replace('\\"', '"')))
        shown += stills
    taken = sorted(FOLDER.glob("*-[0-9]*.webp"))
    assert sorted(shown) == [path.name for path in taken]
    for path in taken:
        assert path.stat().st_size <= MAX_FIGURE_BYTES
        assert still_size(path)[0] <= COLUMN_WIDTH
