"""The alignment figure in a page without a kernel, by mouse and keyboard."""

import re

import pytest
from drawing import redrawn
from playwright.sync_api import expect
from torch import tensor
from traitlets import TraitError

from attnlab.data import (
    alignment,
    alignment_error_rate,
    detokenize,
    number_tokens,
)
from attnlab.live import Alignment, load_weights
from attnlab.live.alignment import SCORES, TARGETS


def says(page, text: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(text)


def status(page) -> str:
    page.wait_for_timeout(200)  # what is said in a hurry comes after a pause
    return page.get_by_role("status").inner_text()


def rows(page) -> list[str]:
    return page.locator(".aln-matrix tbody th").all_text_contents()


def shown(page) -> list[list[float]]:
    """The weights in the picture, (target length, source length with the end)."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".aln-matrix tbody tr")].map((row) =>
            [...row.querySelectorAll("td")].map((cell) =>
                Number(cell.style.getPropertyValue("--weight"))))"""
    )


def torch_weights(name: str, number: int, words: list[str]):
    model, about = load_weights(name)
    src = [about["src_tokens"].index(token) for token in number_tokens(number, "en")]
    tgt = [about["tgt_tokens"].index(token) for token in words]
    return model.attention(tensor([[*src, 2]]), tensor([[1, *tgt]]))[0, : len(tgt)]


@pytest.mark.parametrize("number", [0, 24, 2_487, 345_678])
def test_the_matrix_is_pytorchs(show_matrix, number):
    page = show_matrix(Alignment(number=number))
    words = rows(page)
    heads = page.locator(".aln-word").all_text_contents()
    assert heads == [*number_tokens(number, "en"), "end"]
    wanted = torch_weights("en-de-additive", number, words)
    assert (tensor(shown(page)) - wanted).abs().max() < 1e-3  # three decimals
    assert (tensor(shown(page)).sum(1) - 1).abs().max() < 0.02


def test_the_known_alignment_is_outlined_and_the_error_rate_counted(show_matrix):
    page = show_matrix(Alignment(number=2_487))
    words = rows(page)
    assert words == number_tokens(2_487, "de")
    outlined = page.evaluate(
        """() => [...document.querySelectorAll(".aln-matrix tbody tr")].flatMap(
            (row, t) => [...row.querySelectorAll("td")].flatMap((cell, s) =>
                cell.classList.contains("gold") ? [[t, s]] : []))"""
    )
    assert {tuple(link) for link in outlined} == alignment(2_487)
    weights = torch_weights("en-de-additive", 2_487, words)
    rate = alignment_error_rate(weights, 2_487)
    says(page, f"alignment error rate {rate:.2f}")


@pytest.mark.parametrize("number", [17, 91_234, 777_777])
@pytest.mark.parametrize("target", TARGETS)
def test_the_error_rate_is_pythons_in_every_language(show_matrix, target, number):
    page = show_matrix(Alignment(number=number, language=target))
    page.wait_for_selector(".aln-matrix tbody tr")
    said = status(page)
    words = rows(page)
    if words != number_tokens(number, target):
        assert detokenize(number_tokens(number, target), target) in said
        return
    weights = torch_weights(f"en-{target}-additive", number, words)
    rate = alignment_error_rate(weights, number, "en", target)
    found = float(re.search(r"alignment error rate (\d\.\d\d)", said)[1])
    assert abs(found - rate) < 0.006


def test_marks_say_right_wrong_or_no_counterpart(show_matrix):
    page = show_matrix(Alignment(number=24))
    marks = page.evaluate(
        """() => [...document.querySelectorAll(".aln-matrix tbody tr")].map((row) =>
            row.querySelector("[data-mark]").dataset.mark)"""
    )
    gold = alignment(24)
    for t, weights in enumerate(shown(page)):
        known = {s for row, s in gold if row == t}
        hit = weights.index(max(weights)) in known
        assert marks[t] == ("hit" if hit else "miss" if known else "free")
    signs = page.locator("[data-mark]").first.evaluate(
        "cell => getComputedStyle(cell, '::after').content"
    )
    assert "✓" in signs or "✗" in signs or "•" in signs


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_stepping_back_and_forth(show_matrix, press):
    page = show_matrix(Alignment(number=2_487))

    def go(name: str, said: str) -> None:
        button = page.get_by_role("button", name=name)
        button.click() if press == "mouse" else button.press("Enter")
        says(page, said)

    expect(page.get_by_role("button", name="One word on")).to_be_disabled()
    go("One word back", "Word 7 of 8: “acht” looks at")
    go("One word back", "Word 6 of 8: “und” looks at")
    expect(page.locator("tr.future")).to_have_count(2)
    assert (
        page.locator(".aln-written").inner_text() == "zweitausendvierhundertsiebenund"
    )
    go("One word on", "Word 7 of 8: “acht” looks at")


