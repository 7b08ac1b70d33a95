"""Sphinx extension: what became of every claim, as a wall of squares and as a list.

The claims come from the package, the verdicts from the cards that `claim(…)` left
in the notebooks of the book. A claim that no cell has closed is shown as open.

- `verdicts` is the wall alone: a square a claim, each a link to its line in the ledger.
- `ledger` is the ledger: the wall with its filters (`ledger.js`), the refutations, and
  a line a claim that opens upon its evidence.

The ledger's page shows the reader's forecasts as well, from what the browser has kept.
"""

import re
from collections import Counter
from collections.abc import Iterable
from html import escape
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
    source_html,
)

LOGGER = logging.getLogger(__name__)

PAGE = "book/ledger"
VERDICT_WORDS = {
    "holds": "hold",
    "when": "hold under a condition",
    "restated": "are refuted as stated, true under a condition",
    "refuted": "are refuted",
    "definition": "hold by definition",
    "open": "are still open",
}
KIND_NAMES = {
    "holds": "holds",
    "when": "holds when …",
    "restated": "refuted as stated, true when …",
    "refuted": "refuted",
    "definition": "by definition",
    "open": "open",
}


class Page(NamedTuple):
    """A notebook of the book: its document name, title and verdicts in order."""

    docname: str
    title: str
    verdicts: list[Verdict]


class Entry(NamedTuple):
    """A claim with its verdict and the page that reached it, if one has."""

    claim: Claim
    verdict: Verdict | None = None
    page: Page | None = None

    @property
    def kind(self) -> str:
        """The verdict's kind, or "open"."""
        return self.verdict.kind if self.verdict else "open"

    @property
    def words(self) -> str:
        """The verdict as it is read, or "open"."""
        return self.verdict.words if self.verdict else "open"


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


def match_claims(pages: list[Page]) -> tuple[list[Entry], list[tuple[str, str]]]:
    """Every claim with what became of it; and what is wrong, each with its page."""
    entries = {id: Entry(claim) for id, claim in load_claims().items()}
    problems = []
    for page in pages:
        for verdict in page.verdicts:
            if verdict.id not in entries:
                problem = f"{verdict.id}: claims.yml does not know it"
            elif before := entries[verdict.id].page:
                problem = f"{verdict.id}: {before.docname} has closed it already"
            else:
                entries[verdict.id] = Entry(entries[verdict.id].claim, verdict, page)
                continue
            problems.append((problem, page.docname))
    in_order = sorted(entries.values(), key=lambda entry: entry.claim.chapter)
    return in_order, problems


def count_verdicts(entries: Iterable[Entry]) -> dict[str, str]:
    """How many claims came out how, by kind: {"holds": "3 hold", …}, without zeros."""
    counts = Counter(entry.kind for entry in entries)
    return {
        kind: f"{counts[kind]} {_singular(words) if counts[kind] == 1 else words}"
        for kind, words in VERDICT_WORDS.items()
        if counts[kind]
    }


def _singular(words: str) -> str:
    return words.replace("are", "is").replace("hold", "holds")


def wall_html(entries: list[Entry], ledger: str) -> str:
    """Return one square per claim, which links into `ledger` (the page's address).

    A square's words show when it is pointed at, in the place of what stands below.
    """
    squares = "\n".join(
        f'<li><a href="{ledger}#ledger-{claim.id}" data-verdict="{entry.kind}">'
        f"<span><b>{claim.id}</b> {escape(claim.text)} "
        f"<em>{escape(entry.words)}</em></span></a></li>"
        for entry in entries
        for claim in [entry.claim]
    )
    below = "".join(
        f'<li><a href="{ledger}?verdict={kind}">{mark_html(kind)}{words}</a></li>\n'
        for kind, words in count_verdicts(entries).items()
    )
    return (
        f'<nav class="wall" aria-label="Verdicts on {len(entries)} claims">\n'
        '<a class="wall-skip" href="#wall-end">Skip the squares</a>\n'
        f'<ol class="wall-squares">\n{squares}\n</ol>\n'
        f'<ul class="wall-legend" id="wall-end">\n{below}</ul>\n</nav>'
    )


def mark_html(kind: str) -> str:
    """Return the square of a verdict, where its word stands beside it."""
    return f'<i class="verdict-mark" data-verdict="{kind}"></i>'


def filter_html(entries: list[Entry]) -> str:
    """What chooses claims by verdict, chapter and source; without a script, nothing."""
    sources = {entry.claim.source.key: entry.claim.source for entry in entries}
    chapters = {str(entry.claim.chapter): entry.claim.chapter for entry in entries}
    verdicts = {
        kind: mark_html(kind) + KIND_NAMES[kind] for kind in count_verdicts(entries)
    }
    radios = "\n".join(
        f'<label><input type="radio" name="verdict" value="{value}"'
        f"{'' if value else ' checked'}> {words}</label>"
        for value, words in {"": "all", **verdicts}.items()
    )
    return (
        '<form class="ledger-filter pst-js-only">\n'
        f"<fieldset><legend>Verdict</legend>\n{radios}\n</fieldset>\n"
        + _select("Chapter", {key: f"Chapter {n}" for key, n in chapters.items()})
        + _select("Source", {key: _named(one) for key, one in sources.items()})
        + '<button type="button">Show all</button>\n<output></output>\n</form>'
    )


