"""The contract of all live figures: a row for each of them, a test for each promise.

A figure's row is shown on one page, which all tests of that figure share.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import inf, nan
from types import MappingProxyType
from typing import NamedTuple

import pytest
from drawing import (
    fail_on_page_errors,
    figure_opener,
    set_book_width,
    wait_until_drawn,
    wait_until_spoken,
)
from playwright.sync_api import Locator, Page, expect
from reading import expect_status
from traitlets import TraitError

from attnlab import live
from attnlab.live import LiveFigure
from attnlab.saved import TRANSLATOR, WRITER

Fills = Mapping[str, tuple[str, int]]

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
    "NaN": "is not a number",
    "1e400": "between",
    TAG: "is not a number",
}


MAX_HEIGHT = 640  # pixels, below a page's header


class Row(NamedTuple):
    """A figure, and what is asked of it."""

    shown: list[LiveFigure]  # of its kind: the first is used, the last is left alone
    refused: dict[str, dict[str, str]]  # by label: what is typed in vain, the answer
    drawn: str = ".attnlab-body > *"
    fills: Fills = MappingProxyType({})  # styles, how many stay under forced colours
    tabs: tuple[str, ...] = ()  # names of which each is reached, whatever else
    late: tuple[str, Callable] | None = None  # weights, and what a reader asks for
    still: bool = False  # nothing moves when a slider or a choice does


def press_button(name: str, role: str = "radio") -> Callable[[Locator], None]:
    exact = role == "radio"  # a button says how much it loads as well
    return lambda figure: figure.get_by_role(role, name=name, exact=exact).click()


def select_option(label: str, value: str) -> Callable[[Locator], None]:
    return lambda figure: figure.get_by_label(label).select_option(value)


PICTURES, PLANE = {"view": "pictures"}, {"view": "plane"}
LONG_CUT = {"number": 777_777, "cut": "others", "place": 1}  # its longest in training

FIGURE_ROWS = {
    "hero": Row(
        [live.Hero(), live.Hero(number=123_456_789)],
        {"Type a number": NO_WHOLE_NUMBER},
        still=True,
    ),
    "bottleneck": Row(
        [live.Bottleneck(), live.Bottleneck(width=16)],
        {"Number": NO_WHOLE_NUMBER},
        late=("en-de-gru-128", press_button("128")),
        still=True,
    ),
    "by-hand": Row([live.ByHand(), live.ByHand(sentence="seven", step=3, noise=7)], {}),
    "numeral": Row(
        [live.Numeral(), live.Numeral(word="hundred", hidden=[True, False])],
        {},
    ),
    "alignment": Row(
        [live.Alignment(), live.Alignment(number=7)],
        {"Number": NO_WHOLE_NUMBER},
        drawn=".aln-matrix tbody td",
        fills={".aln-matrix tbody td": ("backgroundColor", 4)},
        late=("en-da-additive", select_option("Into", "da")),
        still=True,
    ),
    "influence": Row(
        [live.Influence(), live.Influence(width=16)],
        {"Number": {**NO_WHOLE_NUMBER, "1000000000": "largest here is 999 999 999"}},
        drawn=".aln-matrix tbody td",
        late=("en-de-gru-128", press_button("128")),
        still=True,
    ),
    "published-heads": Row(
        [live.PublishedHeads(), live.PublishedHeads(sentence=4, layer=3, head=8)],
        {},
        drawn=".ph-matrix tbody td",
    ),
    "step": Row(
        [live.OneStep(), live.OneStep(wiring="bahdanau", step=2)],
        {"State s, x": {**NO_DECIMAL, "4": "must lie between −3 and 3"}},
        still=True,
    ),
    "cutwire": Row(
        [live.CutWire(place=5), live.CutWire(score="cosine", **LONG_CUT)],
        {"Number": {**NO_WHOLE_NUMBER, "1000000": "up to 999 999"}},
        drawn=".cw-stage:not([hidden])",
        late=("en-de-cosine", press_button("cosine")),
        still=True,
    ),
    "look-up": Row(
        [live.LookUp(), live.LookUp(mask=[[False] * 4, [True] * 4])],
        {"Value of key 2": NO_DECIMAL, "Key 2, y": NO_DECIMAL},
        tabs=("Start again", "Query 2, y", "Key 4, x", "Value of key 3"),
        fills={
            ".lu-handle": ("backgroundColor", 2),
            ".lu-bar": ("backgroundImage", 2),
        },
    ),
    "heads": Row(
        [live.Heads(), live.Heads(text="777777777777", layers=2)],
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
        fills={
            ".hd-track span": ("backgroundColor", 2),
            ".hd-tile": ("outlineStyle", 2),
        },
        late=("places-en-2", select_option("Layers", "2")),
        still=True,
    ),
    "positions": Row(
        [live.Positions(), live.Positions(base=10, d=4, shift=19)],
        {
            "Base": {"": "Please type a base", "0": "no frequencies", "1e99": "1 to"},
            "Width d": {"33": "odd", "": "from 2 to 512", "100000": "from 2 to 512"},
            "Length n": {"12.5": "not whole", "9" * 21: "outside"},
            "Position p": {"64": "from 0 to 63", "-1": "from 0 to 63"},
            "Shift k": {"64": "from −63 to 63", "-": "whole", TAG: "whole number"},
        },
        fills={".pos-table canvas": ("pixels", 20)},
    ),
    "shelf": Row(
        [live.Shelf(), live.Shelf(first="A", sharpness=2)],
        {},
        fills={".sh-table :is(td, .sh-bar)": ("backgroundColor", 2)},
        still=True,
    ),
    "cells": Row(
        [live.Cells(), live.Cells(words=8, step=8)],
        {},
        fills={".ce-cell.computed": ("fill", 1)},
    ),
    "machine": Row(
        [live.Machine(), live.Machine(text="six", without="mask", step="shares")],
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
        fills={".ma-matrix .above": ("fill", 1)},
        late=("machine-no-norms", select_option("Left out", "norms")),
    ),
    "dials": Row(
        [live.Dials(), live.Dials(scheme="sinusoids", position=9)],
        {},
        fills={".di-hand": ("stroke", 2), ".di-met": ("fill", 1)},
        still=True,
    ),
    "clock": Row(
        [live.Clock(), live.Clock(position=128)],
        {},
        fills={".di-hand": ("stroke", 1), ".di-met": ("fill", 1)},
        still=True,
    ),
    "state-matrix": Row(
        [live.StateMatrix(), live.StateMatrix(kind="one twice", written=4)],
        {},
        fills={".sm-fill": ("backgroundColor", 2)},
        still=True,
    ),
    "cost": Row(
        [live.Cost(), live.Cost(machines=[], quantity="path_length")],
        {
            "n, length": {"": "from 8", "7": "n goes from 8", "Infinity": "not whole"},
            "d, width": {"2.5": "not whole", "5000": "d goes from 8 to 4"},
        },
        fills={".cost-plot :is(.cost-line, .cost-upright)": ("stroke", 1)},
    ),
    "roofline": Row(
        [live.Roofline(), live.Roofline(n=64, d=96, heads=3, phase="generation")],
        {},
        fills={".rf-plot :is(.rf-roof, .rf-gap)": ("stroke", 1)},
        still=True,
    ),
    "translate": Row(
        [live.Translate(), live.Translate(view="search")],
        {},
        drawn=".tr-tile",
        fills={".tm-matrix tbody td": ("backgroundColor", 4)},
        late=(TRANSLATOR, press_button("Load the model", "button")),
    ),
    "energy": Row(
        [
            live.Energy(**PLANE),
            live.Energy(**PLANE, pattern=[[2, 1], [-2, 1], [0, -2]] * 2),
            live.Energy(**PICTURES, picture=6, step=3),
            live.Energy(**PICTURES, rule="classical", stored=5, picture=1),
        ],
        {"Inverse temperature β": NO_DECIMAL, "Pattern 2, y": NO_DECIMAL},
        tabs=("Add a pattern", "Remove the last", "Play", "Pattern 4, y"),
        fills={
            ".en-ground": ("pixels", 50),
            ".en-handle": ("backgroundColor", 2),
            "button.en-pixel": ("backgroundColor", 2),
        },
    ),
}
FIGURE_ROWS["sampling"] = Row(
    [live.Sampling(), live.Sampling(temperature=0.7, top_k=5, top_p=0.9)],
    {
        "Your beginning": {
            "漢字": "never seen “漢”",
            "a" * 201: "200 letters",
            TAG: "<",
        },
        "Seed": {"": "whole number", "-1": "from 0 to", "2.5": "whole", TAG: "whole"},
    },
    fills={".sa-bar": ("backgroundImage", 2)},
    late=(WRITER, press_button("Write a word", "button")),
)

FIGURE_ROWS["train"] = Row(
    [
        live.Train(task="reverse", width=16, steps=20),
        live.Train(task="recall", model="reader"),
    ],
    {
        "Rate": {**NO_DECIMAL, "0": "must lie between 0.000001 and 10"},
        "Steps": {"": "type a number", "0": "between 1 and", "2.5": "whole number"},
        "Seed": {"-1": "between 0 and", "seven": "not a number", TAG: "not a number"},
    },
    late=("train-worker", press_button("Train", "button")),
)


@pytest.fixture(scope="module", params=FIGURE_ROWS.values(), ids=FIGURE_ROWS)
def figure_row(request) -> Row:
    return request.param


@pytest.fixture(scope="module")
def page(figure_row, browser, tmp_path_factory, weight_scripts) -> Iterator[Page]:
    """A figure's row, drawn; it may ask for files beside it alone."""
    with fail_on_page_errors(browser.new_page()) as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        figure_opener(page, tmp_path_factory.mktemp("row"), weight_scripts)(
            *figure_row.shown
        )
        for figure in page.locator("figure").all():
            figure.scroll_into_view_if_needed()
            figure.locator(figure_row.drawn).first.wait_for()
        page.evaluate("scrollTo(0, 0)")
        yield page
        assert [url for url in asked if not re.match("file:|blob:|data:", url)] == []


