"""Sphinx extension: the directive `ledger` lists every claim and what became of it.

The claims come from the package, the verdicts from the cards that `claim(…)` left
in the notebooks of the book. A claim that no cell has closed is shown as open. Its page
shows the reader's forecasts as well, from what their browser has kept.
"""

import re
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from attnlab.claims import (
    Claim,
    Source,
    Verdict,
    load_claims,
    read_verdicts,
    shown_texts,
)

LOGGER = logging.getLogger(__name__)

PAGE = "book/ledger"
COLUMNS = {"Claim": 8, "What the source says": 40, "Verdict": 16, "What we found": 36}
COUNTED = {"holds": "hold", "when": "hold under a condition", "refuted": "are refuted"}
OPEN = "are still open"


class Page(NamedTuple):
    """A notebook of the book: its document name, title and verdicts in order."""

    docname: str
    title: str
    verdicts: list[Verdict]


def read_page(docname: str, path: Path) -> Page:
    """Collect title and verdicts from a stored notebook."""
    notebook = nbformat.read(path, as_version=4)
    prose = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    title = re.search(r"^# (.+)$", "\n".join(prose), flags=re.MULTILINE)
    lines = [
        line
        for cell in notebook.cells
        for text in shown_texts(cell)
        for line in text.splitlines()
    ]
    return Page(docname, title[1] if title else docname, read_verdicts(lines))


def count(verdicts: list[Verdict | None]) -> str:
    """How many claims came out how: "3 hold, 1 is refuted, 2 are still open"."""
    counts = Counter(COUNTED[v.kind] if v else OPEN for v in verdicts)
    parts = [(counts[words], words) for words in (*COUNTED.values(), OPEN)]
    return ", ".join(
        f"{number} {_singular(words) if number == 1 else words}"
        for number, words in parts
        if number
    )


def _singular(words: str) -> str:
    return words.replace("are", "is").replace("hold", "holds")


class LedgerDirective(SphinxDirective):
    """The whole ledger: how many claims came out how, then a table for each chapter."""

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()  # it depends on every notebook, also on those to come
        pages = [
            read_page(docname, Path(self.env.doc2path(docname)))
            for docname in sorted(self.env.found_docs, key=_lecture_first)
            if self.env.doc2path(docname).endswith(".ipynb")
        ]
        claims = load_claims()
        self.closed = self._close(pages, claims)
        verdicts = [self._verdict(claim) for claim in claims.values()]
        summary = f"Of {len(claims)} claims, {count(verdicts)}."
        by_chapter = groupby(claims.values(), key=lambda claim: claim.chapter)
        return [
            nodes.paragraph("", "", nodes.strong("", summary)),
            *(
                self._chapter(number, list(group), pages)
                for number, group in by_chapter
            ),
        ]

    def _close(
        self, pages: list[Page], claims: dict[str, Claim]
    ) -> dict[str, tuple[Verdict, Page]]:
        closed: dict[str, tuple[Verdict, Page]] = {}
        for page in pages:
            for verdict in page.verdicts:
                if verdict.id not in claims:
                    problem = "claims.yml does not know it"
                elif verdict.id in closed:
                    problem = f"{closed[verdict.id][1].docname} has closed it already"
                else:
                    closed[verdict.id] = (verdict, page)
                    continue
                LOGGER.warning(
                    "%s: %s", verdict.id, problem, location=page.docname, type="ledger"
                )
        return closed

    def _verdict(self, claim: Claim) -> Verdict | None:
        return self.closed[claim.id][0] if claim.id in self.closed else None

    def _chapter(
        self, number: int, claims: list[Claim], pages: list[Page]
    ) -> nodes.section:
        section = nodes.section(ids=[f"chapter-{number}"])
        section += nodes.title("", f"Chapter {number}")
        verdicts = [self._verdict(claim) for claim in claims]
        intro = nodes.paragraph()
        for page in pages:
            if Path(page.docname).name.startswith(f"{number:02d}_"):
                intro += [self._link(page.title, page.docname), nodes.Text(". ")]
        intro += nodes.Text(f"Of {len(claims)} claims, {count(verdicts)}.")
        section += [intro, self._table(claims)]
        return section

    def _table(self, claims: list[Claim]) -> nodes.table:
        group = nodes.tgroup(cols=len(COLUMNS))
        for width in COLUMNS.values():
            group += nodes.colspec(colwidth=width)
        next(iter(group))["stub"] = 1  # the id heads its row
        head, body = nodes.thead(), nodes.tbody()
        head += _row(*([nodes.paragraph("", name)] for name in COLUMNS))
        for claim in claims:
            body += self._claim_row(claim)
        group += [head, body]
        return nodes.table("", group, classes=["ledger"])

    def _claim_row(self, claim: Claim) -> nodes.row:
        verdict = self._verdict(claim)
        says = [nodes.paragraph("", claim.text), _source(claim.source)]
        if verdict is None:
            kind, words = "open", "open"
            found = [nodes.paragraph("", f"To be measured: {claim.ask}.")]
        else:
            kind, page = verdict.kind, self.closed[claim.id][1]
            words = verdict.words
            link = self._link(f"The cell of {claim.id}", page.docname, claim.id)
            found = [nodes.paragraph("", verdict.evidence)]
            for name, text in (
                ("Control", verdict.control),
                ("Would have refuted it", claim.refuted_by),
            ):
                if text:
                    found.append(
                        _paragraph(nodes.strong("", f"{name}: "), nodes.Text(text))
                    )
            found.append(_paragraph(link))
        badge = nodes.inline("", words, classes=["verdict", f"verdict-{kind}"])
        row = _row([nodes.paragraph("", claim.id)], says, [_paragraph(badge)], found)
        row["ids"].append(f"ledger-{claim.id}")  # where the card's link lands
        return row

    def _link(self, text: str, docname: str, claim_id: str = "") -> nodes.reference:
        page = self.env.app.builder.get_relative_uri(self.env.docname, docname)
        anchor = f"#claim-{claim_id}" if claim_id else ""  # set by cells
        return nodes.reference("", text, internal=True, refuri=page + anchor)


def _lecture_first(docname: str) -> tuple[str, bool, str]:
    """Sort pages by chapter, and in a chapter the lab behind the lecture."""
    name = Path(docname).name
    return name[:2], "_lab" in name, name


def _paragraph(*children: nodes.Node) -> nodes.paragraph:
    return nodes.paragraph("", "", *children)


def _row(*cells: list[nodes.Node]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", *cell) for cell in cells))


def _source(source: Source) -> nodes.paragraph:
    """Title, author and year, as a link where there is an address."""
    title: nodes.Node = nodes.Text(source.title)
    if source.url:
        title = nodes.reference("", source.title, refuri=source.url)
    tag = '<span lang="zh">' if re.search(r"[一-鿿]", source.title) else "<span>"
    opening, closing = (nodes.raw("", t, format="html") for t in (tag, "</span>"))
    rest = "".join(f", {part}" for part in (source.author, source.year) if part)
    paragraph = _paragraph(
        nodes.Text("Source: "), opening, title, closing, nodes.Text(rest)
    )
    paragraph["classes"].append("source")
    return paragraph


def add_forecasts(app: Sphinx, pagename: str, *_: object) -> None:
    """Only the ledger shows the record of the reader's forecasts."""
    if pagename == PAGE:
        app.add_js_file("forecasts.js")  # in book/_static


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("ledger", LedgerDirective)
    app.connect("html-page-context", add_forecasts)
    app.add_css_file("ledger.css")  # in book/_static
    return {"parallel_read_safe": True, "parallel_write_safe": True}
