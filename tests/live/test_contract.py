"""The contract of all live figures: a row for each of them, a test for each promise.

A figure's row is shown on one page, which all tests of that figure share.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from math import inf, nan
from typing import NamedTuple

import pytest
from drawing import (
    in_column,
    no_errors,
    on_phone,
    opener,
    quiet,
    redrawn,
    span,
)
from playwright.sync_api import Locator, Page, expect
from reading import says
from traitlets import TraitError

from attnlab.live import (
    Alignment,
    Bottleneck,
    ByHand,
    Cells,
    Clock,
    Cost,
    CutWire,
    Dials,
    Energy,
    Heads,
    Hero,
    Influence,
    LiveFigure,
    LookUp,
    Machine,
    Numeral,
    OneStep,
    Positions,
    PublishedHeads,
    Roofline,
    Sampling,
    Shelf,
    SixScores,
    Train,
    Translate,
)
from attnlab.saved import TRANSLATOR, WRITER

Pixels = dict[tuple[str, str], int]  # from the top of one element to another's foot

# What a reader might type that is no number, and what the figure's answer must say.
TAG = '<img src=x onerror="window.hacked = 1">'
NO_WHOLE_NUMBER = {
    "": "whole number",
    "-5": "negative",
    "2.5": "whole",
    "1000000000000": "too large",
    "seven": "seven",
    TAG: "not a number",
}
NO_DECIMAL = {
    "   ": "type a number",
    "two": "“two” is not a number",
    "1.2.3": "is not a number",
    "NaN": "is not a number",
    "0x10": "is not a number",
    "1e400": "between",
    TAG: "is not a number",
}


ONE_SCREEN = {("figure", "figure"): 800}
HIGHEST = 640  # pixels of a figure that stands still, in the book's column
NOTHING = {}


class Row(NamedTuple):
    """A figure, and what is asked of it."""

    shown: list[LiveFigure]  # of its kind: the first is used, the last is left alone
    refused: dict[str, dict[str, str]]  # by label: what is typed in vain, the answer
    wide: Pixels = ONE_SCREEN  # at most, in the book's column
    phone: Pixels = NOTHING  # and on a phone
    drawn: str = ".attnlab-body > *"
    fills: dict = NOTHING  # the style, and how many of it stay under forced colours
    tabs: tuple[str, ...] = ()  # names of which each is reached, whatever else
    late: tuple[str, Callable] | None = None  # weights, and what a reader asks for
    still: bool = False  # nothing moves when a slider or a choice does


def pressing(name: str) -> Callable[[Locator], None]:
    def press(figure: Locator) -> None:
        figure.get_by_role("radio", name=name, exact=True).click()

    return press


def leaving_out(part: str) -> Callable[[Locator], None]:
    return lambda figure: figure.get_by_label("Left out").select_option(part)


PICTURES, PLANE = {"view": "pictures"}, {"view": "plane"}
SIX = 777_777  # six digits, as long as any in training
TWELVE = 777_777_777_777
LONG_CUTS = [
    CutWire(number=SIX, score=score, cut="others", place=1)
    for score in ("cosine", "general")
]

ROWS = {
    "hero": Row(
        [Hero(), Hero(number=123_456_789)],
        {"Type a number": NO_WHOLE_NUMBER},
        wide=NOTHING,
        still=True,
    ),
    "bottleneck": Row(
        [Bottleneck(), Bottleneck(width=16)],
        {"Number": NO_WHOLE_NUMBER},
        wide={(".attnlab-body", ".attnlab-body"): 800},
        phone={(".attnlab-body", ".attnlab-body"): 844},
        late=("en-de-gru-128", pressing("128")),
        still=True,
    ),
    "by-hand": Row(
        [ByHand(), ByHand(sentence="seven", step=3, noise=7)],
        {},
        wide={("figure", "figure"): 640},
        phone={(".attnlab-body", ".attnlab-status"): 740},
    ),
    "numeral": Row(
        [Numeral(), Numeral(word="hundred", hidden=[True, False])],
        {},
        wide={("figure", "figure"): 640},
        phone={("figure", "figure"): 796},
    ),
    "alignment": Row(
        [Alignment(), Alignment(number=7)],
        {"Number": NO_WHOLE_NUMBER},
        drawn=".aln-matrix tbody td",
        wide=NOTHING,
        fills={".aln-matrix tbody td": ("backgroundColor", 4)},
        late=(
            "en-da-additive",
            lambda figure: figure.get_by_label("Into").select_option("da"),
        ),
        still=True,
    ),
    "influence": Row(
        [Influence(), Influence(width=16)],
        {"Number": {**NO_WHOLE_NUMBER, "1000000000": "largest here is 999 999 999"}},
        drawn=".aln-matrix tbody td",
        phone={(".al-controls", ".inf-pair"): 844},
        late=(
            "en-de-gru-128",
            pressing("128"),
        ),
        still=True,
    ),
    "published-heads": Row(
        [PublishedHeads(), PublishedHeads(sentence=4, layer=3, head=8)],
        {},
        phone={(".al-controls", ".ph-heads"): 844},
        drawn=".ph-matrix tbody td",
    ),
    "scores": Row(
        [SixScores(), SixScores(word=3)],
        {"Number": NO_WHOLE_NUMBER},
        phone={("input", ":nth-match(.sc-tile, 6)"): 700},
        late=(
            "en-de-cosine",
            lambda figure: figure.get_by_label("Number").fill("24"),
        ),
        still=True,
    ),
    "step": Row(
        [OneStep(), OneStep(wiring="bahdanau", step=2)],
        {"State s, x": {**NO_DECIMAL, "4": "must lie between −3 and 3"}},
        phone={("figure", ".st-plane"): 800},
        still=True,
    ),
    "cutwire": Row(
        [CutWire(place=5), *LONG_CUTS],
        {"Number": {**NO_WHOLE_NUMBER, "1000000": "up to 999 999"}},
        drawn=".cw-stage:not([hidden])",
        wide={("figure", "figure"): 660},
        phone={("figure", ".cw-stage"): 720},
        late=("en-de-cosine", pressing("cosine")),
        still=True,
    ),
    "look-up": Row(
        [LookUp(), LookUp(mask=[[False] * 4, [True] * 4])],
        {"Value of key 2": NO_DECIMAL, "Key 2, y": NO_DECIMAL},
        wide={("figure", "figure"): 640},
        phone={(".lu-try", ".lu-matrix"): 740},
        tabs=("Try", "Start again", "Query 2, y", "Key 4, x", "Value of key 3"),
        fills={
            ".lu-handle": ("backgroundColor", 2),
            ".lu-bar": ("backgroundImage", 2),
        },
    ),
    "heads": Row(
        [Heads(), Heads(text=str(TWELVE), layers=2)],
        {
            "A number, in digits or in words": {
                "": "Please type",
                "-5": "negative",
                "2.5": "whole",
                "1000000000000": "too large",
                "two dozen": "“dozen”",
                TAG: "is not a number",
            }
        },
        drawn=".hd-damage button",
        wide={("figure", "figure"): 640},
        phone={(".hd-answer", ".hd-rows"): 640, ("figure", "figure"): 1100},
        fills={
            ".hd-track span": ("backgroundColor", 2),
            ".hd-tile": ("outlineStyle", 2),
        },
        late=(
            "places-en-2",
            lambda figure: figure.get_by_label("Layers").select_option("2"),
        ),
        still=True,
    ),
    "positions": Row(
        [Positions(), Positions(base=10, d=4, shift=19)],
        {
            "Base": {"": "Please type a base", "0": "no frequencies", "1e99": "1 to"},
            "Width d": {"33": "odd", "": "from 2 to 512", "100000": "from 2 to 512"},
            "Length n": {"12.5": "not whole", "9" * 21: "outside"},
            "Position p": {"64": "from 0 to 63", "-1": "from 0 to 63"},
            "Shift k": {"64": "from −63 to 63", "-": "whole", TAG: "whole number"},
        },
        wide={("figure", "figure"): 640},
        phone={(".pos-try", ".pos-settings"): 700, ("figure", "figure"): 920},
        fills={".pos-table canvas": ("pixels", 20)},
    ),
    "shelf": Row(
        [Shelf(), Shelf(first="A", sharpness=2)],
        {},
        wide={("figure", "figure"): 640},
        phone={("figure", "figure"): 740},
        fills={".sh-table :is(td, .sh-bar)": ("backgroundColor", 2)},
        still=True,
    ),
    "cells": Row(
        [Cells(), Cells(words=8, step=8)],
        {},
        wide={("figure", "figure"): 640},
        phone={("figure", "figure"): 640},
        fills={".ce-cell.computed": ("fill", 1)},
    ),
    "machine": Row(
        [Machine(), Machine(text="six", without="mask", step="shares")],
        {
            "A numeral, in English or in digits": {
                "": "Please type",
                "-5": "negative",
                "123456": "at most 4 words",
                "two dozen": "“dozen”",
                TAG: "is not a number",
            }
        },
        drawn=".ma-table tbody td",
        wide={("figure", "figure"): 680},  # four words make eight rows
        phone={("figure", "figure"): 1160},
        fills={".ma-matrix .above": ("fill", 1)},
        late=("machine-no-norms", leaving_out("norms")),
    ),
    "dials": Row(
        [Dials(), Dials(scheme="sinusoids", position=9)],
        {},
        wide={("figure", "figure"): 640},
        phone={("figure", "figure"): 844},
        fills={".di-hand": ("stroke", 2), ".di-met": ("fill", 1)},
        still=True,
    ),
    "clock": Row(
        [Clock(), Clock(position=128)],
        {},
        wide={("figure", "figure"): 400},
        phone={("figure", "figure"): 560},
        fills={".di-hand": ("stroke", 1), ".di-met": ("fill", 1)},
        still=True,
    ),
    "cost": Row(
        [Cost(), Cost(machines=[], quantity="path_length")],
        {
            "n, length": {"": "from 8", "7": "n goes from 8", "Infinity": "not whole"},
            "d, width": {"2.5": "not whole", "5000": "d goes from 8 to 4"},
        },
        wide={("figure", "figure"): 640},
        phone={("figure", ".cost-sizes"): 640, ("figure", "figure"): 870},
        fills={".cost-plot :is(.cost-line, .cost-upright)": ("stroke", 1)},
    ),
    "roofline": Row(
        [Roofline(), Roofline(n=64, d=96, heads=3, phase="generation")],
        {},
        wide={("figure", "figure"): 640},
        phone={(".rf-controls", ".attnlab-status"): 740, ("figure", "figure"): 844},
        fills={".rf-plot :is(.rf-roof, .rf-gap)": ("stroke", 1)},
        still=True,
    ),
    "translate": Row(
        [Translate(), Translate(view="search")],
        {},
        drawn=".tr-tile",
        wide={("figure", "figure"): 640},
        phone={("figure", "figure"): 1140, (".tr-sentence", ".tr-result"): 740},
        fills={".tm-matrix tbody td": ("backgroundColor", 4)},
        late=(
            TRANSLATOR,
            lambda figure: figure.get_by_role("button", name="Load the model").click(),
        ),
    ),
    "energy": Row(
        [
            Energy(**PLANE),
            Energy(**PLANE, pattern=[[2, 1], [-2, 1], [0, -2]] * 2),
            Energy(**PICTURES, picture=6, step=3),
            Energy(**PICTURES, rule="classical", stored=5, picture=1),
        ],
        {"Inverse temperature β": NO_DECIMAL, "Pattern 2, y": NO_DECIMAL},
        wide={("figure", "figure"): 640},
        phone={(".en-stage", ".en-energy"): 640, ("figure", "figure"): 1240},
        tabs=("Try", "Add a pattern", "Remove the last", "Play", "Pattern 4, y"),
        fills={
            ".en-ground": ("pixels", 50),
            ".en-handle": ("backgroundColor", 2),
            "button.en-pixel": ("backgroundColor", 2),
        },
    ),
}

ROWS["sampling"] = Row(
    [Sampling(), Sampling(temperature=0.7, top_k=5, top_p=0.9)],
    {
        "Your beginning": {
            "漢字": "never seen “漢”",
            "a" * 201: "200 letters",
            TAG: "<",
        },
        "Seed": {"": "whole number", "-1": "from 0 to", "2.5": "whole", TAG: "whole"},
    },
    wide={("figure", "figure"): 700},
    phone={(".sa-text", ".sa-sliders"): 640, ("figure", "figure"): 1000},
    fills={".sa-bar": ("backgroundImage", 2)},
    late=(
        WRITER,
        lambda figure: figure.get_by_role("button", name="Write a word").click(),
    ),
)

LATE_PROGRAM = (
    "train-worker",
    lambda figure: figure.get_by_role("button", name="Train", exact=True).click(),
)
ROWS["train"] = Row(
    [Train(task="reverse", width=16, steps=20), Train(task="recall", model="reader")],
    {
        "Rate": {**NO_DECIMAL, "0": "must lie between 0.000001 and 10"},
        "Steps": {"": "type a number", "0": "between 1 and", "2.5": "whole number"},
        "Seed": {"-1": "between 0 and", "seven": "not a number", TAG: "not a number"},
    },
    wide=NOTHING,
    late=LATE_PROGRAM,
)


@pytest.fixture(scope="module", params=ROWS.values(), ids=ROWS)
def row(request) -> Row:
    return request.param


@pytest.fixture(scope="module")
def page(row, browser, tmp_path_factory, weight_scripts) -> Iterator[Page]:
    """A figure's row, drawn; it may ask for files beside it alone."""
    with no_errors(browser.new_page()) as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        opener(page, tmp_path_factory.mktemp("row"), weight_scripts)(*row.shown)
        for figure in page.locator("figure").all():
            figure.scroll_into_view_if_needed()
            figure.locator(row.drawn).first.wait_for()
        page.evaluate("scrollTo(0, 0)")
        yield page
        assert [url for url in asked if not re.match("file:|blob:|data:", url)] == []


