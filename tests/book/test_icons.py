"""Icons: drawings under the names of a font that the built book is without."""

import re

import pytest
from icons import without_font

NAME = re.compile(r"\bfa-[a-z-]+")
STYLES = {"fa-solid", "fa-brands", "fa-lg"}  # how, not which


def test_the_fonts_own_rules_go_and_others_stay():
    css = (
        '@font-face{font-family:"Font Awesome";src:url(a)}.fa,.fas{color:red}'
        '.fa-bars{--fa:"a"}.bd-search .fa-bars,a{color:blue}@media print{p{margin:0}}'
    )
    assert without_font(css) == (
        ".bd-search .fa-bars,a{color:blue}@media print{p{margin:0}}"
    )


@pytest.mark.book
def test_every_icon_that_a_page_names_is_drawn(html, root):
    drawn = set(NAME.findall((root / "book/_static/icons.css").read_text("utf-8")))
    named = set()
    for file in [
        *html.rglob("book/**/*.html"),
        html / "_static/scripts/pydata-sphinx-theme.js",
    ]:
        text = file.read_text(encoding="utf-8")
        for classes in re.findall(r'class(?:="|List="|Name="?)([^"]*)"', text):
            named.update(NAME.findall(classes))
    assert {"fa-bars", "fa-xmark", "fa-moon"} <= named
    assert named - STYLES - drawn == set()


@pytest.mark.book
def test_the_font_is_not_there(html):
    assert [file for file in html.rglob("*") if "fontawesome" in file.name] == []
    for page in [*html.rglob("book/**/*.html"), html / "search.html"]:
        assert "fontawesome" not in page.read_text(encoding="utf-8")
    sheet = (html / "_static/styles/pydata-sphinx-theme.css").read_text("utf-8")
    assert "@font-face" not in sheet
