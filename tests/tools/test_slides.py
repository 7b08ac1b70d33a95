"""What of a chapter stands on its slides, and what in their notes."""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.authoring import page_of
from tools.slides import arrange_slides, shown_prose, split_blocks

PLOT_CELL = new_output("display_data", data={"image/svg+xml": "<svg/>"})
PRINT_CELL = new_output("stream", text="42\n")
LONG_TEXT = "How deep did it fall in the end, in the worst of the five seeds?"


def test_blocks_split_at_empty_lines_outside_fences():
    text = "# A\n\none\ntwo\n\n$$\na\n\nb\n$$\n\n```python\nx\n\ny\n```\n\n"
    text += "<details><summary>S</summary>\n\nz\n</details>\n\n- 1\n- 2"
    parts = split_blocks(text)
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
        (f"It fell. {LONG_TEXT} Look.", LONG_TEXT),
        ("Of $d = 2.5$ and $x? Y$. Then it fell. Why?", "Then it fell. Why?"),
        ("**10.2** (an hour) Write it. Now.", "**10.2** (an hour) Write it. Now."),
        ("<details><summary>Solution</summary>\n\nWhy?\n</details>", ""),
    ],
)
def test_to_show_keeps_questions_and_terms(block, shown):
    assert shown_prose(block) == shown


def test_arrange_headings_start_slides_and_prose_is_notes():
    prose = new_markdown_cell("# A\n\nQuiet.\n\n## B\n\nWhy **so**?")
    cells = arrange_slides(new_notebook(cells=[prose])).cells
    assert [(cell.metadata.slideshow.slide_type, cell.source) for cell in cells] == [
        ("slide", "# A\n\nQuiet."),
        ("notes", "Quiet."),
        ("slide", "## B"),
        ("-", "Why **so**?"),
    ]


@pytest.mark.parametrize(
    ("source", "output", "hidden"),
    [
        ("plt.show()", PLOT_CELL, True),
        ("claim('C01')", PRINT_CELL, True),
        ("x = 1", PRINT_CELL, False),
    ],
)
def test_arrange_hides_plotting_and_claim_code(source, output, hidden):
    cell = new_code_cell(source, outputs=[output])
    (shown,) = arrange_slides(new_notebook(cells=[cell])).cells
    assert shown.metadata.transient.remove_source == hidden


def test_make_slides_for_every_lecture(root):
    for path in sorted((root / "book").glob("[0-9]*.ipynb")):
        cells = arrange_slides(nbformat.read(path, as_version=4)).cells
        kinds = [cell.metadata.slideshow.slide_type for cell in cells]
        assert page_of(path) != "lecture" or 25 < kinds.count("slide") < 160, path.stem
        assert not re.search(r"\]\(\w+\.(md|ipynb)", str(cells)), path.stem
