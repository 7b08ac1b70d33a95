import base64
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from attnlab import store
from attnlab.live import Hero
from attnlab.live.page import without_program
from tools import authoring
from tools.authoring import (
    chapters,
    keep_result,
    move_repository,
    page_address,
    problems,
    put_setup_cell,
    repository_url,
    run_chapter,
    setup_cell,
    tidy,
)

pytestmark = pytest.mark.slow

REPOSITORY_ADDRESS = "https://github.com/attention-measured/attention-measured"
PICTURE_CELL = """\
# @title A picture
from matplotlib import pyplot as plt
from attnlab.figures.style import use_style
use_style()
plt.plot([1, 2]);"""
ALT_TEXT = {
    "mystnb": {"image": {"alt": "A line rises from 1 to 2."}},
    "tags": ["measure"],
}


def chapter(*cells):
    """A notebook with a title and the set-up cell before `cells`, as if it were run."""
    notebook = new_notebook(cells=[new_markdown_cell("# A title"), *cells])
    put_setup_cell(notebook, REPOSITORY_ADDRESS)
    tidy(notebook)
    return notebook


@pytest.fixture
def checkout(tmp_path):
    """A copy of the book small enough for a test: one chapter."""
    (tmp_path / "book").mkdir()
    (tmp_path / "_config.yml").write_text(
        f"# Settings\nrepository:\n  url: {REPOSITORY_ADDRESS}\n  branch: main\n"
    )
    nbformat.write(chapter(), tmp_path / "book" / "01_test.ipynb")
    return tmp_path


# Running a chapter


@pytest.mark.weekly
def test_run_chapter_twice_changes_nothing(tmp_path):
    path = tmp_path / "01_test.ipynb"
    cells = [
        new_code_cell("for i in range(3):\n    print(i, flush=True)"),
        new_code_cell(
            "# @title Add\n1 + 1", metadata={"tags": ["measure"], "collapsed": True}
        ),
        new_code_cell("1 + 1"),
        new_code_cell(PICTURE_CELL, metadata=ALT_TEXT),
    ]
    nbformat.write(chapter(*cells), path)
    assert run_chapter(path, REPOSITORY_ADDRESS) == []
    first = path.read_bytes()
    assert run_chapter(path, REPOSITORY_ADDRESS) == []
    assert path.read_bytes() == first

    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [1, 2, 3, 4, 5]
    assert [output.text for output in code[1].outputs] == ["0\n1\n2\n"]
    assert code[2].outputs[0].execution_count == 3
    assert code[0].metadata.tags == ["setup", "remove-cell"]
    assert code[2].metadata == {"tags": ["measure", "hide-input"], **authoring._FOLDED}
    assert code[4].metadata.mystnb == ALT_TEXT["mystnb"]
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}


def test_run_chapter_names_raising_cell_and_stores_nothing(tmp_path):
    path = tmp_path / "01_test.ipynb"
    nbformat.write(chapter(new_code_cell("# halves\n1 / 0")), path)
    before = path.read_bytes()
    (problem,) = run_chapter(path, REPOSITORY_ADDRESS)
    assert "# halves" in problem and "ZeroDivisionError" in problem
    assert path.read_bytes() == before


# Rules


def measuring_cell(*tags, source="# @title X", outputs=()):
    """A folded cell."""
    return new_code_cell(
        source, metadata={"tags": ["measure", *tags]}, outputs=list(outputs)
    )


def showing(mime, content):
    """A folded cell that shows something, with alternative text."""
    output = new_output("display_data", data={mime: content})
    return new_code_cell("# @title X", metadata=ALT_TEXT, outputs=[output])


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        (new_code_cell("\n".join("abcdefghijklmnopqrstuvwxyz")), "26 lines, 25"),
        (new_code_cell(f"'{'x' * 87}'"), "a line of 89 columns, 88 at most"),
        (new_markdown_cell("# Another"), "one title (# …), this one has 2"),
        (
            measuring_cell("nbval-ignore-output", source="# @title X\nclaim()"),
            "a verdict that is not compared",
        ),
        (measuring_cell("nbval-skip"), "'nbval-skip': of nbval's marks"),
        (measuring_cell("raises-exception"), "'raises-exception': of nbval's marks"),
        (new_code_cell("# NBVAL_IGNORE_OUTPUT\n1"), "'NBVAL_IGNORE_OUTPUT': of nbval"),
        (new_code_cell("claim()"), "'claim(' in an open cell"),
        (new_code_cell("fig, axes = plt.subplots()"), "'plt.sub' in an open cell"),
        (new_code_cell("print(1)\n" * 3), "over 2 prints in an open cell"),
        (measuring_cell(source="1"), "a folded cell without a title"),
        (
            measuring_cell(outputs=[new_output("stream", name="stderr", text="old\n")]),
            "writes to stderr: old",
        ),
        (showing("text/plain", "<Line at 0x7f3acafe>"), "a memory address, 0x7f3acafe"),
        (showing("text/plain", f"{authoring.ROOT / 'book'}"), "a path of this machine"),
        (
            measuring_cell(outputs=showing("image/svg+xml", "<svg/>").outputs),
            "a picture without alternative text",
        ),
        (
            showing("image/png", base64.b64encode(bytes(100_001)).decode()),
            "a picture of 100,001 bytes, 100,000 at most",
        ),
        (showing("text/html", "x" * 1_500_000), "1,500,000 at most"),
    ],
)
def test_problems_names_broken_rule(cell, problem):
    found = problems(chapter(cell), REPOSITORY_ADDRESS)
    assert len(found) == 1
    assert problem in found[0]


