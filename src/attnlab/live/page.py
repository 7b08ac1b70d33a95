"""What live figures need in a page besides the state that each of them was left in.

A figure that has just been run brings its program with it: `LiveFigure._repr_html_`.
A stored notebook keeps the state and the words alone (`without_program`), and the
built book gives every page the program of its figures, each module once (`program`).
"""

import json
import re
from collections.abc import Collection, Iterator
from graphlib import TopologicalSorter
from html import escape
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

from attnlab.live.bundle import JS, bundle, worker_program
from attnlab.saved import names, read_base64, read_bytes

CSS = JS.parent / "css"
FIGURE = ".attnlab-live"
INLINE_LIMIT = 200_000  # bytes of weights that a page holds before anyone asks
PROGRAM = re.compile(
    r"<style data-attnlab=.*?</style>\n"
    r'|<script type="application/json" class="attnlab-program">.*?</script>\n'
    r"<script>.*?</script>\n",
    re.DOTALL,
)
PAGE = "the book's page"
NO_SCRIPT = f"It moves in {PAGE}, and in a notebook once its cell is run."
LINKED = re.compile(
    rf"(?<=It moves in )(?:<a [^>]*>)?{PAGE}(?:</a>)?"
    r"(.*?</p>\n)(?:<p><img [^>]*></p>\n)?"
)
BLOCK_COMMENT = re.compile(r"^[ ]*/\*.*?\*/[ ]*\n", re.DOTALL | re.MULTILINE)
LINE_COMMENT = re.compile(r"^[ ]*//.*\n", re.MULTILINE)


WORKER_NAME = "train-worker"


class Kind(NamedTuple):
    """What a page needs for all figures of one name, the same for each of them."""

    figure: str
    module: Path
    styles: tuple[str, ...]  # its sheets, "live" first, then the more general ones
    weights: tuple[str, ...]


def without_program(html: str) -> str:
    """Return a page or a figure without the programs of figures in it."""
    return PROGRAM.sub("", html)


def with_link(html: str, address: str, still: str = "") -> str:
    """Return a figure whose words link to the page where it moves, above a still of it.

    Either may be "": then there is none.
    """
    page = f'<a href="{escape(address)}">{PAGE}</a>' if address else PAGE
    picture = f'<p><img src="{escape(still)}" alt=""></p>\n' if still else ""
    return LINKED.sub(lambda found: page + found[1] + picture, html)


def without_comments(code: str) -> str:
    """Drop lines that are nothing but comments, of JavaScript or a style sheet."""
    return LINE_COMMENT.sub("", BLOCK_COMMENT.sub("", code))


def style(figures: Collection[Kind]) -> str:
    """Return the style of these kinds of figures, as elements of HTML."""
    return "".join(
        f'<style data-attnlab="{" ".join(names)}">\n{without_comments(css)}</style>\n'
        for names, css in sheets(figures)
    )


def program(figures: Collection[Kind]) -> str:
    """Return what starts figures of these kinds, as elements of HTML.

    Inside a figure it starts that figure; elsewhere all figures of the page that have
    no program of their own. Comments are left out: for them there are the sources.
    """
    module = bundle({figure.figure: figure.module for figure in figures})
    data = {
        "module": without_comments(module),
        "weights": inline_weights({w for figure in figures for w in figure.weights}),
    }
    loader = (JS / "shell" / "loader.js").read_text(encoding="utf-8")
    return (
        f'<script type="application/json" class="attnlab-program">{as_json(data)}'
        f"</script>\n<script>\n{loader}</script>\n"
    )


def inline_weights(names: Collection[str]) -> dict[str, str]:
    """Return the named weights as base64; ValueError if they are too many bytes."""
    total = sum(len(read_bytes(name)) for name in names)
    if total > INLINE_LIMIT:
        raise ValueError(
            f"{', '.join(names)} are {total} bytes; a page may hold {INLINE_LIMIT} "
            "that nobody asked for: let the figure ask for some of them later"
        )
    return {name: read_base64(name) for name in names}


def late_weight_names() -> list[str]:
    """Name what a figure can ask for when it needs it: weights, and one program."""
    return [*names(), WORKER_NAME]


def late_weight_bytes(name: str) -> bytes:
    """Return the bytes a figure asks for; TypeError or ValueError if there are none.

    The program of the page's own training goes the way that weights go, for the same
    reason: nobody shall wait for it who has not asked for it.
    """
    if name == WORKER_NAME:
        return without_comments(worker_program()).encode()
    return read_bytes(name)


def as_json(data: dict) -> str:
    """Return data as JSON that may stand in a script element."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True)
    return text.replace("<", "\\u003c")  # nothing else could end the element early


def sheets(figures: Collection[Kind]) -> Iterator[tuple[list[str], str]]:
    """Return the style sheets of these kinds: of each, who uses it, and its rules.

    A page may hold several kinds: none may overrule another's own sheet, so that each
    is held to the kinds that use it. (`:where` leaves the weight of its rules.)
    """
    order = TopologicalSorter({"live": ()})
    for general, special in chain.from_iterable(pairwise(f.styles) for f in figures):
        order.add(special, general)
    for sheet in order.static_order():
        users = [figure.figure for figure in figures if sheet in figure.styles]
        kinds = ", ".join(f'[data-figure="{name}"]' for name in users)
        css = (CSS / f"{sheet}.css").read_text(encoding="utf-8")
        yield users, css.replace(FIGURE, f"{FIGURE}:where({kinds})")
