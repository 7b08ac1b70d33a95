"""How chapters open, and what others show of them."""

import re

import pytest
from openers import site, social_tags

from attnlab.figures import palette

COLOUR = re.compile(r"var\(--figure-(\w+), (#\w{6})\)")


def test_drawings_have_the_palettes_colours(root):
    for path in (root / "book/_static/chapters").glob("*.svg"):
        colours = COLOUR.findall(path.read_text("utf-8"))
        assert colours, path
        assert all(palette.ROLES[role] == colour for role, colour in colours), path


def test_social_tags_are_escaped_and_have_a_card_where_there_is_a_site():
    tags = social_tags('"<1>"', site("https://github.com/Some-One/a.book"))
    assert "<1>" not in tags
    assert "https://some-one.github.io/a.book/_static/social-card.png" in tags
    assert "og:image" not in social_tags("1", site("https://example.org/book"))


@pytest.mark.book
def test_every_chapter_has_its_drawing(html, root):
    for path in (root / "book").glob("[0-9][0-9]_*.ipynb"):
        page = (html / "book" / f"{path.stem}.html").read_text("utf-8")
        assert page.count("<h1><svg") == 1, path.stem
