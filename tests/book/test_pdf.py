"""The built book on paper."""

import pikepdf
import pytest

from tools.pdf import (
    STYLE,
    call_script,
    contents_page,
    page_contents,
    print_book,
    split_pages,
    title_page,
)

pytestmark = [pytest.mark.book, pytest.mark.weekly]

PAGE_NAMES = page_contents()


@pytest.fixture(scope="module")
def print_page(browser, html):
    """The page that is printed: all of the book's in one."""
    page = browser.new_page(viewport={"width": 680, "height": 900})
    taken = split_pages(page, html, PAGE_NAMES, code=False)
    titles = {name: one["title"] for name, one in zip(PAGE_NAMES, taken, strict=True)}
    front = title_page() + contents_page({**titles, "answers": "Answers"}, {})
    page.goto((html / "book" / "index.html").as_uri())
    page.evaluate(call_script("fill"), [taken, front, STYLE])
    page.emulate_media(media="print")
    yield page
    page.close()


def test_pdf_contents_list_every_page_once(root):
    names = page_contents()
    assert names[0] == "index"
    assert sorted(names) == sorted(path.stem for path in root.glob("book/*.[mi]*"))


def attributes_of(page, selector, what):
    """`what` of every node that a selector names."""
    return page.eval_on_selector_all(selector, f"all => all.map((node) => node.{what})")


def test_pdf_pages_are_in_order_with_figures_and_formulas(print_page):
    articles = attributes_of(print_page, "article.bd-article", "id")
    assert list(filter(None, articles)) == [*PAGE_NAMES, "answers"]
    titles = print_page.locator("article.bd-article h1")
    assert titles.count() == len(PAGE_NAMES) + 2  # the contents, and the answers
    assert all(titles.nth(i).is_visible() for i in range(titles.count()))
    assert print_page.locator("article .attnlab-live svg").count() > 1
    assert print_page.locator("article math").count() > 100
    assert print_page.locator("article script").count() == 0
    assert print_page.locator("article details:not([open])").count() == 0


def test_pdf_ids_are_unique_and_links_resolve(print_page):
    ids = attributes_of(print_page, "article [id]", "id")
    assert len(set(ids)) == len(ids)
    links = attributes_of(
        print_page, "article a[href^='#']", "getAttribute('href').slice(1)"
    )
    inside = {link for link in links if link.split("--")[0] in PAGE_NAMES}
    assert "01_bottleneck" in inside
    assert inside - {*ids, *PAGE_NAMES} == set()


def test_pdf_puts_answers_last_and_omits_folded_code(print_page):
    solutions = print_page.locator("article summary", has_text="Solution")
    at_the_end = print_page.locator("#answers summary", has_text="Solution")
    assert solutions.count() == at_the_end.count() > 50
    assert print_page.locator(".fc-paper").count() > 30
    assert print_page.locator("article:not(#answers) .fc-paper").count() == 0
    asked = print_page.locator("[id*='--asked-']")
    assert asked.count() == print_page.locator("#answers [id*='--answer-']").count()
    assert print_page.locator("details.fold").count() == 0
    assert print_page.locator("details.listing").count() > 50


def test_pdf_book_has_title_page_and_page_numbers(browser, html, tmp_path, monkeypatch):
    names, counted = ["notation", "glossary"], []

    def recorded(titles, numbers):
        counted.append(numbers)
        return contents_page(titles, numbers)

    monkeypatch.setattr("tools.pdf.page_contents", lambda: names)
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
