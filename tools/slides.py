"""Make slides of the chapters.

    python -m tools.slides                      # every lecture
    python -m tools.slides 03_self_attention

What stands on a slide is not marked in the chapters but follows from how they are
written. A heading begins a slide. Shown are: equations, tables and lists; of prose the
sentences that ask something or have a term in bold type, or else a part's first one;
pictures, live figures and what folded code prints, without the code; open code that
prints, with what it prints; verdicts; exercises without their solutions. All else
becomes the slide's notes. What is taller than the screen is drawn smaller.

The slides are written into the built book, whose weights and font of formulas they use,
so they need no network. It needs what `requirements.txt` installs, and works in a
checkout only: `make slides`.
"""

import argparse
import re
import sys
from pathlib import Path

import nbformat
from nbconvert.exporters import SlidesExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

from tools.authoring import ROOT, chapters, page_of

sys.path.append(str(ROOT / "book" / "_ext"))
import formulas
from content_policy import guarded
from live_figures import with_program

MAX_LINES = 9  # lines, about, from which on a slide takes no more text
MAX_SHORT_QUESTION = 60  # characters of a question that needs the sentence before it

_MATH = re.compile(r"\$[^$]+\$")
_SENTENCE_END = re.compile(r"(?<=[.?!:)])\s+(?=[^a-z\s])")
_EXERCISE = re.compile(r"\*\*\d+\.\d+")
_UNSOLVED = re.compile(r"(^ +|: )\.\.\.$", re.M)


def make_slides(chapter: Path, folder: Path) -> Path:
    """Write the slides of a chapter into `folder`, and return their file."""
    notebook = arrange_slides(nbformat.read(chapter, as_version=4))
    exporter = SlidesExporter(
        template_name="_slides", extra_template_basedirs=[str(ROOT / "book")]
    )
    exporter.register_filter("markdown2html", to_html)
    page, _ = exporter.from_notebook_node(notebook)
    head, body = page.split("</main>", 1)
    slides, look = with_program(head)
    page = f"{slides}</main>{body}".replace("</head>", f"{look}</head>", 1)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{chapter.stem}.html"
    path.write_text(guarded(page), encoding="utf-8", newline="\n")
    return path


class _Renderer(IPythonRenderer):
    """Writes Markdown as HTML, and its formulas as the book's pages have them."""

    def inline_math(self, body: str) -> str:
        return f'<span class="math">{formulas.inline(body)}</span>'

    def block_math(self, body: str) -> str:
        return f'<span class="math display">{formulas.block(body)}</span>'


def to_html(source: str) -> str:
    """Return HTML of a cell's Markdown."""
    renderer = _Renderer(escape=False, exclude_anchor_links=True)
    return MarkdownWithMath(renderer=renderer).render(source)


def arrange_slides(notebook: NotebookNode) -> NotebookNode:
    """Return a notebook with the chapter's slides: each cell says where it belongs.

    `slideshow.slide_type`, as nbconvert reads it, is "slide" for a cell that begins a
    slide, "-" for one that stays on it, and "notes".
    """
    deck = _Deck()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for block in split_blocks(cell.source):
                deck.add_text(block)
        elif cell.cell_type == "code":
            deck.add_code(cell)
    _fill(deck.cells)
    slides = nbformat.v4.new_notebook(cells=deck.cells)
    slides.metadata = nbformat.from_dict({**notebook.metadata, "title": deck.title})
    return slides


