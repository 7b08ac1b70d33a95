import re
from io import StringIO

import nbformat
import pytest
from bs4 import BeautifulSoup
from ledger import count
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from attnlab.claims import Verdict, _Card, load_claims
from tools.authoring import tidy


def card(*lines):
    """What `claim` displays."""
    one = _Card(list(lines))
    data = {"text/plain": repr(one), "text/html": one._repr_html_()}
    return new_output("display_data", data=data)


def cell(source, *outputs):
    return new_code_cell(source, outputs=list(outputs))


CHAPTER = [
    new_markdown_cell("# The bottleneck"),
    cell('claim("C01", holds=True, evidence="…")', card("C01 holds: 9 of 10: all")),
    cell(
        'claim("C03", holds=False, evidence="…")\nclaim("C04", holds="…", evidence="")',
        new_output("stream", name="stdout", text="a number\n"),
        card("C03 is refuted: flat", "C03 control: steep"),
        card("C04 holds when n < 20: below 5%"),
    ),
]


def build(tmp_path, *notebooks, names=None):
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


def text(node):
    return re.sub(r"\s+", " ", node.get_text(" ")).strip()


def rows(page):
    """The cells of every claim's row, by the claim's id."""
    found = {}
    for row in page.select("table.ledger tbody tr"):
        cells = row.find_all(["th", "td"])
        found[text(cells[0])] = cells
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ledger")
    page, warnings = build(folder, CHAPTER)
    assert warnings == ""
    return folder, page


def test_every_claim_has_a_row_and_a_source(built):
    _, page = built
    found = rows(page)
    assert list(found) == list(load_claims())
    for id, claim in load_claims().items():
        says = text(found[id][1]).replace("’", "'")
        assert claim.text in says and claim.source.title in says
        link = found[id][1].find("a")
        assert (link["href"] if link else "") == claim.source.url


@pytest.mark.parametrize(
    ("id", "verdict", "evidence"),
    [
        ("C01", "holds", "9 of 10: all"),
        ("C03", "refuted", "flat"),
        ("C04", "holds when n < 20", "below 5%"),
    ],
)
def test_a_closed_claim_leads_to_its_cell(built, id, verdict, evidence):
    folder, page = built
    _, _, said, found = rows(page)[id]
    assert text(said) == verdict
    assert text(found).startswith(evidence)
    file, anchor = found.find("a")["href"].split("#")
    assert file == "01_chapter.html" and anchor == f"claim-{id}"
    chapter = BeautifulSoup((folder / "_build/book" / file).read_text(), "html.parser")
    found = chapter.find(id=anchor)
    assert found["data-claim"] == id
    assert found["data-verdict"] in {"holds", "refuted", "when"}
    back, row = found.find("a", string=re.compile("ledger"))["href"].split("#")
    assert back == "ledger.html" and text(page.find(id=row).find("th")) == id


def test_what_no_cell_closed_is_open(built):
    _, page = built
    _, _, said, found = rows(page)["C02"]
    assert text(said) == "open"
    assert load_claims()["C02"].ask in text(found)
    assert found.find("a") is None


def test_the_counts_are_those_of_the_rows(built):
    _, page = built
    summary = text(page.select_one("section strong"))
    claims = len(load_claims())
    assert summary == (
        f"Of {claims} claims, 1 holds, 1 holds under a condition, 1 is refuted, "
        f"{claims - 3} are still open."
    )


def test_a_chapter_is_named_and_linked(built):
    _, page = built
    section = page.find(id="chapter-1")
    assert section.find("a", href="01_chapter.html").get_text() == "The bottleneck"
    assert "Of 5 claims, 1 holds" in text(section.find("p"))


def test_a_chapter_names_its_lecture_and_then_its_lab(tmp_path):
    lab = [new_markdown_cell("# Lab 1"), cell("x", card("C01 holds: all"))]
    lecture = [new_markdown_cell("# 1 · Zero")]
    page, warnings = build(tmp_path, lab, lecture, names=["01_lab", "01_zero"])
    assert warnings == ""
    links = page.find(id="chapter-1").find("p").find_all("a")
    assert [link["href"] for link in links] == ["01_zero.html", "01_lab.html"]
    assert rows(page)["C01"][3].find("a")["href"] == "01_lab.html#claim-C01"


def test_a_lecture_links_to_the_verdict_in_its_lab(tmp_path):
    lab = [new_markdown_cell("# Lab 1"), cell("done", card("C01 holds: all"))]
    lecture = [new_markdown_cell("# 1 · Zero\n\nSee [C01](01_lab.ipynb#claim-C01).")]
    _, warnings = build(tmp_path, lab, lecture, names=["01_lab", "01_zero"])
    assert warnings == ""
    html = (tmp_path / "_build/book/01_zero.html").read_text(encoding="utf-8")
    link = BeautifulSoup(html, "html.parser").find("a", string="C01")
    assert link["href"] == "01_lab.html#claim-C01"


def test_tables_have_headers(built):
    _, page = built
    for table in page.select("table.ledger"):
        assert [text(cell) for cell in table.select("thead th")] == [
            "Claim",
            "What the source says",
            "Verdict",
            "What we found",
        ]
        assert all(row.find("th") for row in table.select("tbody tr"))


def test_chinese_titles_say_so(built):
    _, page = built
    assert page.find("span", lang="zh").find("a")


def test_a_book_without_chapters_has_only_open_claims(tmp_path):
    page, warnings = build(tmp_path)
    assert warnings == ""
    claims = len(load_claims())
    assert f"Of {claims} claims, {claims} are still open." in text(page)


def test_a_claim_closed_twice_is_a_warning(tmp_path):
    again = [new_markdown_cell("# Again"), cell("again", card("C01 is refuted: no"))]
    page, warnings = build(tmp_path, CHAPTER, again)
    assert "C01: book/01_chapter has closed it already" in warnings
    assert text(rows(page)["C01"][2]) == "holds"


def test_an_unknown_claim_is_a_warning(tmp_path):
    unknown = new_output("display_data", data={"text/plain": "C99 holds: y"})
    _, warnings = build(tmp_path, [new_markdown_cell("# X"), cell("x", unknown)])
    assert "C99: claims.yml does not know it" in warnings


def test_a_chapter_without_outputs_closes_nothing(tmp_path):
    source = 'claim("C01", holds=True, evidence="C01 holds: yes")'
    page, _ = build(tmp_path, [new_markdown_cell("# X"), new_code_cell(source)])
    assert text(rows(page)["C01"][2]) == "open"


def test_counting():
    held, refuted = Verdict("C01", "holds", "", "x"), Verdict("C02", "refuted", "", "x")
    assert count([held, held, None]) == "2 hold, 1 is still open"
    assert count([refuted, refuted]) == "2 are refuted"
