"""Sphinx extension: the Content-Security-Policy that the site can be served under.

It is written to `_headers` at the top of the built site, a file that several hosts of
static pages read by themselves; for other servers the line is to be copied from there.
`make serve` sends it, and the tests open the pages under it.

Scripts that stand in the pages, and the theme's two `onclick`, are named by their
hashes, so that nothing else in a page runs. `blob:` is there because a live figure is
a module in the page, and no other way to import one works from a file too. Styles are
free: formulas, figures and the tables of notebooks bring their own. Nothing in the
book connects to anything; `connect-src` lets Lighthouse ask for robots.txt.
"""

import base64
import hashlib
import html
import re
from collections.abc import Iterable
from pathlib import Path

from sphinx.application import Sphinx

POLICY = (
    "default-src 'none'; "
    "script-src 'self' blob: 'unsafe-hashes' {hashes}; "
    "style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; "
    "font-src 'self' data:; "
    "connect-src 'self'; "
    "base-uri 'none'; "
    "form-action 'self'; "
    "frame-ancestors 'none'"
)

SCRIPT = re.compile(r"<script(?![^>]*(?:\ssrc=|json))[^>]*>(.*?)</script>", re.DOTALL)
HANDLER = re.compile(r'<[a-z][^<>]*\son[a-z]+="([^"]*)"')  # such as onclick


def source_hash(code: str) -> str:
    """How a policy names a piece of code: 'sha256-…'."""
    digest = hashlib.sha256(code.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def policy(pages: Iterable[str]) -> str:
    """The policy under which all scripts that stand in these pages may run."""
    hashes = set()
    for page in pages:
        hashes.update(map(source_hash, SCRIPT.findall(page)))
        hashes.update(source_hash(html.unescape(one)) for one in HANDLER.findall(page))
    return POLICY.format(hashes=" ".join(sorted(hashes)))


def write_headers(app: Sphinx, exception: Exception | None) -> None:
    """After a good HTML build, write the headers that the site asks its host for."""
    if exception is None and app.builder.name == "html":
        folder = Path(app.outdir)
        slides = Path(app.srcdir, "book", "_slides", "index.html.j2")  # may come later
        pages = [*sorted(folder.rglob("*.html")), slides]
        line = policy(page.read_text(encoding="utf-8") for page in pages)
        text = f"/*\n  Content-Security-Policy: {line}\n"
        (folder / "_headers").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write_headers, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
