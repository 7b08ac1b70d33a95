"""A name that is missing in a notebook is answered with the cell that makes it."""

import os
import sys
from types import SimpleNamespace

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from attnlab.notebook import (
    advice_for_name,
    ipython_shell,
    names_defined,
    notebook_cells,
)

pytestmark = pytest.mark.slow

CODE_CELLS = """\
# @title Sizes of both vocabularies
sizes = (3, 4)
---
def area(height, width):
    inside = height * width
    return inside
---
print(area(*sizes))"""
MARKDOWN = nbformat.v4.new_markdown_cell("# A chapter\n\nText.\n\n## The first part")


@pytest.fixture
def notebook_shell():
    cells = [nbformat.v4.new_code_cell(code) for code in CODE_CELLS.split("---\n")]
    return nbformat.v4.new_notebook(cells=[MARKDOWN, *cells])


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("a = b = 1; c, (d, *e) = f", {"a", "b", "c", "d", "e"}),
        ("import os.path as p, sys\nfrom x import y as z", {"p", "sys", "z"}),
        ("def f(x):\n    y = x\nclass C:\n    z = 1", {"f", "C"}),
        ("for i in range(3):\n    with open(i) as g:\n        h += 1", {"i", "g", "h"}),
        ("[k for k in range(3)]\nlambda m: (n := m)", set()),
        ("%matplotlib inline", set()),
    ],
)
def test_names_defined_lists_names_of_a_cell(source, names):
    assert names_defined(source) == names


def test_advice_names_cell_by_title_and_heading(notebook_shell):
    asking, cells = notebook_shell.cells[-1].source, notebook_shell.cells
    advice = advice_for_name("sizes", asking, cells)
    assert "“Sizes of both vocabularies” under “The first part” makes it" in advice
    assert "“def area(height, width):”" in advice_for_name("area", asking, cells)
    assert (
        advice_for_name("inside", asking, cells)
        == ""
        == advice_for_name("none", asking, cells)
    )


def test_advice_names_latest_earlier_cell(notebook_shell):
    again = nbformat.v4.new_code_cell("# @title Other sizes\nsizes = (5, 6)")
    asking, cells = notebook_shell.cells[-1].source, notebook_shell.cells
    assert "“Other sizes”" in advice_for_name(
        "sizes", asking, [*cells[:3], again, cells[3]]
    )
    assert "“Sizes of both" in advice_for_name("sizes", asking, [*cells, again])


def test_notebook_cells_in_colab_come_from_the_page(notebook_shell, monkeypatch):
    asked = []

    def answer_request(request, timeout_sec):
        asked.append(request)
        return {"ipynb": notebook_shell}

    message = SimpleNamespace(blocking_request=answer_request)
    monkeypatch.setitem(sys.modules, "google.colab._message", message)
    assert notebook_cells(SimpleNamespace(user_ns={})) == notebook_shell.cells
    assert asked == ["get_ipynb"]


@pytest.mark.weekly
def test_explain_names_acts_only_in_a_kernel(notebook_shell, tmp_path, monkeypatch):
    assert ipython_shell() is None
    path = tmp_path / "chapter.ipynb"
    nbformat.write(notebook_shell, path)
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    setup = nbformat.v4.new_code_cell("import attnlab")
    running = nbformat.v4.new_notebook(cells=[setup, notebook_shell.cells[-1]])
    with pytest.raises(CellExecutionError, match="The cell “def area") as raised:
        NotebookClient(running, kernel_name="python3").execute()
    assert raised.value.ename == "NameError"
    os.remove(path)
    running.cells[-1].outputs = []
    with pytest.raises(CellExecutionError, match=r"'area' is not defined$"):
        NotebookClient(running, kernel_name="python3").execute()
