"""Sphinx extension: fonts stand within the style sheets that name them.

So a font comes with the page: no text moves when it arrives, and a page that is opened
from a folder has it too, where a browser may not load one from beside it.
"""

import base64
import re
from pathlib import Path

from sphinx.application import Sphinx

SHEETS = ("book.css", "formulas.css")
FONT = re.compile(r"fonts/[\w-]+\.woff2")


def embed(sheet: Path) -> None:
    """Write the fonts that a style sheet names into it."""

    def data(name: re.Match) -> str:
        font = (sheet.parent / name[0]).read_bytes()
        return f"data:font/woff2;base64,{base64.b64encode(font).decode('ascii')}"

    css = sheet.read_text(encoding="utf-8")
    sheet.write_text(FONT.sub(data, css), encoding="utf-8")


def embed_fonts(app: Sphinx, exception: Exception | None) -> None:
    """Do so in the built book."""
    if exception is None and app.builder.name == "html":
        for name in SHEETS:
            embed(Path(app.outdir, "_static", name))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", embed_fonts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
