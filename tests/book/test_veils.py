"""What answers a forecast is veiled until the forecast is taken, and never lost."""

import re

import pytest
from drawing import reload

from tests.book.parsed import parse_html

pytestmark = [pytest.mark.book, pytest.mark.browser]

CHAPTER_PAGE = "book/01_bottleneck.html"
VEIL_STATES = """() => [...document.querySelectorAll(".veiled")].map(
  (veil) => veil.firstElementChild.checkVisibility({ contentVisibilityAuto: true }))"""


def wait_until(page, condition):
    """Wait in the page: its policy forbids what `wait_for_function` does later on."""
    page.evaluate(
        f"""() => new Promise((done, fail) => {{
          setTimeout(fail, 60_000, new Error("never true: {condition}"));
          const look = () => (({VEIL_STATES})(){condition}
            ? done() : requestAnimationFrame(look));
          look();
        }})"""
    )


@pytest.fixture
def open_chapter(html, visit):
    """`open_chapter()` opens the first chapter, or a `part`, as a reader does."""
    address = (html / CHAPTER_PAGE).as_uri()
    return lambda part="", **asked: visit(address + part, veiled=True, **asked).page


def test_answers_below_forecast_are_hidden_at_first(html):
    forecasts = 0
    for path in sorted((html / "book").glob("[0-9]*.html")):
        if path.stem.endswith("_lab"):  # its answers are not veiled
            continue
        page = parse_html(path)
        for figure in page.select('figure[data-figure="forecast"]'):
            cell = figure.find_parent(class_="cell")
            veil = cell.find_next_sibling()
            id = re.search(r'"id": "(.*?)"', figure.script.string)[1]
            assert {"veiled", f"of-{id}"} <= set(veil["class"]), (path.name, id)
            assert veil.get_text(strip=True), (path.name, id)
            assert "<!-- end" not in str(veil)  # it ends where its chapter says
            forecasts += 1
        answers = page.select(".cell.tag_answer")
        assert [cell for cell in answers if not cell.find_parent(class_="veiled")] == []
    assert forecasts > 20


def test_hidden_answer_shows_on_skip_and_hides_again(open_chapter):
    page = open_chapter()
    first = page.locator('[data-figure="forecast"]').first
    first.get_by_role("button", name="Skip and show").click()
    wait_until(page, "[0]")
    assert page.evaluate(VEIL_STATES) == [True, False]
    assert page.locator(".veil-note:visible").count() == 1
    first.get_by_role("button", name="Hide it and forecast").click()
    wait_until(page, "[0] === false")


def test_answer_after_forecast_stays_visible_on_next_visit(open_chapter):
    page = open_chapter()
    forecast = page.locator('[data-figure="forecast"]').nth(1)
    forecast.get_by_role("slider").press("ArrowRight")
    forecast.get_by_role("button", name="Show what happened").click()
    wait_until(page, "[1]")
    reload(page)
    wait_until(page, "[1]")
    assert page.evaluate(VEIL_STATES) == [False, True]


def test_answers_are_visible_where_figures_fail_to_load(open_chapter):
    page = open_chapter()
    page.add_init_script("URL.createObjectURL = () => 'blob:none'")
    reload(page)
    wait_until(page, ".every(Boolean)")


def test_answers_are_visible_in_print_and_without_script(open_chapter):
    page = open_chapter(theme="dark")
    page.wait_for_selector(".veil-note")
    page.emulate_media(media="print")
    wait_until(page, ".every(Boolean)")  # laid out in a later frame
    assert page.locator(".veil-note:visible").count() == 0
    scheme = "(figure) => getComputedStyle(figure).colorScheme"
    assert page.locator(".attnlab-live").first.evaluate(scheme) == "light"
    plain = open_chapter(java_script_enabled=False)
    assert plain.locator(".veiled").first.is_visible()


def test_link_into_hidden_answer_shows_it(open_chapter):
    page = open_chapter("#figure-1-2")
    wait_until(page, ".some(Boolean)")
    assert page.locator("figure:has(#figure-1-2)").is_visible()
