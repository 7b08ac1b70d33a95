"""Trimmed style sheets: what is left styles every element as the whole sheet did."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from icons import without_font
from unused_styles import classes_of, without_unused

THEME = "styles/pydata-sphinx-theme.css"
PACKAGE = Path(find_spec("pydata_sphinx_theme").origin).parent
WHOLE = PACKAGE / "theme" / "pydata_sphinx_theme" / "static" / THEME
# One of those with the same names and classes, all the way up.
STYLES = """() => {
  const paths = new Map([[document.documentElement, ""]]);
  const looks = new Map();
  const shown = document.querySelectorAll("body, body :not(style, script, svg *)");
  for (const element of shown) {
    const names = `${element.localName}.${element.getAttribute("class")}`;
    const path = `${paths.get(element.parentElement)} ${names}`;
    paths.set(element, path);
    if (looks.has(path)) continue;
    const style = getComputedStyle(element);
    const values = [...style].map((name) => `${name}: ${style.getPropertyValue(name)}`);
    looks.set(path, values.join("; "));
  }
  return Object.fromEntries(looks);
}"""


def test_classes_stand_in_pages_and_in_scripts():
    pages = ['<a class="one two"><b id="three">', "<i\nclass='four'>"]
    scripts = ['element.classList.add("five-six");']
    found = classes_of(pages, scripts)
    assert {"one", "two", "five-six"} < found
    assert not {"three", "seven"} & found


@pytest.mark.parametrize(
    "css, left",
    [
        (".a{x:1}.b{x:2}", ".a{x:1}"),
        (".a .b, .a > p{x:1}", ".a > p{x:1}"),
        (".a:not(.b){x:1}", ".a:not(.b){x:1}"),
        ("@media print{.b{x:1}.a{x:2}}", "@media print{.a{x:2}}"),
        ("@media print{.b{x:1}}p{x:2}", "p{x:2}"),
        ("@keyframes b{from{x:1}}/* .a */", "@keyframes b{from{x:1}}"),
        ('[href$=".b"]{x:"} .b{"}', '[href$=".b"]{x:"} .b{"}'),
    ],
)
def test_rules_for_classes_that_nothing_has_go(css, left):
    assert without_unused(css, {"a"}) == left


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize(
    "page",
    ["book/index", "book/02_lab", "book/07_transformer", "book/ledger", "search"],
)
def test_every_element_looks_as_with_the_whole_sheet(page, html, browser):
    tab = browser.new_page()
    address = (html / f"{page}.html").as_uri()
    tab.goto(address)
    trimmed = tab.evaluate(STYLES)
    css = without_font(WHOLE.read_text(encoding="utf-8"))
    tab.route(
        f"**/{THEME}*", lambda route: route.fulfill(body=css, content_type="text/css")
    )
    tab.goto(address)
    whole = tab.evaluate(STYLES)
    tab.close()
    assert trimmed == whole
