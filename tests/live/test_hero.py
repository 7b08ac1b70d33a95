"""The hero figure in a page without a kernel, by mouse, touch and keyboard."""

from itertools import pairwise

import pytest
from drawing import redrawn
from playwright.sync_api import expect
from traitlets import TraitError

from attnlab.data import number_tokens
from attnlab.live import Hero


def words(page, kind: str) -> list[str]:
    return page.locator(f'.hero-words[data-kind="{kind}"] button').all_inner_texts()


def english(number: int) -> list[str]:
    """What stands above: the words, and the end mark, which is read as well."""
    return [*number_tokens(number, "en"), "end"]


def says(page, text: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(text)


def type_number(page, text: str) -> None:
    page.get_by_label("Type a number").fill(text)


def test_it_shows_a_translation_before_the_first_click(show):
    page = show(Hero(number=91_234))
    assert words(page, "source") == english(91_234)
    assert words(page, "target") == number_tokens(91_234, "de")
    assert page.locator(".hero-lines path").count() >= 11
    says(page, "11 German word parts, every part right")


def test_typing_another_number_draws_it(show):
    page = show(Hero())
    type_number(page, "345")
    assert words(page, "source") == english(345)
    assert words(page, "target") == number_tokens(345, "de")
    says(page, "345: ")


def test_words_left_out_are_not_called_marked(show):
    page = show(Hero(number=777_777_777_777))
    said = page.get_by_role("status").inner_text()
    written = words(page, "target")
    truth = number_tokens(777_777_777_777, "de")
    marked = page.locator(".hero-word.wrong").count()
    assert marked == 0 and len(written) < len(truth)  # it only leaves out
    assert f"{len(truth) - len(written)} parts left out" in said
    assert "✗" not in said


@pytest.mark.parametrize("number", [12, 1000, 54_321_987, 987_654_321_012])
def test_the_status_counts_the_marks(show, number):
    page = show(Hero(number=number))
    said = page.get_by_role("status").inner_text()
    parts = len(words(page, "target"))
    assert f"{parts} German word part{'s' * (parts > 1)}, " in said
    marked = page.locator(".hero-word.wrong").count()
    assert ("marked ✗" in said) == (marked > 0)
    if marked:
        assert f"{marked} slip{'s' * (marked > 1)}, marked ✗" in said


def test_equal_words_are_told_apart(show):
    page = show(Hero(number=777_777))
    page.locator('.hero-words[data-kind="target"] button').first.hover()
    says(page, "To write the first “sieben”, the model looked at first seven (")


def test_the_end_mark_shows_what_was_looked_at_there(show):
    page = show(Hero(number=777_777))
    page.locator('.hero-words[data-kind="source"] button').last.hover()
    says(page, "The end was looked at for")


@pytest.mark.parametrize("start", [0, 7])
def test_one_word_numbers_are_drawn_too(show, start):
    page = show(Hero(number=start))
    assert words(page, "source") == english(start)
    assert page.locator(".hero-lines path").count() >= 1


def test_arrow_keys_in_the_box_count(show):
    page = show(Hero(number=40))
    box = page.get_by_label("Type a number")
    box.press("ArrowUp")
    expect(box).to_have_value("41")
    assert words(page, "source") == english(41)
    box.press("ArrowDown")
    box.press("ArrowDown")
    assert words(page, "source") == english(39)


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_another_number(show, press):
    page = show(Hero())
    before = words(page, "source")
    button = page.get_by_role("button", name="Another number")
    button.click() if press == "mouse" else button.press("Enter")
    assert words(page, "source") != before
    assert page.get_by_label("Type a number").input_value() != "91234"


def test_pointing_at_a_word_lights_what_it_attends_to(show):
    page = show(Hero())
    target = page.locator('.hero-words[data-kind="target"] button').nth(4)
    target.hover()
    lit = page.locator('.hero-words[data-kind="source"] .lit')
    assert lit.count() >= 1
    assert lit.first.get_attribute("data-share").endswith("%")
    says(page, "To write “tausend”, the model looked at")
    page.mouse.move(2, 2)
    assert lit.count() == 0


def test_a_tap_lights_a_word(show):
    page = show(Hero(), width=390)
    page.locator('.hero-words[data-kind="source"] button').first.click()
    says(page, "“ninety” was looked at for")


def test_the_keyboard_reaches_every_word(show):
    page = show(Hero(number=24))
    page.get_by_role("button", name="Play word by word").focus()
    page.keyboard.press("Tab")
    seen = []
    for _ in range(2):
        seen.append(page.evaluate("document.activeElement.textContent"))
        page.keyboard.press("ArrowRight")
    assert seen == ["twenty", "four"]
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.kind") == "target"
    page.keyboard.press("Home")
    says(page, "To write “vier”, the model looked at")
    page.keyboard.press("Escape")
    expect(page.get_by_role("status")).not_to_contain_text("To write")


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_play_lights_the_words_one_by_one(show, press):
    page = show(Hero(number=24))
    button = page.get_by_role("button", name="Play word by word")
    button.click() if press == "mouse" else button.press(" ")
    for word in number_tokens(24, "de"):
        page.wait_for_function(
            "word => document.querySelector('.hero-word.chosen')?.textContent === word",
            arg=word,
        )
    page.wait_for_function("() => !document.querySelector('.hero-word.chosen')")


# Every word that gets chosen from now on, however late the test looks.
RECORD_CHOSEN = """() => {
  window.chosenWords = [];
  const before = document.querySelector(".hero-word.chosen").innerText;
  new MutationObserver(() => {
    const word = document.querySelector(".hero-word.chosen");
    if (word && word.innerText !== before) window.chosenWords.push(word.innerText);
  }).observe(document.body, { subtree: true, attributes: true, childList: true });
}"""


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_play_can_pause_and_go_on(show, press):
    parts = number_tokens(245_678, "de")
    page = show(Hero(number=245_678))

    def go(name: str) -> None:
        button = page.get_by_role("button", name=name)
        button.click() if press == "mouse" else button.press("Enter")

    chosen = page.locator(".hero-word.chosen")
    go("Play word by word")
    page.wait_for_function("document.querySelector('.hero-word.chosen')")
    go("Pause")
    word = chosen.inner_text()
    page.wait_for_timeout(700)
    assert chosen.inner_text() == word
    page.evaluate(RECORD_CHOSEN)
    go("Play word by word")
    page.wait_for_function("window.chosenWords.length > 0")
    following = page.evaluate("window.chosenWords[0]")
    assert (word, following) in list(pairwise(parts))


def test_escape_stops_the_play_wherever_the_focus_is(show):
    page = show(Hero())
    page.get_by_role("button", name="Play word by word").press("Enter")
    page.wait_for_function("document.querySelector('.hero-word.chosen')")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play word by word").wait_for()
    assert page.locator(".hero-word.chosen").count() == 0


def test_bad_input_is_answered_and_the_picture_stays(show, bad_input):
    text, answer = bad_input
    page = show(Hero())
    type_number(page, text)
    assert answer in page.locator(".al-error").inner_text()
    box = page.get_by_label("Type a number")
    assert box.get_attribute("aria-invalid") == "true"
    assert words(page, "source") == english(91_234)
    assert page.evaluate("window.hacked") is None
    assert page.locator("figure img").count() == 0
    type_number(page, "12")
    assert page.locator(".al-error").inner_text() == ""
    assert words(page, "target") == ["zwölf"]


def test_a_number_longer_than_trained_says_so(show):
    page = show(Hero(number=12_345_678))
    says(page, "Nothing in training was longer than 6 digits; this has 8")


@pytest.mark.parametrize("number", [91_234, 777_777, 123_456_789_123])
def test_nothing_overflows(show, number):
    page = show(Hero(number=number))
    for width in (1280, 768, 390, 360):
        page.set_viewport_size({"width": width, "height": 800})
        redrawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        outside = page.evaluate(
            """() => {
              const edges = (e) => e.getBoundingClientRect();
              const stage = edges(document.querySelector(".hero-stage"));
              return [...document.querySelectorAll(".hero-word")].filter((word) =>
                edges(word).left < stage.left - 1 || edges(word).right > stage.right + 1
              ).length;
            }"""
        )
        assert outside == 0


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(show, violations, dark):
    page = show(Hero(), Hero(number=123_456_789), dark=dark)  # and twice on a page
    page.locator('.hero-words[data-kind="target"] button').nth(2).focus()
    assert violations(page) == []


def test_python_refuses_what_is_no_number():
    for number in (-1, 2.5, 10**12, "seven"):
        with pytest.raises(TraitError):
            Hero(number=number)


def test_the_html_is_the_same_on_every_run():
    assert Hero(number=7)._repr_html_() == Hero(number=7)._repr_html_()
    assert repr(Hero(number=7)) == "Hero(number=7)"
