"""Sphinx extension: how the code cells of a chapter stand in its page.

- A folded cell (tag `measure`) shows its title, the line `# @title …`, in its place.
- A verdict's card gets the anchor `claim-C03` and a link to its row of the ledger.
- An exercise in code says where its cell runs: the page itself has no Python.
- Cells that print prose, as checks do, get the class `prints-prose`: the style sheet
  lets their lines wrap.
"""

import re
from html import escape
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxTranslator

TITLE = "# @title "
CARD = re.compile(r'<section class="verdict-card" data-claim="(C\d+)"')
EXERCISE = re.compile(r'<section class="exercise-card".*?(?=</section>)', re.DOTALL)
LEDGER = "book/ledger"
AT_HOME = "book/index"
# Where a page begins: its title, and a chapter's question.
OPENING = re.compile(r"</h1>(\n<p><strong>.*</strong></p>)?")
FOLD_ALL = (
    '<button class="fold-all pst-js-only" type="button" aria-pressed="false">'
    "Show all code</button>"
)


def code_of(cell: nodes.Element) -> nodes.literal_block | None:
    """The code that a cell shows."""
    for part in cell.children:
        if part.get("nb_element") == "cell_code_source":
            return next(part.findall(nodes.literal_block))
    return None


def arrange_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Title what is folded, and let what a check prints wrap."""
    for cell in doctree.findall(nodes.container):
        code = code_of(cell) if cell.get("nb_element") == "cell_code" else None
        if code is None:
            continue
        if "check(" in code.astext():
            cell["classes"].append("prints-prose")
        first, _, rest = code.astext().partition("\n")
        if cell.get("hide_mode") == "input" and first.startswith(TITLE):
            cell["prompt_show"] = cell["prompt_hide"] = first.removeprefix(TITLE)
            code.rawsource = rest
            code[:] = [nodes.Text(rest)]


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
    home = app.builder.get_relative_uri(pagename, AT_HOME)
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
    if '<details class="fold">' in body:
        context["body"] = OPENING.sub(lambda found: f"{found[0]}\n{FOLD_ALL}", body, 1)


def open_fold(translator: SphinxTranslator, node: HideCodeCellNode) -> None:
    """Begin a fold; myst-nb's own are all named alike for screen readers."""
    title = escape(node["prompt_show"])
    translator.body.append(f'<details class="fold"><summary>{title}</summary>\n')


def close_fold(translator: SphinxTranslator, node: HideCodeCellNode) -> None:
    translator.body.append("</details>\n")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", arrange_cells)
    app.connect("doctree-read", link_cards)
    app.connect(
        "builder-inited",
        lambda app: app.add_node(
            HideCodeCellNode, override=True, html=(open_fold, close_fold)
        ),
    )
    app.connect("html-page-context", say_where_code_runs, priority=900)
    app.connect("html-page-context", offer_all_code)
    app.add_js_file("folds.js")  # in book/_static
    return {"parallel_read_safe": True, "parallel_write_safe": True}
