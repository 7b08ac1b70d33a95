import contextlib
import io
import re
import shutil
import tempfile
from pathlib import Path

import nbformat
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import ODD_TEXT, REFUSED, attempt, fuzz

from tools import authoring, pdf, slides
from tools.authoring import (
    ROOT,
    chapters,
    keep,
    move_repository,
    problems,
    put_setup_cell,
    repository,
    setup_cell,
    tidy,
)
from tools.slides import arrange, blocks, to_show

PIECES = st.sampled_from(
    ["# Title", "## Part", "$$", "x = 1 \\tag{1}", "```python", "```", "- a", "| a |",
     "Why? **So.**", "<details>", "</details>", "**1.2 Try** it", "$a$ is. B is $c$?",
     "", "1. one", "![a](b.png)", "[x](02_alignment.ipynb)"]
)  # fmt: skip
MARKDOWN = st.lists(st.one_of(PIECES, ODD_TEXT), max_size=8).map("\n".join)
MARKDOWN = MARKDOWN.map(lambda text: text[:2000])


@st.composite
def notebooks(draw: st.DrawFn) -> nbformat.NotebookNode:
    """A notebook of any cells, outputs and metadata."""
    cells = []
    for _ in range(draw(st.integers(0, 4))):
        source = draw(MARKDOWN)
        if draw(st.booleans()):
            cells.append(nbformat.v4.new_markdown_cell(source))
            continue
        outputs = []
        if draw(st.booleans()):
            text = draw(st.one_of(ODD_TEXT, st.just("at 0x7f0011223344")))
            outputs.append(nbformat.v4.new_output("stream", name="stdout", text=text))
        if draw(st.booleans()):
            kind = draw(st.sampled_from(["text/plain", "text/html", "image/png"]))
            text = "aGVsbG8=" if kind == "image/png" else draw(ODD_TEXT)
            data = {kind: text}
            outputs.append(nbformat.v4.new_output("execute_result", data=data))
        cell = nbformat.v4.new_code_cell(source, outputs=outputs)
        if draw(st.booleans()):
            cell.metadata["mystnb"] = {"image": {"alt": draw(ODD_TEXT)}}
        cells.append(cell)
    return nbformat.v4.new_notebook(cells=cells)


@fuzz(blocks, to_show)
@given(MARKDOWN)
def test_blocks_lose_nothing_but_empty_lines(source):
    found = blocks(source)
    kept = [line for block in found for line in block.split("\n") if line.strip()]
    assert kept == [line for line in source.split("\n") if line.strip()]
    for block in found:
        assert isinstance(to_show(block), str)


@fuzz(arrange)
@given(notebooks())
def test_any_notebook_can_be_put_on_slides(notebook):
    deck = arrange(notebook)
    nbformat.validate(deck)
    kinds = {cell.metadata.slideshow.slide_type for cell in deck.cells}
    assert kinds <= {"slide", "-", "notes"}


@fuzz(tidy, problems, put_setup_cell, setup_cell)
@given(notebook=notebooks(), address=ODD_TEXT)
def test_tidying_twice_is_tidying_once(notebook, address):
    address = "".join(address.split()) or "https://x"
    tidy(notebook)
    nbformat.validate(notebook)
    once = nbformat.writes(notebook)
    tidy(notebook)
    assert nbformat.writes(notebook) == once
    put_setup_cell(notebook, address)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code[0].source == setup_cell(address)
    count = len(notebook.cells)
    put_setup_cell(notebook, address)
    assert len(notebook.cells) == count
    assert all(isinstance(line, str) for line in problems(notebook, address))


@fuzz(chapters, repository, pdf.contents, share=0.3)
@given(st.lists(st.one_of(ODD_TEXT, st.just("01_bottleneck")), max_size=2))
def test_chapters_are_known_or_refused(names):
    found = attempt(chapters, names)
    known = {path.stem for path in chapters([])}
    stems = [Path(name).stem for name in names]
    assert (found is not REFUSED) == (set(stems) <= known)
    assert re.match(r"https?://", repository()) and pdf.contents()


@fuzz(move_repository, repository, share=0.3)
@given(
    st.one_of(
        ODD_TEXT, st.sampled_from(["https://a.b/c", "https://github.com/a/b.git/", "x"])
    )
)
def test_an_address_is_moved_to_or_refused(address):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copy(ROOT / "_config.yml", root)
        (root / "book").mkdir()
        (root / "book" / "page.md").write_text(f"see {repository()} x")
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")])
        nbformat.write(notebook, root / "book" / "01_x.ipynb")
        before = {path: path.read_bytes() for path in root.rglob("*.*")}
        if attempt(move_repository, address, root) is REFUSED:
            after = {path: path.read_bytes() for path in root.rglob("*.*")}
            assert after == before
        else:
            assert repository(root) in (root / "book" / "page.md").read_text()


@fuzz(keep, share=0.3)
@given(
    name=ODD_TEXT.map(lambda name: name[:50]),
    text=st.one_of(ODD_TEXT, st.just('{"runs": []}')),
)
def test_a_result_is_stored_or_refused(name, text):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        cells = [nbformat.v4.new_code_cell(f'load("{name}")')]
        for path in ("book", authoring.MEASURED, authoring.RESULTS):
            (root / path).mkdir(parents=True)
        nbformat.write(nbformat.v4.new_notebook(cells=cells), root / "book/01_x.ipynb")
        if name.isidentifier():
            (root / authoring.MEASURED / f"{name}.json").write_text(text)
        stored = attempt(keep, name, root) is not REFUSED
        assert stored == (root / authoring.RESULTS / f"{name}.json").exists()


@fuzz(authoring.main, slides.main, pdf.main, share=0.3)
@given(st.lists(ODD_TEXT, min_size=1, max_size=2))
def test_commands_end_with_a_message(words):
    if any(word.startswith("-h") or word in ("check", "") for word in words):
        return
    for main in (authoring.main, slides.main):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            try:
                main(words)
            except SystemExit as stop:
                assert stop.code == 2 and said.getvalue()
            else:
                raise AssertionError(f"{words} was taken")
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            pdf.main(["--nonsense", *words])
        except SystemExit as stop:
            assert stop.code == 2 and said.getvalue()
