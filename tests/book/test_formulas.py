"""Formulas: set when the book is built, in a font that has all they need."""

import re

import formulas
import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from fontTools.ttLib import TTFont

from tests.book.parsed import soup
from tools.fonts import FONT, characters


def test_a_formula_is_mathml_and_keeps_its_latex():
    page = BeautifulSoup(formulas.inline(r"\sqrt{d_k}"), "html.parser")
    assert page.math.select_one("msqrt msub mi").get_text() == "d"
    annotation = page.math.semantics.annotation
    assert annotation["encoding"] == "application/x-tex"
    assert annotation.get_text() == r"\sqrt{d_k}"


def test_a_tag_stands_beside_its_formula_as_text():
    page = BeautifulSoup(formulas.block(r"a = b \tag{3.2}"), "html.parser")
    assert page.math["display"] == "block"
    assert page.select_one(".tag").get_text() == "(3.2)"
    assert "3.2" not in page.math.get_text()


@pytest.mark.parametrize("latex", [r"\nosuchcommand x", r"\frac{1}{", r"\sqrt{x"])
def test_what_cannot_be_set_is_named(latex):
    with pytest.raises(ValueError, match=re.escape(latex[:6])):
        formulas.inline(latex)


def test_a_bar_is_as_long_as_what_is_under_it():
    bar = r"\hat y + \overline{ab}"
    assert '<mrow class="overline"><mrow><mi>a</mi>' in formulas.inline(bar)
    assert formulas.inline(bar).count("<mover") == 1


def test_a_long_one_is_cut_before_relations_and_then_plus_but_not_in_brackets():
    one, two = r"\mathrm{softmax}(a = b, c)\,", "= 1234567890 + (123456789 + 678)"
    assert formulas.pieces(one + two) == [
        one,
        "{}= 1234567890 ",
        "{}+ (123456789 + 678)",
    ]
    left = r"y = \left\lVert 123456 + 7890 \right\rVert_F - 12345 "
    assert "".join(formulas.pieces(left)).replace("{}", "") == left
    assert len(formulas.pieces(left)) == 2


def test_what_is_written_at_a_formula_stays_with_it():
    parts = "the loss (", ("a", "b"), ", ", ("c",), ") and ", ("d",), " is"
    line = nodes.paragraph()
    for part in parts:
        text = isinstance(part, str)
        line += nodes.Text(part) if text else [nodes.math("", one) for one in part]
    formulas.keep_punctuation(None, line)
    found = [(one.get("before"), one.get("after")) for one in line.findall(nodes.math)]
    assert found == [("(", None), (None, ","), (None, ")"), (None, None)]
    assert [one for one in line if isinstance(one, nodes.Text)] == [
        "the loss ",
        " ",
        " and ",
        " is",
    ]
    set_one = BeautifulSoup(formulas.inline("x", "(", "),"), "html.parser")
    assert set_one.select_one(".unbroken > math").parent.get_text().startswith("(")
    cut = formulas.inline("1234567890123 = 123456789 + 678", "(", ")")
    assert cut.startswith('<span class="unbroken">(<math>')
    assert cut.endswith("</math>)</span>") and cut.count("unbroken") == 2


@pytest.mark.book
def test_no_line_begins_or_ends_beside_a_formula_at_a_comma(look, html):
    page = look((html / "book/02_alignment.html").as_uri(), "light", 360).page
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
def test_no_gap_behind_a_root_and_none_is_higher_than_its_sign(look, html):
    page = look((html / "book/07_transformer.html").as_uri()).page
    measure = """all => all.map((root) => {
      const [whole, inside] = [root, root.lastElementChild].map(
        (one) => one.getBoundingClientRect());
      const size = parseFloat(getComputedStyle(root).fontSize);
      return [whole.right - inside.right, whole.height / size];
    })"""
    found = page.eval_on_selector_all("math msqrt", measure)
    assert len(found) > 3
    assert max(gap for gap, _ in found) < 1
    assert max(height for _, height in found) < 1.6


@pytest.mark.book
def test_no_page_loads_a_script_for_formulas(html, docname):
    page = soup(html / f"{docname}.html")
    scripts = [node["src"] for node in page.select("script[src]")]
    assert [src for src in scripts if "math" in src.lower()] == []
    set_ones = page.select(".math > math, .math > :is(.formula, .unbroken) > math")
    assert len(set_ones) == len(page.select("math"))
    assert all(node.select_one("annotation") for node in set_ones)
    assert len(set_ones) >= len(page.select(".math"))