@pytest.fixture
def figure(page) -> Locator:
    """The figure that is used, on a wide page."""
    page.set_viewport_size({"width": 1280, "height": 800})
    figure = page.locator("figure").first
    page.evaluate(
        """() => {
          document.querySelector("main").style.width = "";
          for (const one of document.querySelectorAll("details")) one.open = false;
        }"""
    )
    wait_until_drawn(page)
    return figure


OPEN_DETAILS = "(f) => f.querySelectorAll('details').forEach((d) => { d.open = true; })"
CONTROLS = "input, button, select, summary"
CONTROL_POSITIONS = f"""(figure) => {{
  const corner = figure.getBoundingClientRect();
  return [...figure.querySelectorAll("{CONTROLS}")]
    .filter((one) => one.checkVisibility() && !one.matches(".hd-tile")) // a word each
    .map((one) => {{
      const {{ left, top }} = one.getBoundingClientRect();
      return [left - corner.left, top - corner.top].map(Math.round).join();
    }});
}}"""


def use_every_control(figure: Locator) -> Iterator[str]:
    """Every slider at both its ends, and every choice made."""
    for slider in figure.get_by_role("slider").all():
        for end in ("Home", "End"):
            slider.press(end)
            yield f"{slider.get_attribute('id')} {end}"
    for choice in figure.get_by_role("radio").all():
        choice.check(force=True)
        yield choice.evaluate("(e) => e.closest('label').innerText")