@pytest.fixture
def figure(page) -> Locator:
    """The figure that is used, on a wide page in the light."""
    page.set_viewport_size({"width": 1280, "height": 800})
    dress(page, dark=False)
    figure = page.locator("figure").first
    figure.evaluate(
        "(f) => f.querySelectorAll('details').forEach((d) => d.open = false)"
    )
    return figure


def dress(page: Page, *, dark: bool) -> None:
    """Give the page the book's light or dark theme, and all its width."""
    theme, ink, ground = ("light", "#222", "#fff")
    if dark:
        theme, ink, ground = ("dark", "#ddd", "#14181e")
    page.evaluate(
        """([theme, color, background]) => {
          document.documentElement.dataset.theme = theme;
          Object.assign(document.body.style, { color, background });
          document.querySelector("main").style.width = "";
        }""",
        [theme, ink, ground],
    )
    count = page.locator("figure").count()
    expect(page.locator(f"figure[data-theme={theme}]")).to_have_count(count)
    redrawn(page)


FOLD_OUT = "(f) => f.querySelectorAll('details').forEach((d) => { d.open = true; })"
CONTROLS = "input, button, select, summary"
PLACES = f"""(figure) => {{
  const corner = figure.getBoundingClientRect();
  return [...figure.querySelectorAll("{CONTROLS}")]
    .filter((one) => one.checkVisibility())
    .map((one) => {{
      const {{ left, top }} = one.getBoundingClientRect();
      return [left - corner.left, top - corner.top].map(Math.round).join();
    }});
}}"""


