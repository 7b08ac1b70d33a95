"""The first look of figures that have a tour, and the tour itself."""

import re

import pytest
from drawing import set_book_width, wait_until_drawn
from gallery import all_figures
from playwright.sync_api import expect

from attnlab.live import Energy, StateMatrix, Train, Translate
from attnlab.live.train import stored_looks, stored_runs

TOURED = {name: one for name, one in all_figures().items() if one.tour}
TOURED["energy-plane"] = Energy(view="plane")
TOURED["state-matrix-fading"] = StateMatrix(rule="decay")
TOURED["translate-search"] = Translate(view="search")
for run in stored_looks():
    TOURED[f"train, {run}"] = Train(**stored_runs()[run]["traits"])
MAX_CONTROLS, MAX_WORDS, MIN_FONT_SIZE = 4, 90, 12.5  # the last in pixels

# What one sees of a figure: its controls, its words, and words that are too small.
FIRST_LOOK = """(figure) => {
  const clipped = (one) => one && one !== figure
    && (getComputedStyle(one).clipPath === "inset(50%)" || clipped(one.parentElement));
  const drawn = (one) => one.checkVisibility({ visibilityProperty: true });
  const seen = (one) => drawn(one) && !clipped(one);
  const skipped = "[inert], [inert] *, [tabindex='-1']";
  const used = (one) => seen(one) && !one.matches(skipped);
  const kinds = "input, select, button, summary, [tabindex='0']";
  const controls = [...figure.querySelectorAll(kinds)];
  const texts = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
  let words = 0;
  const sizes = [];
  while (texts.nextNode()) {
    const { parentElement, textContent } = texts.currentNode;
    const text = textContent.trim();
    if (!text || parentElement.closest("script, option")) continue;
    if (!seen(parentElement)) continue;
    words += text.split(/\\s+/).length;
    const drawing = parentElement.closest("svg[viewBox]")?.getScreenCTM();
    const scale = drawing ? Math.hypot(drawing.a, drawing.b) : 1;
    sizes.push([text, scale * parseFloat(getComputedStyle(parentElement).fontSize)]);
  }
  return { controls: controls.filter(used).length, words, sizes };
}"""


# All that a figure shows and says beside its tour.
SHOWN = """(figure) => {
  const texts = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
  const shown = [...figure.querySelectorAll("input")].map(({ value }) => value);
  while (texts.nextNode()) {
    const { parentElement, textContent } = texts.currentNode;
    if (!parentElement.closest(".tour-says, script")) shown.push(textContent);
  }
  return shown.join(" ");
}"""
# Rounded on purpose, or of the formula and not of the picture.
ONLY_SAID = {"2200", "200000", "300", "256", "0.9"}


def numbers_in(text):
    joined = re.sub(r"(?<=\d)[,\u2009\u202f](?=\d{3})", "", text)  # 1,536
    return set(re.findall(r"\d+(?:\.\d+)?", joined))


def open_guided(show, name):
    page = show(TOURED[name], guided=True)
    set_book_width(page)
    return page


@pytest.mark.parametrize("name", TOURED)
def test_tour_opens_within_limits_and_says_what_is_shown(name, show_figures):
    page = open_guided(show_figures, name)
    found = page.locator("figure").evaluate(FIRST_LOOK)
    assert found["controls"] <= MAX_CONTROLS
    assert found["words"] <= MAX_WORDS
    assert [text for text, size in found["sizes"] if size < MIN_FONT_SIZE - 0.1] == []
    kind, stops = TOURED[name].figure, TOURED[name].stops()
    for number, stop in enumerate(stops, 1):
        type(TOURED[name])(**stop.set)  # raises where the figure would refuse it
        expect(page.locator(".tour-says")).to_have_text(stop.say)
        expect(page.locator(".tour-mark:visible")).not_to_have_count(
            0 if stop.mark else -1
        )
        shown = numbers_in(page.locator("figure").evaluate(SHOWN))
        shown |= {f"{100 * float(one):.0f}" for one in shown if one.startswith("0.")}
        assert numbers_in(stop.say) - shown <= ONLY_SAID
        if number < len(stops):
            page.get_by_role("button", name="Next").press("Enter")
            wait_until_drawn(page)
            assert page.url.endswith(f"#{kind}-1--tour-{number + 1}")


def test_tour_link_opens_last_stop_of_second_figure(show_figures):
    page = show_figures(TOURED["step"], type(TOURED["step"])(), guided=True)
    first, *_, last = stops = TOURED["step"].tour
    page.evaluate(f"location.hash = '#step-2--tour-{len(stops)}'")
    expect(page.locator(".tour-says")).to_have_text([first.say, last.say])