def _select(label: str, options: dict[str, str]) -> str:
    listed = "".join(
        f'<option value="{value}">{escape(words)}</option>'
        for value, words in {"": "all", **options}.items()
    )
    name = label.lower()
    return f'<label>{label} <select name="{name}">{listed}</select></label>\n'


def _named(source: Source) -> str:
    return ", ".join(filter(None, (source.author, source.title, source.year)))


def line_html(entry: Entry, address: str) -> str:
    """A claim's line, which opens upon all there is to say; `address` is its card's."""
    claim, verdict = entry.claim, entry.verdict
    told = {
        "Measured": verdict.evidence if verdict else "",
        "To be measured": "" if verdict else claim.ask,
        "Control": verdict.control if verdict else "",
        "Would have refuted it": claim.refuted_by if verdict else "",
    }
    rows = {name: escape(text) for name, text in told.items() if text}
    rows["Source"] = source_html(claim.source)
    listed = "".join(
        f"<dt>{name}</dt>\n<dd>{text}</dd>\n" for name, text in rows.items()
    )
    links = {address: "The cell that found it"} if verdict else {}
    links[f"#ledger-{claim.id}"] = f"Link to {claim.id}"
    return (
        f'<li id="ledger-{claim.id}" data-verdict="{entry.kind}" '
        f'data-chapter="{claim.chapter}" data-source="{claim.source.key}">\n'
        f"<details><summary>{mark_html(entry.kind)}<b>{claim.id}</b>\n"
        f"<span>{escape(claim.text)}</span>\n<em>{escape(entry.words)}</em></summary>\n"
        f"<dl>\n{listed}</dl>\n<p>{_links(links)}</p></details></li>"
    )


def refuted_html(entry: Entry) -> str:
    """A refuted claim and what refuted it, as on its card, but without the control."""
    assert entry.verdict is not None
    id = entry.claim.id
    return (
        '<section class="verdict-card" data-verdict="refuted">'
        f"<p><b>{escape(entry.claim.text)}</b></p>\n<p><em>refuted</em></p>\n"
        f"<p>{escape(entry.verdict.evidence)}</p>\n"
        f'<p><a href="#ledger-{id}">{id}, with its control</a></p></section>'
    )


def _links(links: dict[str, str]) -> str:
    return " · ".join(f'<a href="{url}">{words}</a>' for url, words in links.items())


class Verdicts(SphinxDirective):
    """The wall: every claim's verdict as a square, with the counts below."""

    def run(self) -> list[nodes.Node]:
        self.entries, self.problems = match_claims(self._read_pages())
        return [_raw(wall_html(self.entries, self.address(PAGE)))]

    def _read_pages(self) -> list[Page]:
        self.pages = []
        for docname in sorted(self.env.found_docs, key=_lecture_first):
            path = self.env.doc2path(docname)
            if path.endswith(".ipynb"):
                self.env.note_dependency(path)
                self.pages.append(read_page(docname, Path(path)))
        return self.pages

    def address(self, docname: str) -> str:
        """Return where a page is, as seen from this one; empty for this one itself."""
        if docname == self.env.docname:
            return ""
        return self.env.app.builder.get_relative_uri(self.env.docname, docname)


class Ledger(Verdicts):
    """The whole ledger: wall, refutations, and the list, chapter by chapter."""

    def run(self) -> list[nodes.Node]:
        wall = super().run()
        self.env.note_reread()  # it depends on notebooks that are still to come, too
        for problem, docname in self.problems:
            LOGGER.warning(problem, location=docname, type="ledger")
        refuted = [refuted_html(one) for one in self.entries if one.kind == "refuted"]
        by_chapter = groupby(self.entries, key=lambda entry: entry.claim.chapter)
        return [
            _raw(filter_html(self.entries)),
            *wall,
            _raw(f'<div class="refutations">{"".join(refuted)}</div>'),
            *(self._chapter(number, list(group)) for number, group in by_chapter),
        ]

    def _chapter(self, number: int, entries: list[Entry]) -> nodes.section:
        title = nodes.title("", f"Chapter {number}")
        links = {
            self.address(page.docname): escape(page.title)
            for page in self.pages
            if Path(page.docname).name.startswith(f"{number:02d}_")
        }
        lines = "\n".join(line_html(entry, self._card(entry)) for entry in entries)
        told = f'<p class="claims-of">{_links(links)}</p>' if links else ""
        section = nodes.section("", title, ids=[f"chapter-{number}"])
        section += _raw(f'{told}\n<ol class="claims">\n{lines}\n</ol>')
        return section

    def _card(self, entry: Entry) -> str:
        if entry.page is None:
            return ""
        return f"{self.address(entry.page.docname)}#claim-{entry.claim.id}"


def _raw(html: str) -> nodes.raw:
    return nodes.raw("", html, format="html")


def _lecture_first(docname: str) -> tuple[str, bool, str]:
    """Sort pages by chapter, and in a chapter the evidence after the lecture."""
    name = Path(docname).name
    return name[:2], "_evidence" in name, name


def add_scripts(app: Sphinx, pagename: str, *_: object) -> None:
    """Only the ledger has filters and shows the record of the reader's forecasts."""
    if pagename == PAGE:
        app.add_js_file("ledger.js")  # in book/_static, as all of these
        app.add_js_file("forecasts.js")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("verdicts", Verdicts)
    app.add_directive("ledger", Ledger)
    app.connect("html-page-context", add_scripts)
    app.add_css_file("ledger.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
