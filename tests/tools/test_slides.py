"""What of a chapter stands on its slides, and what in their notes."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.authoring import is_lab
from tools.slides import arrange, blocks, main, to_show

PICTURE = {"image/svg+xml": "<svg/>"}


def printed(source, text="42\n"):
    return new_code_cell(source, outputs=[new_output("stream", text=text)])


def drawn(source):
    return new_code_cell(source, outputs=[new_output("display_data", data=PICTURE)])


def slides(*cells):
    """The slides as lists of (kind of cell, source), notes left out; and the notes."""
    decks, notes = [], []
    for cell in arrange(new_notebook(cells=list(cells))).cells:
        kind = cell.metadata.slideshow.slide_type
        if kind == "notes":
            notes.append(cell.source)
        elif kind == "slide":
            decks.append([(cell.cell_type, cell.source)])
        else:
            decks[-1].append((cell.cell_type, cell.source))
    return decks, "\n".join(notes)


def test_blocks_end_at_empty_lines_but_not_inside_formulas_code_and_solutions():
    text = "# A\n\none\ntwo\n\n$$\na\n\nb\n$$\n\n```python\nx\n\ny\n```\n\n"
    text += "<details><summary>S</summary>\n\nz\n</details>\n\n- 1\n- 2"
    parts = blocks(text)
    assert [part.split("\n")[0] for part in parts] == [
        "# A",
        "one",
        "$$",
        "```python",
        "<details><summary>S</summary>",
        "- 1",
    ]
    assert parts[2].endswith("$$") and "y" in parts[3] and "z" in parts[4]


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        ("$$a = b \\tag{1.1}$$", "$$a = b \\tag{1.1}$$"),
        ("- one\n- two", "- one\n- two"),
        ("Nothing to see. At all.", ""),
        ("Plain. A **term** is said. Plain.", "A **term** is said."),
        (
            "It fell. How deep did it fall in the end, in all of the five seeds? Look.",
            "It fell. How deep did it fall in the end, in all of the five seeds?",
        ),
        (
            "It fell. How deep did it fall in the end, in the worst of the five seeds?",
            "How deep did it fall in the end, in the worst of the five seeds?",
        ),
        ("Of $d = 2.5$ and $x? Y$. Then it fell. Why?", "Then it fell. Why?"),
        ("**10.2** (an hour) Write it. Now.", "**10.2** (an hour) Write it. Now."),
        ("<details><summary>Solution</summary>\n\nWhy?\n</details>", ""),
    ],
)
def test_of_prose_questions_and_terms_are_shown(block, shown):
    assert to_show(block) == shown


def test_a_heading_begins_a_slide_and_prose_becomes_notes():
    decks, notes = slides(new_markdown_cell("# A\n\nQuiet.\n\n## B\n\nWhy **so**?"))
    assert decks == [
        [("markdown", "# A\n\nQuiet.")],
        [("markdown", "## B"), ("markdown", "Why **so**?")],
    ]
    assert "Quiet." in notes


def test_what_draws_or_judges_is_hidden_what_prints_is_not():
    cells = arrange(
        new_notebook(
            cells=[
                drawn("plt.show()"),
                printed("claim('C01')"),
                printed("x = 1"),
            ]
        )
    ).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert [cell.metadata.transient.remove_source for cell in code] == [
        True,
        True,
        False,
    ]


def test_every_chapter_makes_slides(root, tmp_path):
    for path in sorted((root / "book").glob("[0-9]*.ipynb")):
        if is_lab(path):
            continue
        decks = [
            cell
            for cell in arrange(nbformat.read(path, as_version=4)).cells
            if cell.metadata.slideshow.slide_type == "slide"
        ]
        assert 25 < len(decks) < 160, path.stem
    assert main(["01_bottleneck", "--folder", str(tmp_path)]) == 0
    page = (tmp_path / "01_bottleneck.html").read_text(encoding="utf-8")
    assert "unpkg" not in page and "cdnjs" not in page
    with pytest.raises(SystemExit):
        main(["no_such_chapter"])
