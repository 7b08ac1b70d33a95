"""Sphinx extension: when a cell fails, the build's last line says which one.

MyST-NB reports a failing cell as a warning with the whole traceback, and ends in an
exception whose own traceback buries it.
"""

import atexit
import logging
import re

from sphinx.application import Sphinx

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def summary(chapter: str, report: str) -> str:
    """One line out of nbclient's report: chapter, cell and error."""
    lines = [line.strip() for line in ANSI.sub("", report).splitlines() if line.strip()]
    cells = re.findall(r"In ?\[(\d+)\]", " ".join(lines))
    cell = f"cell [{cells[-1]}]" if cells else "a cell"
    errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)]
    return f"{chapter}: {cell} failed: {errors[-1] if errors else lines[-1]}"


class FailedCells(logging.Handler):
    """Keeps a line for each chapter whose execution failed."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: dict[str, None] = {}  # in order, once each: Sphinx logs twice

    def emit(self, record: logging.LogRecord) -> None:
        report = record.getMessage()
        if report.startswith("Executing notebook failed"):
            self.lines[summary(str(record.location), report)] = None

    def show(self) -> None:
        for line in self.lines:
            print(line, flush=True)


def setup(app: Sphinx) -> dict[str, bool]:
    failed = FailedCells()
    logging.getLogger("sphinx").addHandler(failed)
    atexit.register(failed.show)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
