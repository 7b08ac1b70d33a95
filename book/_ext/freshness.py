"""Sphinx extension: a change in the package or in the extensions makes all pages anew.

Sphinx reads a page again when its own file changes. It does not see that the cells of
Markdown pages, the reference and the figures' colours come of `src/`, and every page of
the extensions here.
"""

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

MACHINERY = ("requirements.txt", "src/attnlab", "book/_ext", "book/_templates")


def digest(paths: Iterable[Path]) -> str:
    """One hash over the names and contents of all files at or below `paths`."""
    total = hashlib.sha256()
    for path in filter(Path.exists, paths):
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and file.suffix != ".pyc":
                total.update(file.name.encode() + b"\0" + file.read_bytes())
    return total.hexdigest()


def forget_stale(app: Sphinx, config: Config) -> None:
    """Drop all that was read, if what it was made with has changed."""
    current = digest(Path(app.srcdir, name) for name in MACHINERY)
    stamp = Path(app.outdir).parent / ".machinery.sha256"
    if stamp.exists() and stamp.read_text() == current:
        return
    shutil.rmtree(app.doctreedir, ignore_errors=True)
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(current)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", forget_stale)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
