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
def tiny_book(root, tmp_path):
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


def write_front_page(folder, code):
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


@pytest.mark.weekly
def test_build_with_failing_cell_fails_and_names_it(tiny_book, build):
    write_chapter(tiny_book)
    write_front_page(tiny_book, "y = 1 / 0")
    result = build(tiny_book)
    assert result.returncode != 0
    assert "ExecutionError: " + str(tiny_book / "book" / "index.md") in result.stdout
    assert "y = 1 / 0" in result.stdout and "ZeroDivisionError" in result.stdout


FAULTS_AND_MESSAGES = {  # what is wrong with a chapter, and what of it is named
    "See [nothing](nowhere.md).\n\n### Section": ("nowhere.md", "Non-consecutive"),
    "Here $\\nosuchcommand x$ is.": ("nosuchcommand",),
}


@pytest.mark.weekly
def test_build_with_warning_or_bad_formula_fails_until_fixed(tiny_book, build):
    for prose, named in FAULTS_AND_MESSAGES.items():
        write_chapter(tiny_book, prose=f"# Tiny\n\n{prose}")
        for _ in range(2):
            result = build(tiny_book)
            assert result.returncode != 0
            for fault in ("01_tiny", *named):
                assert fault in result.stdout
    write_chapter(tiny_book, prose="# Tiny\n\n## Part\n\n### Section")
    assert build(tiny_book).returncode == 0


@pytest.mark.weekly
def test_build_executes_changed_pages_but_no_chapter(tiny_book, build):
    write_chapter(tiny_book, "1 / 0")
    path = tiny_book / "book" / "01_tiny.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].execution_count = 1
    notebook.cells[1].outputs = [new_output("stream", text="what was stored")]
    nbformat.write(notebook, path)
    runs = tiny_book / "runs.txt"
    code = f"with open({str(runs)!r}, 'a') as file:\n    file.write('x')"
    write_front_page(tiny_book, code)

    def runs_after_building():
        assert build(tiny_book).returncode == 0
        return len(runs.read_text())

    assert runs_after_building() == 1
    page = (tiny_book / "_build/html/book/01_tiny.html").read_text(encoding="utf-8")
    assert "what was stored" in page
    write_chapter(tiny_book, prose="# Tiny\n\nAnother sentence.")
    assert runs_after_building() == 1
    write_front_page(tiny_book, f"{code}\nx = 1")
    assert runs_after_building() == 2
    (tiny_book / "src" / "attnlab" / "used.py").write_text("changed = True\n")
    assert runs_after_building() == 3
