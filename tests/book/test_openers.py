"""How chapters open, and what others show of them."""

import re

import pytest
from openers import drawing, site, social_tags

from attnlab.figures import palette

COLOUR = re.compile(r"var\(--figure-(\w+), (#\w{6})\)")


def test_drawings_have_the_palettes_colours(root):
    drawings = sorted((root / "book/_static/chapters").glob("*.svg"))
    for path in drawings:
        colours = COLOUR.findall(path.read_text("utf-8"))
        assert colours, path
        assert all(palette.ROLES[role] == colour for role, colour in colours), path


def test_a_lab_has_its_chapters_drawing(root):
    folder = root / "book/_static/chapters"
    assert drawing(folder, "01") == drawing(folder, "01_bottleneck")
    with pytest.raises(FileNotFoundError, match="99"):
        drawing(folder, "99")


@pytest.mark.parametrize(
    ("repository", "wanted"),
    [
        ("https://github.com/Some-One/a.book", "https://some-one.github.io/a.book/"),
        ("https://github.com/someone/book.git", "https://someone.github.io/book/"),
        ("https://example.org/book", None),
    ],
)
def test_the_site_of_a_repository(repository, wanted):
    assert site(repository) == wanted


def test_tags_are_safe_and_have_a_card_where_there_is_a_site():
    tags = social_tags('"<1>"', "https://a.github.io/b/")
    assert "<1>" not in tags and "https://a.github.io/b/_static/social-card.png" in tags
    assert "og:image" not in social_tags("1", None)


@pytest.mark.book
def test_every_chapter_has_its_drawing(html, root):
    for path in (root / "book").glob("[0-9][0-9]_*.ipynb"):
        page = (html / "book" / f"{path.stem}.html").read_text("utf-8")
        assert page.count("<h1><svg") == 1, path.stem
