"""The book's pages, each parsed once: that takes most of a test's time."""

from functools import cache
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup


@cache
def parse_html(file: Path) -> BeautifulSoup:
    """What stands in a file; whoever reads it leaves it as it is."""
    return BeautifulSoup(file.read_bytes(), "lxml")


@cache
def markdown_of(path: Path) -> str:
    """What a file says; of a notebook its Markdown."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = nbformat.reads(text, as_version=4).cells
    return "\n\n".join(c.source for c in cells if c.cell_type == "markdown")
