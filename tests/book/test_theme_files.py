"""The theme's files: what is left of them works and looks as the whole did."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from theme_files import CHANGES, WORD, patch_script, without_unused

ICON = re.compile(r"\bfa-[a-z-]+")
HOW = {"fa-solid", "fa-brands", "fa-lg"}  # an icon is drawn, not which
THEME = "styles/pydata-sphinx-theme.css"
PACKAGE = Path(find_spec("pydata_sphinx_theme").origin).parent
WHOLE = PACKAGE / "theme" / "pydata_sphinx_theme" / "static" / THEME
# One of those with the same names and classes, all the way up. Which properties there
# are is asked once: an element takes longer to say that than their values.
STYLES = """() => {
  const properties = [...getComputedStyle(document.body)];
  const paths = new Map([[document.documentElement, ""]]);
  const looks = new Map();
  const shown = document.querySelectorAll("body, body :not(style, script, svg *)");
  for (const element of shown) {
    const names = `${element.localName}.${element.getAttribute("class")}`;
    const path = `${paths.get(element.parentElement)} ${names}`;
    paths.set(element, path);
    if (looks.has(path)) continue;
    const style = getComputedStyle(element);
    const values = properties.map((name) => style.getPropertyValue(name));
    looks.set(path, values.join("; "));
  }
  return Object.fromEntries(looks);
}"""


@pytest.mark.weekly
@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize(
    "page",
    ["book/index", "book/02_evidence", "book/07_transformer", "book/ledger", "search"],
)
def test_elements_look_as_with_the_whole_sheet(page, html, browser):
    tab = browser.new_page()
    address = (html / f"{page}.html").as_uri()
    tab.goto(address)
    trimmed = tab.evaluate(STYLES)
    css = WHOLE.read_text(encoding="utf-8")
    css = without_unused(css, set(WORD.findall(css)))  # icons are drawn in both
    tab.route(
        f"**/{THEME}*", lambda route: route.fulfill(body=css, content_type="text/css")
    )
    tab.goto(address)
    whole = tab.evaluate(STYLES)
    tab.close()
    assert trimmed == whole


def test_calm_changes_each_place_once():
    script = f"a;{';b;'.join(CHANGES)};c"
    changed = f"a;{';b;'.join(CHANGES.values())};c"
    assert patch_script(script) == patch_script(changed) == changed


@pytest.mark.parametrize("script", ["another version", "".join(CHANGES) * 2])
def test_another_version_of_the_script_is_refused(script):
    with pytest.raises(ValueError, match="no single"):
        patch_script(script)


@pytest.mark.book
def test_every_icon_that_a_page_names_is_drawn(html, root):
    drawn = set(ICON.findall((root / "book/_static/icons.css").read_text("utf-8")))
    named = set()
    for file in [
        *html.rglob("book/**/*.html"),
        html / "_static/scripts/pydata-sphinx-theme.js",
    ]:
        text = file.read_text(encoding="utf-8")
        for classes in re.findall(r'class(?:="|List="|Name="?)([^"]*)"', text):
            named.update(ICON.findall(classes))
    assert {"fa-bars", "fa-xmark", "fa-moon"} <= named
    assert named - HOW - drawn == set()
