"""How chapters open, and what others show of them."""

import re

import pytest
from openers import site, social_tags

from attnlab.figures import palette


def test_social_tags_have_card_on_site():
    tags = social_tags("1", site("https://github.com/Some-One/a.book"))
    assert "https://some-one.github.io/a.book/_static/social-card.png" in tags
    assert "og:image" not in social_tags("1", site("https://example.org/book"))


@pytest.mark.book
def test_chapter_has_an_opener_drawing_in_palette_colours(html, root):
    for path in (root / "book").glob("[0-9][0-9]_*.ipynb"):
        page = (html / "book" / f"{path.stem}.html").read_text("utf-8")
        assert page.count("<h1><svg") == 1, path.stem
        opener = page.partition("<h1><svg")[2].partition("</svg>")[0]
        colours = re.findall(r"var\(--figure-(\w+), (#\w{6})\)", opener)
        assert colours and set(colours) <= palette.ROLES.items(), path.stem
