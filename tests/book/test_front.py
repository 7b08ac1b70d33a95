"""The front page: what it is, for whom and where to begin, at first sight."""

import re

import nbformat
import pytest
from bs4 import BeautifulSoup
from front import card
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from playwright.sync_api import expect

from attnlab.claims import load_claims
from tests.book.parsed import parse_html
from tools.authoring import page_of


@pytest.mark.parametrize(("words", "minutes"), [(10, 5), (2300, 30), (4500, 60)])
def test_front_page_card_has_title_question_and_length(tmp_path, words, minutes):
    opening = "# 9 · A & B\n\n**What is *two* worth?**\n\nText."
    prose = [opening, "word " * words, "$x$ `code` " * 999]
    path = tmp_path / "09_ab.ipynb"
    cells = [*map(new_markdown_cell, prose), new_code_cell("code " * 999)]
    nbformat.write(new_notebook(cells=cells), path)
    found = BeautifulSoup(card("09_ab", path), "html.parser")
    assert found.a["href"] == "09_ab.html"
    assert found.strong.text == "9 · A & B"
    assert str(found.span) == "<span>What is <i>two</i> worth?</span>"
    assert found.small.text == f"{minutes} minutes"
    assert found.img is None  # of it no still has been taken


@pytest.mark.book
def test_front_page_has_card_and_still_for_each_lecture(html, root):
    cards = parse_html(html / "book/index.html").select(".chapter-cards a")
    paths = sorted(root.glob("book/[0-9][0-9]_*.ipynb"))
    lectures = [path.stem for path in paths if page_of(path) == "lecture"]
    pages = [*lectures, "train_your_own"]
    assert [card["href"] for card in cards] == [f"{name}.html" for name in pages]
    stills = [{image["src"] for image in card.select("img")} for card in cards]
    assert [len(of_both_themes) for of_both_themes in stills] == [2] * len(cards)


@pytest.mark.book
@pytest.mark.parametrize(
    ("width", "height", "seen"),
    [
        (1280, 800, ["figure", ".wall-squares", ".wall-legend"]),
        (390, 844, [".hero-words[data-kind=target] button >> nth=0"]),
    ],
)
def test_front_page_first_screen_states_topic_audience_and_start(
    visit, html, width, height, seen
):
    page = visit(f"{html.as_uri()}/book/index.html", width=width).page
    page.set_viewport_size({"width": width, "height": height})
    for place in ["h1", ".front-lead", ".front-whom", ".front-begin", *seen]:
        expect(page.locator(f"article {place}").first).to_be_in_viewport(ratio=1)
    page.get_by_role("link", name="Start: ").click()
    page.wait_for_url("**/01_bottleneck.html")


@pytest.mark.book
def test_claim_square_shows_claim_on_hover_and_focus(visit, html):
    page = visit(f"{html.as_uri()}/book/index.html").page
    squares = page.locator(".wall-squares a")
    words = squares.nth(2).locator("span")
    claimed = re.compile(re.escape(load_claims()["C03"].text))
    expect(squares.nth(2)).to_have_accessible_name(claimed)
    squares.nth(2).hover()
    assert words.bounding_box()["width"] > 500
    page.mouse.move(0, 0)
    assert words.bounding_box()["width"] < 2
    squares.nth(1).focus()
    page.keyboard.press("Tab")
    assert words.bounding_box()["width"] > 500
    page.keyboard.press("Enter")
    page.wait_for_url("**/ledger.html#ledger-C03")
    expect(page.locator("#ledger-C03 dl")).to_be_in_viewport()
