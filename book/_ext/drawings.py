"""Sphinx extension: static figures as drawings in the page, with numbers.

Cells draw their pictures as SVG. In the page they stand inline, so that ink, ground
and the colours of ideas follow the theme, on paper too; `figures.css`, written from the
book's palette, has a light and a dark value of each. Those of a chapter with a caption
(`mystnb.figure.caption` in the cell's metadata) are numbered through it: Figure 1.2 in
a lecture, L1.2 in the lab and E1.2 in the evidence beside it.
"""

import re
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from attnlab.figures import palette
from attnlab.figures.style import shade

# What a file needs and a page has already, or must not have twice.
FILE_ONLY = re.compile(
    r"<metadata>.*?</metadata>|<style.*?</style>|(?<=<g) id=\"[^\"]*\"", re.DOTALL
)
ID = re.compile(r'(\bid="|href="#|url\(#)([^")]+)')  # where given, and asked for
TAG = re.compile(r"<[^>]+>")
DIGITS = re.compile(r"(\.\d\d)\d+")  # a hundredth of a point is seen by nobody
FONT = re.compile(r"'DejaVu Sans'[^;\"]*")


def variables() -> dict[str, tuple[str, str, str]]:
    """Name in style sheets, value light and dark, by every colour of a drawing."""
    found = {}
    for name, light in palette.ROLES.items():
        dark = palette.DARK[light]
        found[light.lower()] = (f"--figure-{name}", light, dark)
        found[shade(light)] = (f"--figure-{name}-text", shade(light), dark)
    return found


def style_sheet() -> str:
    """Return the values of all colours, as the theme is light or dark."""
    rows = "".join(
        f"  {name}: light-dark({light}, {dark});\n"
        for name, light, dark in variables().values()
    )
    return f":root {{\n{rows}}}\n"


def inline(svg: str, alt: str, name: str) -> str:
    """Make of an SVG file what can stand in a page and takes its colours.

    Its ids begin with the name, so that no two drawings of the book share one.
    """
    svg = FILE_ONLY.sub("", svg[svg.index("<svg") :].strip())
    svg = FONT.sub("var(--pst-font-family-base)", svg)
    svg = TAG.sub(lambda tag: DIGITS.sub(r"\1", tag[0]), svg)
    svg = ID.sub(rf"\1{name}-\2", svg)
    names = variables()

    def colour(found: re.Match[str]) -> str:
        value = found[0].lower()
        return f"var({names[value][0]})" if value in names else value

    svg = re.sub(r"#[0-9a-fA-F]{6}\b", colour, svg)
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(alt)}"', 1)


def number_of(name: str) -> str:
    """Return what figures of a page are numbered by: "1" in a lecture, "L1" in its lab.

    "E1" in its evidence; empty for a page that is none of them.
    """
    chapter = re.match(r"(\d\d)_(lab$|evidence$)?", name)
    if chapter is None:
        return ""
    letter = (chapter[2] or "")[:1].upper()
    return f"{letter}{int(chapter[1])}"


def put_drawings(app: Sphinx, doctree: nodes.document) -> None:
    """Put every SVG into the page itself, and number those of a chapter."""
    docname = app.env.docname
    chapter = number_of(Path(docname).name)
    count = 0
    drawn = 0
    for image in list(doctree.findall(nodes.image)):
        if not image["uri"].endswith(".svg"):
            continue
        file = Path(app.env.relfn2path(image["uri"], docname)[1])
        drawn += 1
        name = f"drawing-{chapter or Path(docname).name}-{drawn}"
        drawing = inline(file.read_text(encoding="utf-8"), image.get("alt", ""), name)
        figure = enclosing_figure(image)
        image.replace_self(nodes.raw("", drawing, format="html", classes=["drawing"]))
        if chapter and figure is not None:
            count += 1
            figure["ids"].append(f"figure-{chapter}-{count}")
            number = nodes.strong("", f"Figure {chapter}.{count}")
            figure.next_node(nodes.caption).insert(0, [number, nodes.Text("  ")])


def release_tables(app: Sphinx, doctree: nodes.document) -> None:
    """Take tables out of the figure that MyST-NB makes of all that a cell shows."""
    for figure in list(doctree.findall(nodes.figure)):
        bundle = next(figure.findall(nodes.container), None)
        if bundle is not None and not any(
            part.get("mime_type", "").startswith("image/")
            for part in figure.findall(nodes.container)
        ):
            figure.replace_self(bundle)


def enclosing_figure(node: nodes.Element) -> nodes.figure | None:
    """Return the figure, with a caption, that a picture stands in."""
    while node is not None and not isinstance(node, nodes.figure):
        node = node.parent
    return node


def write_style_sheet(app: Sphinx) -> None:
    """Lay the colours where Sphinx looks for static files."""
    folder = Path(app.outdir, "_static")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "figures.css").write_text(style_sheet(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", release_tables, priority=300)
    app.connect("doctree-read", put_drawings, priority=400)  # before images are copied
    # Jupyter Book has Sphinx number figures too, through the whole book.
    app.connect(
        "config-inited",
        lambda app, config: setattr(config, "numfig", False),
        priority=900,
    )
    app.connect("builder-inited", write_style_sheet)
    app.add_css_file("figures.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
