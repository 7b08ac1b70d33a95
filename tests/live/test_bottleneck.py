"""The bottleneck figure in a page without a kernel, by mouse and keyboard."""

import re

import pytest
from drawing import redrawn
from playwright.sync_api import expect
from torch import tensor
from traitlets import TraitError

from attnlab.data import number_tokens
from attnlab.decoding import greedy
from attnlab.live import Bottleneck, load_weights


def says(page, text: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(text)


def source(page) -> str:
    return page.locator(".bn-source").inner_text()


def number_box(page):
    return page.get_by_label("Number", exact=True)


def answer_of(page, lane: int) -> str:
    """The tokens that the picture says a model wrote."""
    return (
        page.locator(".bn-lane")
        .nth(lane)
        .evaluate(
            """lane => [...lane.querySelectorAll(".bn-mark:not(.missing)")]
            .map(mark => (mark.querySelector("del") ?? mark).textContent)
            .join(" ")"""
        )
    )


def cells(page, lane: int) -> int:
    """How many cells the strips of a lane have."""
    return (
        page.locator(".strip-cells")
        .nth(lane)
        .evaluate(
            """strips => [...strips.querySelectorAll("path")].reduce(
            (sum, path) => sum + path.getAttribute("d").split("M").length - 1, 0)"""
        )
    )


def torch_answer(name: str, number: int) -> str:
    model, about = load_weights(name)
    ids = [about["src_tokens"].index(token) for token in number_tokens(number, "en")]
    tokens = greedy(model, tensor([[*ids, 2]]), 60)[0].tolist()
    return " ".join(about["tgt_tokens"][i] for i in tokens if i > 2)


@pytest.mark.parametrize("number", [7, 4_786, 345_678, 91_234_567])
def test_both_answers_are_pytorchs(show, number):
    page = show(Bottleneck(number=number, width=32))
    assert source(page) == " ".join(number_tokens(number, "en"))
    assert answer_of(page, 0) == torch_answer("en-de-gru-32", number)
    assert answer_of(page, 1) == torch_answer("en-de-attentive", number)


def test_it_opens_with_a_number_that_one_vector_loses(show):
    page = show(Bottleneck())
    says(
        page,
        "Without attention, width 32 and 18\u202f846 parameters: 9 of 13 words right",
    )
    says(
        page,
        "With attention, width 32 and 17\u202f310 parameters: 13 of 13 words right",
    )


def test_wrong_words_are_struck_out_and_what_should_stand_there_is_below(show):
    page = show(Bottleneck(number=345_678_912, width=16))  # surely wrong
    lane = page.locator(".bn-lane").first
    slip = lane.locator(".bn-mark.wrong").first
    assert slip.get_attribute("title")
    line = slip.locator("del").evaluate("e => getComputedStyle(e).textDecorationLine")
    assert line == "line-through"
    assert slip.locator("ins").inner_text() in number_tokens(345_678_912, "de")
    below = slip.locator("ins").bounding_box()["y"]
    assert below > slip.locator("del").bounding_box()["y"]
    right = lane.locator(".bn-mark.right").count()
    wanted = len(number_tokens(345_678_912, "de"))
    assert (
        f"✗\ufe0e {right} of {wanted} words right"
        in lane.locator(".bn-count").inner_text()
    )
    says(page, "it begins to go wrong at word")
    expect(lane.locator(".bn-mark.first")).to_have_count(1)


def test_longer_than_training_is_flagged(show):
    longest = load_weights("en-de-gru-32")[1]["digits"][1]
    page = show(Bottleneck(number=10**longest - 1))
    flag = page.get_by_text("longer than anything in training", exact=True)
    expect(flag).to_be_hidden()
    page.get_by_role("button", name="One digit longer").click()
    expect(flag).to_be_visible()
    says(page, f"{longest + 1} digits, longer than anything in training")


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_longer_and_shorter_move_one_digit(show, press):
    page = show(Bottleneck(number=3_456))
    longer = page.get_by_role("button", name="One digit longer")
    shorter = page.get_by_role("button", name="One digit shorter")
    box = number_box(page)

    def go(button):
        button.click() if press == "mouse" else button.press("Enter")

    go(longer)
    expect(box).to_have_value("34567")
    go(shorter)
    go(shorter)
    expect(box).to_have_value("345")
    expect(page.locator(".bn-source")).to_have_text("three hundred and forty five")
    says(page, "345, 3 digits")


def test_presses_faster_than_the_picture_count_all(show):
    page = show(Bottleneck(number=3_456))
    longer = page.get_by_role("button", name="One digit longer")
    longer.evaluate("button => { button.click(); button.click(); }")
    expect(number_box(page)).to_have_value("345678")


def test_the_ends_of_the_scale(show):
    page = show(Bottleneck(number=9))
    expect(page.get_by_role("button", name="One digit shorter")).to_be_disabled()
    slider = page.get_by_label("Digits", exact=True)
    slider.press("End")
    expect(number_box(page)).to_have_value(re.compile(r"^\d{12}$"))
    expect(page.get_by_role("button", name="One digit longer")).to_be_disabled()


@pytest.mark.parametrize(
    ("number", "name"), [(10, "One digit shorter"), (34567891234, "One digit longer")]
)
def test_a_button_keeps_the_focus_at_the_end_of_the_scale(show, number, name):
    page = show(Bottleneck(number=number))
    button = page.get_by_role("button", name=name)
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_be_disabled()
    expect(button).to_be_focused()
    before = number_box(page).input_value()
    page.keyboard.press("Enter")
    expect(number_box(page)).to_have_value(before)


def test_words_too_many_are_counted(show):
    page = show(Bottleneck(number=1000, width=32))
    lane = page.locator(".bn-lane").first
    extra = lane.locator(".bn-mark.extra").count()
    assert extra and lane.locator(".bn-mark:not(.right)").count() == extra
    wording = f"2 of 2 words right, and {extra} more besides"
    assert wording in lane.locator(".bn-count").inner_text()
    says(page, f"2 of 2 words right, and {extra} more besides; it begins")


def test_what_a_number_grows_into_depends_on_the_number_alone(show):
    page = show(Bottleneck(number=999_999_999_999))
    box = number_box(page)
    longer = page.get_by_role("button", name="One digit longer")
    grown = []
    for before in ("999999999999", "12", "7654"):
        box.fill(before)
        box.fill("7654")
        expect(page.locator(".bn-source")).to_have_text(
            " ".join(number_tokens(7654, "en"))
        )
        longer.click()
        expect(box).to_have_value(re.compile(r"^7654\d$"))
        grown.append(box.input_value())
    assert len(set(grown)) == 1


def test_the_slider_cuts_and_lengthens(show):
    page = show(Bottleneck(number=918_273))
    box = number_box(page)
    slider = page.get_by_label("Digits", exact=True)
    expect(slider).to_have_value("6")
    slider.press("Home")
    expect(box).to_have_value("9")
    expect(slider).to_have_attribute("aria-valuetext", "1 digit")
    for _ in range(2):
        slider.press("ArrowRight")
    expect(box).to_have_value(re.compile(r"^9\d\d$"))
    expect(slider).to_have_attribute("aria-valuetext", "3 digits")


def test_dragging_the_slider(show):
    page = show(Bottleneck())
    box = page.get_by_label("Digits", exact=True).bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 2, middle, steps=8)
    page.mouse.up()
    expect(number_box(page)).to_have_value("7")
    says(page, "7, 1 digit.")


