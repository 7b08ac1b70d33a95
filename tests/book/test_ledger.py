import re
from io import StringIO

import nbformat
import pytest
from bs4 import BeautifulSoup
from matplotlib.colors import to_rgb
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from playwright.sync_api import expect
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from attnlab.claims import _Card, load_claims
from attnlab.figures.palette import KEY, VALUE, WRONG
from tools.authoring import tidy


def card(*lines):
    """What `claim` displays."""
    one = _Card(list(lines))
    data = {"text/plain": repr(one), "text/html": one._repr_html_()}
    return new_output("display_data", data=data)


def cell(source, *outputs):
    return new_code_cell(source, outputs=list(outputs))


CHAPTER_CELLS = [
    new_markdown_cell("# The bottleneck"),
    cell('claim("C01", holds=True, evidence="…")', card("C01 holds: 9 of 10: all")),
    cell(
        'claim("C03", holds=False, evidence="…")\nclaim("C04", holds="…", evidence="")',
        new_output("stream", name="stdout", text="a number\n"),
        card("C03 is refuted: flat", "C03 control: steep"),
        card("C04 holds when n < 20: below 5%"),
        card("C05 is refuted as stated, true when n < 9: above 5%"),
        card("C16 holds by definition: 1e-12"),
    ),
]


def build_ledger(tmp_path, *notebooks, names=None):
    """Build a book of the ledger and these notebooks: its page and the warnings."""
    book = tmp_path / "book"
    book.mkdir()
    names = names or [f"{n:02d}_chapter" for n in range(1, len(notebooks) + 1)]
    for name, cells in zip(names, notebooks, strict=True):
        notebook = new_notebook(cells=cells)
        tidy(notebook)
        nbformat.write(notebook, book / f"{name}.ipynb")
    (book / "ledger.md").write_text("# Ledger\n\n```{ledger}\n```\n")
    pages = "\n".join(["book/ledger", *(f"book/{name}" for name in names)])
    (tmp_path / "index.md").write_text(f"# Index\n\n```{{toctree}}\n{pages}\n```\n")
    warnings = StringIO()
    with docutils_namespace():
        app = Sphinx(
            srcdir=tmp_path,
            confdir=None,
            outdir=tmp_path / "_build",
            doctreedir=tmp_path / "_build/doctrees",
            buildername="html",
            confoverrides={
                "extensions": ["myst_nb", "cells", "ledger"],
                "nb_execution_mode": "off",
            },
            status=None,
            warning=warnings,
        )
        app.build()
    html = (tmp_path / "_build/book/ledger.html").read_text(encoding="utf-8")
    return BeautifulSoup(html, "html.parser"), warnings.getvalue()


def node_text(node):
    return re.sub(r"\s+", " ", node.get_text(" ")).strip()


def claim_lines(page):
    """Every claim's line, by the claim's id."""
    return {node_text(line.b): line for line in page.select(".claims > li")}


def line_details(line):
    """What a line opens upon: {"Measured": …}."""
    names, texts = line.select("dt"), line.select("dd")
    return dict(zip(map(node_text, names), map(node_text, texts), strict=True))


@pytest.fixture(scope="module")
def built_ledger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ledger")
    page, warnings = build_ledger(folder, CHAPTER_CELLS)
    assert warnings == ""
    return folder, page


def test_ledger_has_line_square_and_source_for_each_claim(built_ledger):
    _, page = built_ledger
    found = claim_lines(page)
    claims = load_claims()
    assert list(found) == sorted(claims, key=lambda id: claims[id].chapter)
    squares = page.select(".wall-squares a")
    assert [square["href"] for square in squares] == [f"#ledger-{id}" for id in found]
    for square, (id, line) in zip(squares, found.items(), strict=True):
        claim = load_claims()[id]
        assert node_text(line.span) == claim.text and line["id"] == f"ledger-{id}"
        assert claim.source.title in line_details(line)["Source"]
        assert bool(line.find("a", href=claim.source.url)) == bool(claim.source.url)
        assert node_text(square) == node_text(line.summary)
        assert square["data-verdict"] == line["data-verdict"]


def test_ledger_claim_without_cell_is_open(built_ledger):
    _, page = built_ledger
    line = claim_lines(page)["C02"]
    assert node_text(line.em) == line["data-verdict"] == "open"
    assert line_details(line)["To be measured"] == load_claims()["C02"].ask
    assert line.find("a", string=re.compile("cell")) is None


def test_ledger_counts_equal_number_of_lines(built_ledger):
    _, page = built_ledger
    counts = [node_text(one) for one in page.select(".wall-legend li")]
    left = len(load_claims()) - 5
    assert counts == [
        "1 holds",
        "1 holds under a condition",
        "1 is refuted as stated, true under a condition",
        "1 is refuted",
        "1 holds by definition",
        f"{left} are still open",
    ]


def test_ledger_states_refutation_of_each_claim(built_ledger):
    _, page = built_ledger
    (card,) = page.select(".refutations section")
    assert load_claims()["C03"].text in node_text(card) and "flat" in node_text(card)
    assert card.a["href"] == "#ledger-C03"


