"""Static figures in the page: the theme's colours, numbers, ids of their own."""

import io
import re

import drawings
import pytest
from bs4 import BeautifulSoup
from matplotlib import pyplot as plt

from attnlab.figures import palette
from attnlab.figures.style import use_style
from tests.book.parsed import parse_html


@pytest.fixture(scope="module")
def drawing_page():
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


def test_svg_drawing_colours_follow_the_theme(drawing_page):
    names = re.findall(r"var\((--figure-[a-z-]+)\)", drawing_page)
    assert {"--figure-wrong", "--figure-query", "--figure-ink"} <= set(names)
    assert not re.search("|".join(palette.ROLES.values()), drawing_page, re.IGNORECASE)
    sheet = drawings.style_sheet()
    assert all(f"{name}: light-dark(" in sheet for name in names)
    dark = set(re.findall(r"light-dark\(\S+, (\S+)\)", sheet))
    assert dark == set(palette.DARK.values())


def test_svg_drawing_ids_are_unique_and_resolve(drawing_page):
    ids = re.findall(r'\bid="([^"]+)"', drawing_page)
    assert len(set(ids)) == len(ids) > 0
    assert all(one.startswith("drawing-02-1-") for one in ids)
    asked = re.findall(r'(?:href="#|url\(#)([^")]+)', drawing_page)
    assert asked and set(asked) <= set(ids)


def test_svg_drawing_has_label_and_description(drawing_page):
    svg = BeautifulSoup(drawing_page, "html.parser").svg
    assert svg["role"] == "img" and svg["aria-label"] == 'one "and" <two>'
    assert "0.12345" in svg.get_text()
    assert "DejaVu" not in drawing_page
    assert svg.find("style") is None and svg.find("metadata") is None


def test_lab_and_evidence_figure_numbers_differ_from_lecture():
    names = ["01_bottleneck", "01_lab", "02_evidence", "12_label", "index"]
    wanted = ["1", "L1", "E2", "12", ""]
    assert [drawings.number_of(name) for name in names] == wanted


@pytest.mark.book
def test_chapter_drawings_are_numbered_in_order(html, chapter):
    page = parse_html(html / f"book/{chapter.stem}.html")
    figures = [one for one in page.select("article figure") if one.select(".drawing")]
    assert len(figures) == len(page.select("article .drawing"))
    of_tables = chapter.stem.endswith("_evidence")  # may have nothing but tables
    assert of_tables or figures or page.select("article .attnlab-live")
    number = drawings.number_of(chapter.stem)
    for count, figure in enumerate(figures, start=1):
        caption = figure.figcaption.get_text(" ", strip=True)
        assert caption.startswith(f"Figure {number}.{count}")
        assert len(caption) > 30
