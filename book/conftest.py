"""How nbval compares chapters: `pytest --nbval book`, which `make test` does as well.

Drawings differ in their last digits from one processor to the next, so of a drawing its
words are compared: titles, names of axes and curves.
"""

import re

import pytest
from forked import use_forked_kernels

from attnlab.live.page import LINKED, PAGE, PROGRAM

DRAWING = r"(?s)^<\?xml.*</svg>\s*$"
TEXT = re.compile(r"<text[^>]*>(.*?)</text>", re.DOTALL)
TAG = re.compile(r"<[^>]+>")


def pytest_configure() -> None:
    """Give each chapter a kernel that has torch already."""
    use_forked_kernels()


def words_of(drawing: re.Match[str]) -> str:
    """The texts of a drawing, sorted; those with digits are ticks and results."""
    texts = (TAG.sub("", text).strip() for text in TEXT.findall(drawing[0]))
    return "\n".join(sorted(t for t in texts if not re.search(r"\d", t)))


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Have nbval compare of drawings their words, of live figures no program."""
    if hasattr(collector, "sanitize_patterns"):
        collector.sanitize_patterns[DRAWING] = words_of
        collector.sanitize_patterns[PROGRAM] = ""
        collector.sanitize_patterns[LINKED] = PAGE  # what is stored has a link there
