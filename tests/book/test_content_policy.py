"""The built book under its Content-Security-Policy, in a real browser.

All tests that open pages open them under it: there too a violation is an error.
"""

import pytest
from bs4 import BeautifulSoup

pytestmark = pytest.mark.book

# Scripts as an attacker would add them to a page; each would set `window.slipped`.
INJECTED_SCRIPTS = """async () => {
  const add = (name, attributes) => {
    const node = Object.assign(document.createElement(name), attributes);
    document.body.append(node);
    return node;
  };
  add("script", { textContent: "window.slipped = 1" });
  add("div", { innerHTML: "<img src='data:,' onerror='window.slipped = 2'>" });
  add("a", { href: "javascript:window.slipped = 3" }).click();
  setTimeout(() => { window.slipped = eval("4"); });  // later: here it is let through
  await fetch("https://attnlab.invalid/").then(() => { window.slipped = 5; }, () => {});
  await new Promise((done) => setTimeout(done, 200));
  return window.slipped ?? "nothing";
}"""


def test_content_policy_allows_no_unlisted_script(html):
    files = [p for p in html.rglob("*.html") if "_static" not in p.parts]
    assert len(files) > 30
    for file in files:
        page = BeautifulSoup(file.read_bytes()[:8000], "html.parser")
        (meta,) = page.select("meta[http-equiv=Content-Security-Policy]")
        assert "script" not in {node.name for node in meta.find_all_previous()}
        rules = dict(rule.split(" ", 1) for rule in meta["content"].split("; "))
        assert rules["default-src"] == "'none'"
        scripts = [one for one in rules["script-src"].split() if "sha256" not in one]
        wasm = "'wasm-unsafe-eval'"
        assert scripts == ["'self'", "file:", "blob:", wasm, "'unsafe-hashes'"]


def test_content_policy_blocks_injected_script_but_not_theme(visit, site):
    seen = visit(f"{site}/book/notation.html")
    assert seen.errors == []
    page = seen.page
    page.evaluate("window.print = () => { document.title = 'printed'; }")
    page.locator("button.btn-download-pdf-button").evaluate("(node) => node.click()")
    assert page.title() == "printed"
    assert page.evaluate(INJECTED_SCRIPTS) == "nothing"
    assert len(seen.errors) >= 5
