"""The built book on paper."""

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


def test_contents_have_every_page_once(root):
    names = contents()
    assert names[0] == "index"
    assert sorted(names) == sorted(path.stem for path in root.glob("book/*.[mi]*"))


def all_of(page, selector, what):
    """`what` of every node that a selector names."""
    return page.eval_on_selector_all(selector, f"all => all.map((node) => node.{what})")


def test_pages_come_in_their_order_with_titles_figures_and_formulas(long_page):
    articles = all_of(long_page, "article.bd-article", "id")
    assert list(filter(None, articles)) == [*NAMES, "answers"]
    titles = long_page.locator("article.bd-article h1")
    assert titles.count() == len(NAMES) + 2  # the contents, and the answers
    assert all(titles.nth(i).is_visible() for i in range(titles.count()))
    assert long_page.locator("article .attnlab-live svg").count() > 1
    assert long_page.locator("article math").count() > 100
    assert long_page.locator("article script").count() == 0
    assert long_page.locator("article details:not([open])").count() == 0


def test_ids_are_unique_and_links_lead_to_one(long_page):
    ids = all_of(long_page, "article [id]", "id")
    assert len(set(ids)) == len(ids)
    links = all_of(long_page, "article a[href^='#']", "getAttribute('href').slice(1)")
    inside = {link for link in links if link.split("--")[0] in NAMES}
    assert "01_bottleneck" in inside
    assert inside - {*ids, *NAMES} == set()


def test_answers_stand_at_the_end_and_folded_code_nowhere(long_page):
    solutions = long_page.locator("article summary", has_text="Solution")
    at_the_end = long_page.locator("#answers summary", has_text="Solution")
    assert solutions.count() == at_the_end.count() > 50
    assert long_page.locator(".fc-paper").count() > 30
    assert long_page.locator("article:not(#answers) .fc-paper").count() == 0
    asked = long_page.locator("[id*='--asked-']")
    assert asked.count() == long_page.locator("#answers [id*='--answer-']").count()
    assert long_page.locator("details.fold").count() == 0
    assert long_page.locator("details.listing").count() > 50


def test_whole_book_has_a_title_page_and_contents_with_page_numbers(
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
        assert pdf.Root.MarkInfo.Marked and pdf.Root.Outlines
    assert begin[0] == 3 < begin[1] <= len(sheets)
    assert counted[0] == {}
    assert [counted[1][name] for name in names] == begin
