"""Sphinx extension: the directive `chapters` shows the lectures as cards.

A card has a still of the chapter's live figure (`python -m tools.stills` makes them),
light and dark, and from the notebook itself the title, the question that it opens with,
and how long it takes to read. The last one leads to the page where readers train.
"""

import re
from html import escape
from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.images import get_image_size

STILLS = Path(__file__).parents[1] / "_static" / "stills"
THEMES = ("light", "dark")
LECTURE = re.compile(r"book/(\d\d_(?!lab|evidence)\w+)")
OPENING = re.compile(r"# (?P<title>.+)\n\n\*\*(?P<question>.+)\*\*")
NOT_READ = re.compile(r"```.*?```|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|\]\([^)]*\)", re.DOTALL)
TRAIN = "train_your_own"
WORDS_A_MINUTE = 75  # of prose, with the code, the figures and the forecasts between


def still_of(name: str, theme: str) -> Path:
    """Return where the still of a lecture's figure is, or will be."""
    return STILLS / f"{name}-{theme}.webp"


def still(name: str, title: str, theme: str) -> str:
    """A still of the lecture's figure, or nothing where none has been made yet."""
    file = still_of(name, theme)
    if not file.exists():
        return ""
    width, height = get_image_size(str(file)) or (None, None)
    return (
        f'<img class="only-{theme}" src="../_static/stills/{file.name}" '
        f'alt="A still of the live figure in {title}" '
        f'width="{width}" height="{height}" loading="lazy">\n'
    )


def card(name: str, path: Path) -> str:
    """A lecture's card; raises `ValueError` if it opens without title and question."""
    cells = nbformat.read(path, as_version=4).cells
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    opening = OPENING.match(prose[0])
    if opening is None:
        raise ValueError(f"{path} opens without a title and a question in bold")
    title, question = (escape(one) for one in opening.groups())
    question = re.sub(r"\*(.+?)\*", r"<i>\1</i>", question)
    words = len(re.findall(r"\w+", NOT_READ.sub(" ", "\n".join(prose))))
    minutes = max(5, 5 * round(words / WORDS_A_MINUTE / 5))
    return filled(name, title, question, f"{minutes} minutes")


def train_card() -> str:
    """Return the card of the page where readers train a model of their own."""
    question = (
        "And what would a model of yours learn? Choose a task, its layers, heads and "
        "positions, and watch: it trains here, in your browser."
    )
    return filled(TRAIN, "Train your own", question, "seconds a run")


def filled(name: str, title: str, question: str, time: str) -> str:
    """Return a card with its stills."""
    stills = "".join(still(name, title, theme) for theme in THEMES)
    return (
        f'<li><a href="{name}.html">\n{stills}<strong>{title}</strong>\n'
        f"<span>{question}</span>\n<small>{time}</small></a></li>"
    )


class Chapters(SphinxDirective):
    """The cards of all lectures, in their order."""

    def run(self) -> list[nodes.Node]:
        found = map(LECTURE.fullmatch, sorted(self.env.found_docs))
        lectures = {one[1]: self.env.doc2path(one[0]) for one in found if one}
        stills = [still_of(name, t) for name in [*lectures, TRAIN] for t in THEMES]
        for file in (*lectures.values(), *map(str, stills)):
            self.env.note_dependency(file)
        cards = [card(name, Path(path)) for name, path in lectures.items()]
        listed = "\n".join([*cards, train_card()])
        html = f'<ol class="chapter-cards">\n{listed}\n</ol>'
        return [nodes.raw("", html, format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("chapters", Chapters)
    app.add_css_file("front.css")  # in book/_static
    return {"parallel_read_safe": True, "parallel_write_safe": True}
