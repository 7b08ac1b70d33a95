"""Sphinx extension: each page's Content-Security-Policy, in a `<meta>` of its head.

It holds wherever the page lies, on a server or as a file. (A header would need a host
that can be told to send it: GitHub Pages cannot.)

Scripts that stand in the page, and the theme's two `onclick`, are named by their
hashes, so that nothing else in it runs. `blob:` is there because a live figure is
a module in the page, and no other way to import one works from a file too; `file:`
because not every browser counts the files beside a page as its own. `wasm-unsafe-eval`
lets the page's own training compile its WebAssembly, in a worker that comes from a blob
too; JavaScript from strings stays forbidden. Styles are free:
formulas, figures and the tables of notebooks bring their own. Nothing in the book
connects to anything; `connect-src` lets Lighthouse ask for robots.txt.
"""

import base64
import hashlib
import html
import re
from pathlib import Path

from sphinx.application import Sphinx

POLICY = (
    "default-src 'none'; "
    "script-src 'self' file: blob: 'wasm-unsafe-eval' 'unsafe-hashes' {hashes}; "
    "style-src 'self' file: 'unsafe-inline'; "
    "img-src 'self' file: data:; "
    "font-src 'self' file: data:; "
    "connect-src 'self'; "
    "base-uri 'none'; "
    "form-action 'self' file:"
)

META = '<meta http-equiv="Content-Security-Policy"'
SCRIPT = re.compile(r"<script(?![^>]*(?:\ssrc=|json))[^>]*>(.*?)</script>", re.DOTALL)
HANDLER = re.compile(r'<[a-z][^<>]*\son[a-z]+="([^"]*)"')  # such as onclick


def source_hash(code: str) -> str:
    """Return how a policy names a piece of code: 'sha256-…'."""
    digest = hashlib.sha256(code.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def policy(page: str) -> str:
    """Return the policy under which all scripts that stand in the page may run."""
    code = [*SCRIPT.findall(page), *map(html.unescape, HANDLER.findall(page))]
    return POLICY.format(hashes=" ".join(sorted(set(map(source_hash, code)))))


def guarded(page: str) -> str:
    """Return the page with its policy, behind its charset, which has to be early."""
    if META in page:  # from an earlier build
        return page
    meta = f'{META} content="{policy(page)}">'
    return re.sub(r"<meta charset=[^>]*>", rf"\g<0>\n    {meta}", page, count=1)


def write_policies(app: Sphinx, exception: Exception | None) -> None:
    """After a good HTML build, tell each page that has been written its policy."""
    if exception is not None or app.builder.name != "html":
        return
    for file in Path(app.outdir).rglob("*.html"):
        page = file.read_text(encoding="utf-8")
        file.write_text(guarded(page), encoding="utf-8", newline="\n")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write_policies, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