def test_problems_names_missing_or_changed_setup_cell():
    without = new_notebook(cells=[new_markdown_cell("# A title")])
    assert "not the standard one" in problems(without, REPOSITORY_ADDRESS)[0]
    assert "not the standard one" in problems(chapter(), "https://example.org/book")[0]


@pytest.mark.parametrize("path", chapters([]), ids=lambda path: path.stem)
def test_committed_chapter_is_valid_and_tidy(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    assert problems(notebook, repository_url()) == []
    tidy(notebook, page_address(path, repository_url()))
    copy = tmp_path / path.name
    nbformat.write(notebook, copy)
    assert copy.read_text(encoding="utf-8") == path.read_text(encoding="utf-8")


def test_setup_cell_installs_only_in_colab(monkeypatch):
    monkeypatch.setattr("subprocess.call", lambda command: pytest.fail("installs"))
    names = {}
    exec(setup_cell(REPOSITORY_ADDRESS), names)
    assert callable(names["claim"]) and callable(names["check"])
    commands = []
    monkeypatch.setattr("subprocess.call", lambda command: commands.append(command))
    monkeypatch.setitem(authoring.sys.modules, "google.colab", authoring)
    with pytest.raises(RuntimeError, match="set `repository`"):  # None is not status 0
        exec(setup_cell(REPOSITORY_ADDRESS), {})
    ((_, *command),) = commands
    assert command == ["-m", "pip", "install", "--quiet", f"git+{REPOSITORY_ADDRESS}"]


# A fork


def holds_address(path):
    return path.is_file() and REPOSITORY_ADDRESS.encode() in path.read_bytes()


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("https://github.com/ada/measured.git", "https://github.com/ada/measured"),
        ("https://example.org/book/", "https://example.org/book"),
        ("file:///srv/book", "file:///srv/book"),
    ],
)
def test_move_repository_changes_every_address(checkout, given, address):
    hidden = (".binder/*", ".devcontainer/*", ".github/**/*")
    code = ("book/_*/*", "src/**/*.py", "src/**/*.js", "src/**/*.css", "tools/*")
    patterns = ("*", *hidden, "benchmarks/*", "book/*.md", *code, "docs/*")
    files = [path for one in patterns for path in authoring.ROOT.glob(one)]
    files = [path.relative_to(authoring.ROOT) for path in files if holds_address(path)]
    for file in files:
        (checkout / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(authoring.ROOT / file, checkout / file)
    move_repository(given, checkout)
    if "github" in address:  # links to launchers hold owner and name alone
        assert "/github/ada/measured/" in (checkout / "README.md").read_text()
    assert [file for file in files if holds_address(checkout / file)] == []
    assert repository_url(checkout) == address
    path = checkout / "book" / "01_test.ipynb"
    notebook = nbformat.read(path, as_version=4)
    assert problems(notebook, address) == []


@pytest.mark.parametrize("address", ["ada/measured", "", "git@github.com:ada/m", "a b"])
def test_move_repository_rejects_bad_address(checkout, address):
    with pytest.raises(ValueError, match="an address starts with"):
        move_repository(address, checkout)


# Storing what was measured


def measure(folder, seconds, widths):
    """Store a result as if every run of it had taken this long."""
    store.run(
        "speed",
        lambda seed, width: {"seconds": seconds},
        store.grid(width=widths),
        [0],
        redo=True,
        progress=False,
        folder=folder,
    )


def test_keep_result_stores_complete_result(checkout):
    stored, measured = checkout / authoring.RESULTS, checkout / authoring.MEASURED
    cell = new_code_cell('store.load("speed")')
    nbformat.write(chapter(cell), checkout / "book" / "02_test.ipynb")
    measure(stored, 1.0, widths=[32, 64])
    measure(measured, 2.0, widths=[32])
    with pytest.raises(ValueError, match="lacks stored runs"):
        keep_result("speed", checkout)
    measure(measured, 2.0, widths=[32, 64])
    assert keep_result("speed", checkout) == ["02_test"]
    runs = store.load("speed", folder=stored)["runs"]
    assert [run["figures"]["seconds"] for run in runs] == [2.0, 2.0]
    with pytest.raises(ValueError, match="no chapter prints a result named 'spee'"):
        keep_result("spee", checkout)


# Stored figures


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("https://github.com/One/book", "https://one.github.io/book/book/01_test.html"),
        ("https://gitlab.com/one/book", ""),
    ],
)
def test_tidy_stores_figure_text_and_link(address, page):
    words = without_program(Hero(number=7)._repr_html_())
    cell = new_code_cell("Hero()")
    data = {authoring._WIDGET_VIEW: {"model_id": "7"}, "text/html": words}
    cell.outputs = [new_output("display_data", data)]
    notebook = chapter(cell)
    tidy(notebook, page_address(Path("book/01_test.ipynb"), address))
    stored = notebook.cells[-1].outputs[0].data
    assert list(stored) == ["text/html"]
    assert ("<a " in stored["text/html"]) == bool(page)
    assert page in stored["text/html"]
    tidy(notebook)
    assert stored["text/html"] == words
