"""Sphinx extension: how the code cells of a chapter stand in its page.

- The code of a folded cell (tag `measure`) is behind a small tab at the corner of what
  the cell shows. What a cell does that shows nothing stands behind the tab after it, or
  comes with the button that opens all code.
- A table that says in numbers what a picture shows (tag `numbers`) is behind such a tab
  as well.
- Code that stands open can be folded, as it is at first on a phone (`folds.js`).
- A verdict's card gets the anchor `claim-C03` and a link to its row of the ledger.
- An exercise in code says where its cell runs: the page itself has no Python.
- Cells that print prose, as checks do, get the class `prints-prose`: the style sheet
  lets their lines wrap.
"""

import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxTranslator

TITLE = "# @title "
CARD = re.compile(r'<section class="verdict-card" data-claim="(C\d+)"')
EXERCISE = re.compile(r'<section class="exercise-card".*?(?=</section>)', re.DOTALL)
DEFINITION = re.compile(r"^(?:class|def) \w+", re.MULTILINE)
LEDGER = "book/ledger"
FRONT_PAGE = "book/index"
# Where a page begins: its title, and a chapter's question.
OPENING = re.compile(r"</h1>(\n<p><strong>.*</strong></p>)?")
KINDS = {"tab": "fold", "silent": "fold silent", "numbers": "numbers"}
FOLD_ALL = (
    '<button class="fold-all pst-js-only" type="button" aria-pressed="false">'
    "Show all code</button>"
)


class Fold(nodes.Element):
    """What folds: its `title`, and its `kind`.

    A "tab" of code stands at the corner of an output, "silent" code nowhere until all
    code is opened, a "listing" is open, and "numbers" are a table.
    """


def source_of(cell: nodes.Element) -> nodes.Element | None:
    """Return the code that a cell shows, with its frame."""
    first = cell.children[0] if cell.children else None
    wanted = first is not None and first.get("nb_element") == "cell_code_source"
    return first if wanted else None


def arrange_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Fold all code, and let what a check prints wrap."""
    waiting: list[nodes.Element] = []  # cells that show nothing, before one that does
    for cell in list(doctree.findall(nodes.container)):
        is_cell = cell.get("nb_element") == "cell_code"
        source = source_of(cell) if is_cell else None
        if source is None:
            continue
        code = next(source.findall(nodes.literal_block))
        if "check(" in code.astext():
            cell["classes"].append("prints-prose")
        if waiting and waiting[0].parent is not cell.parent:
            waiting.clear()
        if cell.attributes.pop("hide_mode", None) != "input":
            waiting.clear()
            fold_in(source, "listing", title_of(code.astext()))
            fold_listings(cell)
            continue
        first, _, rest = code.astext().partition("\n")
        code.rawsource = rest
        code[:] = [nodes.Text(rest)]
        shows = len(cell.children) > 1
        if "tag_numbers" in cell["classes"]:
            fold_in(cell.children[-1], "numbers", first.removeprefix(TITLE))
            shows = False
        fold = fold_in(source, "tab" if shows else "silent", first.removeprefix(TITLE))
        if not shows:
            waiting.append(cell)
        else:
            for before in waiting:
                fold.insert(fold.index(source), code_in(before))
            waiting.clear()


def fold_in(source: nodes.Element, kind: str, title: str) -> Fold:
    """Put a fold around code, in its place."""
    fold = Fold(kind=kind, title=title)
    source.replace_self(fold)
    fold += source
    return fold


def code_in(cell: nodes.Element) -> list[nodes.Node]:
    """Take the code of a cell, under its title; the cell goes if that is all it has."""
    fold = cell.children[0]
    cell.remove(fold)
    if not cell.children:
        cell.parent.remove(cell)
    return [nodes.paragraph("", fold["title"], classes=["fold-title"]), *fold.children]


def fold_listings(cell: nodes.Element) -> None:
    """Let the package's own code that a cell shows fold as well."""
    for code in list(cell.findall(nodes.literal_block)):
        if code.astext().startswith("# attnlab/"):
            fold_in(code, "listing", title_of(code.astext()))


def title_of(code: str) -> str:
    """What an open listing is called where it is folded: class Encoder, 18 lines."""
    found = DEFINITION.search(code)
    count = len(code.splitlines())
    lines = "1 line" if count == 1 else f"{count} lines"
    return f"{found[0] if found else 'Code'}, {lines}"


def link_cards(app: Sphinx, doctree: nodes.document) -> None:
    """Make every verdict's card a place to link to, and link it to the ledger."""
    ledger = app.builder.get_relative_uri(app.env.docname, LEDGER)
    places = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    for raw in doctree.findall(nodes.raw):
        if found := CARD.search(raw.astext()):
            id = found[1]
            places[f"claim-{id}"] = (0, f"claim-{id}", id)  # as headings are known
            link = f' · <a href="{ledger}#ledger-{id}">{id} in the ledger</a></p>'
            html = raw.astext().replace("<section", f'<section id="claim-{id}"', 1)
            html = html.replace("</p></section>", f"{link}</section>")
            raw[:] = [nodes.Text(html)]


def say_where_code_runs(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Let every exercise in code lead to where the page's notebook runs."""
    if "exercise-card" not in context.get("body", ""):
        return
    places = {
        f"in {place['text']}": place["url"]
        for launcher in context.get("header_buttons", [])
        if launcher.get("label") == "launch-buttons"
        for place in launcher["buttons"]
    }
    home = app.builder.get_relative_uri(pagename, FRONT_PAGE)
    places["on your machine"] = f"{home}#three-ways-to-read"
    links = [f'<a href="{escape(url)}">{name}</a>' for name, url in places.items()]
    told = (
        f"<p>Here no Python runs; it does {', '.join(links[:-1])} or {links[-1]}.</p>"
    )
    context["body"] = EXERCISE.sub(lambda card: card[0] + told, context["body"])


def offer_all_code(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Put the button of `folds.js` below the opening of a page with folded code."""
    body = context.get("body", "")
    if '<details class="fold' in body:
        context["body"] = OPENING.sub(lambda found: f"{found[0]}\n{FOLD_ALL}", body, 1)


def open_fold(translator: SphinxTranslator, node: Fold) -> None:
    """Begin a fold. A tab says what it opens to those who cannot see where it is."""
    title = escape(node["title"])
    if node["kind"] == "listing":
        begin = f'<details class="listing" open><summary>{title}</summary>\n'
    else:
        word = "numbers" if node["kind"] == "numbers" else "code"
        begin = (
            f'<details class="{KINDS[node["kind"]]}"><summary title="{title}">{word}'
            f'<span class="visually-hidden">: {title}</span></summary>\n'
            f'<p class="fold-title">{title}</p>\n'
        )
    translator.body.append(begin)


def close_fold(translator: SphinxTranslator, node: Fold) -> None:
    translator.body.append("</details>\n")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", arrange_cells)
    app.connect("doctree-read", link_cards)
    app.add_node(Fold, html=(open_fold, close_fold))
    app.connect("html-page-context", say_where_code_runs, priority=900)
    app.connect("html-page-context", offer_all_code)
    app.add_js_file("folds.js")  # in book/_static
    return {"parallel_read_safe": True, "parallel_write_safe": True}
