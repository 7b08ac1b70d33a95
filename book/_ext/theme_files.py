"""Sphinx extension: the theme's files, without what no page has or what makes it slow.

Style sheets: the theme brings the whole of Bootstrap and a rule for each of the two
thousand icons of Font Awesome, and every page waits for them. A rule stays while every
class that it asks for stands in a page or in a script. Icons are drawn in `icons.css`,
under the names that the theme calls them by: the font goes, and all rules for it.

Script: when a page is read, it names light or dark again, as `layout.html` did, at
which a browser styles all ten thousand elements anew; and it asks of every listing,
those in closed folds among them, whether it scrolls sideways. On a phone the two stop a
chapter for most of a second. (`folds.js` asks when a fold opens.)
"""

import re
import shutil
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
ICON = re.compile(r"\s*\.fa([srb]|-[\w-]+)?\b")  # how a selector of an icon begins

SCRIPT = "scripts/pydata-sphinx-theme.js"
ROOT = "document.documentElement.dataset"
CHANGES = {
    f"{ROOT}.mode=e;": f"{ROOT}.mode!==e&&({ROOT}.mode=e);",
    f"{ROOT}.theme=n,": f"{ROOT}.theme!==n&&({ROOT}.theme=n),",
    '["pre",': '["details[open] pre","pre:not(details pre)",',
}


def classes_of(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """Return every class that stands in a page, and every word of the scripts."""
    classes = (names for page in pages for names in CLASSES.findall(page))
    words = (word for script in scripts for word in WORD.findall(script))
    return {name for names in classes for name in names.split()}.union(
        words, PUT_TOGETHER
    )


def without_unused(css: str, used: set[str]) -> str:
    """Leave out of a sheet the rules that no element can match, and those of icons."""
    rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    return _kept(rules, used)


def _kept(rules: list[Node], used: set[str]) -> str:
    text = ""
    for rule in rules:
        if isinstance(rule, QualifiedRule):
            named = [
                tinycss2.serialize(one).strip()
                for one in _selectors(rule.prelude)
                if _classes(one) <= used and not ICON.match(tinycss2.serialize(one))
            ]
            if named:
                text += f"{','.join(named)}{{{tinycss2.serialize(rule.content)}}}"
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
        elif not isinstance(rule, AtRule) or rule.lower_at_keyword != "font-face":
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


def patch_script(script: str) -> str:
    """Change the theme's script, unless a build that was stopped has done it.

    Raises:
        ValueError: it has not each place to change exactly once, as in another
            version of the theme.
    """
    for old, new in CHANGES.items():
        if script.count(new) == 1 and old not in script:
            continue
        if script.count(old) != 1:
            raise ValueError(f"the theme's script has no single {old!r} to change")
        script = script.replace(old, new)
    return script


def change_files(app: Sphinx, exception: Exception | None) -> None:
    """After a good HTML build, change the files that it copied."""
    if exception is not None or app.builder.name != "html":
        return
    static = Path(app.outdir, "_static")
    shutil.rmtree(static / "vendor" / "fontawesome", ignore_errors=True)
    for file in (static / "scripts").glob("fontawesome.js*"):
        file.unlink()
    script = static / SCRIPT
    script.write_text(
        patch_script(script.read_text(encoding="utf-8")), encoding="utf-8"
    )
    used = classes_of(
        (page.read_text(encoding="utf-8") for page in Path(app.outdir).rglob("*.html")),
        (file.read_text(encoding="utf-8") for file in static.glob("**/*.js")),
    )
    for sheet in (path for name in SHEETS for path in static.glob(name)):
        css = without_unused(sheet.read_text(encoding="utf-8"), used)
        sheet.write_text(css, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_css_file("icons.css")
    app.connect("build-finished", change_files, priority=920)  # behind the front door
    return {"parallel_read_safe": True, "parallel_write_safe": True}
