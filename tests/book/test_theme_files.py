"""The theme's files: what is left of them works and looks as the whole did."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from theme_files import CHANGES, WORD, patch_script, without_unused

ICON = re.compile(r"\bfa-[a-z-]+")
ICON_STYLE_CLASSES = {"fa-solid", "fa-brands", "fa-lg"}  # an icon is drawn, not which
THEME_CSS = "styles/pydata-sphinx-theme.css"
THEME_PACKAGE = Path(find_spec("pydata_sphinx_theme").origin).parent
FULL_THEME_CSS = THEME_PACKAGE / "theme" / "pydata_sphinx_theme" / "static" / THEME_CSS
# One of those with the same names and classes, all the way up. Which properties there
# are is asked once: an element takes longer to say that than their values.
COMPUTED_STYLES = """() => {
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
def test_reduced_theme_css_styles_elements_as_the_full_one(page, html, browser):
    tab = browser.new_page()
    address = (html / f"{page}.html").as_uri()
    tab.goto(address)
    trimmed = tab.evaluate(COMPUTED_STYLES)
    css = FULL_THEME_CSS.read_text(encoding="utf-8")
    css = without_unused(css, set(WORD.findall(css)))  # icons are drawn in both
    tab.route(
        f"**/{THEME_CSS}*",
        lambda route: route.fulfill(body=css, content_type="text/css"),
    )
    tab.goto(address)
    whole = tab.evaluate(COMPUTED_STYLES)
    tab.close()
    assert trimmed == whole


def test_patch_script_changes_each_place_once():
    script = f"a;{';b;'.join(CHANGES)};c"
    changed = f"a;{';b;'.join(CHANGES.values())};c"
    assert patch_script(script) == patch_script(changed) == changed


@pytest.mark.parametrize("script", ["another version", "".join(CHANGES) * 2])
def test_patch_script_rejects_another_version(script):
    with pytest.raises(ValueError, match="no single"):
        patch_script(script)


@pytest.mark.book
def test_theme_draws_every_icon_used(html, root):
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
    assert named - ICON_STYLE_CLASSES - drawn == set()