class _Deck:
    """The cells of the slides so far, and how full the last slide is."""

    def __init__(self) -> None:
        self.cells: list[NotebookNode] = []
        self.title = ""
        self.section = ""
        self.lines = 0

    def add_text(self, block: str) -> None:
        """Show a block of prose, or the part of it that belongs on a slide."""
        if heading := re.match(r"#+ (.+)", block):
            self.section = heading[1]
            self.title = self.title or heading[1]
            self._add(block, "slide", 2)
            return
        shown = shown_prose(block)
        lines = _height(shown)
        if shown:
            is_exercise = _EXERCISE.match(shown)
            if self.lines + lines > MAX_LINES or is_exercise:
                self._begin()
            self._add(shown, "-", lines)
        if shown != block:
            self._add(block, "notes", 0)

    def add_code(self, cell: NotebookNode) -> None:
        """Show a cell on a slide of its own, but no set-up and no unsolved exercise."""
        if "google.colab" in cell.source or _UNSOLVED.search(cell.source):
            return
        if not cell.outputs:
            self._add(f"```python\n{cell.source}\n```", "notes", 0)
            return
        data = [output.get("data", {}) for output in cell.outputs]
        is_picture = any("image/svg+xml" in one or "text/html" in one for one in data)
        is_claim = "claim(" in cell.source
        is_folded = {"hide-input", "remove-input"} & set(cell.metadata.get("tags", []))
        if not cell.source.split("\n")[-1].startswith("Exercise("):
            self._begin()  # an answer's box stays with its question
        shown = nbformat.v4.new_code_cell(cell.source, outputs=cell.outputs)
        shown.metadata = nbformat.from_dict(
            {
                "mystnb": cell.metadata.get("mystnb", {"image": {"alt": ""}}),
                "transient": {
                    "remove_source": bool(is_picture or is_claim or is_folded)
                },
                "claim": is_claim,
                "slideshow": {"slide_type": "-"},
            }
        )
        self.cells.append(shown)
        self.lines = MAX_LINES

    def _begin(self) -> None:
        """Begin a slide that goes on with the section, unless the last one is empty."""
        if self.lines > 2:
            self._add(f"#### {self.section}", "slide", 1)

    def _add(self, text: str, kind: str, lines: int) -> None:
        metadata = {"slideshow": {"slide_type": kind}}
        text = _link_to_pages(text)
        self.cells.append(nbformat.v4.new_markdown_cell(text, metadata=metadata))
        self.lines = lines if kind == "slide" else self.lines + lines


def _fill(cells: list[NotebookNode]) -> None:
    """Give a heading that stands alone on its slide the first sentence of its notes."""
    kinds = [cell.metadata.slideshow.slide_type for cell in cells]
    for at, cell in enumerate(cells):
        end = next((i for i in range(at + 1, len(cells)) if kinds[i] != "notes"), None)
        if kinds[at] == "slide" and (end is None or kinds[end] == "slide"):
            notes = (note.source.replace("\n", " ") for note in cells[at + 1 : end])
            prose = [note for note in notes if note[0].isalnum()]
            if prose:
                cell.source += f"\n\n{_SENTENCE_END.split(prose[0])[0]}"


def split_blocks(source: str) -> list[str]:
    """Cut Markdown at its empty lines, but not formulas, code and folded parts."""
    found: list[str] = []
    until = None  # what ends the block that may hold empty lines
    for line in source.split("\n"):
        goes_on = until or (found and found[-1] and line.strip())
        if goes_on:
            found[-1] += f"\n{line}"
        else:
            found.append(line)
        if until:
            until = None if until in line else until
        elif line.startswith("<details"):
            until = None if "</details>" in line else "</details>"
        elif line.startswith(("$$", "```")) and line.count(line[:2]) == 1:
            until = line[:2]
    return [block for block in found if block.strip()]


def shown_prose(block: str) -> str:
    """Return the part of a block that belongs on a slide; the rest is for the notes."""
    if block.startswith(("<details", "**Notation", "```")):
        return ""
    if block.startswith(("$$", "|", "- ", "1. ")) or _EXERCISE.match(block):
        return block
    hidden: list[str] = []

    def hide(match: re.Match) -> str:
        hidden.append(match[0])
        return f"${len(hidden) - 1}$"

    sentences = _SENTENCE_END.split(_MATH.sub(hide, block.replace("\n", " ")))
    asks = [sentence.rstrip('")*').endswith("?") for sentence in sentences]
    short = [
        a and len(s) < MAX_SHORT_QUESTION for a, s in zip(asks, sentences, strict=True)
    ]
    kept = " ".join(
        sentence
        for sentence, is_question, before_short in zip(
            sentences, asks, [*short[1:], False], strict=True
        )
        if is_question or before_short or "**" in sentence
    )
    return re.sub(r"\$(\d+)\$", lambda match: hidden[int(match[1])], kept)


def _height(text: str) -> int:
    """About how many lines of a slide a text takes."""
    return sum(1 + len(line) // 80 for line in text.split("\n")) if text else 0


def _link_to_pages(text: str) -> str:
    """Let links to chapters and pages lead to the built book, one folder up."""
    return re.sub(r"\]\((\w+)\.(?:ipynb|md)", r"](../book/\1.html", text)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.slides",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("chapters", nargs="*", help="all lectures when left out")
    parser.add_argument("--folder", type=Path, default=ROOT / "_build/html/slides")
    options = parser.parse_args(arguments)
    try:
        paths = chapters(options.chapters)
    except ValueError as error:
        parser.error(str(error))
    if not options.chapters:
        paths = [path for path in paths if page_of(path) == "lecture"]
    for path in paths:
        print(make_slides(path, options.folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
