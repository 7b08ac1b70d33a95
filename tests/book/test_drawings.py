"""Static figures in the page: the theme's colours, numbers, ids of their own."""

import io
import math
import re
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path

import drawings
import nbformat
import pytest
from bs4 import BeautifulSoup
from matplotlib import pyplot as plt

from attnlab.figures import palette
from attnlab.figures.style import use_style
from tests.book.parsed import soup

BOOK = Path(__file__).parents[2] / "book"


@pytest.fixture(scope="module")
def page():
    """A bar with a hatch, a labelled tick and a note in ink, as it stands in a page."""
    with plt.rc_context():
        use_style()
        figure, axes = plt.subplots()
        axes.bar([0, 1], [1, 2], color=palette.WRONG, hatch="/")
        axes.plot([0, 1], [1, 2], color=palette.QUERY)
        axes.set_xticks([0.125], ["0.12345"])
        file = io.StringIO()
        figure.savefig(file, format="svg")
        plt.close(figure)
    return drawings.inline(file.getvalue(), 'one "and" <two>', "drawing-02-1")


def test_every_colour_of_the_palette_follows_the_theme(page):
    names = re.findall(r"var\((--figure-[a-z-]+)\)", page)
    assert {"--figure-wrong", "--figure-query", "--figure-ink"} <= set(names)
    assert not re.search("|".join(palette.ROLES.values()), page, re.IGNORECASE)
    sheet = drawings.style_sheet()
    assert all(f"{name}: light-dark(" in sheet for name in names)


def test_ids_are_its_own_and_lead_somewhere(page):
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(set(ids)) == len(ids) > 0
    assert all(one.startswith("drawing-02-1-") for one in ids)
    asked = re.findall(r'(?:href="#|url\(#)([^")]+)', page)
    assert asked and set(asked) <= set(ids)


def test_it_says_what_it_shows_and_keeps_its_text(page):
    svg = BeautifulSoup(page, "html.parser").svg
    assert svg["role"] == "img" and svg["aria-label"] == 'one "and" <two>'
    assert "0.12345" in svg.get_text()
    assert "DejaVu" not in page
    assert svg.find("style") is None and svg.find("metadata") is None


def test_a_lab_numbers_its_figures_apart_from_its_lecture():
    names = ["01_bottleneck", "01_lab", "02_lab_b", "12_label", "index"]
    wanted = ["1", "L1", "L2B", "12", ""]
    assert [drawings.number_of(name) for name in names] == wanted


# What is said of a drawing, held against the words and numbers in it

WORD = re.compile(r"[^\W\d_]{3,}|\d[\d,.]*\d|\d")


def words(text):
    return {word.lower().rstrip("s") for word in WORD.findall(text)}


@cache
def drawn():
    """Of every stored drawing its chapter, its words, its alt text and its caption."""
    found = []
    for path in sorted(BOOK.glob("[0-9]*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            for output in cell.get("outputs", []):
                if svg := output.get("data", {}).get("image/svg+xml"):
                    labels = re.findall(r"<text.*?</text>", svg, re.DOTALL)
                    told = cell.metadata["mystnb"]
                    alt, caption = told["image"]["alt"], told["figure"]["caption"]
                    seen = words(drawings.TAG.sub(" ", " ".join(labels)))
                    found.append((path.stem, seen, words(alt), words(caption)))
    return found


def swapped(texts, places):
    """Pairs of texts that would fit each other's place as well; rare words count more.

    A text fits a place by the words that both have.
    """
    often = Counter(word for place in places for word in place)
    rare = {word: math.log((len(places) + 1) / n) for word, n in often.items()}
    fit = [[sum(rare[w] for w in one & place) for place in places] for one in texts]
    return {
        (one, other)
        for one, other in combinations(range(len(texts)), 2)
        if fit[one][one] + fit[other][other] <= fit[one][other] + fit[other][one]
    }


def test_what_is_said_of_a_drawing_is_said_of_this_one():
    chapters, seen, alts, captions = zip(*drawn(), strict=True)
    assert len(chapters) > 40
    of_alts = swapped(alts, seen)
    of_captions = swapped(captions, [a | b for a, b in zip(seen, alts, strict=True)])
    for one, other in of_alts | of_captions:
        assert chapters[one] != chapters[other], (alts[one], alts[other])
    assert len(of_alts | of_captions) < 10  # of more than a thousand


@pytest.mark.book
def test_every_drawing_of_a_chapter_is_numbered_in_order(html, chapter):
    page = soup(html / f"book/{chapter.stem}.html")
    figures = [one for one in page.select("article figure") if one.select(".drawing")]
    assert len(figures) == len(page.select("article .drawing"))
    assert figures or page.select("article .attnlab-live")
    number = drawings.number_of(chapter.stem)
    for count, figure in enumerate(figures, start=1):
        caption = figure.figcaption.get_text(" ", strip=True)
        assert caption.startswith(f"Figure {number}.{count}")
        assert len(caption) > 30