def slid_and_chosen(figure: Locator) -> Iterator[str]:
    """Every slider at both its ends, and every choice made."""
    for slider in figure.get_by_role("slider").all():
        for end in ("Home", "End"):
            slider.press(end)
            yield f"{slider.get_attribute('id')} {end}"
    for choice in figure.get_by_role("radio").all():
        choice.check(force=True)
        yield choice.evaluate("(e) => e.closest('label').innerText")


@pytest.mark.weekly
def test_controls_and_height_stay_when_the_picture_changes(row, page, figure):
    if not row.still:
        pytest.skip("its parts come and go")
    page.reload()  # as it opens, whatever was done before
    figure.locator(row.drawn).first.wait_for()
    in_column(page)
    quiet(page)
    before, height = figure.evaluate(PLACES), figure.bounding_box()["height"]
    assert before and height <= HIGHEST
    for state in slid_and_chosen(figure):
        quiet(page)
        assert figure.evaluate(PLACES) == before, state
        assert figure.bounding_box()["height"] == height, state


@pytest.mark.weekly
def test_figure_fits_a_screen(row, page, figure):
    for fit, limits in ((in_column, row.wide), (on_phone, row.phone)):
        if limits:
            fit(page)
            quiet(page)  # it speaks late, in more lines or in fewer
            for (first, last), most in limits.items():
                high = span(page, first, last)
                assert high <= most, (fit.__name__, first, last)


