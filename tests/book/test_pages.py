"""Every page of the built book, opened in a real browser."""

import gzip
import re
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from accessibility import violations
from drawing import reload, wait_until_drawn
from playwright.sync_api import expect

from tools.stills import PICTURES

pytestmark = pytest.mark.book

PHONE_WIDTH = 360
ZOOMED_WIDTH = 640  # a window of 1280 at 200%
MAX_FIRST_VIEW_BYTES = 350_000  # bytes, compressed
MAX_PAGE_HEIGHT = 20_000  # pixels, of a lecture with its folds closed
MAX_FIGURE_HEIGHT = 650  # pixels, where a window has 800
OPEN_FOLDED = "document.querySelectorAll('details').forEach((part) => part.open = true)"

# axe takes longer the more elements there are, and most of them are parts of code with
# colours, of formulas and of drawings, which only its rule of contrast looks at. The
# others get code without colours, and formulas and drawings without parts.
WITH_PARTS = "'pre:not(:has(a)), math, .drawing svg'"
REMOVE_PARTS = f"""() => {{
  for (const whole of document.querySelectorAll({WITH_PARTS})) {{
    whole.parts = [...whole.childNodes];
    whole.textContent = whole.localName === "pre" ? whole.textContent : "";
  }}
}}"""
RESTORE_PARTS = f"""() => {{
  for (const whole of document.querySelectorAll({WITH_PARTS}))
    whole.replaceChildren(...whole.parts);
}}"""

# Of every word's contrast axe would take five times as long. Here the words go that
# look like others: the same element, of the same size and colour, on the same grounds;
# and then what has neither words nor a ground.
KEEP_ONE_OF_EACH_KIND = """() => {
  const grounds = new Map([[null, ""]]);
  const seen = new Set();
  const alike = [];
  for (const node of document.querySelectorAll("*")) {
    const style = getComputedStyle(node);
    const own = [style.backgroundColor, style.backgroundImage, style.opacity].join();
    const behind = grounds.get(node.parentElement);
    const ground = own === "rgba(0, 0, 0, 0),none,1" ? behind : `${behind}/${own}`;
    grounds.set(node, ground);
    const { color, fontSize, fontWeight, position } = style;
    const look = [node.localName, node.getAttribute("class"), fontSize, fontWeight];
    const kind = [...look, position, color, ground].join();
    const words = [...node.childNodes].filter(
      (child) => child.nodeType === Node.TEXT_NODE && child.data.trim(),
    );
    if (words.length === 0 || !document.body.contains(node)) continue;
    if (seen.has(kind)) alike.push(...words);
    seen.add(kind);
  }
  alike.forEach((word) => word.remove());
  const kept = "svg, img, input, select, button, canvas, textarea";
  const bare = [...document.querySelectorAll(`article :not(svg *, ${kept})`)].filter(
    (node) => getComputedStyle(node).backgroundColor === "rgba(0, 0, 0, 0)",
  );
  for (const node of bare.reverse()) if (!node.hasChildNodes()) node.remove();
}"""
CONTRAST_RULES = ["color-contrast"]
# The first is no more than that; the second is the style's, so one page shows it.
IGNORED_RULES = ["region", "link-in-text-block"]

# Where the keyboard is: in the page's main part or not, and whether one sees it.
FOCUS_STATE = """() => {
  const node = document.activeElement;
  // Around what folds the contents the theme draws no ring, but around its arrow; and
  // around a radio button in a strip there is the ring of its label.
  const arrow = node.querySelector(":scope > .toctree-toggle");
  const drawn = arrow ?? node.closest(".al-choices label") ?? node;
  const { outlineStyle, outlineWidth, boxShadow, opacity } = getComputedStyle(drawn);
  const ring = outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
  const seen = (ring || boxShadow !== "none") && opacity === "1";
  return [node.innerText, Boolean(node.closest("main")), seen, node.className];
}"""

