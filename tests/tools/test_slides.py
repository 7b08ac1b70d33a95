"""What of a chapter stands on its slides, and what in their notes."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.authoring import page_of
from tools.slides import arrange, blocks, to_show

DRAWN = new_output("display_data", data={"image/svg+xml": "<svg/>"})
PRINTED = new_output("stream", text="42\n")
LONG = "How deep did it fall in the end, in the worst of the five seeds?"


def test_blocks_end_at_empty_lines_outside_formulas_code_and_solutions():
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
        ("Plain. A **term** is said. Plain.", "A **term** is said."),
        (f"It fell. {LONG} Look.", LONG),
        ("Of $d = 2.5$ and $x? Y$. Then it fell. Why?", "Then it fell. Why?"),
        ("**10.2** (an hour) Write it. Now.", "**10.2** (an hour) Write it. Now."),
        ("<details><summary>Solution</summary>\n\nWhy?\n</details>", ""),
    ],
)
def test_prose_shows_its_questions_and_terms_alone(block, shown):
    assert to_show(block) == shown


def test_heading_begins_a_slide_and_prose_becomes_notes():
    prose = new_markdown_cell("# A\n\nQuiet.\n\n## B\n\nWhy **so**?")
    cells = arrange(new_notebook(cells=[prose])).cells
    assert [(cell.metadata.slideshow.slide_type, cell.source) for cell in cells] == [
        ("slide", "# A\n\nQuiet."),
        ("notes", "Quiet."),
        ("slide", "## B"),
        ("-", "Why **so**?"),
    ]


@pytest.mark.parametrize(
    ("source", "output", "hidden"),
    [
        ("plt.show()", DRAWN, True),
        ("claim('C01')", PRINTED, True),
        ("x = 1", PRINTED, False),
    ],
)
def test_code_that_draws_or_judges_is_hidden(source, output, hidden):
    cell = new_code_cell(source, outputs=[output])
    (shown,) = arrange(new_notebook(cells=[cell])).cells
    assert shown.metadata.transient.remove_source == hidden


def test_every_lecture_makes_slides(root):
    for path in sorted((root / "book").glob("[0-9]*.ipynb")):
        cells = arrange(nbformat.read(path, as_version=4)).cells
        kinds = [cell.metadata.slideshow.slide_type for cell in cells]
        assert page_of(path) != "lecture" or 25 < kinds.count("slide") < 160, path.stem
