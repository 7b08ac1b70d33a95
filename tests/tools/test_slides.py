"""What of a chapter stands on its slides, and what in their notes."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools import slides as slides_tool
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


def test_code_has_a_slide_of_its_own_that_names_its_section():
    decks, _ = slides(new_markdown_cell("## B\n\nIs it **so**?"), printed("print(42)"))
    assert decks[-1] == [("markdown", "#### B"), ("code", "print(42)")]


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


def test_set_up_and_open_exercises_are_left_out_and_silent_code_is_noted():
    decks, notes = slides(
        new_markdown_cell("# A"),
        printed('if "google.colab" in sys.modules: ...'),
        printed("def f():\n    ...\n\n\ncheck('1.1', f)"),
        printed("def f(x): ...\n\n\ncheck('1.1', f)"),
        new_code_cell("import torch"),
    )
    assert decks == [[("markdown", "# A")]]
    assert "import torch" in notes


def test_the_box_for_an_answer_stays_with_its_question():
    decks, _ = slides(
        new_markdown_cell("## B\n\n**1.1** (on paper) How many?"),
        printed('# @title Exercise 1.1\nExercise("1.1")'),
    )
    assert len(decks) == 1
    assert [kind for kind, _ in decks[0]] == ["markdown", "markdown", "code"]


def test_a_full_slide_goes_on_in_another():
    text = "## B\n\n" + "\n\n".join(f"Is **{n}** enough?" for n in range(20))
    decks, _ = slides(new_markdown_cell(text))
    assert 2 <= len(decks) <= 5
    assert all(deck[0] == ("markdown", "#### B") for deck in decks[1:])


def test_links_lead_to_the_pages():
    decks, _ = slides(new_markdown_cell("# A\n\n**See** [two](02_x.ipynb#y)."))
    assert decks[0][1][1] == "**See** [two](../book/02_x.html#y)."


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


def test_labs_have_slides_only_when_they_are_asked_for(root, monkeypatch):
    made = []
    lecture, lab = root / "book" / "01_bottleneck.ipynb", root / "book" / "01_lab.ipynb"
    monkeypatch.setattr(slides_tool, "chapters", lambda names: [lecture, lab])
    monkeypatch.setattr(slides_tool, "make_slides", lambda path, _: made.append(path))
    assert main([]) == 0 and made == [lecture]
    assert main(["01_bottleneck", "01_lab"]) == 0 and made[1:] == [lecture, lab]


def test_a_heading_alone_gets_the_first_sentence_of_its_notes():
    text = "# A\n\n*Needs.*\n\nPlain prose. More of it.\n\n# B\n\n- one"
    shown, notes = slides(new_markdown_cell(text))
    assert [deck[0][1] for deck in shown] == ["# A\n\nPlain prose.", "# B"]
    assert "More of it" in notes


def test_folded_code_is_left_out_and_what_it_prints_is_not():
    folded, opened = printed("print(1)"), printed("print(2)")
    folded.metadata["tags"] = ["measure", "hide-input"]
    cells = arrange(new_notebook(cells=[folded, opened])).cells
    hidden = [c.metadata.transient.remove_source for c in cells if "outputs" in c]
    assert hidden == [True, False]
