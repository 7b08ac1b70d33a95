"""Sphinx extension: each chapter opens with its drawing, and says what it is elsewhere.

The drawings are in `_static/chapters`, one a chapter. The chapter's page has it beside
its title, as its lab has. They stand within the pages: so they take the colours of
light and dark.

For what shows a link with a picture there are a title and a card; the card's
address has to be whole, so it is reckoned from the repository's.
"""

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

CHAPTER = re.compile(r"book/(\d\d)_\w+")
REPOSITORY = re.compile(r"https://github\.com/([\w.-]+)/([\w.-]+?)(?:\.git)?/?")
CARD = "_static/social-card.png"


def drawing(folder: Path, name: str) -> str:
    """The drawing whose name begins so; raises `FileNotFoundError` if there is none."""
    for path in sorted(folder.glob(f"{name}*.svg")):
        return path.read_text(encoding="utf-8").strip()
    raise FileNotFoundError(f"no drawing {name}*.svg in {folder}")


def site(repository: str) -> str | None:
    """Where GitHub publishes the pages of a repository; None if it is not there."""
    found = REPOSITORY.fullmatch(repository)
    return f"https://{found[1].lower()}.github.io/{found[2]}/" if found else None


def social_tags(title: str, address: str | None) -> str:
    """Return what a page says to those who show a link to it."""
    tags = {"og:type": "article", "og:title": title}
    if address:
        tags |= {"og:image": address + CARD, "twitter:card": "summary_large_image"}
    return "".join(
        f'\n<meta property="{name}" content="{html.escape(text)}">'
        for name, text in tags.items()
    )


def open_page(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Put the drawings and tags into a page."""
    if "body" not in context:
        return
    folder = Path(app.confdir, "book", "_static", "chapters")
    if chapter := CHAPTER.fullmatch(pagename):
        heading = f"<h1>{drawing(folder, chapter[1])}"
        context["body"] = context["body"].replace("<h1>", heading, 1)
    address = site(app.config.html_theme_options.get("repository_url", ""))
    context["metatags"] = context.get("metatags", "") + social_tags(
        context.get("title", ""), address
    )


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", open_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
