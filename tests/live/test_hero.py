"""The hero figure in a page without a kernel, by mouse, touch and keyboard."""

import re
from functools import partial

import pytest
from drawing import wait_until_drawn
from linkmatrix import check_faults, source_words, torch_words_and_weights
from playwright.sync_api import expect
from reading import (
    check_listed_weights,
    computed_styles,
    expect_status,
    name_words,
    parse_numbers,
    quote_words,
    wait_for_status_check,
)

from attnlab.data import number_tokens
from attnlab.live import Hero


def line_words(page, kind: str) -> list[str]:
    return page.locator(f'.hero-words[data-kind="{kind}"] button').all_inner_texts()


MIN_WEIGHT = 0.04  # a weight below this is neither drawn nor told
SUMMARY = re.compile(
    r"([\d\u202f]+): (\d+) German word parts?, (?:every part right|(?:(\d+) slips?, "
    r"marked ✗)?(?:, and )?(?:(\d+) parts? left out)?)\.(?: Nothing in training was "
    r"longer than 6 digits; this has (\d+)\.)? Choose a word to see where the model "
    r"looked\."
)
NUMBERS = (91_234, 345, 0, 7, 12, 1000, 777_777)
NUMBERS += (777_777_777_777, 385_452_587, 2_509_927)  # words left out, wrong, too many


def test_hero_translation_and_summary_equal_pytorch(show_figures):
    page = show_figures(Hero())
    expect_status(page, "11 German word parts, every part right")
    for number in NUMBERS:
        page.get_by_label("Type a number").fill(str(number))
        wait_until_drawn(page)
        written, weights = torch_words_and_weights("en-de-additive", number)
        assert line_words(page, "source") == source_words(number)
        assert line_words(page, "target") == written
        drawn = sum(weight >= MIN_WEIGHT for row in weights for weight in row)
        expect(page.locator(".hero-lines path")).to_have_count(drawn)
        wait_for_status_check(
            page, partial(check_summary, number, written, marked_words(page))
        )


def check_summary(number: int, written: list[str], marked: set[int], said: str) -> None:
    told, parts, slips, missing, digits = SUMMARY.fullmatch(said).groups()
    assert (parse_numbers(told), int(parts)) == ([number], len(written))
    assert int(slips or 0) == len(marked)
    check_faults(written, number, marked, int(missing or 0))
    length = len(str(number))
    assert digits == (str(length) if length > 6 else None)


def marked_words(page) -> set[int]:
    """The German words that a cross is before."""
    buttons = page.locator('.hero-words[data-kind="target"] button')
    signs = computed_styles(buttons, "content", part="::before")
    return {t for t, look in enumerate(signs) if "✗" in look["content"]}


def test_hero_hover_announces_pytorch_weights(show_figures):
    page = show_figures(Hero(number=2_487))
    german, weights = torch_words_and_weights("en-de-additive", 2_487)
    lines = {"target": german, "source": source_words(2_487)}
    columns = [list(column) for column in zip(*weights, strict=True)]
    for kind, table in (("target", weights), ("source", columns)):
        other = "source" if kind == "target" else "target"
        names = name_words(lines[other])
        others = ["the end" if name == "end" else name for name in names]
        for place, row in enumerate(table):
            page.locator(f'.hero-words[data-kind="{kind}"] button').nth(place).hover()
            word = quote_words(lines[kind])[place].replace("“end”", "the end")
            begins = f"To write {word}, the model looked at "
            if kind == "source":
                begins = f"{word[0].replace('t', 'T')}{word[1:]} was looked at for "
            wait_for_status_check(
                page, partial(check_listed_links, begins, others, row)
            )
            beside = page.locator(f'.hero-words[data-kind="{other}"] button')
            signs = computed_styles(beside, "content", part="::after")
            shown = [parse_numbers(sign["content"]) for sign in signs]
            assert shown == [
                [] if weight < MIN_WEIGHT else [pytest.approx(100 * weight, abs=0.51)]
                for weight in row
            ]


def check_listed_links(
    begins: str, names: list[str], row: list[float], said: str
) -> None:
    assert said.startswith(begins)
    told = said.removeprefix(begins).removesuffix(".")
    if max(row) < MIN_WEIGHT:
        assert told == "none of these words"
    else:
        check_listed_weights(told, names, row, least=MIN_WEIGHT)


def test_hero_escape_stops_playback(show_figures):
    page = show_figures(Hero())
    page.get_by_role("button", name="Play word by word").press("Enter")
    page.wait_for_function("document.querySelector('.hero-word.chosen')")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play word by word").wait_for()
    expect(page.locator(".hero-word.chosen")).to_have_count(0)


# Every word that lights up, in their order, however late the test looks.
RECORD_HIGHLIGHTS = """() => {
  window.litWords = [];
  let last = null;
  new MutationObserver(() => {
    const word = document.querySelector(".hero-word.chosen");
    if (word && word !== last) window.litWords.push(word.innerText);
    last = word;
  }).observe(document, { subtree: true, attributes: true });
}"""
SKIPPED_MS = 20_000  # milliseconds, which a clock of the test's own skips


@pytest.fixture
def open_with_motion(page, show_figures):
    """A figure that plays once by itself, for readers who asked for this motion."""

    def open_one(motion: str):
        page.clock.install()
        page.emulate_media(reduced_motion=motion)
        page.add_init_script(f"({RECORD_HIGHLIGHTS})()")
        shown = show_figures(Hero(number=2487, opening=True))
        expect_status(shown, "every part right")
        wait_until_drawn(shown)
        return shown

    return open_one


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_hero_opening_plays_once_unless_reduced_motion(open_with_motion, motion):
    page = open_with_motion(motion)
    said, place = page.get_by_role("status").inner_text(), element_positions(page)
    page.clock.run_for(SKIPPED_MS)
    wanted = [] if motion == "reduce" else number_tokens(2487, "de")
    assert page.evaluate("litWords") == wanted
    assert page.locator(".hero-word.chosen, .hero-word.lit").count() == 0
    assert page.get_by_role("status").inner_text() == said  # nobody has asked
    assert element_positions(page) == place
    page.clock.run_for(SKIPPED_MS)
    assert page.evaluate("litWords") == wanted


def element_positions(page) -> list:
    """Where everything stands."""
    return page.locator("figure, figure *").evaluate_all(
        "all => all.map((e) => JSON.stringify(e.getBoundingClientRect()))"
    )


@pytest.mark.weekly
@pytest.mark.parametrize("touch", ["press", "click", "wheel", "point"])
def test_hero_first_touch_ends_the_opening(open_with_motion, touch):
    page = open_with_motion("no-preference")
    page.wait_for_selector(".hero-word.chosen")
    {
        "press": lambda: page.keyboard.press("Shift"),
        "click": lambda: page.mouse.click(3, 3),
        "wheel": lambda: page.mouse.wheel(0, 1),
        "point": page.locator(".hero-word").first.hover,
    }[touch]()
    chosen = page.locator(".hero-word.chosen")
    if touch == "point":
        expect(chosen).to_have_text("two")
    else:
        expect(chosen).to_have_count(0)
    seen = page.evaluate("litWords")
    page.clock.run_for(SKIPPED_MS)
    assert page.evaluate("litWords") == seen
