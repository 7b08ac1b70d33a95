"""The heads figure in a page without a kernel, by mouse, touch and keyboard."""

import re
from itertools import pairwise

import pytest
import torch
from drawing import PHONE_HEIGHT, WIDE_HEIGHT, in_column, on_phone, redrawn, span
from playwright.sync_api import expect
from traitlets import TraitError

from attnlab.data import EOS, number_tokens
from attnlab.data.places import WORTHS, class_places, read_number
from attnlab.live import Heads, load_weights
from tools.live_weights import all_but_one, read_right


def says(page, text: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(text)


def switch(page, name: str):
    return page.get_by_role("checkbox", name=f"Head {name}")


def tile(page, index: int):
    return page.locator(".hd-tile").nth(index)


def count(page) -> None:
    page.get_by_label("errors without heads").first.click()
    page.get_by_role("button", name="Count").first.press("Enter")
    page.wait_for_selector(".hd-damage:not([hidden])", timeout=60_000)


def grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


def shown_weights(page) -> torch.Tensor:
    """The weights in the large map, (n, n)."""
    return torch.tensor(
        page.evaluate(
            """() => [...document.querySelectorAll(".hd-matrix tbody tr")].map((row) =>
            [...row.querySelectorAll("td")].map((cell) =>
                Number(cell.style.getPropertyValue("--weight"))))"""
        )
    )


def shown_bars(page) -> torch.Tensor:
    """The weights on the words' tiles, (n, heads)."""
    return torch.tensor(
        page.evaluate(
            """() => [...document.querySelectorAll(".hd-tile")].map((tile) =>
            [...tile.querySelectorAll(".hd-bars span")].map((bar) =>
                Number(bar.style.getPropertyValue("--weight"))))"""
        )
    )


@torch.no_grad()
def by_torch(tokens, heads_off=(), language="en", layers=1):
    """Places of the words, the number read, and the maps (layers, heads, n, n)."""
    model, about = load_weights(f"places-{language}-{layers}")
    ids = torch.tensor([[*map(about["src_tokens"].index, tokens), EOS]])
    mask = torch.ones(layers, 4, dtype=torch.bool)
    for layer, head in heads_off:
        mask[layer, head] = False
    with model.only_heads(mask):
        places = class_places(model(ids)[0, :-1].argmax(-1))
        maps = model.attention(ids)[:, 0]
    return places, read_number(tokens, places, language), maps


def assert_picture_is_torchs(page, figure: Heads, tokens: list[str]) -> None:
    heads_off, language = figure.heads_off, figure.language
    places, number, maps = by_torch(tokens, heads_off, language, figure.layers)
    assert page.locator(".hd-word").all_text_contents() == [*tokens, "end"]
    expect(page.locator(".hd-number")).to_have_text(grouped(number))
    for index, (token, place) in enumerate(zip(tokens, places, strict=True)):
        worth = tile(page, index).locator(".hd-worth").inner_text()
        if token in WORTHS[language]:
            digits = str(place).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
            assert worth.startswith("none" if place is None else f"×10{digits} ")
        else:
            assert worth == "–"
    word = min(figure.word, len(tokens))
    weights = maps[figure.layer, figure.head]
    assert (shown_weights(page) - weights).abs().max() < 1e-3  # three decimals
    bars = maps[:, :, word].flatten(0, 1).T  # (n, heads)
    assert (shown_bars(page) - bars).abs().max() < 1e-3


@pytest.mark.parametrize(
    "traits",
    [
        {},
        {"text": "0"},
        {"text": "123456789012", "heads_off": [[0, 2]], "head": 3, "word": 5},
        {"text": "345678", "heads_off": [[0, 0], [0, 1], [0, 2], [0, 3]]},
        {"text": "hundred two thousand", "word": 99},
        {"text": "777777", "language": "de", "heads_off": [[0, 1]], "head": 1},
        {"text": "19019", "layers": 2, "layer": 1, "head": 2, "heads_off": [[1, 3]]},
    ],
    ids=str,
)
def test_the_picture_is_pytorchs(show, traits):
    figure = Heads(**traits)
    page = show(figure)
    page.wait_for_selector(".hd-tile")
    is_number = figure.text.isdecimal()
    tokens = figure.text.split()
    if is_number:
        tokens = number_tokens(int(figure.text), figure.language)
    assert_picture_is_torchs(page, figure, tokens)


def test_it_shows_something_true_before_the_first_click(show):
    page = show(Heads())
    says(page, f"With all heads the model reads {grouped(302_415)}, which is right.")
    expect(page.locator(".hd-verdict")).to_have_text("✓\ufe0e right")
    _, _, maps = by_torch(number_tokens(302_415, "en"))
    tops = page.locator(".hd-top").all_text_contents()
    words = [*number_tokens(302_415, "en"), "end"]
    for head, top in enumerate(tops):
        weight, at = maps[0, head, 0].max(0)
        assert top == f"three → {words[at]} {round(100 * weight.item())}%"
    assert page.locator(".hd-tile.changed, .hd-tile.wrong").count() == 0


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_a_head_can_be_switched_off_and_on(show, press):
    page = show(Heads(text="345678"))
    tokens = number_tokens(345_678, "en")
    before, number, _ = by_torch(tokens)
    assert number == 345_678
    for head in range(4):
        one = switch(page, str(head + 1))
        one.click() if press == "mouse" else one.press("Space")
        redrawn(page)
        after, misread, _ = by_torch(tokens, [[0, head]])
        expect(one).not_to_be_checked()
        expect(page.locator(".hd-number")).to_have_text(grouped(misread))
        says(page, f"Without head {head + 1} the model reads {grouped(misread)}")
        for index, token in enumerate(tokens):
            changed = token in WORTHS["en"] and after[index] != before[index]
            classes = tile(page, index).get_attribute("class").split()
            assert ("changed" in classes) == ("wrong" in classes) == changed
            mark = tile(page, index).locator(".hd-was").inner_text()
            assert mark.startswith("✗") == changed
            name = tile(page, index).get_attribute("aria-label")
            assert ("with all heads times" in name) == changed
        assert ("wrong" in page.locator(".hd-answer").inner_text()) == (
            misread != 345_678
        )
        one.click() if press == "mouse" else one.press("Space")
        redrawn(page)
        says(page, f"With all heads the model reads {grouped(345_678)}")
        assert page.locator(".hd-tile.changed").count() == 0


def test_what_broke_is_said_in_words(show):
    off = [[0, 0], [0, 1]]
    page = show(Heads(text="345678", heads_off=off))
    after, misread, _ = by_torch(number_tokens(345_678, "en"), off)
    assert misread != 345_678  # or the figure needs another example
    says(page, f"but {grouped(345_678)} is meant.")
    assert after[0] != 5
    hundred_thousand = grouped(10**5)
    says(page, f"“three” counts times {grouped(10 ** after[0])} instead of")
    says(page, f"instead of times {hundred_thousand}")


def test_the_keyboard_walks_along_the_words(show):
    page = show(Heads(text="205"))  # two hundred and five end
    expect(page.locator(".hd-tile[tabindex='0']")).to_have_count(1)
    page.locator(".hd-tile[tabindex='0']").focus()
    for key, word in [
        ("ArrowRight", "hundred"),
        ("ArrowDown", "and"),
        ("End", "end"),
        ("ArrowRight", "end"),
        ("ArrowLeft", "five"),
        ("Home", "two"),
        ("ArrowUp", "two"),
        ("ArrowRight", "hundred"),
    ]:
        page.keyboard.press(key)
        redrawn(page)
        focused = page.evaluate("document.activeElement.firstChild.textContent")
        assert focused == word
        chosen = page.locator(".hd-tile[aria-pressed='true'] .hd-word")
        assert chosen.all_text_contents() == [word]
        says(page, f"From “{word}” each head looks most: head 1 at ")
        expect(page.locator(".hd-tile[tabindex='0']")).to_have_count(1)
    _, _, maps = by_torch(number_tokens(205, "en"))
    assert (shown_bars(page) - maps[0, :, 1].T).abs().max() < 1e-3


def test_the_mouse_looks_without_choosing(show):
    page = show(Heads(text="205"))
    tile(page, 3).hover()
    says(page, "From “five” each head")
    assert page.locator(".hd-matrix tr.chosen th").inner_text() == "five"
    page.locator(".hd-matrix tbody tr").nth(2).locator("td").nth(1).hover()
    says(page, "From “and” each head")
    page.mouse.move(1, 1)
    says(page, "From “two” each head")
    page.locator(".hd-matrix tbody tr").nth(2).locator("td").nth(1).click()
    page.mouse.move(1, 1)
    says(page, "From “and” each head")


@pytest.mark.touch
def test_fingers_choose_words_heads_and_maps(show):
    page = show(Heads(text="205"), width=390)
    tile(page, 3).tap()
    says(page, "From “five” each head")
    switch(page, "2").tap()
    says(page, "Without head 2")
    page.get_by_role("button", name="Map of head 3").tap()
    expect(page.locator(".hd-heading")).to_contain_text("Head 3")


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_a_map_can_be_enlarged(show, press):
    page = show(Heads(text="205"))
    _, _, maps = by_torch(number_tokens(205, "en"))
    for head in (3, 1):
        button = page.get_by_role("button", name=f"Map of head {head + 1}")
        button.click() if press == "mouse" else button.press("Enter")
        redrawn(page)
        assert button.get_attribute("aria-pressed") == "true"
        expect(page.locator(".hd-map[aria-pressed='true']")).to_have_count(1)
        assert (shown_weights(page) - maps[0, head]).abs().max() < 1e-3
        expect(page.locator(".hd-heading")).to_contain_text(f"Head {head + 1}:")


def test_the_small_maps_hold_the_same_weights(show):
    page = show(Heads(text="205"))
    _, _, maps = by_torch(number_tokens(205, "en"))
    for head in range(4):
        shades = page.locator(".hd-map").nth(head).locator("path")
        drawn = torch.zeros(5, 5)
        for i in range(shades.count()):
            outline = shades.nth(i).get_attribute("d")
            for to, start in re.findall(r"M(\d+) (\d+)h", outline):
                drawn[int(start), int(to)] = (i + 1) / 10
        assert (drawn - maps[0, head]).abs().max() <= 0.051


def test_typing_digits_and_words(show):
    page = show(Heads())
    box = page.get_by_label("A number, in digits or in words")
    for typed, words in [
        ("91,234", number_tokens(91_234, "en")),
        ("two hundred and Five", ["two", "hundred", "and", "five"]),
        ("twentyone", ["twenty", "one"]),
        ("seven", ["seven"]),
    ]:
        box.fill(typed)
        expect(page.locator(".hd-word")).to_have_text([*words, "end"])
        assert box.input_value() == typed  # it is not rewritten under the fingers
    says(page, "the model reads 7, which is right")


def test_words_in_an_order_that_no_number_has(show):
    page = show(Heads())
    words = ["hundred", "two", "thousand"]
    page.get_by_label("A number, in digits or in words").fill(" ".join(words))
    _, number, _ = by_torch(words)
    expect(page.locator(".hd-number")).to_have_text(grouped(number))
    expect(page.locator(".hd-verdict")).to_contain_text("no number is written so")
    says(page, "No number is written so: there is no right answer.")


BAD = ["", "-5", "2.5", "1000000000000", "two dozen", "<img src=x onerror=hacked=true>"]
ANSWERS = ["Please type", "negative", "whole", "too large", "“dozen”", "“<img”"]


@pytest.mark.parametrize(("text", "answer"), [*zip(BAD, ANSWERS, strict=True)])
def test_bad_input_is_answered_and_the_picture_stays(show, text, answer):
    page = show(Heads(text="205"))
    box = page.get_by_label("A number, in digits or in words")
    box.fill("206")
    box.fill(text)
    expect(page.locator(".al-error")).to_contain_text(answer)
    assert box.get_attribute("aria-invalid") == "true"
    expect(page.locator(".hd-number")).to_have_text("206")
    assert page.locator("figure img").count() == 0
    box.fill("206")
    expect(page.locator(".al-error")).to_be_empty()


def test_the_other_language_and_the_larger_model(show):
    page = show(Heads(text="two hundred five"))
    page.get_by_role("radio", name="German").click()
    words = number_tokens(205, "de")
    expect(page.locator(".hd-word")).to_have_text([*words, "end"])
    box = page.get_by_label("A number, in digits or in words")
    expect(box).to_have_value("205")
    assert_picture_is_torchs(page, Heads(text="205", language="de"), words)
    page.get_by_label("Layers").select_option("2")
    expect(page.get_by_role("checkbox")).to_have_count(8)
    switch(page, "1.2").click()
    redrawn(page)
    figure = Heads(text="205", language="de", layers=2, heads_off=[[0, 1]])
    assert_picture_is_torchs(page, figure, words)
    page.get_by_label("Layers").select_option("1")
    expect(page.get_by_role("checkbox")).to_have_count(4)
    for one in page.get_by_role("checkbox").all():
        expect(one).to_be_checked()
    says(page, "With all heads")


def test_words_refused_in_one_language_are_read_in_the_other(show):
    page = show(Heads())
    box = page.get_by_label("A number, in digits or in words")
    box.fill("zwei hundert")
    expect(page.locator(".al-error")).to_contain_text("“zwei”")
    page.get_by_role("radio", name="German").click()
    expect(page.locator(".hd-word")).to_have_text(["zwei", "hundert", "end"])
    expect(page.locator(".al-error")).to_be_empty()
    box.fill("nonsense")
    page.get_by_role("radio", name="English").click()
    expect(page.locator(".hd-word")).to_have_text(["two", "hundred", "end"])
    expect(box).to_have_value("200")
    expect(page.locator(".al-error")).to_be_empty()


def test_an_example_takes_the_place_of_what_was_refused(show):
    page = show(Heads())
    box = page.get_by_label("A number, in digits or in words")
    box.fill("nonsense")
    page.get_by_label("Examples").select_option("302415")  # what is drawn already
    expect(box).to_have_value("302415")
    expect(page.locator(".al-error")).to_be_empty()


def test_every_example_can_be_read(show):
    for language in ("en", "de"):
        page = show(Heads(language=language))
        page.wait_for_selector(".hd-tile")
        menu = page.get_by_label("Examples")
        values = menu.locator("option").evaluate_all("all => all.map((o) => o.value)")
        assert len(values) > 8
        for value in values[1:]:
            menu.select_option(value)
            expect(page.locator(".al-error")).to_be_empty()
            redrawn(page)
            box = page.get_by_label("A number, in digits or in words")
            expect(box).to_have_value(value)
            Heads(text=value, language=language)  # Python takes it as well


def test_the_status_changes_with_every_control(show):
    page = show(Heads())
    texts = [page.get_by_role("status").inner_text()]

    def look() -> None:
        page.wait_for_timeout(250)
        texts.append(page.get_by_role("status").inner_text())

    for head in (3, 2):
        page.get_by_role("button", name=f"Map of head {head}").click()
        look()
        switch(page, str(head)).click()
        look()
    tile(page, 2).click()
    look()
    page.locator(".hd-matrix tbody tr").nth(1).click()
    look()
    page.get_by_label("A number, in digits or in words").fill("205")
    look()
    page.get_by_role("radio", name="German").click()
    expect(page.locator(".hd-word").first).to_have_text("zwei")
    look()
    page.get_by_label("Layers").select_option("2")
    expect(page.get_by_role("checkbox")).to_have_count(8)
    look()
    page.get_by_label("Examples").select_option("777777")
    look()
    count(page)
    says(page, "Of 100 numbers")
    look()
    assert all(before != after for before, after in pairwise(texts))


def test_weights_that_cannot_be_loaded_are_answered(show, tmp_path):
    page = show(Heads(text="205"))
    script = tmp_path / "_static/attnlab-weights/places-en-2.js"
    loads = script.read_text()
    script.unlink()
    script.write_text("")
    menu = page.get_by_label("Layers")
    menu.select_option("2")
    says(page, "The weights “places-en-2” are neither in this page nor beside")
    expect(menu).to_have_value("1")
    expect(page.get_by_role("checkbox")).to_have_count(4)
    script.write_text(loads)
    menu.select_option("2")
    expect(page.get_by_role("checkbox")).to_have_count(8)
    expect(page.get_by_role("status")).not_to_contain_text("neither")


def test_the_count_is_pythons(show):
    page = show(Heads())
    count(page)
    says(page, "Of 100 numbers that it has not seen the model reads")
    model, about = load_weights("places-en-1")
    numbers = about["test_numbers"]
    rows = page.locator(".hd-damage tbody tr")
    found = [row.locator("td").all_text_contents() for row in rows.all()]
    assert found[0][0] == str(round(100 * read_right(model, numbers, "en")))
    lost = []
    for head, without in enumerate(all_but_one(1, 4)[0]):
        lost.append(round(100 * read_right(model, numbers, "en", without)))
        alone = round(100 * read_right(model, numbers, "en", ~without))
        assert int(found[1 + head][0].split()[0]) == lost[-1]
        assert found[1 + head][1] == str(alone)
    marked = ["◂" in cells[0] for cells in found[1:]]
    assert marked == [count == min(lost) for count in lost]
    expect(page.locator(".hd-damage")).to_be_focused()  # the button has gone
    switch(page, "1").click()
    switch(page, "4").click()
    both = torch.tensor([[False, True, True, False]])
    share = round(100 * read_right(model, numbers, "en", both))
    last = page.locator(".hd-damage tbody tr").last
    expect(last.locator("th")).to_have_text("1 and 4")
    expect(last.locator("td").first).to_have_text(str(share))


@pytest.mark.parametrize("traits", [{}, {"text": "777777777777", "layers": 2}], ids=str)
def test_the_page_does_not_overflow(show, traits):
    page = show(Heads(**traits))
    page.wait_for_selector(".hd-tile")
    count(page)
    for view in ("errors without heads", "large map"):
        page.get_by_label(view, exact=True).click()
        for width in (1280, 768, 390, 360):
            page.set_viewport_size({"width": width, "height": 800})
            redrawn(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_forced_colours_leave_the_fills(show):
    page = show(Heads())
    page.emulate_media(forced_colors="active")
    grounds = page.locator(".hd-matrix tbody td").evaluate_all(
        "cells => cells.map((cell) => getComputedStyle(cell).backgroundColor)"
    )
    assert len(set(grounds)) > 3
    outline = "tile => getComputedStyle(tile).outlineStyle"
    assert tile(page, 0).evaluate(outline) == "solid"  # the chosen word
    assert tile(page, 1).evaluate(outline) == "none"


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(show, violations, dark):
    figures = Heads(text="345678", heads_off=[[0, 2]]), Heads(text="two and")
    page = show(*figures, dark=dark, width=390 if dark else 1280)
    assert violations(page) == []
    count(page)
    assert violations(page) == []


def test_two_figures_keep_apart(show):
    page = show(Heads(text="205"), Heads(text="205"))
    switch(page, "3").first.click()
    redrawn(page)
    expect(switch(page, "3").first).not_to_be_checked()
    expect(switch(page, "3").last).to_be_checked()


# Python's side ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "two dozen"},
        {"text": ""},
        {"text": "-4"},
        {"text": "1000000000000"},
        {"text": "one " * 41},
        {"text": "zwei"},
        {"language": "fr"},
        {"layers": 3},
        {"heads_off": [[1, 0]]},
        {"heads_off": [3]},
        {"heads_off": [[0, 4]]},
        {"layer": 1},
        {"head": 4},
        {"word": -1},
    ],
    ids=str,
)
def test_python_refuses_what_the_figure_does_not_have(wrong):
    with pytest.raises(TraitError):
        Heads(**wrong)


