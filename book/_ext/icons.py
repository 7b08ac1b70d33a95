"""Sphinx extension: the theme's icons are drawings, not letters of a font.

The theme brings Font Awesome: two fonts of 270 kB, a script, and a rule of style for
each of two thousand icons, of which the pages show some twenty. Those are drawn in
`icons.css`, under the names that the theme calls them by; the rest is removed from the
built book.
"""

import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx

RULE = re.compile(r"(?<![^{};/])([^{};@/]+)\{[^{}]*\}")
FACE = re.compile(r"@font-face\s*\{[^}]*Font ?Awesome[^}]*\}")
OURS = re.compile(r"\.(fa|fa[srb]|fa-[\w-]+)\b")


def without_font(css: str) -> str:
    """Leave out of a style sheet what is for the icons' font alone."""

    def kept(rule: re.Match[str]) -> str:
        selectors = rule[1].split(",")
        return "" if all(OURS.match(one.strip()) for one in selectors) else rule[0]

    return RULE.sub(kept, FACE.sub("", css))


def remove_font(app: Sphinx, exception: Exception | None) -> None:
    """After a good HTML build, remove the icons' font and what belongs to it."""
    if exception is not None or app.builder.name != "html":
        return
    static = Path(app.outdir, "_static")
    sheet = static / "styles" / "pydata-sphinx-theme.css"
    css = without_font(sheet.read_text(encoding="utf-8"))
    sheet.write_text(css, encoding="utf-8")
    shutil.rmtree(static / "vendor" / "fontawesome", ignore_errors=True)
    for file in (static / "scripts").glob("fontawesome.js*"):
        file.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_css_file("icons.css")
    app.connect("build-finished", remove_font, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