def reopen(page: Page, figure: Locator, row: Row) -> None:
    """Show the figure as it opens, whatever was done before."""
    page.reload()
    figure.locator(row.drawn).first.wait_for()


@pytest.mark.weekly
def test_figure_controls_and_height_stay_on_update(figure_row, page, figure):
    if not figure_row.still:
        pytest.skip("its parts come and go")
    reopen(page, figure, figure_row)
    set_book_width(page)
    wait_until_spoken(page)
    before, height = figure.evaluate(CONTROL_POSITIONS), figure.bounding_box()["height"]
    assert before and height <= MAX_HEIGHT
    for state in use_every_control(figure):
        wait_until_spoken(page)
        assert figure.evaluate(CONTROL_POSITIONS) == before, state
        assert figure.bounding_box()["height"] == height, state
    reopen(page, figure, figure_row)


PICTURE_TEXT = """(figure) => {
  const copy = figure.cloneNode(true);
  for (const error of copy.querySelectorAll(".al-error")) error.remove();
  for (const input of copy.querySelectorAll("input")) input.remove();
  return copy.innerText;
}"""


def test_figure_bad_input_shows_error_and_keeps_picture(figure_row, page, figure):
    figure.evaluate(OPEN_DETAILS)
    for label, answers in figure_row.refused.items():
        box = figure.get_by_label(label, exact=True)
        wait_until_spoken(page)
        good, before = box.input_value(), figure.evaluate(PICTURE_TEXT)
        complaint = page.locator(f"#{box.get_attribute('aria-describedby')}")
        for typed, answer in answers.items():
            box.fill(typed)
            expect(complaint).to_contain_text(answer)
            expect(box).to_have_attribute("aria-invalid", "true")
            assert figure.evaluate(PICTURE_TEXT) == before
            assert figure.locator("img").count() == 0
            across = page.evaluate("document.documentElement.scrollWidth")
            assert across <= 1280
        box.fill(good)
        expect(complaint).to_be_empty()
        expect(box).to_have_attribute("aria-invalid", "false")
    assert page.evaluate("window.hacked") is None


