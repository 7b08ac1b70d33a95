"""The comparison of chapters with what they store can fail: `pytest --nbval book`.

Each test spoils a chapter in one way; nbval or the rules of `tools.authoring` see it.
"""

import os
import shutil
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.authoring import execute, problems, repository_url, setup_cell, tidy

PLOT_CELL = """\
# @title Draw a line
import matplotlib.pyplot as plt
from attnlab.figures.style import use_style
use_style()
plt.plot([0, 1], label="heads")
plt.title("Right by length")
plt.show()"""
CELLS = ["x = 3", 'print("right", x)', "x + 1", "print(x)", "x", PLOT_CELL]
# What depends on the machine, which a variable plays, and on a line of the package.
CELLS += ["import os", 'os.environ.get("MACHINE", "ours")']
CELLS += ["from shared_code import heads", "heads()"]
SHARED_CODE = "def heads():\n    return {}\n"


@pytest.fixture(scope="module")
def stored_chapter(tmp_path_factory):
    """A tiny chapter, after the standard cell, as `make notebooks` stores it."""
    folder = tmp_path_factory.mktemp("stored")
    (folder / "shared_code.py").write_text(SHARED_CODE.format(8))
    notebook = new_notebook(cells=[new_markdown_cell("# Tiny")])
    first = new_code_cell(setup_cell(repository_url()), metadata={"tags": ["setup"]})
    notebook.cells += [first, *map(new_code_cell, CELLS)]
    alt = {"image": {"alt": "A line."}}
    drawing = notebook.cells[2 + CELLS.index(PLOT_CELL)]
    drawing.metadata.update(tags=["measure"], mystnb=alt)
    execute(notebook, folder)
    tidy(notebook)
    return notebook


@pytest.fixture
def failed_cells(root, tmp_path):
    """`failed_cells(notebook)`: numbers of the cells that fail as in `make test`."""
    shutil.copy(root / "book" / "conftest.py", tmp_path)

    def failed(notebook, heads=8, **environment):
        (tmp_path / "shared_code.py").write_text(SHARED_CODE.format(heads))
        nbformat.write(notebook, tmp_path / "01_tiny.ipynb")
        command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env"]
        command += ["-q", "-rf", "--color=no", "-p", "no:cacheprovider", "."]
        result = subprocess.run(
            command,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(root / "book/_ext")} | environment,
            capture_output=True,
            encoding="utf-8",
        )
        assert result.returncode in (0, 1), result.stdout + result.stderr
        lines = result.stdout.splitlines()
        lines = [line.split(" - ")[0] for line in lines if line.startswith("FAILED")]
        return [int(line.rsplit(" ", 1)[1]) for line in lines]

    return failed


def copy_with_code_cells(notebook):
    """A copy of a notebook, and its code cells."""
    copy = nbformat.from_dict(notebook)
    return copy, [cell for cell in copy.cells if cell.cell_type == "code"]


def test_nbval_changed_outputs_fail(stored_chapter, failed_cells):
    assert problems(stored_chapter, repository_url()) == []
    notebook, cells = copy_with_code_cells(stored_chapter)
    cells[2].outputs[0].text = "right 4\n"
    cells[3].outputs[0].data["text/plain"] = "5"
    cells[4].outputs = []
    cells[5].source = "x / 0"
    drawing = cells[6].outputs[-1].data
    drawing["image/svg+xml"] = drawing["image/svg+xml"].replace("Right by", "Wrong by")
    assert failed_cells(notebook, heads=16, MACHINE="another") == [2, 3, 4, 5, 6, 8, 10]


def remove_cell(cells, notebook):
    notebook.cells.remove(cells[2])


def change_source(cells, notebook):
    cells[2].source = 'print("right", 3)'  # prints the same


def clear_execution(cells, notebook):
    cells[2].execution_count, cells[2].outputs = None, []


@pytest.mark.parametrize("spoil", [remove_cell, change_source, clear_execution])
def test_authoring_rule_rejects_cell_changed_since_run(stored_chapter, spoil):
    """Nbval lets it pass; what else it would is in `tools/test_authoring.py`."""
    notebook, cells = copy_with_code_cells(stored_chapter)
    spoil(cells, notebook)
    assert any(
        "not as it was run" in one for one in problems(notebook, repository_url())
    )


def test_nbval_compares_every_chapter(root, chapter, request):
    """What `make test` runs has a test for each cell of the chapter."""
    if not request.config.option.nbval:
        pytest.skip("this run has no chapters: pytest --nbval")
    cells = nbformat.read(chapter, as_version=4).cells
    wanted = sum(cell.cell_type == "code" for cell in cells)
    collected = [item for item in request.session.items if item.path == chapter]
    assert len(collected) == wanted > 0