def test_python_tidies_what_it_takes():
    figure = Heads(text=" 0205 ", layers=2, layer=1, heads_off=[(1, 2), (0, 3), (1, 2)])
    assert figure.text == "205"
    assert figure.heads_off == [[0, 3], [1, 2]]
    figure.layers = 1
    assert figure.layer == 0
    assert figure.heads_off == [[0, 3]]


def test_another_language_keeps_digits_and_drops_words():
    figure = Heads(text="205")
    figure.language = "de"
    assert figure.text == "205"
    figure.text = "zwei hundert"
    figure.language = "en"
    assert figure.text == Heads().text


def test_switches_and_the_answer_share_a_screen(show):
    page = show(Heads(layers=2))
    page.wait_for_selector(".hd-matrix tbody tr")
    in_column(page)
    assert span(page, ".hd-answer", ".hd-columns") <= WIDE_HEIGHT
    on_phone(page)
    assert span(page, ".hd-answer", ".hd-maps") <= PHONE_HEIGHT


@pytest.mark.parametrize("layers", [1, 2])
def test_it_is_one_screen_high(show, layers):
    page = show(Heads(layers=layers))
    page.wait_for_selector(".hd-matrix tbody tr")
    in_column(page)
    assert page.locator("figure").bounding_box()["height"] <= 800
    if layers == 1:  # the table of eight heads is longer
        count(page)
        assert page.locator("figure").bounding_box()["height"] <= 800


def test_on_a_phone_words_switches_and_maps_share_a_screen(show):
    page = show(Heads())
    page.wait_for_selector(".hd-matrix tbody tr")
    on_phone(page)
    assert page.locator("figure").bounding_box()["height"] <= 1320
    assert span(page, ".hd-controls", ".hd-maps") <= 740
    assert span(page, ".hd-maps", ".hd-large") <= 740


def test_a_small_map_that_is_pressed_comes_in_the_place_of_the_errors(show):
    page = show(Heads())
    count(page)
    assert page.locator(".hd-matrix").is_hidden()
    page.get_by_role("button", name="Map of head 3").click()
    expect(page.locator(".hd-matrix")).to_be_visible()
    assert page.locator(".hd-damage").is_hidden()
    expect(page.get_by_label("large map", exact=True)).to_be_checked()
