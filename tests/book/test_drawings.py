"""Static figures in the page: the theme's colours, numbers, ids of their own."""

import io
import re

import drawings
import pytest
from bs4 import BeautifulSoup
from matplotlib import pyplot as plt

from attnlab.figures import palette
from attnlab.figures.style import use_style
from tests.book.parsed import soup


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


def test_drawing_s_colours_follow_the_theme(page):
    names = re.findall(r"var\((--figure-[a-z-]+)\)", page)
    assert {"--figure-wrong", "--figure-query", "--figure-ink"} <= set(names)
    assert not re.search("|".join(palette.ROLES.values()), page, re.IGNORECASE)
    sheet = drawings.style_sheet()
    assert all(f"{name}: light-dark(" in sheet for name in names)


def test_drawing_s_ids_are_its_own_and_lead_somewhere(page):
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(set(ids)) == len(ids) > 0
    assert all(one.startswith("drawing-02-1-") for one in ids)
    asked = re.findall(r'(?:href="#|url\(#)([^")]+)', page)
    assert asked and set(asked) <= set(ids)


def test_drawing_has_a_label_and_its_text(page):
    svg = BeautifulSoup(page, "html.parser").svg
    assert svg["role"] == "img" and svg["aria-label"] == 'one "and" <two>'
    assert "0.12345" in svg.get_text()
    assert "DejaVu" not in page
    assert svg.find("style") is None and svg.find("metadata") is None


def test_lab_and_evidence_number_their_figures_apart_from_the_lecture():
    names = ["01_bottleneck", "01_lab", "02_evidence", "12_label", "index"]
    wanted = ["1", "L1", "E2", "12", ""]
    assert [drawings.number_of(name) for name in names] == wanted


@pytest.mark.book
def test_drawings_of_a_chapter_are_numbered_in_order(html, chapter):
    page = soup(html / f"book/{chapter.stem}.html")
    figures = [one for one in page.select("article figure") if one.select(".drawing")]
    assert len(figures) == len(page.select("article .drawing"))
    assert figures or page.select("article .attnlab-live")
    number = drawings.number_of(chapter.stem)
    for count, figure in enumerate(figures, start=1):
        caption = figure.figcaption.get_text(" ", strip=True)
        assert caption.startswith(f"Figure {number}.{count}")
        assert len(caption) > 30
