"""The pages of the built book, each parsed once: that takes most of a test's time."""

from functools import cache
from pathlib import Path

from bs4 import BeautifulSoup


@cache
def parse_html(file: Path) -> BeautifulSoup:
    """What stands in a file; whoever reads it leaves it as it is."""
    return BeautifulSoup(file.read_bytes(), "lxml")