def test_the_slider_and_its_ends(show_matrix):
    page = show_matrix(Alignment(number=2_487))
    slider = page.get_by_label("Words written")
    slider.press("Home")
    says(page, "nothing written yet")
    expect(page.get_by_role("button", name="One word back")).to_be_disabled()
    assert page.locator(".aln-written").inner_text() == ""
    slider.press("ArrowRight")
    says(page, "Word 1 of 8: “zwei” looks at two")
    assert slider.get_attribute("aria-valuetext") == "1 of 8 words"
    box = slider.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    says(page, "Word 4 of 8")


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_play_and_pause(show_matrix, press):
    page = show_matrix(Alignment(number=24))

    def go(name: str) -> None:
        button = page.get_by_role("button", name=name, exact=True)
        button.click() if press == "mouse" else button.press("Enter")

    go("Play")
    page.wait_for_selector("tr.current:nth-child(1)")
    go("Pause")
    halted = page.locator("tr.future").count()
    page.wait_for_timeout(900)
    assert page.locator("tr.future").count() == halted == 3
    go("Play")
    page.wait_for_function("() => !document.querySelector('tr.future')")
    page.get_by_role("button", name="Play", exact=True).wait_for()


def test_the_bars_are_the_current_row(show_matrix):
    page = show_matrix(Alignment(number=2_487))
    page.get_by_label("Words written").press("ArrowLeft")
    redrawn(page)
    bars = page.evaluate(
        """() => [...document.querySelectorAll(".aln-bar")].map((bar) =>
            Number(bar.style.getPropertyValue("--weight")))"""
    )
    assert bars == shown(page)[6]


def test_the_keyboard_reaches_every_cell(show_matrix):
    page = show_matrix(Alignment(number=24))  # 4 rows, 3 columns
    expect(page.locator('.aln-matrix [tabindex="0"]')).to_have_count(1)
    page.locator('.aln-matrix [tabindex="0"]').focus()
    place = """() => {
      const cell = document.activeElement;
      return [cell.parentElement.rowIndex - 1, cell.cellIndex - 1];
    }"""
    for key, where in [
        ("ArrowRight", [0, 1]),
        ("ArrowDown", [1, 1]),
        ("End", [1, 2]),
        ("ArrowRight", [1, 2]),
        ("Home", [1, 0]),
        ("ArrowUp", [0, 0]),
        ("ArrowUp", [0, 0]),
        ("ArrowRight", [0, 1]),
    ]:
        page.keyboard.press(key)
        assert page.evaluate(place) == where
    expect(page.locator('.aln-matrix [tabindex="0"]')).to_have_count(1)
    says(page, "“vier” → “four”: ")
    said = status(page)
    assert re.match(r"“vier” → “four”: \d\.\d\d, the strongest, known alignment", said)
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label == said.split(": ")[1].rstrip(".")
    page.keyboard.press("Enter")
    says(page, "Word 1 of 4")
    assert page.evaluate(place) == [0, 1]


def test_pointing_at_a_cell_tells_its_weight(show_matrix):
    page = show_matrix(Alignment(number=24))
    page.locator(".aln-matrix tbody td").nth(1).hover()
    readout = page.locator(".aln-readout")
    assert re.match(r"“vier” → “four”: \d\.\d\d", readout.inner_text())
    page.mouse.move(1, 1)
    assert readout.inner_text().startswith("Point at a cell")


@pytest.mark.touch
def test_tapping_a_cell_tells_its_weight(show_matrix):
    page = show_matrix(Alignment(number=24), width=390)
    readout = page.locator(".aln-readout")
    page.locator(".aln-matrix tbody td").nth(1).tap()
    says(page, "Word 1 of 4")
    redrawn(page)  # what a frame later would wipe, is wiped by now
    assert re.match(r"“vier” → “four”: \d\.\d\d", readout.inner_text())
    page.locator(".aln-matrix tbody td").nth(9).tap()
    says(page, "Word 4 of 4")
    redrawn(page)
    assert readout.inner_text().startswith("“zig” → “twenty”")


def test_enter_keeps_the_reading_of_a_cell(show_matrix):
    page = show_matrix(Alignment(number=24))
    page.locator(".aln-matrix tbody td").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    says(page, "Word 1 of 4")
    redrawn(page)
    assert page.locator(".aln-readout").inner_text().startswith("“vier” → “four”")


def test_equal_words_are_told_apart(show_matrix):
    page = show_matrix(Alignment(number=777_777))
    page.locator(".aln-matrix tbody td").first.hover()
    readout = page.locator(".aln-readout").inner_text()
    assert readout.startswith("the first “sieben” → the first “seven”: ")


def test_forced_colours_leave_the_fills(show_matrix):
    page = show_matrix(Alignment(number=24))
    page.emulate_media(forced_colors="active")
    grounds = page.locator(".aln-matrix tbody td").evaluate_all(
        "cells => cells.map((cell) => getComputedStyle(cell).backgroundColor)"
    )
    assert len(set(grounds)) > 3


