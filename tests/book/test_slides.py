"""The slides of the chapters, those of one in a real browser."""

import re

import nbformat
import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect

from tools.slides import arrange_slides, make_slides, to_html

pytestmark = [pytest.mark.book, pytest.mark.weekly]


@pytest.fixture(scope="module")
def chapter_slides(html, root):
    """The slides of chapter 3, beside the built book."""
    return make_slides(root / "book" / "03_self_attention.ipynb", html / "slides")


def test_slides_load_no_external_file_and_log_no_error(visit, chapter_slides, html):
    seen = visit(chapter_slides.as_uri())
    seen.page.locator(".attnlab-live svg").first.wait_for(state="attached")
    near = (html.as_uri(), "data:", "blob:")
    assert [url for url in seen.requests if not url.startswith(near)] == []
    assert seen.errors == []
    assert seen.page.locator("math").count() > 20
    pictures = seen.page.locator("main img").all()
    assert pictures
    assert all(len(picture.get_attribute("alt")) > 40 for picture in pictures)


def test_slides_render_chapter_formulas(chapter):
    """What the slides hold of prose and of tables; a whole deck takes seconds."""
    cells = arrange_slides(nbformat.read(chapter, as_version=4)).cells
    html = [to_html(one.source) for one in cells if one.cell_type == "markdown"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    html += [output.get("data", {}).get("text/html", "") for output in outputs]
    page = BeautifulSoup("".join(html), "lxml")
    assert page.select("math")
    for code in page.select("pre, code, script, annotation"):
        code.decompose()
    assert "$" not in page.get_text()


def test_slides_keys_change_slide_and_show_notes(visit, chapter_slides):
    page = visit(chapter_slides.as_uri()).page
    place = page.locator("#place")
    for key, number in (("Home", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        assert place.inner_text().startswith(f"{number} /")
    note = page.locator("aside.notes").first
    assert not note.is_visible()
    page.keyboard.press("n")
    assert note.is_visible()


def test_slides_keys_inside_a_figure_do_not_change_slide(visit, chapter_slides):
    page = visit(chapter_slides.as_uri()).page
    slider = page.locator(".attnlab-live input[type=range]:visible").first
    slider.scroll_into_view_if_needed()
    slider.focus()
    before = page.evaluate("scrollY"), slider.input_value()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("scrollY") == before[0]
    assert slider.input_value() != before[1]


def test_slide_content_fits_the_screen(visit, chapter_slides):
    page = visit(chapter_slides.as_uri()).page
    page.set_viewport_size({"width": 1280, "height": 720})
    zooms = []
    for slide in page.locator("main > section > section").all():
        slide.scroll_into_view_if_needed()
        expect(slide).to_have_css("height", re.compile(r"72[01](\.\d+)?px"))
        zooms.append(slide.evaluate("one => one.style.getPropertyValue('--zoom')"))
    assert any(zooms) and all(float(zoom) > 0.7 for zoom in zooms if zoom)
