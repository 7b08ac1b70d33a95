"""Sphinx extension: docstrings as pages, and listings that lead to them.

A page in `book/reference` names a room by `.. room:: attnlab.data`; Sphinx's autodoc
reads the docstrings of its modules. They are plain text that reads well in an editor,
so three habits are turned into what Sphinx expects: single backticks around what is no
name, a bare |x|, and an indented block without a double colon before it. `.. front::`
lists what `from attnlab import …` finds, a line each.
"""

import inspect
import pkgutil
import re
from importlib import import_module
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

import attnlab

ROOM = re.compile(r"^\.\. room:: ([\w.]+)$", re.MULTILINE)
FRONT = re.compile(r"^\.\. front::$", re.MULTILINE)
TOKENS = {"PAD": "padding", "BOS": "the beginning of a sequence", "EOS": "its end"}
BACKTICKS = re.compile(r"(`+)(.+?)\1", re.DOTALL)
NAME = re.compile(r"[A-Za-z_][\w.]*")
RETURNS = re.compile(r"^Returns:\n +", re.MULTILINE)

# The first line of a listing by `show_source`, and the name that it defines.
LISTING = re.compile(
    r'<span class="c1"># (attnlab/([\w/]+)\.py)</span>'
    r'(?=(?:\n<span class="nd">.*)*(?:\n<span class="k">(?:class|def)</span>'
    r'(?:<span class="w">)? (?:</span>)?<span class="n[cf]">(\w+))?)'
)

# A signature of several lines, for which Sphinx writes a list of nameless entries.
LINES = re.compile(r'(<span class="sig-paren">\(</span>)\s*<dl>(.*?)</dl>', re.DOTALL)


def list_modules(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the sections of a room's modules in the place of its name."""
    source[0] = ROOM.sub(lambda match: _room(match[1]), source[0])
    source[0] = FRONT.sub(lambda match: front(), source[0])


def front() -> str:
    """Return a list of the names that `attnlab` itself has, the first line of each."""
    lines = []
    for name in sorted(attnlab.__all__, key=str.lower):
        if name in TOKENS:
            lines.append(f"- ``{name}``: the id of {TOKENS[name]}.")
            continue
        thing = getattr(attnlab, name)
        text = readable(str(inspect.getdoc(thing)).split("\n\n")[0].replace("\n", " "))
        lines.append(f"- :py:obj:`~{thing.__module__}.{name}`: {text}")
    return "\n".join(lines)


def _room(package: str) -> str:
    modules = pkgutil.iter_modules(import_module(package).__path__, f"{package}.")
    sections = [f".. automodule:: {package}"] if "." in package else []
    for name in (m.name for m in modules if not m.ispkg and "__main__" not in m.name):
        title = f"{name}\n{'-' * len(name)}"
        sections.append(f"{title}\n\n.. automodule:: {name}\n   :members:")
    return "\n\n".join(sections)


def readable(docstring: str) -> str:
    """Return a docstring of the package as reStructuredText."""
    blocks: list[str] = []
    literal = False
    for block in docstring.split("\n\n"):
        after_prose = bool(blocks) and not blocks[-1].split("\n")[-1].startswith(" ")
        indented = block.startswith("    ")
        if indented and after_prose and not blocks[-1].endswith("::"):
            blocks.append("::")
        literal = indented and (literal or after_prose)
        blocks.append(block if literal else _prose(block))
    return "\n\n".join(blocks)


def _prose(block: str) -> str:
    # Without napoleon, which takes what stands before a colon for a type.
    block = RETURNS.sub(":returns: ", block)
    pieces = BACKTICKS.split(block)  # text, ticks, code, text, ticks, code, …, text
    for i in range(0, len(pieces), 3):
        pieces[i] = pieces[i].replace("|", r"\|")
    for i in range(2, len(pieces), 3):
        ticks = "`" if NAME.fullmatch(pieces[i]) else "``"
        pieces[i - 1 : i + 1] = [ticks, pieces[i] + ticks]
    return "".join(pieces)


def rewrite(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Make a docstring readable to Sphinx, before napoleon takes its sections."""
    lines[:] = readable("\n".join(lines)).split("\n")


def skip_fields(
    app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what Python says of a named tuple's fields: their class says more."""
    return str(thing.__doc__).startswith("Alias for field") or None


def link_listings(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Let the file that stands over a listing lead to the reference."""
    objects = app.env.domaindata["py"]["objects"]

    def linked(match: re.Match[str]) -> str:
        module = f"attnlab.{match[2].replace('/', '.')}"
        found = objects.get(f"{module}.{match[3]}") or objects.get(module)
        if found is None:
            return match[0]
        page = app.builder.get_relative_uri(pagename, found.docname)
        link = f'<a href="{page}#{found.node_id}">{match[1]}</a>'
        return f'<span class="c1"># {link}</span>'

    if "body" in context:
        context["body"] = LISTING.sub(linked, context["body"])


def name_lines(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Make the parameters of a long signature lines of text."""

    def lines(match: re.Match[str]) -> str:
        text = match[2].replace("<dd>", '<span class="sig-line">')
        return match[1] + text.replace("</dd>", "</span>")

    if "body" in context:
        context["body"] = LINES.sub(lines, context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", list_modules)
    app.connect("autodoc-process-docstring", rewrite, priority=400)
    app.connect("autodoc-skip-member", skip_fields)
    app.connect("html-page-context", link_listings)
    app.connect("html-page-context", name_lines)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