@pytest.mark.weekly
def test_figure_forced_colours_keep_information(figure_row, page, figure):
    if not figure_row.fills:
        pytest.skip("its picture is of lines and letters")
    page.emulate_media(forced_colors="active")
    wait_until_drawn(page)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for selector, (what, least) in figure_row.fills.items():
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


FOCUSED_ELEMENT = """() => {
  const now = document.activeElement;
  const name = now.ariaLabel ?? now.labels?.[0]?.textContent ?? now.textContent;
  // A radio button's own outline may be drawn around its label.
  const around = [now, now.nextElementSibling, now.closest("label, .al-field, [class*=tile], [class*=dial]")];
  const seen = around.map((e) => e && getComputedStyle(e))
    .some((e) => e && e.outlineStyle !== "none" && e.opacity !== "0");
  globalThis.reached ??= new Set();
  const again = reached.has(now) || !now.closest("figure");
  reached.add(now);
  return [again, name.trim(), seen];
}"""  # noqa: E501
TAB_STOPS = """(figure) => {
  const named = (e) => e.ariaLabel ?? e.labels?.[0]?.textContent ?? e.textContent;
  return [...figure.querySelectorAll("a, button, input, select, summary")]
    .filter((e) => e.checkVisibility() && e.tabIndex >= 0 && !e.disabled)
    .filter((e) => e.type !== "radio" || e.checked)
    .map((e) => named(e).trim());
}"""


def test_figure_tab_reaches_every_control_visibly(figure_row, page, figure):
    figure.evaluate(OPEN_DETAILS)
    wanted = {*figure.evaluate(TAB_STOPS), *figure_row.tabs}
    page.locator("h1").click()
    reached = set()
    while True:
        page.keyboard.press("Tab")
        again, name, visible = page.evaluate(FOCUSED_ELEMENT)
        if again:
            break
        assert visible, name
        reached.add(name)
    assert wanted <= reached, wanted - reached


def test_equal_figures_have_equal_html(figure_row):
    for one in figure_row.shown:
        same = type(one)(**one.state())
        assert repr(one) == repr(same)
        assert one._repr_html_() == same._repr_html_()


ROWS_WITH_LATE_WEIGHTS = {name: row for name, row in FIGURE_ROWS.items() if row.late}
INPUTS = """(figure) => [...figure.querySelectorAll("input, select")]
  .map((e) => (e.type === "radio" ? e.checked : e.value))"""