# What a reader cannot reach: right of the window, or left of it or of its scroll box.
# Lines of a drawing may run on beyond its frame, which cuts them off; words may not.
FIND_CLIPPED = """() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (node) => /auto|scroll/.test(getComputedStyle(node).overflowX);
  const within = new Map([[document.body, document.body]]);
  const scroller = (node) => {
    if (!within.has(node))
      within.set(node, scrolls(node) ? node : scroller(node.parentElement));
    return within.get(node);
  };
  const found = [];
  for (const node of document.querySelectorAll("article *, header *, footer *")) {
    const box = node.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    if (node.ownerSVGElement && node.localName !== "text") continue;
    const parent = scroller(node.parentElement);
    const inScroller = parent !== document.body;
    const frame = parent.getBoundingClientRect();
    const start = inScroller ? frame.left - parent.scrollLeft : 0;
    if (box.left < start - 1 || (!inScroller && box.right > width + 1)) {
      found.push(`${node.tagName}.${node.className}: ${box.left} to ${box.right}`);
    }
  }
  return found;
}"""


# What a page shows that a reader would not see.
FIND_INVISIBLE = """() => {
  const shown =
    ".cell_output > *, .verdict-card, .exercise-card, table, figcaption, " +
    ".drawing svg, .math > *, .attnlab-body, pre, p, li, dt, dd, summary, h1, h2, h3";
  const asked = { opacityProperty: true, visibilityProperty: true };
  const found = [];
  for (const node of document.querySelectorAll(`article :is(${shown})`)) {
    const box = node.getBoundingClientRect();
    const empty = !node.textContent.trim() && !node.querySelector("svg, img, canvas");
    if (empty || node.closest(".attnlab-live :is([hidden], .al-unseen)")) continue;
    if (node.matches(".attnlab-live *:not(.attnlab-body)")) continue;
    if (box.width < 2 || box.height < 2 || !node.checkVisibility(asked))
      found.push(`unseen: ${node.outerHTML.slice(0, 100)}`);
  }
  return found;
}"""
# What has a pale ground in the dark, or is toned down. Small marks may be pale.
FIND_PALE_IN_DARK = """() => {
  const isPale = (colour) => {
    const [red, green, blue, alpha = 1] = (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const half = colour.startsWith("color(") ? 0.5 : 128;
    return alpha > 0.1 && Math.min(red, green, blue) > half;
  };
  const found = [];
  for (const node of document.querySelectorAll(".cell_output, .cell_output *")) {
    const style = getComputedStyle(node);
    const { width, height } = node.getBoundingClientRect();
    const shape = node.matches("svg :is(path, rect)");
    const plate = shape ? style.fill : style.backgroundColor;
    const covers = style.opacity * style.fillOpacity > 0.5;
    if (width > 80 && height > 60 && covers && isPale(plate))
      found.push(`${plate}: ${node.outerHTML.slice(0, 100)}`);
    const lit = node.closest(".tour-mark") && style.filter.startsWith("drop-shadow");
    if (style.filter !== "none" && !lit) found.push(style.filter);
  }
  return found;
}"""
# A font is loaded when words of the page ask for it.
LOADED_FONTS = """async () => {
  await document.fonts.ready;
  const loaded = [...document.fonts].filter(({ status }) => status === "loaded");
  return loaded.map(({ family }) => family.replaceAll('"', ""));
}"""


