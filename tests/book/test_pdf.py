"""The built book on paper."""

import re

import pikepdf
import pytest

from tools.pdf import (
    STYLE,
    call,
    contents,
    contents_page,
    print_book,
    take_pages,
    title_page,
)

pytestmark = [pytest.mark.book, pytest.mark.weekly]

NAMES = contents()


@pytest.fixture(scope="module")
def long_page(browser, html):
    """The page that is printed: all of the book's in one."""
    page = browser.new_page(viewport={"width": 680, "height": 900})
    taken = take_pages(page, html, NAMES, code=False)
    titles = {name: one["title"] for name, one in zip(NAMES, taken, strict=True)}
    front = title_page() + contents_page({**titles, "answers": "Answers"}, {})
    page.goto((html / "book" / "index.html").as_uri())
    page.evaluate(call("fill"), [taken, front, STYLE])
    page.emulate_media(media="print")
    yield page
    page.close()


def test_every_page_is_in_the_contents_once(root):
    names = contents()
    assert names[0] == "index"
    assert sorted(names) == sorted(path.stem for path in root.glob("book/*.[mi]*"))


def test_pages_come_in_their_order_with_titles_figures_and_formulas(long_page):
    ids = "all => all.map((node) => node.id).filter(Boolean)"
    articles = long_page.eval_on_selector_all("article.bd-article", ids)
    assert articles == [*NAMES, "answers"]
    assert (
        long_page.locator("article.bd-article")
        .first.inner_text()
        .startswith("Attention, Measured")
    )
    titles = long_page.locator("article.bd-article h1")
    assert titles.count() == len(NAMES) + 2  # the contents, and the answers
    assert all(titles.nth(i).is_visible() for i in range(titles.count()))
    assert long_page.locator("article .attnlab-live svg").count() > 1
    assert long_page.locator("article math").count() > 100
    assert long_page.locator("article script").count() == 0
    assert long_page.locator("article details:not([open])").count() == 0


def test_no_two_places_have_one_id_and_links_lead_to_one(long_page):
    ids = long_page.eval_on_selector_all(
        "article [id]", "all => all.map((node) => node.id)"
    )
    assert len(set(ids)) == len(ids)
    links = long_page.eval_on_selector_all(
        "article a[href^='#']", "all => all.map((node) => node.getAttribute('href'))"
    )
    inside = [link[1:] for link in links if link[1:].split("--")[0] in NAMES]
    assert "01_bottleneck" in inside
    places = {*ids, *NAMES}
    assert [link for link in inside if link not in places] == []


def test_answers_stand_at_the_end_and_code_that_was_folded_nowhere(long_page):
    solutions = long_page.locator("article summary", has_text="Solution")
    at_the_end = long_page.locator("#answers summary", has_text="Solution")
    assert solutions.count() == at_the_end.count() > 50
    assert long_page.locator(".fc-paper").count() > 30
    assert long_page.locator("article:not(#answers) .fc-paper").count() == 0
    asked = long_page.locator("[id*='--asked-']")
    assert asked.count() == long_page.locator("#answers [id*='--answer-']").count()
    exercises = long_page.locator("#answers a", has_text=re.compile("^Exercise [0-9]"))
    assert exercises.count() >= at_the_end.count()
    assert long_page.locator("details.fold").count() == 0
    assert long_page.locator("details.listing").count() > 50


def test_no_words_of_a_figure_are_cut_off_at_its_edge(long_page):
    cut = long_page.eval_on_selector_all(
        "article .attnlab-live svg",
        """all => all.flatMap((svg) => {
          const edge = svg.getBoundingClientRect().right;
          return [...svg.querySelectorAll("text")]
            .filter((words) => words.getBoundingClientRect().right > edge + 1)
            .map((words) => words.textContent);
        })""",
    )
    assert cut == []


def test_the_pdf_has_pages(browser, html, tmp_path):
    output = tmp_path / "book.pdf"
    print_book(browser, html, ["notation"], output)
    with pikepdf.open(output) as pdf:
        assert 2 <= len(pdf.pages) <= 12
        assert pdf.Root.MarkInfo.Marked and pdf.Root.Outlines


def test_the_whole_has_a_title_page_and_contents_that_count(
    browser, html, tmp_path, monkeypatch
):
    names, counted = ["notation", "glossary"], []

    def recorded(titles, numbers):
        counted.append(numbers)
        return contents_page(titles, numbers)

    monkeypatch.setattr("tools.pdf.contents", lambda: names)
    monkeypatch.setattr("tools.pdf.contents_page", recorded)
    output = tmp_path / "book.pdf"
    print_book(browser, html, names, output)
    with pikepdf.open(output) as pdf:
        sheets = [sheet.obj.objgen for sheet in pdf.pages]
        places = pdf.Root.Dests
        begin = [sheets.index(places["/" + n][0].objgen) + 1 for n in names]
    assert begin[0] == 3 < begin[1] <= len(sheets)
    assert counted[0] == {}
    assert [counted[1][name] for name in names] == begin
    assert "<span>3</span>" in contents_page({"notation": "Notation"}, counted[1])
