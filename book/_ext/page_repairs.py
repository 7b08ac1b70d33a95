"""Sphinx extension: what is to mend in the finished pages."""

import copy
import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.core import render
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.util.images import get_image_size

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
DESCRIPTION = 155  # characters, about what a search engine shows

FRONT_DOOR = """\
<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>{title}</title>
  <link rel="icon" href="_static/favicon.svg">
  <meta http-equiv="refresh" content="0; url={page}.html">
</head>
<body><main><h1><a href="{page}.html">{title}</a></h1></main></body>
</html>
"""


def drop_widget_state(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Leave out the saved state of widgets: without a kernel nothing would read it."""
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if getattr(script, "attributes", {}).get("type") != WIDGET_STATE
    ]


def tidy_launch_buttons(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Offer Colab and Binder for notebooks alone: they cannot run a Markdown page.

    Their logos go: every reader would load them, and few open that menu.
    """
    buttons = context.get("header_buttons", [])
    launchers = [one for one in buttons if one.get("label") == "launch-buttons"]
    if context.get("page_source_suffix") != ".ipynb":
        context["header_buttons"] = [one for one in buttons if one not in launchers]
    for launcher in launchers:
        for place in launcher["buttons"]:
            place["icon"] = "fas fa-rocket"


def defer_scripts(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Let script files wait until the page is read, so that it shows at once.

    The theme tells a page its own name by a script, which nothing here asks for and
    which would be another for each page; it goes.
    """
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if not script.attributes.get("body", "").startswith("DOCUMENTATION_OPTIONS")
    ]
    for script in context["script_files"]:
        if script.filename:
            script.attributes.setdefault("defer", "defer")


def name_toggles(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Say what the contents' arrow does to those who do not see it."""
    make = context["generate_toctree_html"]

    def named(*args: Any, **options: Any) -> str:
        label = '<summary aria-label="Pages of this part">'
        return str(make(*args, **options)).replace("<summary>", label)

    context["generate_toctree_html"] = named


def describe(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Say in the page's head what it is about: the first words of its text."""
    paragraphs = doctree.findall(nodes.paragraph) if doctree else ()
    text = " ".join(" ".join(one.astext() for one in paragraphs).split())
    if len(text) > DESCRIPTION:
        text = text[:DESCRIPTION].rsplit(" ", 1)[0] + " …"
    text = html.escape(text or app.config.html_title)
    tag = f'<meta name="description" content="{text}" />\n'
    context["metatags"] = context.get("metatags", "") + tag


def size_pictures(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Give pictures their size, so that they may come late and nothing moves."""
    files = {name: uri for uri, name in app.builder.images.items()}

    def sized(match: re.Match[str]) -> str:
        file = files.get(match[1])
        size = get_image_size(str(Path(app.srcdir, file))) if file else None
        attributes = f' width="{size[0]}" height="{size[1]}"' if size else ""
        return f'{match[0]}{attributes} loading="lazy"'

    if "body" in context:
        pattern = r'<img\b[^>]*? src="[^"]*_images/([^"]+)"'
        context["body"] = re.sub(pattern, sized, context["body"])


def join_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join the pieces in which a text was printed, as they are.

    Where a text is cut depends on how busy the machine was, and myst-nb would end each
    piece with a line break.
    """
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output["output_type"] == "stream" and output["name"] == last.get("name"):
            last["text"] += output["text"]
        else:
            joined.append(copy.copy(output))
    return _coalesce_streams(joined)


_coalesce_streams = render.coalesce_streams


def write_front_door(app: Sphinx, exception: Exception | None) -> None:
    """Lead from the top of the site to the first page, by a page with a title."""
    if exception is None and app.builder.name == "html":
        page = FRONT_DOOR.format(
            title=app.config.html_title, page=app.config.master_doc
        )
        (Path(app.outdir) / "index.html").write_text(page, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    # Jupyter Book sets this for sphinx_comments, which the book leaves out.
    app.add_config_value("comments_config", {}, "html")
    render.coalesce_streams = join_streams
    app.connect("html-page-context", drop_widget_state, priority=900)
    app.connect("html-page-context", tidy_launch_buttons, priority=900)
    for mend in (defer_scripts, name_toggles, describe, size_pictures):
        app.connect("html-page-context", mend, priority=900)
    app.connect("build-finished", write_front_door, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