def set_theme_and_width(page, theme, width) -> None:
    """Give an open page another theme and width."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=theme)
    page.locator(f"html[data-theme={theme}]").wait_for(state="attached")
    wait_until_drawn(page)
    page.evaluate("document.getAnimations().forEach((fading) => fading.finish())")


def wait_for_figures(page) -> None:
    """Wait until all live figures are drawn."""
    for figure in page.locator(".attnlab-live").all():
        expect(figure.locator(".attnlab-body > *:visible").first).to_be_visible()


def test_page_visit_finds_no_faults(visit, served, html, docname):
    """All that is asked of every page; contrast comes last: it takes words away."""
    seen = visit(f"{served}/{docname}.html")
    page = seen.page
    check_page_start(seen, served)
    check_first_view_size(seen, served, html)
    check_figure_heights(page, docname)
    if re.match(r"book/\d\d_(?!lab|evidence)", docname):
        height = page.evaluate("document.querySelector('article').scrollHeight")
        assert height <= MAX_PAGE_HEIGHT
    page.evaluate(OPEN_FOLDED)
    assert seen.errors == []
    assert axe_violations(page) == []
    seen.errors.clear()  # axe itself asks for a style sheet that is not there
    check_phone_layout(page)
    assert seen.errors == []
    if not docname.endswith(("_lab", "_evidence")):  # they look as their lectures do
        assert contrast_violations(page) == []
        # Where only the contrast differs.
        set_theme_and_width(page, "light", PHONE_WIDTH)
        assert violations(page, runOnly=CONTRAST_RULES) == []


@pytest.mark.weekly
def test_page_has_contrast_in_the_dark(visit, served, chapter):
    page = visit(f"{served}/book/{chapter.stem}.html", "dark", PHONE_WIDTH).page
    page.evaluate(OPEN_FOLDED)
    assert contrast_violations(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_wide_page_has_contrast_around_the_text(visit, served, theme):
    page = visit(f"{served}/book/03_self_attention.html", theme).page
    assert violations(page, runOnly=["link-in-text-block"]) == []
    assert contrast_violations(page) == []


@pytest.mark.parametrize("name", ["03_self_attention", "ledger"])
def test_page_from_file_opens_without_errors_or_requests(visit, html, name):
    check_page_start(visit(f"{html.as_uri()}/book/{name}.html"), html.as_uri())


def check_page_start(seen, site) -> None:
    wait_for_figures(seen.page)
    near = (site, "data:", "blob:")
    assert [url for url in seen.requests if not url.startswith(near)] == []
    assert seen.errors == []
    tables = seen.page.locator(":is(.al-matrix, .hd-damage, .sh-table)")
    layouts = "all => all.map((table) => getComputedStyle(table).tableLayout)"
    assert set(tables.evaluate_all(layouts)) <= {"fixed"}  # not as the theme says


def check_first_view_size(seen, served, html) -> None:
    """What a page asks for before anything is done is little, compressed."""
    # However long it takes. (Of a very long page Chromium may never say that its
    # network is idle.)
    seen.page.wait_for_load_state("load", timeout=180_000)
    asked = -1
    while asked < len(seen.requests):
        asked = len(seen.requests)
        seen.page.wait_for_timeout(300)
    paths = {urlsplit(url).path for url in seen.requests if url.startswith(served)}
    sizes = [compressed_size(html / path.lstrip("/")) for path in paths]
    assert sum(sizes) < MAX_FIRST_VIEW_BYTES


@cache
def compressed_size(path: Path) -> int:
    whole = path.read_bytes()
    return min(len(whole), len(gzip.compress(whole)))


def check_phone_layout(page) -> None:
    for width in (ZOOMED_WIDTH, PHONE_WIDTH):
        set_theme_and_width(page, "dark", width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(FIND_CLIPPED) == []
    wait_for_figures(page)
    assert page.evaluate(FIND_INVISIBLE) == []
    assert page.evaluate(FIND_PALE_IN_DARK) == []
    fonts = set(page.evaluate(LOADED_FONTS))
    assert "Book Text" in fonts
    assert "Book Math" in fonts or page.locator("math").count() == 0


def check_figure_heights(page, docname) -> None:
    """And the part of the first one that the card's still shows is drawn."""
    live = '.attnlab-live:not([data-figure="forecast"], [data-figure="exercise"])'
    page.evaluate("document.fonts.ready")
    for figure in page.locator(live).all():
        figure.scroll_into_view_if_needed()  # it may load weights then
        expect(figure.locator(".attnlab-status")).not_to_be_empty()
        assert figure.bounding_box()["height"] <= MAX_FIGURE_HEIGHT, figure.inner_text()
    name, part = PICTURES.get(docname.removeprefix("book/"), ("train", ""))
    if name != "train":
        figure = page.locator(f'.attnlab-live[data-figure="{name}"]').first
        expect(figure.locator(part).first).to_be_attached(timeout=60_000)


def test_index_redirects_to_the_first_page(browser, site):
    page = browser.new_page()
    page.goto(f"{site}/index.html")
    page.wait_for_url("**/book/index.html")
    page.close()


@pytest.mark.parametrize(
    ("query", "wanted"),
    [("anomaly detection", "03_evidence"), ("对齐", "glossary")],
)
def test_search_dialog_result_leads_to_the_words(visit, site, query, wanted):
    seen = visit(f"{site}/book/notation.html")
    seen.page.keyboard.press("Control+k")
    seen.page.keyboard.type(query)
    seen.page.keyboard.press("Enter")
    expect(seen.page.locator(".search-summary")).to_contain_text("found")
    hits = seen.page.locator("#search-results li").all_inner_texts()
    assert len(set(hits)) == len(hits)  # or one could not tell them apart
    seen.page.locator(f"#search-results a[href*='{wanted}']").first.click()
    seen.page.wait_for_url(f"**/{wanted}.html*", wait_until="domcontentloaded")
    assert query in seen.page.locator("article").inner_text()
    assert seen.errors == []


