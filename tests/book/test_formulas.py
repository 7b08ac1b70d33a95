"""Formulas: set when the book is built, in a font that has all they need."""

import re

import formulas
import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from fontTools.ttLib import TTFont

from tests.book.parsed import parse_html
from tools.fonts import FONT, characters_of_pages


def test_formula_html_has_mathml_latex_and_tag():
    page = BeautifulSoup(formulas.block(r"\sqrt{d_k} \tag{3.2}"), "html.parser")
    assert page.math["display"] == "block"
    assert page.math.select_one("msqrt msub mi").get_text() == "d"
    assert page.math.annotation.get_text() == r"\sqrt{d_k}"
    assert page.select_one(".tag").get_text() == "(3.2)"


def test_formula_overbar_is_drawn_by_style_sheet():
    assert '<mrow class="overline">' in formulas.inline(r"\overline{ab}")


@pytest.mark.parametrize("latex", [r"\nosuchcommand x", r"\frac{1}{", r"\sqrt{x"])
def test_unsupported_formula_is_named_in_the_error(latex):
    with pytest.raises(ValueError, match=re.escape(latex[:6])):
        formulas.inline(latex)


def test_long_formula_breaks_before_top_level_operators():
    one, two = r"\mathrm{softmax}(a = b, c)\,", "= 1234567890 + (123456789 + 678)"
    assert formulas.pieces(one + two) == [
        one,
        "{}= 1234567890 ",
        "{}+ (123456789 + 678)",
    ]
    left = r"y = \left\lVert 123456 + 7890 \right\rVert_F - 12345 "
    assert "".join(formulas.pieces(left)).replace("{}", "") == left
    assert len(formulas.pieces(left)) == 2


def test_formula_keeps_its_punctuation():
    a, b = nodes.math("", "a"), nodes.math("", "b")
    line = nodes.paragraph()
    line += [nodes.Text("the loss ("), a, nodes.Text(", "), b, nodes.Text(") is")]
    formulas.keep_punctuation(None, line)
    assert (a.get("before"), a.get("after")) == ("(", ",")
    assert (b.get("before"), b.get("after")) == (None, ")")
    assert [one for one in line if one not in (a, b)] == ["the loss ", " ", " is"]
    cut = formulas.inline("1234567890123 = 123456789 + 678", "(", ")")
    assert cut.startswith('<span class="unbroken">(<math>')
    assert cut.endswith("</math>)</span>") and cut.count("unbroken") == 2


@pytest.mark.book
def test_line_does_not_break_before_formula_punctuation(visit, html):
    page = visit((html / "book/02_alignment.html").as_uri(), width=360).page
    lines = "all => all.map((one) => one.getClientRects().length)"
    found = page.eval_on_selector_all(".math .unbroken", lines)
    assert len(found) > 20 and set(found) == {1}


@pytest.mark.weekly
@pytest.mark.book
def test_math_font_has_every_formula_character(html):
    wanted = characters_of_pages(html.rglob("book/**/*.html"))
    assert len(wanted) > 100
    missing = {one for one in wanted if ord(one) not in TTFont(FONT).getBestCmap()}
    assert missing == set(), "run: python -m tools.fonts math"


@pytest.mark.book
def test_page_formulas_render_without_script(html, docname):
    page = parse_html(html / f"{docname}.html")
    assert page.select("script[src*=math i]") == []
    set_ones = page.select(".math > math, .math > :is(.formula, .unbroken) > math")
    assert len(set_ones) == len(page.select("math"))
    assert all(node.select_one("annotation") for node in set_ones)
    assert len(set_ones) >= len(page.select(".math"))