PICTURE = """(figure) => {
  const copy = figure.cloneNode(true);
  for (const error of copy.querySelectorAll(".al-error")) error.remove();
  for (const input of copy.querySelectorAll("input")) input.remove();
  return copy.innerText;
}"""


def test_bad_input_is_answered_and_keeps_the_picture(row, page, figure):
    figure.evaluate(FOLD_OUT)
    for label, answers in row.refused.items():
        box = figure.get_by_label(label, exact=True)
        quiet(page)
        good, before = box.input_value(), figure.evaluate(PICTURE)
        complaint = page.locator(f"#{box.get_attribute('aria-describedby')}")
        for typed, answer in answers.items():
            box.fill(typed)
            expect(complaint).to_contain_text(answer)
            expect(box).to_have_attribute("aria-invalid", "true")
            assert figure.evaluate(PICTURE) == before
            assert figure.locator("img").count() == 0
            across = page.evaluate("document.documentElement.scrollWidth")
            assert across <= 1280
        box.fill(good)
        expect(complaint).to_be_empty()
        expect(box).to_have_attribute("aria-invalid", "false")
    assert page.evaluate("window.hacked") is None


@pytest.mark.weekly
def test_forced_colours_keep_what_colours_tell(row, page, figure):
    if not row.fills:
        pytest.skip("its picture is of lines and letters")
    page.emulate_media(forced_colors="active")
    redrawn(page)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for selector, (what, least) in row.fills.items():
        found = page.locator(selector).evaluate_all(
            """(all, what) => all.flatMap((e) => {
              if (what !== "pixels") return [getComputedStyle(e)[what]];
              const { data } = e.getContext("2d").getImageData(0, 0, e.width, e.height);
              return [...data].flatMap((_, i) =>
                i % 4 ? [] : [data.slice(i, i + 3).join()]);
            })""",
            what,
        )
        seen = set(found)
        if what == "stroke":  # a line is one colour, but not that of the ground
            seen -= {"none", ground}
        assert len(seen) >= least, selector
    page.emulate_media(forced_colors="none")