def test_a_step_button_keeps_the_focus_at_the_end(show_matrix):
    page = show_matrix(Alignment(number=24, step=1))
    back = page.get_by_role("button", name="One word back")
    back.focus()
    page.keyboard.press("Enter")
    says(page, "nothing written yet")
    expect(back).to_be_disabled()
    expect(back).to_be_focused()
    page.keyboard.press("Enter")
    says(page, "nothing written yet")


def test_weights_that_cannot_be_loaded_are_answered(show_matrix, tmp_path):
    page = show_matrix(Alignment(number=24))
    script = tmp_path / "_static/attnlab-weights/en-da-additive.js"
    loads = script.read_text()
    script.unlink()
    script.write_text("")
    language = page.get_by_label("Into")
    for _ in range(2):
        language.select_option("da")
        says(page, "The weights “en-da-additive” are neither in this page nor beside")
        expect(language).to_have_value("de")
        assert rows(page) == number_tokens(24, "de")
        says(page, "Word 4 of 4")
    script.write_text(loads)
    language.select_option("da")
    expect(page.locator(".aln-matrix tbody th")).to_have_text(number_tokens(24, "da"))
    expect(page.get_by_role("status")).not_to_contain_text("neither")
    expect(language).to_have_value("da")


def test_clicking_a_row_goes_there(show_matrix):
    page = show_matrix(Alignment(number=2_487))
    page.locator(".aln-matrix tbody tr").nth(2).locator("td").nth(3).click()
    says(page, "Word 3 of 8: “vier”")


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_every_language_and_score_can_be_chosen(show_matrix, press):
    page = show_matrix(Alignment(number=24))

    def choose(label: str, value: str) -> None:
        menu = page.get_by_label(label, exact=True)
        if press == "mouse":
            menu.select_option(value)
        else:
            options = menu.locator("option").evaluate_all(
                "all => all.map(o => o.value)"
            )
            menu.press("Home")
            for _ in range(options.index(value)):
                menu.press("ArrowDown")
        page.wait_for_function(
            "() => document.querySelector('.al-note').hidden", timeout=5000
        )
        redrawn(page)
        page.wait_for_function("() => document.querySelector('.al-note').hidden")

    pairs = [("de", score) for score in SCORES] + [(t, SCORES[0]) for t in TARGETS]
    for target, score in pairs:
        choose("Into", target)
        choose("Score", score)
        words = rows(page)
        wanted = torch_weights(f"en-{target}-{score}", 24, words)
        assert (tensor(shown(page)) - wanted).abs().max() < 1e-3, (target, score)


def test_typing_another_number(show_matrix):
    page = show_matrix(Alignment())
    page.get_by_label("Number", exact=True).fill("345")
    says(page, "Word 6 of 6")
    assert page.locator(".aln-word").all_text_contents()[:-1] == number_tokens(
        345, "en"
    )


def test_bad_input_is_answered_and_the_picture_stays(show_matrix, bad_input):
    text, answer = bad_input
    page = show_matrix(Alignment(number=2_487))
    box = page.get_by_label("Number", exact=True)
    box.fill(text)
    expect(page.locator(".al-error")).to_contain_text(answer)
    assert box.get_attribute("aria-invalid") == "true"
    assert rows(page) == number_tokens(2_487, "de")
    assert page.evaluate("window.hacked") is None
    assert page.locator("figure img").count() == 0
    box.fill("12")
    expect(page.locator(".al-error")).to_be_empty()
    expect(page.locator(".aln-matrix tbody th")).to_have_text(["zwölf"])


def test_location_scores_reach_to_the_end_of_the_longest_number(show_matrix):
    page = show_matrix(Alignment(number=777_777_777_777, score="location"))
    page.wait_for_selector(".aln-matrix tbody tr")
    heads = page.locator(".aln-word").all_text_contents()
    assert heads == [*number_tokens(777_777_777_777, "en"), "end"]
    assert tensor(shown(page)).isfinite().all()
    says(page, "The translation is wrong; it should be")  # twice the trained length


@pytest.mark.parametrize("number", [7, 2_487, 777_777, 123_456_789_123])
def test_the_page_does_not_overflow(show_matrix, number):
    page = show_matrix(Alignment(number=number))
    for width in (1280, 768, 390, 360):
        page.set_viewport_size({"width": width, "height": 800})
        redrawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(show_matrix, violations, dark):
    page = show_matrix(
        Alignment(number=777_777, step=5), Alignment(number=7), dark=dark
    )
    assert violations(page) == []


def test_python_refuses_what_the_figure_does_not_have():
    for wrong in ({"language": "la"}, {"score": "sum"}, {"step": -1}):
        with pytest.raises(TraitError):
            Alignment(**wrong)
