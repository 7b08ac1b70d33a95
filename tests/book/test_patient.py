"""Lab 4's broken attention layer: the solution mends all that its checks find."""

import re

import nbformat
import pytest

from tools.authoring import ROOT

pytestmark = pytest.mark.book

PART = "## Task 5 · Mend a broken attention layer"
EMPTY_SOLUTION = "class Mended(Patient): ..."


@pytest.fixture(scope="module")
def task():
    """The set-up cells' code, and the cells of the task."""
    cells = nbformat.read(ROOT / "book" / "04_lab.ipynb", as_version=4).cells
    (start,) = (i for i, cell in enumerate(cells) if cell.source.startswith(PART))
    (end,) = (i for i, cell in enumerate(cells) if EMPTY_SOLUTION in cell.source)
    setup = [cell for cell in cells if "setup" in cell.metadata.get("tags", [])]
    return [*setup, *cells[start : end + 1]], cells[end + 1].source


def test_debugging_exercise_solution_passes_every_check(task, capsys):
    cells, folded = task
    mended = re.search(r"```python\n(.*?)```", folded, re.DOTALL)[1]
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    exec(code.replace(EMPTY_SOLUTION, mended), {})
    assert capsys.readouterr().out == "fails 0 of 8:\n"
