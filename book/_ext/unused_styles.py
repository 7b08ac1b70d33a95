"""Sphinx extension: the theme's style sheets, without rules for what no page has.

The theme brings the whole of Bootstrap, three thousand rules in 300 kB, and every page
waits for them; six hundred are for something that some page of the book has. A rule
stays while every class that it asks for stands in a page or in a script.
"""

import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import tinycss2
from sphinx.application import Sphinx
from tinycss2.ast import AtRule, Node, QualifiedRule

SHEETS = ("styles/pydata-sphinx-theme.css", "mystnb.*.css", "basic.css")
CLASSES = re.compile(r'\sclass="([^"]*)"')
WORD = re.compile(r"[A-Za-z][\w-]*")
PUT_TOGETHER = ["bs-tooltip-auto"]  # by Bootstrap's script, from three words


def classes_of(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """Every class that stands in a page, and every word of the scripts."""
    classes = (names for page in pages for names in CLASSES.findall(page))
    words = (word for script in scripts for word in WORD.findall(script))
    return {name for names in classes for name in names.split()}.union(
        words, PUT_TOGETHER
    )


def without_unused(css: str, used: set[str]) -> str:
    """Leave out of a style sheet the rules that no element can match."""
    rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    return _kept(rules, used)


def _kept(rules: list[Node], used: set[str]) -> str:
    text = ""
    for rule in rules:
        if isinstance(rule, QualifiedRule):
            selectors = [
                one for one in _selectors(rule.prelude) if _classes(one) <= used
            ]
            if selectors:
                named = ",".join(tinycss2.serialize(one).strip() for one in selectors)
                text += f"{named}{{{tinycss2.serialize(rule.content)}}}"
        elif isinstance(rule, AtRule) and rule.lower_at_keyword in (
            "media",
            "supports",
        ):
            inner = tinycss2.parse_rule_list(
                rule.content, skip_comments=True, skip_whitespace=True
            )
            if kept := _kept(inner, used):
                condition = tinycss2.serialize(rule.prelude)
                text += f"@{rule.at_keyword}{condition}{{{kept}}}"
        else:
            text += rule.serialize()
    return text


def _selectors(prelude: list[Node]) -> list[list[Node]]:
    """Cut what stands before a rule's block at its commas."""
    selectors: list[list[Node]] = [[]]
    for part in prelude:
        if part == ",":
            selectors.append([])
        else:
            selectors[-1].append(part)
    return selectors


def _classes(selector: list[Node]) -> set[str]:
    """The classes that a selector asks for, without those in functions as `:not`."""
    pairs = pairwise(selector)
    return {after.value for dot, after in pairs if dot == "." and after.type == "ident"}


def trim_sheets(app: Sphinx, exception: Exception | None) -> None:
    """After a good HTML build, trim the sheets that it copied."""
    if exception is not None or app.builder.name != "html":
        return
    static = Path(app.outdir, "_static")
    used = classes_of(
        (page.read_text(encoding="utf-8") for page in Path(app.outdir).rglob("*.html")),
        (file.read_text(encoding="utf-8") for file in static.glob("**/*.js")),
    )
    for sheet in (path for name in SHEETS for path in static.glob(name)):
        css = without_unused(sheet.read_text(encoding="utf-8"), used)
        sheet.write_text(css, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", trim_sheets, priority=920)  # behind the icons' font
    return {"parallel_read_safe": True, "parallel_write_safe": True}
