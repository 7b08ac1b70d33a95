"""The hero figure in a page without a kernel, by mouse, touch and keyboard."""

import re
from functools import partial

import pytest
from drawing import redrawn
from linkmatrix import by_torch, check_faults, english
from playwright.sync_api import expect
from reading import assert_said, check_told, looks, names, numbers, quoted, says

from attnlab.data import number_tokens
from attnlab.live import Hero


def words(page, kind: str) -> list[str]:
    return page.locator(f'.hero-words[data-kind="{kind}"] button').all_inner_texts()


FAINTEST = 0.04  # a weight below this is neither drawn nor told


SUMMARY = re.compile(
    r"([\d\u202f]+): (\d+) German word parts?, (?:every part right|(?:(\d+) slips?, "
    r"marked ✗)?(?:, and )?(?:(\d+) parts? left out)?)\.(?: Nothing in training was "
    r"longer than 6 digits; this has (\d+)\.)? Choose a word to see where the model "
    r"looked\."
)
LONG = 777_777_777_777  # of which it leaves words out
WRONG = 385_452_587


NUMBERS = (91_234, 345, 0, 7, 12, 1000, 777_777, 54_321_987, LONG, WRONG)


def test_number_is_translated_and_summed_up_as_by_pytorch(show):
    page = show(Hero())
    says(page, "11 German word parts, every part right")
    for number in NUMBERS:
        page.get_by_label("Type a number").fill(str(number))
        redrawn(page)
        written, weights = by_torch("en-de-additive", number)
        assert words(page, "source") == english(number)
        assert words(page, "target") == written
        drawn = sum(weight >= FAINTEST for row in weights for weight in row)
        expect(page.locator(".hero-lines path")).to_have_count(drawn)
        assert_said(page, partial(check_summary, number, written, marks(page)))


def check_summary(number: int, written: list[str], marked: set[int], said: str) -> None:
    told, parts, slips, missing, digits = SUMMARY.fullmatch(said).groups()
    assert (numbers(told), int(parts)) == ([number], len(written))
    assert int(slips or 0) == len(marked)
    check_faults(written, number, marked, int(missing or 0))
    length = len(str(number))
    assert digits == (str(length) if length > 6 else None)


def marks(page) -> set[int]:
    """The German words that a cross is before."""
    buttons = page.locator('.hero-words[data-kind="target"] button')
    signs = looks(buttons, "content", part="::before")
    return {t for t, look in enumerate(signs) if "✗" in look["content"]}


def test_arrow_keys_in_the_box_change_the_number(show):
    page = show(Hero(number=40))
    box = page.get_by_label("Type a number")
    box.press("ArrowUp")
    expect(box).to_have_value("41")
    assert words(page, "source") == english(41)
    box.press("ArrowDown")
    box.press("ArrowDown")
    assert words(page, "source") == english(39)


def test_pointing_at_a_word_tells_pytorchs_weights(show):
    page = show(Hero(number=2_487))
    german, weights = by_torch("en-de-additive", 2_487)
    lines = {"target": german, "source": english(2_487)}
    columns = [list(column) for column in zip(*weights, strict=True)]
    for kind, table in (("target", weights), ("source", columns)):
        other = "source" if kind == "target" else "target"
        others = [name if name != "end" else "the end" for name in names(lines[other])]
        for place, row in enumerate(table):
            page.locator(f'.hero-words[data-kind="{kind}"] button').nth(place).hover()
            word = quoted(lines[kind])[place].replace("“end”", "the end")
            begins = f"To write {word}, the model looked at "
            if kind == "source":
                begins = f"{word[0].replace('t', 'T')}{word[1:]} was looked at for "
            assert_said(page, partial(check_looks, begins, others, row))
            beside = page.locator(f'.hero-words[data-kind="{other}"] button')
            signs = looks(beside, "content", part="::after")
            shown = [numbers(sign["content"]) for sign in signs]
            assert shown == [
                [] if weight < FAINTEST else [pytest.approx(100 * weight, abs=0.51)]
                for weight in row
            ]
    page.mouse.move(2, 2)
    assert page.locator(".hero-word.lit").count() == 0


def check_looks(begins: str, names: list[str], row: list[float], said: str) -> None:
    assert said.startswith(begins)
    told = said.removeprefix(begins).removesuffix(".")
    if max(row) < FAINTEST:
        assert told == "none of these words"
    else:
        check_told(told, names, row, least=FAINTEST)


def test_escape_stops_the_play(show):
    page = show(Hero())
    page.get_by_role("button", name="Play word by word").press("Enter")
    page.wait_for_function("document.querySelector('.hero-word.chosen')")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play word by word").wait_for()
    assert page.locator(".hero-word.chosen").count() == 0


# Every word that lights up, in their order, however late the test looks.
RECORD_LIT = """() => {
  window.litWords = [];
  let last = null;
  new MutationObserver(() => {
    const word = document.querySelector(".hero-word.chosen");
    if (word && word !== last) window.litWords.push(word.innerText);
    last = word;
  }).observe(document, { subtree: true, attributes: true });
}"""
LONGER_THAN_IT_TAKES = 20_000  # milliseconds, which a clock of the test's own skips


def lit_words(page) -> list[str]:
    return page.evaluate("litWords")


@pytest.fixture
def opening(page, show):
    """A figure that plays once by itself, for readers who asked for this motion."""

    def open_one(motion: str):
        page.clock.install()
        page.emulate_media(reduced_motion=motion)
        page.add_init_script(f"({RECORD_LIT})()")
        shown = show(Hero(number=2487, opening=True))
        says(shown, "every part right")
        redrawn(shown)
        return shown

    return open_one


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_opening_plays_once_and_only_where_motion_is_wanted(opening, motion):
    page = opening(motion)
    said, place = page.get_by_role("status").inner_text(), in_page(page)
    page.clock.run_for(LONGER_THAN_IT_TAKES)
    wanted = [] if motion == "reduce" else number_tokens(2487, "de")
    assert lit_words(page) == wanted
    assert page.locator(".hero-word.chosen, .hero-word.lit").count() == 0
    assert page.get_by_role("status").inner_text() == said  # nobody has asked
    assert in_page(page) == place
    page.clock.run_for(LONGER_THAN_IT_TAKES)
    assert lit_words(page) == wanted


def in_page(page) -> list:
    """Where everything stands."""
    return page.locator("figure, figure *").evaluate_all(
        "all => all.map((e) => JSON.stringify(e.getBoundingClientRect()))"
    )


@pytest.mark.weekly
@pytest.mark.parametrize("touch", ["press", "click", "wheel", "point"])
def test_first_touch_ends_the_opening(opening, touch):
    page = opening("no-preference")
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
    seen = lit_words(page)
    page.clock.run_for(LONGER_THAN_IT_TAKES)
    assert lit_words(page) == seen
