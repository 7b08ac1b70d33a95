"""One ES module out of several, by wrapping each in a function.

A browser that reads a page from a file loads no other module, so the page must hold
the whole program. The modules in `live/js` are ordinary ES modules that keep to a few
rules (see `bundle`), so that joining them takes no more than a few regular expressions.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from os.path import normpath
from pathlib import Path

JS = Path(__file__).resolve().parent / "js"
MOUNT = JS / "shell" / "mount.js"
WORKER = JS / "learn" / "worker.js"

_IMPORT = re.compile(
    r'^import (\{\s*\w+(?:,\s*\w+)*,?\s*\}) from "(\.[\w./-]+\.js)";\n', re.MULTILINE
)
_EXPORT = re.compile(
    r"^export ((?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE
)
_UNBUNDLED_LINE = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(figures: Mapping[str, Path]) -> str:
    """Join figures' modules and all that they import into one module, each once.

    The modules import by `import { a, b } from "../words/other.js";` and export by
    putting `export` before a declaration, nothing else. Each becomes the body of a
    function, so what it does not export is its own.

    Args:
        figures: the module of each figure by the figure's name; it exports `render`. If
            it lies elsewhere, it imports as if it lay in its folder of
            `live/js/figures`.

    Returns:
        The source of a module that exports `mount(figure, state)` for a page without a
        kernel, and what anywidget expects as its default.

    Raises:
        ValueError: a module breaks one of the rules, lacks what another imports of it,
            or modules import each other in a circle.
        FileNotFoundError: a module is not there.
    """
    entries = {name: path.resolve() for name, path in figures.items()}
    parts, exported = _join_modules([*entries.values(), MOUNT])
    for path in entries.values():
        _check_exported(path, ["render"], exported)
    renders = ", ".join(
        f"{json.dumps(name)}: {_module_variable(path)}.render"
        for name, path in entries.items()
    )
    return "\n".join(
        [
            *parts,
            f"const {{ mountPage, mountView }} = {_module_variable(MOUNT)};",
            f"const renders = {{ {renders} }};",
            "export const mount = (figure, state) =>",
            "  mountPage(figure, renders[figure.dataset.figure], state);",
            "const render = (view) =>",
            '  mountView(view, renders[view.model.get("_frame").figure]);',
            "export default { render };\n",
        ]
    )


def worker_program() -> str:
    """Join the modules of the page's own training into the script of a Web Worker."""
    parts, _ = _join_modules([WORKER])
    return "\n".join(
        [*parts, f"{_module_variable(WORKER)}.serveTraining(globalThis);\n"]
    )


def _join_modules(entries: list[Path]) -> tuple[list[str], dict[Path, list[str]]]:
    """Return the modules and all they import as code, and what each exports."""
    exported: dict[Path, list[str]] = {}
    parts = ["const modules = {};"]
    for path in _sort_modules(entries):
        source = path.read_text(encoding="utf-8")
        exported[path] = [name for _, name in _EXPORT.findall(source)]
        imported = []
        for names, place in _IMPORT.findall(source):
            imported.append(_resolve_import(path, place))
            _check_exported(imported[-1], re.findall(r"\w+", names), exported)
        parts.append(_as_function(path, source, tuple(imported), tuple(exported[path])))
    return parts, exported


def _sort_modules(entries: list[Path]) -> list[Path]:
    """List the modules and all they import, each after those that it imports."""
    imports: dict[Path, list[Path]] = {}
    to_read = list(entries)
    while to_read:
        path = to_read.pop(0)
        if path not in imports:
            found = _IMPORT.findall(path.read_text(encoding="utf-8"))
            imports[path] = [_resolve_import(path, place) for _, place in found]
            to_read += imports[path]
    try:
        return list(TopologicalSorter(imports).static_order())
    except CycleError as error:
        circle = ", ".join(_module_name(path) for path in error.args[1])
        raise ValueError(f"modules import each other in a cycle: {circle}") from None


@cache  # asked for thousands of times where a page shows many figures
def _resolve_import(path: Path, place: str) -> Path:
    own = Path(normpath(path.parent / place))  # `resolve` asks for links
    return own if own.exists() else Path(normpath(JS / "figures" / path.stem / place))


def _module_name(path: Path) -> str:
    """Name a module by its place in `live/js`, or by its file if it lies elsewhere."""
    inside = path.is_relative_to(JS)
    return path.relative_to(JS).as_posix() if inside else path.name


def _module_variable(path: Path) -> str:
    return f"modules[{json.dumps(_module_name(path))}]"


def _check_exported(
    path: Path, names: list[str], exported: Mapping[Path, list[str]]
) -> None:
    missing = [name for name in names if name not in exported[path]]
    if missing:
        raise ValueError(f"{_module_name(path)} does not export {', '.join(missing)}")


@cache
def _as_function(
    path: Path, source: str, imported: tuple[Path, ...], exported: tuple[str, ...]
) -> str:
    """A module as a function that is called once and returns what it exports."""
    places = map(_module_variable, imported)
    body = _IMPORT.sub(lambda found: f"const {found[1]} = {next(places)};\n", source)
    body = _EXPORT.sub(r"\1", body)
    if left := _UNBUNDLED_LINE.search(body):
        raise ValueError(f"{_module_name(path)}: cannot bundle the line {left[0]!r}")
    result = f"return {{ {', '.join(exported)} }};"
    return f"{_module_variable(path)} = (() => {{\n{body}{result}\n}})();"
