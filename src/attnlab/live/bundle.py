"""One ES module out of several, by concatenation.

A browser that reads a page from a file loads no other module, so the page must hold
the whole program. The modules in `live/js` are ordinary ES modules that keep to a few
rules (see `bundle`), so that joining them takes no more than a few regular expressions.
"""

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

JS = Path(__file__).resolve().parent / "js"

_IMPORT = re.compile(
    r'^import \{\s*\w+(?:,\s*\w+)*,?\s*\} from "(\.[\w./-]+\.js)";\n', re.MULTILINE
)
_NAME = re.compile(
    r"^(?:export )?(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE
)
_LEFT_OVER = re.compile(
    r"^(?:import\b|export (?!(?:async )?(?:function|const|class)\b)).*",
    re.MULTILINE,
)


def top_level_names(source: str) -> list[str]:
    """Return the names that a module's unindented declarations bind."""
    return _NAME.findall(source)


def bundle(entry: Path, render: str) -> str:
    """Join a figure's module and all it imports into one module.

    The modules import by `import { a, b } from "../words/other.js";` and export by
    putting `export` before a declaration, nothing else; and no two of them declare the
    same name at top level.

    Args:
        entry: the figure's module. If it lies elsewhere, it imports as if it lay in its
            folder of `live/js/figures`.
        render: the name of the function it exports.

    Returns:
        The source of a module that exports `mount(figure, state)` for a page without a
        kernel, and what anywidget expects as its default.

    Raises:
        ValueError: a module breaks one of the rules, or lacks `render`, or modules
            import each other in a circle.
        FileNotFoundError: a module is not there.
    """
    parts: list[str] = []
    owner: dict[str, str] = {}
    for path in _in_order([entry.resolve(), JS / "shell" / "mount.js"]):
        source = path.read_text(encoding="utf-8")
        place = _place(path)
        for name in top_level_names(source):
            if name in owner:
                raise ValueError(f"{place} and {owner[name]} both declare {name}")
            owner[name] = place
        parts.append(f"// {place}\n{_without_modules(source, place)}")
    if owner.get(render) != _place(entry):
        raise ValueError(f"{_place(entry)} does not export a function {render}")
    parts.append(
        f"export const mount = (figure, state) => mountPage(figure, {render}, state);\n"
        f"export default {{ render: (view) => mountView(view, {render}) }};\n"
    )
    return "\n".join(parts)


def _in_order(entries: list[Path]) -> list[Path]:
    """List the modules and all they import, each after those that it imports."""
    imports: dict[Path, list[Path]] = {}
    to_read = list(entries)
    while to_read:
        path = to_read.pop(0)
        if path not in imports:
            names = _IMPORT.findall(path.read_text(encoding="utf-8"))
            imports[path] = [_imported(path, name) for name in names]
            to_read += imports[path]
    try:
        return list(TopologicalSorter(imports).static_order())
    except CycleError as error:
        circle = ", ".join(_place(path) for path in error.args[1])
        raise ValueError(f"modules import each other in a cycle: {circle}") from None


def _imported(path: Path, name: str) -> Path:
    own = (path.parent / name).resolve()
    return own if own.exists() else (JS / "figures" / path.stem / name).resolve()


def _place(path: Path) -> str:
    """Name a module by its place in `live/js`, or by its file if it lies elsewhere."""
    inside = path.is_relative_to(JS)
    return path.relative_to(JS).as_posix() if inside else path.name


def _without_modules(source: str, name: str) -> str:
    """Take away what makes the source a module: imports and the word `export`."""
    source = _IMPORT.sub("", source)
    if left := _LEFT_OVER.search(source):
        raise ValueError(f"{name}: cannot bundle the line {left[0]!r}")
    return re.sub(r"^export ", "", source, flags=re.MULTILINE)