def test_show_code_button_unfolds_all_and_persists(visit, served):
    page = visit(f"{served}/book/01_evidence.html").page
    folds = page.locator("details.fold")
    opened = page.locator("details.fold[open]")
    button = page.locator(".fold-all")
    assert folds.count() > 5 and opened.count() == 0
    for name, pressed, count in (
        ("Show all code", "false", 0),
        ("Fold the code", "true", folds.count()),
        ("Show all code", "false", 0),
    ):
        expect(button).to_have_text(name)
        expect(button).to_have_attribute("aria-pressed", pressed)
        expect(opened).to_have_count(count)
        button.click()
    reload(page)
    expect(opened).to_have_count(folds.count())


def test_forecast_guess_appears_in_ledger(visit, served):
    seen = visit(f"{served}/book/01_lab.html")
    page = seen.page
    forecast = page.locator("#forecast-lab1-faults")
    forecast.get_by_role("radio").first.check()
    forecast.get_by_role("radio", name="fairly sure").check()
    forecast.get_by_role("button", name="Show what happened").click()
    expect(forecast.get_by_role("status")).to_contain_text("You said")
    reload(page)
    page.goto(f"{served}/book/ledger.html")
    record = page.locator("#forecast-record")
    expect(record).to_contain_text("You made 1 forecast;")
    record.get_by_role("link").click()
    page.wait_for_url("**/01_lab.html#forecast-lab1-faults")
    assert seen.errors == []


def test_code_cells_are_folded_on_a_phone(visit, html):
    page = visit(f"{html.as_uri()}/book/01_bottleneck.html").page
    listing = page.locator(".listing").first
    expect(listing.locator("pre")).to_be_visible()
    page.set_viewport_size({"width": PHONE_WIDTH, "height": 800})
    page.reload()
    expect(listing.locator("pre")).to_be_hidden()
    listing.locator("summary").click()
    expect(listing.locator("pre")).to_be_visible()


def test_skip_link_works_and_focus_is_visible(visit, html):
    page = visit(f"{html.as_uri()}/book/01_bottleneck.html").page
    page.emulate_media(reduced_motion="reduce")  # nothing fades in
    page.evaluate("scrollTo(0, 0)")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUS_STATE)[0] == "Skip to main content"
    steps = []
    for _ in range(60):  # the contents come first, then the text
        page.keyboard.press("Tab")
        steps.append(page.evaluate(FOCUS_STATE))
    assert [step for step in steps if not step[2]] == []
    assert any("copybtn" in step[3] for step in steps)
    page.locator("#pst-skip-link a").press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUS_STATE)[1]


def axe_violations(page) -> list[str]:
    """What axe finds serious or worse, but for contrast."""
    page.evaluate(REMOVE_PARTS)
    off = {name: {"enabled": False} for name in CONTRAST_RULES + IGNORED_RULES}
    found = violations(page, rules=off)
    page.evaluate(RESTORE_PARTS)
    return found


def contrast_violations(page) -> list[str]:
    """Which words are hard to read. It leaves a page without most of its words."""
    page.evaluate(KEEP_ONE_OF_EACH_KIND)
    return violations(page, runOnly=CONTRAST_RULES)


def test_axe_reports_planted_faults(browser):
    page = browser.new_page()
    page.set_content(
        "<html lang=en><title>A page</title><p>dark</p><p>dark</p>"
        "<p style='color: #aaa; background: #fff'>pale</p>"
        "<p style='color: #bbb; background: #fff'>1</p>"
        "<div style='background: #222'><p>dark</p></div><button></button>"
        "<pre><span>dark</span><span style='color: #aaa'>pale</span></pre>"
    )
    found = axe_violations(page) + contrast_violations(page)
    page.close()
    assert [fault.split(":")[0] for fault in found] == [
        "button-name",
        *["color-contrast"] * 4,
    ]