@pytest.mark.weekly
@pytest.mark.parametrize("name", ROWS_WITH_LATE_WEIGHTS)
def test_figure_missing_weights_are_reported(name, browser, tmp_path, weight_scripts):
    row = ROWS_WITH_LATE_WEIGHTS[name]
    weights, ask = row.late
    with fail_on_page_errors(browser.new_page()) as page:
        figure_opener(page, tmp_path, weight_scripts)(row.shown[0])
        figure = page.locator("figure")
        figure.locator(row.drawn).first.wait_for()
        script = tmp_path / f"_static/attnlab-weights/{weights}.js"
        loads = script.read_text()
        script.unlink()
        script.write_text("")
        before = figure.evaluate(INPUTS)
        for _ in range(2):
            ask(figure)
            expect_status(
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


def test_figure_weights_load_only_when_visible(browser, tmp_path, weight_scripts):
    with fail_on_page_errors(browser.new_page()) as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        figures = [row.shown[0] for row in FIGURE_ROWS.values()]
        figure_opener(page, tmp_path, weight_scripts)(Spacer(), *figures)
        wait_until_drawn(page)
        assert [url for url in asked if "attnlab-weights/" in url] == []
        for figure, row in zip(
            page.locator("figure").all(), FIGURE_ROWS.values(), strict=True
        ):
            figure.scroll_into_view_if_needed()
            figure.locator(row.drawn).first.wait_for()
        loaded = {
            re.sub(r".*/|\.js", "", url) for url in asked if "attnlab-weights/" in url
        }
        assert loaded >= {"en-de-gru-64", "en-de-general"}


# What Python refuses, and of which trait it speaks then: a value for each rule.
INVALID = {
    live.Hero: [{"number": -1}, {"number": 2.5}, {"opening": "yes"}],
    live.Bottleneck: [{"width": 48}],
    live.Alignment: [{"language": "la"}, {"score": "sum"}, {"step": -1}],
    live.Influence: [{"width": 48}, {"number": 10**9}],
    live.Sampling: [
        {"text": "a" * 201}, {"written": [2, 5]}, {"written": [3000]},
        {"written": [5] * 41}, {"written": ["man"]}, {"temperature": -0.1},
        {"temperature": nan}, {"top_k": 0}, {"top_p": 1.1}, {"seed": 2**32},
    ],
    live.PublishedHeads: [
        {"sentence": 21}, {"layer": 7}, {"head": 1.5}, {"word": 0},
    ],
    live.CutWire: [{"number": 10**6}, {"cut": "wire"}, {"place": -1}, {"score": "dot"}],
    live.OneStep: [
        {"wiring": "graves"}, {"step": 6}, {"query": [1.0]}, {"query": [4.0, 0.0]},
        {"query": [nan, 0.0]}, {"query": "12"},
    ],
    live.LookUp: [
        {"query": []}, {"query": [[0, 0]] * 4}, {"query": [[1, 2, 3]]},
        {"query": [[nan, 0]]}, {"query": [[0, 4.01]]}, {"query": [["1", 0]]},
        {"query": [[True, 0]]}, {"query": [1, 2]}, {"key": [[1, 1]]},
        {"key": [[0, 0]] * 7}, {"value": [1, 2, 3]}, {"value": [1, 2, 3, 100.5]},
        {"value": [1, 2, 3, None]}, {"mask": [[True] * 4]},
        {"mask": [[True] * 4, [True] * 3]}, {"mask": [[True] * 4, [1, 1, 1, 1]]},
        {"mask": [True, False]}, {"temperature": 0}, {"scale": 0.5},
    ],
    live.Heads: [
        {"text": "two dozen"}, {"text": ""}, {"text": "-4"}, {"text": "1000000000000"},
        {"text": "one " * 41}, {"language": "fr"}, {"layers": 3},
        {"heads_off": [[1, 0]]}, {"heads_off": [3]}, {"heads_off": [[0, 4]]},
        {"instead": "median"}, {"word": -1},
    ],
    live.Numeral: [
        {"shown": "both"}, {"text": "zwei"}, {"text": "777777"}, {"text": "one " * 9},
        {"asks": -1}, {"head": 0}, {"head": 5}, {"unseen": [[0, 9]]}, {"unseen": [3]},
        {"order": [0, 2]}, {"order": [0, 0]}, {"order": list(range(9))},
    ],
    live.Positions: [
        {"d": 33}, {"d": 0}, {"base": 0}, {"n": 1}, {"position": 64}, {"shift": 64},
    ],
    live.Machine: [
        {"text": ""}, {"text": "two dozen"}, {"text": "-4"}, {"text": "123456"},
        {"text": "one " * 5}, {"without": "attention"}, {"training": "half"},
        {"step": "memory.1"}, {"cell": [0]}, {"cell": [0, -1]}, {"cell": [0, True]},
    ],
    live.Shelf: [{"first": "I"}, {"first": 0}, {"second": "c"}, {"sharpness": 13}],
    live.Cells: [{"words": 9}, {"step": 0}, {"step": None}],
    live.Dials: [
        {"scheme": "alibi"}, {"position": 129}, {"trained": 17}, {"base": 9_999},
    ],
    live.Clock: [{"position": 129}],
    live.Cost: [
        {"n": 7}, {"d": 5000}, {"k": 4}, {"r": 0}, {"layers": ["atention"]},
        {"layers": 3}, {"quantity": "flop"}, {"x": "h"}, {"machine": "abacus"},
        {"phase": "backward"}, {"machines": [{"name": "x"}]},
    ],
    live.Roofline: [
        {"n": 15}, {"d": 2048}, {"heads": 3}, {"d": 100}, {"batch": 65},
        {"phase": "training"},
    ],
    live.Translate: [
        {"text": ""}, {"text": "?!"}, {"text": "x" * 301}, {"width": 6},
        {"length_penalty": 2.1}, {"prefix": "我" * 41}, {"heads_off": [3]},
        {"heads_off": [["cross", 2, 0]]}, {"heads_off": [["memory", 0, 0]]},
        {"view": "beam"}, {"kind": "memory"}, {"layer": 2}, {"head": 4}, {"step": 0},
    ],
    live.Train: [
        {"task": "win"}, {"residual": 1}, {"language": "la"}, {"model": "lstm"},
        {"layers": 0}, {"heads": 3}, {"width": 33}, {"inner": -1},
        {"positions": "absolute"}, {"norm": "none"}, {"score": "sum"},
        {"reads": "backward"}, {"sees": "nothing"}, {"rate": 0}, {"warmup": 0.3},
        {"batch": 7}, {"steps": 20_001}, {"optimizer": "lion"}, {"seed": -1},
        {"pairs": "x" * 1_000_001}, {"units": "bytes"}, {"questions": [("none",)]},
    ],
    live.Energy: [
        {"view": "space"}, {"pattern": [[0, 0]]}, {"pattern": [[0, 0]] * 7},
        {"pattern": [[0, 0], [3.01, 0]]}, {"pattern": [[0, 0], "ab"]}, {"query": []},
        {"query": [inf, 0]}, {"beta": 101}, {"picture_beta": nan}, {"step": 501},
        {"pictures": "digits"}, {"stored": 27}, {"picture": 26}, {"flipped": [64]},
        {"flipped": [1, 1]}, {"flipped": [True]}, {"rule": "max"},
    ],
}  # fmt: skip


@cache
def default_figure(kind: type[LiveFigure]) -> LiveFigure:
    """A figure of this kind, which no refusal may change."""
    return kind()


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [(kind, wrong) for kind, all_wrong in INVALID.items() for wrong in all_wrong],
    ids=str,
)
def test_figure_rejects_invalid_traits_in_python(kind, wrong):
    ((name, value),) = wrong.items()
    said = name.removesuffix("s") + "|number"  # a text may be a number
    with pytest.raises(TraitError, match=said):
        kind(**wrong)
    figure = default_figure(kind)
    before = figure.state()
    with pytest.raises(TraitError, match=said):
        figure.set_trait(name, value)
    assert figure.state() == before
