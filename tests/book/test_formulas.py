"""Formulas: set when the book is built, in a font that has all they need."""

import re

import formulas
import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from fontTools.ttLib import TTFont

from tests.book.parsed import soup
from tools.fonts import FONT, characters


def test_formula_is_mathml_with_its_latex_and_its_tag_beside_it():
    page = BeautifulSoup(formulas.block(r"\sqrt{d_k} \tag{3.2}"), "html.parser")
    assert page.math["display"] == "block"
    assert page.math.select_one("msqrt msub mi").get_text() == "d"
    assert page.math.annotation.get_text() == r"\sqrt{d_k}"
    assert page.select_one(".tag").get_text() == "(3.2)"


def test_bar_is_drawn_by_the_style_sheet_since_browsers_make_it_too_short():
    assert '<mrow class="overline">' in formulas.inline(r"\overline{ab}")


@pytest.mark.parametrize("latex", [r"\nosuchcommand x", r"\frac{1}{", r"\sqrt{x"])
def test_formula_that_cannot_be_set_is_named(latex):
    with pytest.raises(ValueError, match=re.escape(latex[:6])):
        formulas.inline(latex)


def test_long_formula_is_cut_before_relations_and_plus_outside_brackets():
    one, two = r"\mathrm{softmax}(a = b, c)\,", "= 1234567890 + (123456789 + 678)"
    assert formulas.pieces(one + two) == [
        one,
        "{}= 1234567890 ",
        "{}+ (123456789 + 678)",
    ]
    left = r"y = \left\lVert 123456 + 7890 \right\rVert_F - 12345 "
    assert "".join(formulas.pieces(left)).replace("{}", "") == left
    assert len(formulas.pieces(left)) == 2


def test_punctuation_at_a_formula_stays_with_it():
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
def test_line_never_breaks_between_a_formula_and_its_punctuation(visit, html):
    page = visit((html / "book/02_alignment.html").as_uri(), width=360).page
    lines = "all => all.map((one) => one.getClientRects().length)"
    found = page.eval_on_selector_all(".math .unbroken", lines)
    assert len(found) > 20 and set(found) == {1}


@pytest.mark.weekly
@pytest.mark.book
def test_every_character_of_the_formulas_is_in_the_font(html):
    wanted = characters(html.rglob("book/**/*.html"))
    assert len(wanted) > 100
    missing = {one for one in wanted if ord(one) not in TTFont(FONT).getBestCmap()}
    assert missing == set(), "run: python -m tools.fonts math"


@pytest.mark.book
def test_page_s_formulas_are_set_without_a_script(html, docname):
    page = soup(html / f"{docname}.html")
    assert page.select("script[src*=math i]") == []
    set_ones = page.select(".math > math, .math > :is(.formula, .unbroken) > math")
    assert len(set_ones) == len(page.select("math"))
    assert all(node.select_one("annotation") for node in set_ones)
    assert len(set_ones) >= len(page.select(".math"))
