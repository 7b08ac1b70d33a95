"""Sphinx extension: a change in the package executes the chapters again.

jupyter-cache keys a notebook's stored outputs on the notebook's own cells alone, and
Sphinx re-reads a page only when its file changes. Neither sees that `src/` has changed.
"""

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)


def digest(paths: Iterable[Path]) -> str:
    """One hash over the names and contents of all files at or below `paths`."""
    total = hashlib.sha256()
    for path in filter(Path.exists, paths):
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and file.suffix != ".pyc":
                total.update(file.name.encode() + b"\0" + file.read_bytes())
    return total.hexdigest()


def forget_when_changed(stamp: Path, paths: list[Path], folders: list[Path]) -> bool:
    """Remove `folders` unless `stamp` holds the digest of `paths`; tells if it did."""
    current = digest(paths)
    if stamp.exists() and stamp.read_text() == current:
        return False
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(current)
    return True


def forget_stale(app: Sphinx, config: Config) -> None:
    """Drop what was executed with another package, or read by other extensions."""
    root = Path(app.srcdir)
    build = Path(app.outdir).parent
    doctrees = Path(app.doctreedir)
    cache = Path(config.nb_execution_cache_path or build / ".jupyter_cache")
    package = [root / "src" / "attnlab", root / "requirements.txt"]
    if forget_when_changed(build / ".package.sha256", package, [cache, doctrees]):
        LOGGER.info("The package is new or has changed: every chapter runs.")
    machinery = [root / "book" / "_ext", root / "book" / "_templates"]
    forget_when_changed(build / ".extensions.sha256", machinery, [doctrees])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", forget_stale)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
