"""Sphinx extension: the program of a page's live figures, and their weights.

Notebooks store of a figure its state and its words. Here every page gets the style and
the program of the kinds of figures that it has, each module once and without comments,
for which there are the sources.

A page opened from a file may not `fetch` its neighbours, but it may load a classic
script. So `<name>.safetensors` becomes `_static/attnlab-weights/<name>.js`, which calls
`attnlabWeights("<name>", "<base64>")`; a figure adds that script when it needs it. The
program of the page's own training comes in the same way.
"""

import base64
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from attnlab.live.base import all_kinds
from attnlab.live.page import (
    late_weight_bytes,
    late_weight_names,
    program,
    style,
    with_link,
    without_program,
)

FIGURE = re.compile(
    r"(?:<style data-attnlab=[^>]*>[^<]*</style>\n)*"
    r'<figure class="attnlab-live" data-figure="([\w-]+)">.*?</figure>',
    re.DOTALL,
)


def give_program(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Put the style of a page's figures into its head, their program at its end.

    Figures that are not the package's, such as a page's own example, keep theirs.
    """
    body, look = with_program(context.get("body", ""))
    if look:
        context["body"] = body
        context["metatags"] = context.get("metatags", "") + look


def with_program(body: str) -> tuple[str, str]:
    """Return the body of a page with the program of its figures, and their style."""
    found = set(FIGURE.findall(body))
    kinds = [kind for kind in all_kinds() if kind.figure in found]
    if not kinds:
        return body, ""
    names = {kind.figure for kind in kinds}
    here = with_link(body, "")  # for this is the page that notebooks link to
    light = FIGURE.sub(
        lambda one: without_program(one[0]) if one[1] in names else one[0], here
    )
    return light + program(kinds), style(kinds)


def late_script(name: str) -> str:
    """The script that hands one of `late_weight_names` to the figure that asked."""
    data = base64.b64encode(late_weight_bytes(name)).decode("ascii")
    return f'attnlabWeights("{name}", "{data}");\n'


def write_scripts(app: Sphinx, exception: Exception | None) -> None:
    """After a good HTML build, put a script by the pages for all that comes late."""
    if exception is not None or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "attnlab-weights"
    target.mkdir(parents=True, exist_ok=True)
    for name in late_weight_names():
        (target / f"{name}.js").write_text(late_script(name), encoding="ascii")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", give_program)
    app.connect("build-finished", write_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
