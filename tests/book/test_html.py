"""The built pages as files: titles, links, pictures, buttons."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
import yaml
from lxml.html import document_fromstring

from attnlab.claims import load_claims
from tests.book.parsed import parse_html
from tools.authoring import TITLE

pytestmark = pytest.mark.book


@cache
def anchor_ids(file: Path) -> set[str]:
    """What an address with # can lead to on a page, which need not be parsed for it."""
    return set(document_fromstring(file.read_bytes()).xpath("//@id"))


def plain(node) -> str:
    """A node's text on one line, with typed quotation marks."""
    text = " ".join(node.get_text().split())
    return re.sub("[“”]", '"', re.sub("[‘’]", "'", text))


def broken_links(file: Path) -> list[str]:
    """The addresses within the book that lead to no file or to no place in it."""
    page, broken = parse_html(file), []
    linked = {node["href"] for node in page.select("a[href], link[href]")}
    for address in linked | {node["src"] for node in page.select("[src]")}:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        anchor = unquote(parts.fragment)
        if not target.is_file() or (
            anchor and target.suffix == ".html" and anchor not in anchor_ids(target)
        ):
            broken.append(address)
    return broken


def test_built_page_has_all_notebook_code_in_order(html, chapter):
    cells = [c for c in nbformat.read(chapter, 4).cells if c.cell_type == "code"]
    shown = [c for c in cells if not {"setup", "ask"} & set(c.metadata.get("tags", []))]
    code = [re.sub(rf"^{TITLE}.*\n", "", cell.source) for cell in shown]
    page = parse_html(html / f"book/{chapter.stem}.html")
    listed = [one.get_text().split() for one in page.select(".cell_input pre")]
    assert listed == [one.split() for one in code]
    folds = [fold.get_text(strip=True) for fold in page.select("summary")]
    assert "code" not in folds  # dozens would be called so


def test_built_page_has_one_title_and_no_broken_links(html, docname):
    assert len(parse_html(html / f"{docname}.html").select("main h1")) == 1
    assert broken_links(html / f"{docname}.html") == []


@pytest.mark.parametrize("name", ["index", "search", "genindex"])
def test_extra_page_has_no_broken_links(html, name):
    assert broken_links(html / f"{name}.html") == []


def test_broken_links_finds_planted_faults(tmp_path):
    (tmp_path / "here.html").write_text(
        '<p id="a"></p><a href="#a">1</a><a href="#b">2</a><a href="gone.html">3</a>'
    )
    assert set(broken_links(tmp_path / "here.html")) == {"#b", "gone.html"}


def test_page_images_are_svg_with_alt_text(html, docname):
    """A picture from a file would have its own ground, and no colours of a theme."""
    page = parse_html(html / f"{docname}.html")
    assert page.select("article .cell_output img") == []
    for picture in page.select("article .drawing svg, article img"):
        told = picture.get("aria-label") or picture.get("alt") or ""
        assert len(told.split()) > 5, str(picture)[:200]
        assert picture.name == "img" or picture["role"] == "img"
        assert picture.name == "svg" or picture.get("height", "").isdigit()
    if (html.parents[1] / f"{docname}.ipynb").exists():
        drawn = ".drawing svg, .attnlab-live"
        shown = "table" if docname.endswith("_evidence") else drawn
        assert page.select(f"article :is({shown})")


def test_page_meta_descriptions_are_unique(html):
    pages = [*(html / "book").rglob("*.html"), html / "search.html"]
    asked = "//meta[@name='description']/@content"
    told = [document_fromstring(page.read_bytes()).xpath(asked) for page in pages]
    assert [len(texts) for texts in told] == [1] * len(pages)
    texts = [one for (one,) in told]
    assert all(10 < len(text) < 160 for text in texts)
    assert len(set(texts)) == len(pages)


def test_claim_has_one_card_that_agrees_with_ledger(html):
    cards = [
        card
        for page in sorted((html / "book").glob("*.html"))
        if b"data-claim" in page.read_bytes()
        for card in parse_html(page).select("[data-claim]")
    ]
    assert sorted(card["data-claim"] for card in cards) == list(load_claims())
    closed = []
    for line in parse_html(html / "book" / "ledger.html").select(".claims > li"):
        id, said, claimed = plain(line.b), plain(line.em), plain(line.span)
        measured, control = map(plain, line.select("dd")[:2])
        (link,) = line.select("a[href*='#claim-']")
        name, anchor = link["href"].split("#")
        card = parse_html(html / "book" / name).find(id=anchor)
        assert card["data-claim"] == id
        assert card["data-verdict"] == line["data-verdict"]
        assert [plain(one) for one in card.select("b, em")] == [claimed, said]
        assert [plain(one) for one in card.select("dd")] == [measured, control]
        closed.append(id)
    claims = load_claims()
    assert closed == sorted(claims, key=lambda id: claims[id].chapter)


def test_only_notebook_pages_have_launch_and_download_buttons(html, root, docname):
    page, path = parse_html(html / f"{docname}.html"), f"{docname}.ipynb"
    buttons = page.select("header a[href], .bd-header-article a[href]")
    links = {button["href"] for button in buttons}
    if not (root / path).exists():
        assert not [link for link in links if re.search("colab|mybinder", link)]
        return
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    repository, branch = config["repository"]["url"], config["repository"]["branch"]
    name = repository.removeprefix("https://github.com/")
    colab = f"https://colab.research.google.com/github/{name}/blob/{branch}/{path}"
    binder = f"https://mybinder.org/v2/gh/{name}/{branch}?urlpath=lab/tree/{path}"
    assert {colab, binder, f"../_sources/{path}"} <= links
    assert (html / "_sources" / path).read_bytes() == (root / path).read_bytes()


def test_code_exercise_states_where_it_runs(html, chapter):
    page = parse_html(html / "book" / f"{chapter.stem}.html")
    cards = page.select(".exercise-card")
    unanswered = chapter.read_text(encoding="utf-8").count(": not answered yet")
    assert len(cards) == unanswered
    for card in cards:
        links = [link["href"] for link in card.select("a[href]")]
        assert len(links) == 3 and links[2] == "index.html#three-ways-to-read"
        assert all(chapter.name in link for link in links[:2])