def test_ledger_names_and_links_the_chapter(built_ledger):
    _, page = built_ledger
    section = page.find(id="chapter-1")
    assert section.find("a", href="01_chapter.html").get_text() == "The bottleneck"
    assert len(section.select(".claims > li")) == 5


def test_lecture_claim_links_to_evidence_page(tmp_path):
    evidence = [new_markdown_cell("# Evidence 1"), cell("done", card("C01 holds: all"))]
    lecture = [
        new_markdown_cell("# 1 · Zero\n\nSee [C01](01_evidence.ipynb#claim-C01).")
    ]
    _, warnings = build_ledger(
        tmp_path, evidence, lecture, names=["01_evidence", "01_zero"]
    )
    assert warnings == ""
    html = (tmp_path / "_build/book/01_zero.html").read_text(encoding="utf-8")
    link = BeautifulSoup(html, "html.parser").find("a", string="C01")
    assert link["href"] == "01_evidence.html#claim-C01"


def test_ledger_warns_of_claim_closed_twice(tmp_path):
    again = [new_markdown_cell("# Again"), cell("again", card("C01 is refuted: no"))]
    page, warnings = build_ledger(tmp_path, CHAPTER_CELLS, again)
    assert "C01: book/01_chapter has closed it already" in warnings
    assert node_text(claim_lines(page)["C01"].em) == "holds"


def test_ledger_warns_of_unknown_claim(tmp_path):
    unknown = new_output("display_data", data={"text/plain": "C99 holds: y"})
    _, warnings = build_ledger(tmp_path, [new_markdown_cell("# X"), cell("x", unknown)])
    assert "C99: claims.yml does not know it" in warnings


@pytest.mark.book
def test_ledger_filters_and_claim_links_work_by_url(visit, site):
    seen = visit(f"{site}/book/index.html")
    page = seen.page
    page.get_by_role("link", name=re.compile(r"(is|are) refuted$")).click()
    page.wait_for_url("**/ledger.html?verdict=refuted")
    shown, all_of_them = page.locator(".claims > li:visible"), len(load_claims())
    count, lit = page.locator("output"), page.locator(".wall-squares a:not([inert])")
    refuted = page.locator(".wall-squares [data-verdict=refuted]").count()
    assert shown.count() == lit.count() == refuted > 0
    spelled_out = page.locator(".refutations")  # of all chapters
    expect(spelled_out).to_be_hidden()
    page.get_by_label("Chapter").select_option("5")
    expect(shown).to_have_count(
        page.locator("[data-chapter='5'][data-verdict=refuted]").count()
    )
    expect(count).to_have_text(f"{shown.count()} of {all_of_them} claims")
    page.reload()
    assert page.url.endswith("?verdict=refuted&chapter=5")
    expect(page.get_by_label("Chapter")).to_have_value("5")
    expect(count).to_have_text(f"{shown.count()} of {all_of_them} claims")
    page.get_by_label("holds", exact=True).press("Space")
    assert "verdict=holds&chapter=5" in page.url
    page.get_by_role("button", name="Show all").click()
    assert page.url.endswith("ledger.html")
    page.locator("[name=source]").select_option(index=1)
    assert 0 < shown.count() < all_of_them
    page.get_by_role("button", name="Show all").click()
    expect(spelled_out).to_be_visible()
    page.get_by_label("refuted", exact=True).check()
    page.evaluate("location.hash = '#ledger-C20'")  # as another page links to it
    line = page.locator("#ledger-C20")
    expect(line.locator("dl")).to_be_in_viewport()
    expect(shown).to_have_count(all_of_them)
    line.locator("summary").press("Enter")
    expect(line.locator("dl")).to_be_hidden()
    page.get_by_label("refuted", exact=True).check()
    assert page.url.endswith("ledger.html?verdict=refuted")
    assert seen.errors == []


@pytest.mark.book
def test_ledger_verdict_has_its_colour(visit, site):
    page = visit(f"{site}/book/ledger.html").page
    colours = {"holds": VALUE, "when": KEY, "refuted": WRONG, "restated": WRONG}
    for verdict, colour in colours.items():
        red, green, blue = (round(255 * part) for part in to_rgb(colour))
        for mark in (".wall-squares a", ".verdict-mark"):
            drawn = page.locator(f"{mark}[data-verdict={verdict}]").first
            expect(drawn).to_have_css("border-color", f"rgb({red}, {green}, {blue})")


@pytest.mark.book
@pytest.mark.parametrize(("script", "media"), [(False, "screen"), (True, "print")])
def test_ledger_is_complete_in_print_and_without_script(browser, html, script, media):
    page = browser.new_page(java_script_enabled=script)
    page.emulate_media(media=media)
    page.goto(f"{html.as_uri()}/book/ledger.html?verdict=when")
    expect(page.locator("#ledger-C20 dl")).to_be_visible()
    expect(page.get_by_role("button", name="Show all")).to_be_hidden()
    page.close()
