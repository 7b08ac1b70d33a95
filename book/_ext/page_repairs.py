"""Sphinx extension: what is to mend in the finished pages."""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"

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


def drop_launch_buttons(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Offer Colab and Binder for notebooks alone: they cannot run a Markdown page."""
    if context.get("page_source_suffix") != ".ipynb":
        context["header_buttons"] = [
            button
            for button in context.get("header_buttons", [])
            if button.get("label") != "launch-buttons"
        ]


def write_front_door(app: Sphinx, exception: Exception | None) -> None:
    """Lead from the top of the site to the first page, by a page with a title."""
    if exception is None and app.builder.name == "html":
        page = FRONT_DOOR.format(
            title=app.config.html_title, page=app.config.master_doc
        )
        (Path(app.outdir) / "index.html").write_text(page, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", drop_widget_state, priority=900)
    app.connect("html-page-context", drop_launch_buttons, priority=900)
    app.connect("build-finished", write_front_door, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
