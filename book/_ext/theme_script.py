"""Sphinx extension: the theme's script does not style and lay out a long page twice.

When a page is read, the theme's script names light or dark again, as `layout.html`
did, at which a browser styles all ten thousand elements anew; and it asks of every
listing, those in closed folds among them, whether it scrolls sideways. On a phone the
two stop a chapter for most of a second. (`folds.js` asks when a fold opens.)
"""

from pathlib import Path

from sphinx.application import Sphinx

SCRIPT = Path("_static", "scripts", "pydata-sphinx-theme.js")
ROOT = "document.documentElement.dataset"
CHANGES = {
    f"{ROOT}.mode=e;": f"{ROOT}.mode!==e&&({ROOT}.mode=e);",
    f"{ROOT}.theme=n,": f"{ROOT}.theme!==n&&({ROOT}.theme=n),",
    '["pre",': '["details[open] pre","pre:not(details pre)",',
}


def calm(script: str) -> str:
    """Change the theme's script.

    Raises:
        ValueError: it has not each place to change exactly once, as in another
            version of the theme.
    """
    for old, new in CHANGES.items():
        if script.count(old) != 1:
            raise ValueError(f"the theme's script has no single {old!r} to change")
        script = script.replace(old, new)
    return script


def change_script(app: Sphinx, exception: Exception | None) -> None:
    """After a good HTML build, change the script that it copied."""
    if exception is None and app.builder.name == "html":
        path = app.outdir / SCRIPT
        path.write_text(calm(path.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", change_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