FOCUSED = """() => {
  const now = document.activeElement;
  const name = now.ariaLabel ?? now.labels?.[0]?.textContent ?? now.textContent;
  // A radio button's own outline may be drawn around its label.
  const around = [now, now.nextElementSibling, now.closest("label, .al-field, [class*=tile], [class*=dial]")];
  const seen = around.some((e) => e && getComputedStyle(e).outlineStyle !== "none");
  globalThis.reached ??= new Set();
  const again = reached.has(now) || !now.closest("figure");
  reached.add(now);
  return [again, name.trim(), seen];
}"""  # noqa: E501
REACHABLE = """(figure) => {
  const named = (e) => e.ariaLabel ?? e.labels?.[0]?.textContent ?? e.textContent;
  return [...figure.querySelectorAll("a, button, input, select, summary")]
    .filter((e) => e.checkVisibility() && e.tabIndex >= 0 && !e.disabled)
    .filter((e) => e.type !== "radio" || e.checked)
    .map((e) => named(e).trim());
}"""


def test_tab_reaches_every_control_with_visible_focus(row, page, figure):
    figure.evaluate(FOLD_OUT)
    wanted = {*figure.evaluate(REACHABLE), *row.tabs}
    page.locator("h1").click()
    reached = set()
    while True:
        page.keyboard.press("Tab")
        again, name, visible = page.evaluate(FOCUSED)
        if again:
            break
        assert visible, name
        reached.add(name)
    assert wanted <= reached, wanted - reached


