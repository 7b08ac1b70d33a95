"""Sphinx extension: a change in the package executes what depends on it again.

jupyter-cache keys a page's stored outputs on the page's own cells alone, and Sphinx
re-reads a page only when its file changes. Neither sees that `src/` has changed. So a
digest is kept for every page with cells: of the modules it imports, directly or not,
and of the data that lie with them.
"""

import ast
import hashlib
import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from executing_pages import notebook
from IPython.core.inputtransformer2 import TransformerManager
from jupyter_cache import get_cache
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
Names = tuple[set[str], set[str]]  # what code imports, and its strings


def digest(paths: Iterable[Path]) -> str:
    """One hash over the names and contents of all files at or below `paths`."""
    total = hashlib.sha256()
    for path in filter(Path.exists, paths):
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and file.suffix != ".pyc":
                total.update(file.name.encode() + b"\0" + file.read_bytes())
    return total.hexdigest()


# What a page depends on -------------------------------------------------------------


class Package:
    """A package's files, and what each module imports and says."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._names: dict[Path, Names] = {}
        self.files = [
            path
            for path in sorted(home.rglob("*"))
            if path.is_file() and path.suffix != ".pyc"
        ]

    def files_of(self, code: str) -> list[Path]:
        """Return the files that running this code may read."""
        imported, words = names_in(code)
        named = re.findall(rf"{self.home.name}(?:\.\w+)+", "\n".join(words))
        modules = self._needed([*imported, *named])
        words = words.union(*(self._names_in(source)[1] for source in modules.values()))
        sources = set(modules.values())
        return [
            file
            for file in self.files
            if file in sources
            or (file.suffix != ".py" and self._reads(file, modules, words))
        ]

    def _needed(self, names: Iterable[str]) -> dict[str, Path]:
        """Return these modules, what they import, and the packages they lie in."""
        found: dict[str, Path] = {}
        waiting = list(names)
        while waiting:
            module = waiting.pop()
            source = self._source(module)
            if module not in found and source.is_file():
                found[module] = source
                waiting += self._names_in(source)[0]
                waiting.append(module.rpartition(".")[0])
        return found

    def _names_in(self, source: Path) -> Names:
        if source not in self._names:
            self._names[source] = names_in(source.read_text("utf-8"))
        return self._names[source]

    def _source(self, module: str) -> Path:
        path = self.home.parent.joinpath(*module.split("."))
        return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

    def _reads(self, file: Path, modules: Iterable[str], words: set[str]) -> bool:
        """Tell whether these modules, which say these words, may read a data file."""
        if file.parent.name == "results":  # asked for by name, "x" for x.tuning too
            return not words.isdisjoint({file.stem, file.stem.split(".")[0]})
        folder = file.relative_to(self.home).parts[:-1]
        return ".".join([self.home.name, *folder[:1]]) in modules


def names_in(code: str) -> Names:
    """Return what code imports (not only modules), and its strings."""
    imported, strings = set(), set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported.add(node.module)
            imported.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            strings.add(node.value)
    return imported, strings


def code_of(path: Path) -> str | None:
    """Return a page's cells as plain Python; None if it has none."""
    page = notebook(path)
    if page is None:
        return None
    plain = TransformerManager().transform_cell
    cells = (cell.source for cell in page.cells if cell.cell_type == "code")
    return "\n".join(map(plain, cells))


# What the build forgets -------------------------------------------------------------


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
    """Drop what was executed with other packages, or read by other extensions."""
    root, build = Path(app.srcdir), Path(app.outdir).parent
    doctrees = Path(app.doctreedir)
    cache = Path(config.nb_execution_cache_path or build / ".jupyter_cache")
    if forget_when_changed(
        build / ".requirements.sha256", [root / "requirements.txt"], [cache, doctrees]
    ):
        LOGGER.info("The requirements are new or have changed: every chapter runs.")
    machinery = [root / "book" / "_ext", root / "book" / "_templates"]
    forget_when_changed(build / ".extensions.sha256", machinery, [doctrees])


def forget_outputs(
    app: Sphinx,
    env: BuildEnvironment,
    added: set[str],
    changed: set[str],
    removed: set[str],
) -> list[str]:
    """Drop the outputs of pages whose modules have changed; return those pages."""
    known = Path(app.outdir).parent / ".pages.json"
    before = json.loads(known.read_text("utf-8")) if known.exists() else {}
    package = Package(Path(app.srcdir, "src", "attnlab"))
    codes = {page: code_of(Path(env.doc2path(page))) for page in env.found_docs}
    now = {
        page: digest(package.files_of(code))
        for page, code in sorted(codes.items())
        if code is not None
    }
    stale = [page for page in now if before.get(page) != now[page]]
    files = {env.doc2path(page) for page in stale}
    cache = get_cache(env.mystnb_config.execution_cache_path)
    for record in cache.list_cache_records():
        if record.uri in files:
            cache.remove_cache(record.pk)
    known.write_text(json.dumps(now), "utf-8")
    return stale


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", forget_stale)
    app.connect("env-get-outdated", forget_outputs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
