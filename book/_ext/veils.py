"""Sphinx extension: what answers a forecast stays veiled until the forecast is taken.

After the cell of a `Forecast` come the cells that answer it, with the tag `answer`, and
what the text says of them. All that is veiled, up to the next heading, the next cell
without the tag, or the comment `<!-- end of the answer -->`. `veils.js` lays the veil
and lifts it; on paper, for a search engine and without script there is none.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

ID = re.compile(
    r'data-figure="forecast".*?<script type="application/json">.*?"id": "(.*?)"',
    re.DOTALL,
)
END = "end of the answer"


def forecast_in(node: nodes.Node) -> str | None:
    """Return the id of the forecast that a cell shows, if it shows one."""
    for raw in node.findall(nodes.raw):
        if found := ID.search(raw.astext()):
            return found[1]
    return None


def answers(node: nodes.Node) -> bool:
    """Return whether what stands here can be part of an answer."""
    if isinstance(node, nodes.section):
        return False
    if isinstance(node, nodes.container) and "cell" in node["classes"]:
        return "tag_answer" in node["classes"]
    return not (isinstance(node, nodes.raw) and END in node.astext())


def veil_answers(app: Sphinx, doctree: nodes.document) -> None:
    """Wrap what follows a forecast and answers it, if anything does."""
    for cell in list(doctree.findall(nodes.container)):
        if "cell" not in cell["classes"] or not (id := forecast_in(cell)):
            continue
        siblings = cell.parent.children
        start = end = siblings.index(cell) + 1
        while end < len(siblings) and answers(siblings[end]):
            end += 1
        if end == start:
            continue
        veil = nodes.container(classes=["veiled", f"of-{id}"])
        veil += siblings[start:end]
        cell.parent[start:end] = [veil]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", veil_answers)
    app.add_js_file("veils.js")  # in book/_static
    return {"parallel_read_safe": True, "parallel_write_safe": True}