def test_equal_figures_have_equal_html(row):
    for one in row.shown:
        same = type(one)(**one.state())
        assert repr(one) == repr(same)
        assert one._repr_html_() == same._repr_html_()


LATE = {name: row for name, row in ROWS.items() if row.late}
INPUTS = """(figure) => [...figure.querySelectorAll("input, select")]
  .map((e) => (e.type === "radio" ? e.checked : e.value))"""


@pytest.mark.weekly
@pytest.mark.parametrize("name", LATE)
def test_missing_late_weights_are_reported(name, browser, tmp_path, weight_scripts):
    row = LATE[name]
    weights, ask = row.late
    with no_errors(browser.new_page()) as page:
        opener(page, tmp_path, weight_scripts)(row.shown[0])
        figure = page.locator("figure")
        figure.locator(row.drawn).first.wait_for()
        script = tmp_path / f"_static/attnlab-weights/{weights}.js"
        loads = script.read_text()
        script.unlink()
        script.write_text("")
        before = figure.evaluate(INPUTS)
        for _ in range(2):
            ask(figure)
            says(
                page, f"The weights “{weights}” are neither in this page nor beside it"
            )
            page.wait_for_function(  # what could not be had is no longer chosen
                f"([figure, before]) => `${{({INPUTS})(figure)}}` === `${{before}}`",
                arg=[figure.element_handle(), before],
            )
        script.write_text(loads)
        ask(figure)
        expect(page.get_by_role("status")).not_to_contain_text("neither")


class Spacer:
    """Stands for a long page above the figures."""

    def _repr_html_(self) -> str:
        return '<div style="height: 5000px"></div>'


def test_weights_load_only_when_a_figure_is_seen(browser, tmp_path, weight_scripts):
    with no_errors(browser.new_page()) as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        figures = [row.shown[0] for row in ROWS.values()]
        opener(page, tmp_path, weight_scripts)(Spacer(), *figures)
        redrawn(page)
        assert [url for url in asked if "attnlab-weights/" in url] == []
        for figure, row in zip(
            page.locator("figure").all(), ROWS.values(), strict=True
        ):
            figure.scroll_into_view_if_needed()
            figure.locator(row.drawn).first.wait_for()
        loaded = {
            re.sub(r".*/|\.js", "", url) for url in asked if "attnlab-weights/" in url
        }
        assert loaded >= {"en-de-gru-64", "en-de-general"}


