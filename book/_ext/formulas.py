r"""Sphinx extension: formulas are set when the book is built, as MathML.

A page needs no script for its formulas: the browser sets them as it sets its text, in
the font of `formulas.css`. Each keeps its LaTeX as an annotation. A long formula is cut
before its relations, and if need be before each plus, into several that stand side by
side, so that on a narrow page it goes on in the next line; and a `\tag` becomes text at
the right. A bracket or comma that stands at a formula stays with it at a line's end. A
formula that cannot be set ends the build.

`tools.slides` sets the slides' formulas by the same functions.
"""

import html
import re

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.writers.html5 import HTML5Translator

LONG = 24  # characters that are seen, from which on a formula may be cut

# MathML's names for what the chapters type as it looks.
TYPED = {"·": r"\cdot ", "×": r"\times ", "≈": r"\approx ", "≠": r"\ne "}
TAG = re.compile(r"\s*\\tag\{([^}]*)\}")
BAR = re.compile(
    r'<mover accent="true">((?:(?!<mover).)*)<mo stretchy="true">\u0332</mo></mover>'
)
# What opens and closes, and what a formula may be cut before.
TOKEN = re.compile(
    r"(?P<open>\\left(?![a-z])|\\begin|\\l(?:ceil|Vert|vert)|[([{])"
    r"|(?P<close>\\right(?![a-z])|\\end|\\r(?:ceil|Vert|vert)|[)\]}])"
    r"|(?P<relation>=|≈|\\(?:le|ge|leftarrow)(?![a-z]))|(?P<plus>\+)"
    r"|\\[a-zA-Z]+|\\."
)

# What is written at a formula, before it and after.
OPENING = re.compile(r"[(\[“‘]+$")
CLOSING = re.compile(r"^[)\],.;:!?”’]+")

CONVERTER = LatexToMathML(annotation=True, fancy_error=False, macros={"cr": r"\\"})


def convert(latex: str, display: bool) -> str:
    """Return one formula as MathML.

    Raises:
        ValueError: there is something in it that cannot be set.
    """
    for typed, command in TYPED.items():
        latex = latex.replace(typed, command)
    try:
        mathml = CONVERTER.convert_with_local_state(latex.strip(), displaystyle=display)
    except LatexError as error:
        raise ValueError(
            f"cannot set the formula {latex.strip()!r}: {error}"
        ) from error
    # The script L of the font, not one of its two variants. And a bar that is drawn by
    # the style sheet: of the font's pieces browsers make one that is too short.
    mathml = mathml.replace("\N{VARIATION SELECTOR-1}", "")
    return BAR.sub(r'<mrow class="overline">\1</mrow>', mathml)


def pieces(latex: str, before: str = "relation") -> list[str]:
    """Cut a long formula, but not within brackets."""
    if len(re.sub(r"\\[a-z]+|[\s{}^_]", "", latex)) < LONG or r"\begin" in latex:
        return [latex]
    cuts, depth = [0], 0
    for token in TOKEN.finditer(latex):
        depth += bool(token["open"]) - bool(token["close"])
        if token[before] and depth == 0 and latex[: token.start()].strip(" {}"):
            cuts.append(token.start())
    parts = [latex[a:b] for a, b in zip(cuts, [*cuts[1:], None], strict=True)]
    # What a sign relates to stands in the piece before; {} stands for it.
    parts = [parts[0], *("{}" + part for part in parts[1:])]
    if before == "plus":
        return parts
    return [piece for part in parts for piece in pieces(part, before="plus")]


def inline(latex: str, before: str = "", after: str = "") -> str:
    """Return HTML of a formula in a line of text, with what is written at it."""
    parts = [convert(piece, display=False) for piece in pieces(latex)]
    parts[0] = before + parts[0]
    parts[-1] += after
    return "".join(
        part
        if part.startswith("<math") and part.endswith("</math>")
        # Browsers may end a line beside a formula, even before a comma.
        else f'<span class="unbroken">{part}</span>'
        for part in parts
    )


def block(latex: str) -> str:
    r"""Return HTML of a formula that stands alone, with its `\tag` beside it."""
    tag = TAG.search(latex)
    number = f'<span class="tag">({html.escape(tag[1])})</span>' if tag else ""
    parts = pieces(TAG.sub("", latex).strip())
    formula = "".join(convert(part, display=True) for part in parts)
    return f'<span class="formula">{formula}</span>{number}'


def keep_punctuation(app: Sphinx, doctree: nodes.document) -> None:
    """Give the formulas in the text what is written at them: `before`, `after`."""
    for formula in doctree.findall(nodes.math):
        line = formula.parent
        for step, mark, name in ((-1, OPENING, "before"), (1, CLOSING, "after")):
            at = line.index(formula) + step
            text = line[at] if 0 <= at < len(line) else None
            if isinstance(text, nodes.Text) and (found := mark.search(text)):
                formula[name] = found[0]
                line[at] = nodes.Text(mark.sub("", text))


def set_formula(
    translator: HTML5Translator, node: nodes.math | nodes.math_block
) -> None:
    """Write a formula of a page."""
    is_inline = isinstance(node, nodes.math)
    element = "span" if is_inline else "div"
    classes = "math notranslate nohighlight"
    start = translator.starttag(node, element, "", CLASS=classes)
    latex = node.astext()
    try:
        if is_inline:
            formula = inline(latex, node.get("before", ""), node.get("after", ""))
        else:
            formula = block(latex)
        translator.body.append(f"{start}{formula}</{element}>")
    except ValueError as error:
        place = f"{translator.builder.current_docname}, line {node.line}"
        raise ExtensionError(f"{place}: {error}") from error
    if not is_inline:
        translator.body.append("\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (set_formula, None), (set_formula, None))
    app.connect("doctree-read", keep_punctuation)
    app.add_css_file("formulas.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
