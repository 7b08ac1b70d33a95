"""The reference: every public name of the package, and the links that lead to it."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pydoc import locate

import pytest

import attnlab
from tests.book.parsed import parse_html

pytestmark = pytest.mark.book


def public_names() -> Iterator[str]:
    """Every public function and class of the package, by its full name."""
    for module in pkgutil.walk_packages(attnlab.__path__, "attnlab."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            kind = inspect.isfunction(value) or inspect.isclass(value)
            kind = kind or hasattr(value, "__wrapped__")  # behind a cache
            own = getattr(value, "__module__", None) == module.name
            if kind and own and not name.startswith("_"):
                yield f"{module.name}.{name}"


def test_reference_lists_every_documented_public_name(html):
    pages = [parse_html(file) for file in (html / "book" / "reference").glob("*.html")]
    entries = [node["id"] for page in pages for node in page.select("dt.sig[id]")]
    assert len(set(entries)) == len(entries)
    told = {name for name in public_names() if locate(name).__doc__}
    assert len(told) > 300 and told - set(entries) == set()


def test_reference_listing_links_to_its_file(html, chapter):
    page = parse_html(html / "book" / f"{chapter.stem}.html")
    heads = [c for c in page.select("pre .c1") if c.text.startswith("# attnlab/")]
    shown = "show_source(" in chapter.read_text(encoding="utf-8")
    assert bool(heads) == shown
    assert [head.text for head in heads if not head.select("a[href*='#']")] == []


def test_glossary_code_names_link_to_the_reference(root, html):
    text = (root / "book" / "glossary.md").read_text(encoding="utf-8")
    named = text.count("{py:obj}")
    assert named > 40
    links = parse_html(html / "book" / "glossary.html").select(
        "article a:has(code.py-obj)"
    )
    assert len(links) == named