# What Python refuses, and of which trait it speaks then.
WRONG = {
    Hero: [
        {"number": -1}, {"number": 2.5}, {"number": 10**12}, {"number": "seven"},
        {"opening": "yes"},
    ],
    Bottleneck: [{"width": 48}],
    Alignment: [{"language": "la"}, {"score": "sum"}, {"step": -1}],
    Influence: [
        {"width": 48}, {"number": -1}, {"number": 10**9},
    ],
    Sampling: [
        {"text": "a" * 201}, {"written": [2, 5]}, {"written": [3000]},
        {"written": [5] * 41}, {"written": ["man"]}, {"temperature": -0.1},
        {"temperature": nan}, {"temperature": 2.1}, {"top_k": 0}, {"top_k": 2.5},
        {"top_p": 0}, {"top_p": 1.1}, {"top_p": nan}, {"seed": -1}, {"seed": 2**32},
    ],
    PublishedHeads: [
        {"sentence": 0}, {"sentence": 21}, {"layer": 7}, {"head": 1.5}, {"word": 0},
    ],
    SixScores: [
        {"seed": 3}, {"seed": True}, {"seed": [1]}, {"score": "sum"}, {"number": -1},
        {"word": -1},
    ],
    CutWire: [
        {"number": 10**6}, {"number": -1}, {"cut": "wire"}, {"place": -1},
        {"score": "dot"},
    ],
    OneStep: [
        {"wiring": "graves"}, {"step": 0}, {"step": 6}, {"query": [1.0]},
        {"query": [4.0, 0.0]}, {"query": [nan, 0.0]}, {"query": "12"},
    ],
    LookUp: [
        {"query": []}, {"query": [[0, 0]] * 4}, {"query": [[1, 2, 3]]},
        {"query": [[nan, 0]]}, {"query": [[0, 4.01]]}, {"query": [["1", 0]]},
        {"query": [[True, 0]]}, {"query": [1, 2]}, {"query": "ab"},
        {"key": [[1, 1]]}, {"key": [[0, 0]] * 7}, {"key": [[inf, 0], [0, 0]]},
        {"value": [1, 2, 3]}, {"value": [1, 2, 3, nan]}, {"value": [1, 2, 3, 100.5]},
        {"value": [1, 2, 3, None]}, {"mask": [[True] * 4]},
        {"mask": [[True] * 4, [True] * 3]}, {"mask": [[True] * 4, [1, 1, 1, 1]]},
        {"mask": [True, False]}, {"temperature": 0}, {"temperature": -1.0},
        {"temperature": nan}, {"temperature": inf}, {"temperature": "hot"},
        {"scale": 0.5},
    ],
    Heads: [
        {"text": "two dozen"}, {"text": ""}, {"text": "-4"}, {"text": "1000000000000"},
        {"text": "one " * 41}, {"text": "zwei"}, {"language": "fr"}, {"layers": 3},
        {"layers": True}, {"heads_off": [[1, 0]]}, {"heads_off": [3]},
        {"heads_off": [[0, 4]]}, {"instead": "median"}, {"word": -1},
    ],
    Positions: [
        {"d": 33}, {"d": 0}, {"d": 32.5}, {"base": 0}, {"base": nan}, {"base": 1e9},
        {"n": 1}, {"position": 64}, {"position": -1}, {"shift": 64},
    ],
    Machine: [
        {"text": ""}, {"text": "two dozen"}, {"text": "-4"}, {"text": "123456"},
        {"text": "one " * 5}, {"without": "attention"}, {"training": "half"},
        {"step": "memory.1"}, {"cell": [0]}, {"cell": [0, -1]}, {"cell": [0, True]},
    ],
    Shelf: [
        {"first": "I"}, {"first": 0}, {"second": "c"}, {"second": None},
        {"sharpness": -1}, {"sharpness": 13}, {"sharpness": 1.5}, {"sharpness": nan},
    ],
    Cells: [
        {"words": 1}, {"words": 9}, {"words": 2.5}, {"words": True}, {"step": 0},
        {"step": 9}, {"step": None},
    ],
    Dials: [
        {"scheme": "alibi"}, {"position": -1}, {"position": 129}, {"position": 2.5},
        {"position": True}, {"trained": 17}, {"trained": "16"}, {"base": 0},
        {"base": nan}, {"base": 9_999},
    ],
    Clock: [{"position": -1}, {"position": 129}, {"position": 2.5}],
    Cost: [
        {"n": 7}, {"n": 12.5}, {"d": 5000}, {"k": 4}, {"r": 0},
        {"layers": ["atention"]}, {"layers": 3}, {"quantity": "flop"}, {"x": "h"},
        {"machine": "abacus"}, {"phase": "backward"}, {"machines": [{"name": "x"}]},
    ],
    Roofline: [
        {"n": 15}, {"n": 12.5}, {"d": 2048}, {"heads": 0}, {"heads": 3}, {"d": 100},
        {"batch": 65}, {"batch": True}, {"phase": "training"},
    ],
    Translate: [
        {"text": ""}, {"text": "?!"}, {"text": "x" * 301}, {"width": 0}, {"width": 6},
        {"length_penalty": -0.1}, {"length_penalty": 2.1}, {"length_penalty": nan},
        {"prefix": "我" * 41}, {"heads_off": [["cross", 2, 0]]},
        {"heads_off": [["cross", 0, 4]]}, {"heads_off": [["memory", 0, 0]]},
        {"heads_off": [3]}, {"view": "beam"}, {"kind": "memory"}, {"layer": 2},
        {"head": 4}, {"step": 0},
    ],
    Train: [
        {"task": "win"}, {"residual": 1}, {"language": "la"}, {"model": "lstm"},
        {"layers": 0},
        {"heads": 3}, {"width": 33}, {"inner": -1}, {"positions": "absolute"},
        {"norm": "none"}, {"score": "sum"}, {"reads": "backward"}, {"sees": "nothing"},
        {"rate": 0}, {"rate": nan}, {"rate": 11.0}, {"warmup": 0.3}, {"batch": 7},
        {"steps": 0}, {"steps": 20_001}, {"steps": 2.5}, {"optimizer": "lion"},
        {"seed": -1}, {"seed": 2**32}, {"seed": True}, {"pairs": "x" * 1_000_001},
        {"units": "bytes"}, {"questions": [("none",)]},
    ],
    Energy: [
        {"view": "space"}, {"pattern": [[0, 0]]}, {"pattern": [[0, 0]] * 7},
        {"pattern": [[0, 0], [1, 2, 3]]}, {"pattern": [[0, 0], [3.01, 0]]},
        {"pattern": [[0, 0], ["1", 0]]}, {"pattern": [[0, 0], [True, 0]]},
        {"pattern": [[0, 0], "ab"]}, {"query": []}, {"query": [nan, 0]},
        {"query": [inf, 0]}, {"query": [0, 0, 0]}, {"beta": 0}, {"beta": -1.0},
        {"beta": 101}, {"beta": nan}, {"beta": "hot"}, {"picture_beta": nan},
        {"step": -1}, {"step": 501}, {"step": 1.5}, {"pictures": "digits"},
        {"stored": 0}, {"stored": 27}, {"picture": 26}, {"picture": -1},
        {"flipped": [64]}, {"flipped": [-1]}, {"flipped": [1, 1]}, {"flipped": [True]},
        {"flipped": [1.0]}, {"rule": "max"},
    ],
}  # fmt: skip


@cache
def untouched(kind: type[LiveFigure]) -> LiveFigure:
    """A figure of this kind, which no refusal may change."""
    return kind()


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [(kind, wrong) for kind, all_wrong in WRONG.items() for wrong in all_wrong],
    ids=str,
)
def test_python_refuses_invalid_traits(kind, wrong):
    ((name, value),) = wrong.items()
    said = name.removesuffix("s") + "|number"  # a text may be a number
    with pytest.raises(TraitError, match=said):
        kind(**wrong)
    figure = untouched(kind)
    before = figure.state()
    with pytest.raises(TraitError, match=said):
        figure.set_trait(name, value)
    assert figure.state() == before
