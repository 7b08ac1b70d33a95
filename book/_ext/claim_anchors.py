"""Sphinx extension: the cell that closes claim C03 gets the anchor `claim-C03`.

Cells that print prose, as claims and checks do, get the class `prints-prose`: the style
sheet lets their lines wrap.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

CLAIM = re.compile(r"""\bclaim\(\s*["'](C\d+)["']""")
PROSE = re.compile(r"\b(claim|check)\(")


def add_anchors(app: Sphinx, doctree: nodes.document) -> None:
    """Give each code cell an id for every claim that it is the first to close."""
    seen = set()
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") != "cell_code":
            continue
        source = "\n".join(
            block.astext()
            for part in cell.children
            if part.get("nb_element") == "cell_code_source"
            for block in part.findall(nodes.literal_block)
        )
        if PROSE.search(source):
            cell["classes"].append("prints-prose")
        for claim in CLAIM.findall(source):
            if claim not in seen:
                seen.add(claim)
                cell["ids"].append(f"claim-{claim}")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", add_anchors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
