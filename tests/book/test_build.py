"""How the build behaves when something is wrong, or has changed."""

import shutil

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

pytestmark = pytest.mark.book

TOC = """\
format: jb-book
root: book/index
chapters:
  - file: book/01_tiny
  - file: book/ledger
"""


def write_chapter(folder, *cells, prose="# Tiny"):
    notebook = new_notebook(
        cells=[new_markdown_cell(prose), *map(new_code_cell, cells)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, folder / "book" / "01_tiny.ipynb")


@pytest.fixture
def tiny(root, tmp_path):
    """A book of one chapter with this book's settings and a package of its own."""
    for file in ("_config.yml", "requirements.txt"):
        shutil.copy(root / file, tmp_path)
    for folder in ("_ext", "_slides", "_static", "_templates"):
        shutil.copytree(root / "book" / folder, tmp_path / "book" / folder)
    for page in ("index.md", "ledger.md"):
        (tmp_path / "book" / page).write_text(f"# {page}\n")
    package = tmp_path / "src" / "attnlab"
    weights = package / "live" / "weights"
    weights.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (weights / "small.safetensors").write_bytes(b"\x00\x01\x02")
    (tmp_path / "_toc.yml").write_text(TOC)
    return tmp_path


def test_a_failing_cell_fails_the_build_and_is_named(tiny, build):
    write_chapter(tiny, "x = 1", "y = x / 0")
    result = build(tiny)
    assert result.returncode != 0
    last = result.stdout.strip().splitlines()[-1]
    assert "01_tiny: cell [2] failed: ZeroDivisionError" in last


def test_a_sphinx_warning_fails_the_build_and_names_the_chapter(tiny, build):
    write_chapter(tiny, prose="# Tiny\n\nSee [nothing](nowhere.md).")
    result = build(tiny)
    assert result.returncode != 0
    assert "01_tiny" in result.stdout and "nowhere.md" in result.stdout


def test_executes_again_only_what_a_change_touches(tiny, build):
    runs = tiny / "book" / "runs.txt"
    package = tiny / "src" / "attnlab"
    results = package / "experiments" / "results"
    results.mkdir(parents=True)
    for module in ("__init__", "used", "told", "unused"):
        (package / f"{module}.py").write_text("")
    (package / "experiments" / "__init__.py").write_text("")
    (package / "used.py").write_text("from attnlab.told import x\nNAME = 'heads'\n")
    count = "with open('runs.txt', 'a') as file:\n    file.write('x')"
    cells = "if False:\n    from attnlab import used", count

    def runs_after_building():
        assert build(tiny).returncode == 0
        return len(runs.read_text())

    write_chapter(tiny, *cells)
    assert runs_after_building() == 1

    write_chapter(tiny, *cells, prose="# Tiny\n\nAnother sentence.")
    (package / "unused.py").write_text("changed = True\n")
    (results / "other.json").write_text("{}")
    assert runs_after_building() == 1
    page = (tiny / "_build/html/book/01_tiny.html").read_text(encoding="utf-8")
    assert "Another sentence." in page

    (package / "told.py").write_text("changed = True\n")  # imported by what is imported
    assert runs_after_building() == 2

    (results / "heads.tuning.json").write_text("{}")
    assert runs_after_building() == 3


def test_weights_are_scripts(tiny, build):
    write_chapter(tiny, "1")
    assert build(tiny).returncode == 0
    script = tiny / "_build/html/_static/attnlab-weights/small.js"
    assert script.read_text() == 'attnlabWeights("small", "AAEC");\n'


def test_a_formula_that_cannot_be_set_fails_the_build_each_time(tiny, build):
    write_chapter(tiny, prose="# Tiny\n\nHere $\\nosuchcommand x$ is.")
    for _ in range(2):
        result = build(tiny)
        assert result.returncode != 0
        assert "01_tiny" in result.stdout and "nosuchcommand" in result.stdout