def test_zero_can_grow(show):
    page = show(Bottleneck(number=0))
    page.get_by_role("button", name="One digit longer").click()
    expect(number_box(page)).to_have_value(re.compile(r"^[1-9]\d$"))


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_every_width_can_be_chosen(show, press):
    page = show(Bottleneck(number=345_678, width=16))
    for size in (32, 64, 128):
        radio = page.get_by_role("radio", name=str(size))
        if press == "mouse":
            radio.click()
        else:
            page.get_by_role("radio", checked=True).press("ArrowRight")
        page.wait_for_function(
            "size => document.querySelector('.bn-lane').innerText"
            ".includes(`one vector of ${size} entries`)",
            arg=size,
        )
        assert cells(page, 0) == size
        expect(radio).to_be_checked()
        assert answer_of(page, 0) == torch_answer(f"en-de-gru-{size}", 345_678)
        says(page, f"Without attention, width {size} and")


def test_large_weights_load_when_asked_for(show):
    page = show(Bottleneck())
    scripts = "[...document.scripts].filter(s => s.src.includes('gru-128')).length"
    assert page.evaluate(scripts) == 0
    page.get_by_role("radio", name="128").click()
    page.wait_for_function(f"{scripts} === 1")


def test_weights_that_cannot_be_loaded_are_answered(show, tmp_path):
    page = show(Bottleneck())
    script = tmp_path / "_static/attnlab-weights/en-de-gru-128.js"
    script.unlink()
    script.write_text("")
    page.get_by_role("radio", name="128").click()
    says(page, "The weights “en-de-gru-128” are neither in this page nor beside it.")
    expect(page.locator(".al-note").first).to_contain_text("neither in this page")
    expect(page.get_by_role("radio", name="32")).to_be_checked()
    assert "one vector of 32 entries" in page.locator(".bn-lane").first.inner_text()
    page.get_by_role("radio", name="16").click()
    expect(page.get_by_role("status")).not_to_contain_text("neither")
    page.wait_for_selector("text=one vector of 16 entries")


