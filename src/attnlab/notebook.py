"""What a notebook adds: a name that is missing is answered with the cell that makes it.

Who opens a chapter in its middle, with a fresh kernel, runs into names of cells above.
The cells are read from the notebook itself, where it can be found, when asked.
"""

import ast
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

TITLE = "# @title "
BINDERS = (ast.FunctionDef, ast.ClassDef, ast.alias)


def ipython_shell() -> Any:
    """Return IPython's shell if a notebook's kernel runs this, else None."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if hasattr(ipython, "get_ipython") else None
    return shell if hasattr(shell, "kernel") else None


def explain_names() -> None:
    """From here on, have a NameError in this notebook say which cell to run."""
    shell = ipython_shell()
    if shell is not None and not shell.custom_exceptions:  # nobody else's is replaced
        shell.set_custom_exc((NameError,), _show)


def load_ipython_extension(shell: Any) -> None:
    """Do so from a kernel's start: most cells that miss a name import no `attnlab`."""
    explain_names()


def _show(
    shell: Any,
    kind: type[NameError],
    error: NameError,
    trace: TracebackType,
    tb_offset: int | None = None,
) -> None:
    """Show a NameError, with what to run in its words."""
    try:
        advice = advice_for_name(
            str(error.name), shell.user_ns["In"][-1], notebook_cells(shell)
        )
    except Exception:  # the error itself matters more
        advice = ""
    if advice:
        error.args = (f"{error}. {advice}",)
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


def advice_for_name(name: str, asking: str, cells: list[dict]) -> str:
    """Say which cell makes a name, and what to run; "" if no other cell does.

    Args:
        name: what is missing.
        asking: the source of the cell that missed it.
        cells: of the notebook, as its file has them.
    """
    sources = ["".join(cell["source"]) for cell in cells]
    places = [i for i, source in enumerate(sources) if source.strip() == asking.strip()]
    asked = places[0] if places else len(cells)
    makers = [
        i
        for i, cell in enumerate(cells)
        if cell["cell_type"] == "code"
        and i != asked
        and name in names_defined(sources[i])
    ]
    if not makers:
        return ""
    maker = max((i for i in makers if i < asked), default=makers[0])
    heading = next(
        (
            line.lstrip("# ")
            for i in range(maker, -1, -1)
            if cells[i]["cell_type"] == "markdown"
            for line in reversed(sources[i].splitlines())
            if line.startswith("#")
        ),
        "",
    )
    first = sources[maker].splitlines()[0]
    title = first.removeprefix(TITLE) if first.startswith(TITLE) else first
    under = f" under “{heading}”" if heading else ""
    return (
        f"The cell “{title}”{under} makes it. Run that cell first; or all cells above "
        "this one: in JupyterLab by Run, Run All Above Selected Cell; in Colab by "
        "Runtime, Run before."
    )


def names_defined(source: str) -> set[str]:
    """Return the names that a cell makes for others; none if it is no plain Python."""
    try:
        return set(_bound_names(ast.parse(source)))
    except SyntaxError:
        return set()


def _bound_names(node: ast.AST) -> Iterator[str]:
    """The names bound in a piece of code, but not those inside of its functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        elif isinstance(child, BINDERS):
            yield getattr(child, "asname", None) or child.name.split(".")[0]
        elif not isinstance(child, ast.Lambda | ast.comprehension):
            yield from _bound_names(child)


def notebook_cells(shell: Any) -> list[dict]:
    """Return the cells of the notebook that is running; none if it cannot be found."""
    colab: Any = sys.modules.get("google.colab._message")  # Colab has loaded it
    if colab is not None:
        answer = colab.blocking_request("get_ipynb", timeout_sec=5)
        return answer["ipynb"]["cells"] if answer else []
    name = os.environ.get("JPY_SESSION_NAME") or shell.user_ns.get("__vsc_ipynb_file__")
    if not name:
        return []
    paths = Path(name), Path(Path(name).name)  # a kernel runs in its notebook's folder
    path = next(path for path in paths if path.is_file())
    return json.loads(path.read_text(encoding="utf-8"))["cells"]
