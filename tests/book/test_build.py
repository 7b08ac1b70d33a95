"""How the build behaves when something is wrong, or has changed."""

import shutil

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

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
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3"},
            "language_info": {"name": "python", "pygments_lexer": "ipython3"},
        },
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
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (tmp_path / "_toc.yml").write_text(TOC)
    return tmp_path


def write_page(folder, code):
    """The front page, with one cell."""
    text = f"""\
---
file_format: mystnb
kernelspec: {{name: python3, display_name: Python 3}}
---
# Front

```{{code-cell}} ipython3
{code}
```
"""
    (folder / "book" / "index.md").write_text(text)


def test_failing_cell_fails_the_build_and_is_named(tiny, build):
    write_chapter(tiny)
    write_page(tiny, "y = 1 / 0")
    result = build(tiny)
    assert result.returncode != 0
    assert "ExecutionError: " + str(tiny / "book" / "index.md") in result.stdout
    assert "y = 1 / 0" in result.stdout and "ZeroDivisionError" in result.stdout


WRONG = {  # what is wrong with a chapter, and what of it is named
    "See [nothing](nowhere.md).\n\n### Section": ("nowhere.md", "Non-consecutive"),
    "Here $\\nosuchcommand x$ is.": ("nosuchcommand",),
}


@pytest.mark.weekly
def test_warning_or_bad_formula_fails_each_build_until_mended(tiny, build):
    for prose, named in WRONG.items():
        write_chapter(tiny, prose=f"# Tiny\n\n{prose}")
        for _ in range(2):
            result = build(tiny)
            assert result.returncode != 0
            for fault in ("01_tiny", *named):
                assert fault in result.stdout
    write_chapter(tiny, prose="# Tiny\n\n## Part\n\n### Section")
    assert build(tiny).returncode == 0


@pytest.mark.weekly
def test_build_runs_pages_whose_cells_or_package_changed_and_no_chapter(tiny, build):
    write_chapter(tiny, "1 / 0")
    path = tiny / "book" / "01_tiny.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].execution_count = 1
    notebook.cells[1].outputs = [new_output("stream", text="what was stored")]
    nbformat.write(notebook, path)
    runs = tiny / "runs.txt"
    code = f"with open({str(runs)!r}, 'a') as file:\n    file.write('x')"
    write_page(tiny, code)

    def runs_after_building():
        assert build(tiny).returncode == 0
        return len(runs.read_text())

    assert runs_after_building() == 1
    page = (tiny / "_build/html/book/01_tiny.html").read_text(encoding="utf-8")
    assert "what was stored" in page
    write_chapter(tiny, prose="# Tiny\n\nAnother sentence.")
    assert runs_after_building() == 1
    write_page(tiny, f"{code}\nx = 1")
    assert runs_after_building() == 2
    (tiny / "src" / "attnlab" / "used.py").write_text("changed = True\n")
    assert runs_after_building() == 3
