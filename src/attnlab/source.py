"""Show the package's own code in a notebook."""

import ast
import inspect
import textwrap
from typing import Any


class _Source:
    """Python source that notebooks show highlighted and terminals show as text."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        fence = "````" if "```" in self.text else "```"
        return f"{fence}python\n{self.text}\n{fence}"


def show_source(object: object) -> None:
    """Display the source of a function, class or module under the file it is from.

    Of docstrings only the first line is shown; the reference has the rest. The output
    holds no path of the machine and no line number: it changes when the code does and
    only then, so that a notebook's stored output tells when the book drifts away from
    the package.

    Raises `TypeError` for what has no Python source, such as a number or a built-in.
    """
    from IPython.display import display

    display(_Source(_read_source(object)))


def _read_source(object: Any) -> str:
    object = inspect.unwrap(object) if callable(object) else object
    try:
        source = inspect.getsource(object)
    except (TypeError, OSError) as error:
        name = getattr(object, "__qualname__", None) or repr(object)
        raise TypeError(
            "show_source wants a function, class or module written in Python, "
            f"got {type(object).__name__}: {name}"
        ) from error
    source = _with_short_docstrings(textwrap.dedent(source).rstrip())
    module = inspect.getmodule(object)
    if module is None or module.__name__ == "__main__":
        return source
    return f"# {module.__name__.replace('.', '/')}.py\n{source}"


def _with_short_docstrings(source: str) -> str:
    """Keep the first line of every docstring."""
    lines = source.splitlines()
    left_out: set[int] = set()
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and ast.get_docstring(node):
            text = node.body[0]
            first, last = text.lineno, text.end_lineno or text.lineno
            if first < last:
                lines[first - 1] += '"""'
                left_out.update(range(first, last))
    return "\n".join(line for i, line in enumerate(lines) if i not in left_out)