def test_the_state_has_one_size_and_the_memory_grows(show):
    page = show(Bottleneck(number=3, width=32))
    width = load_weights("en-de-attentive")[1]["config"]["d_model"]
    attentive = page.locator(".bn-lane").nth(1)
    expect(attentive).to_contain_text(f"2 vectors of {width} entries")
    assert (cells(page, 0), cells(page, 1)) == (32, 2 * width)
    page.get_by_label("Digits", exact=True).press("End")
    expect(number_box(page)).to_have_value(re.compile(r"^\d{12}$"))
    words = number_tokens(int(number_box(page).input_value()), "en")
    expect(attentive).to_contain_text(f"{len(words) + 1} vectors of {width} entries")
    assert (cells(page, 0), cells(page, 1)) == (32, (len(words) + 1) * width)


def test_the_chart_says_what_the_weights_say(show):
    page = show(Bottleneck(width=32))
    label = page.get_by_role("img").get_attribute("aria-label")
    for name in ("en-de-gru-32", "en-de-attentive"):
        exact = load_weights(name)[1]["exact_match"]
        listed = ", ".join(
            f"{n}: {int(100 * share + 0.5)}%" for n, share in exact.items() if n != "1"
        )
        assert listed in label
    assert "12: 0%" in label
    assert page.locator(".bn-chart text.now").text_content() == "6"
    dots = page.locator(".bn-chart rect.plain, .bn-chart circle.attentive")
    expect(dots).to_have_count(2 * 11)  # from two digits to twelve


@pytest.mark.parametrize(
    ("width", "height", "column"), [(1280, 800, 736), (390, 844, 390)]
)
@pytest.mark.parametrize("number", [786_291, 7_654])
def test_controls_answers_and_curve_share_one_screen(
    show, number, width, height, column
):
    page = show(Bottleneck(number=number), width=width)
    page.set_viewport_size({"width": width, "height": height})
    page.locator("main").evaluate(f"main => {{ main.style.maxWidth = '{column}px'; }}")
    redrawn(page)
    body = page.locator(".attnlab-body").bounding_box()
    assert body["height"] <= height


def test_few_stops_of_the_tab_key(show):
    page = show(Bottleneck())
    number_box(page).focus()
    stops = 1
    while page.evaluate("document.activeElement.closest('figure') !== null"):
        page.keyboard.press("Tab")
        stops += 1
    assert stops - 1 == 5  # box, shorter, longer, width, digits


def test_bad_input_is_answered_and_the_picture_stays(show, bad_input):
    text, answer = bad_input
    page = show(Bottleneck(number=345_678))
    before = source(page)
    number_box(page).fill(text)
    expect(page.locator(".al-error")).to_contain_text(answer)
    assert source(page) == before
    assert page.evaluate("window.hacked") is None
    assert page.locator("figure img").count() == 0
    number_box(page).fill("12")
    expect(page.locator(".al-error")).to_be_empty()
    expect(page.locator(".bn-source")).to_have_text("twelve")


@pytest.mark.parametrize("number", [5, 777_777, 777_777_777_777])
def test_nothing_overflows(show, number):
    page = show(Bottleneck(number=number))
    for width in (1280, 768, 390, 360):
        page.set_viewport_size({"width": width, "height": 800})
        redrawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(show, violations, dark):
    page = show(Bottleneck(number=345_678_912), Bottleneck(width=16), dark=dark)
    assert violations(page) == []


def test_python_refuses_a_width_that_was_not_trained():
    with pytest.raises(TraitError):
        Bottleneck(width=48)
