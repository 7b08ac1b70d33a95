"""The figure of influence in a page without a kernel, by mouse and keyboard."""

import re

import pytest
from drawing import redrawn
from playwright.sync_api import expect
from torch import tensor
from traitlets import TraitError

from attnlab.data import alignment, number_tokens
from attnlab.experiments.influence import measure_gradients, target_gradients
from attnlab.live import Influence, load_weights


def says(page, text: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(text)


def number_box(page):
    return page.get_by_label("Number", exact=True)


def drawn(page, words: list[str]):
    """The matrix, (words written, English words), once these words are written."""
    expect(page.locator(".aln-matrix tbody th")).to_have_text(words)
    return tensor(
        page.evaluate(
            """() => [...document.querySelectorAll(".aln-matrix tbody tr")].map((row) =>
            [...row.querySelectorAll("td")].map((cell) =>
                Number(cell.style.getPropertyValue("--weight"))))"""
        )
    )


def by_torch(name: str, number: int):
    """Rows of words and columns of English words, each row over its largest."""
    words = number_tokens(number, "de"), number_tokens(number, "en")
    table = target_gradients(load_weights(name)[0], [number])[0]
    table = table[: len(words[0]), : len(words[1])]
    return table / table.amax(dim=1, keepdim=True)


NETWORKS = [
    ("en-de-gru-64", {"width": 64}),
    ("en-de-gru-128", {"width": 128}),
    ("en-de-attentive", {"network": "attentive"}),
]


@pytest.mark.parametrize(("name", "traits"), NETWORKS)
@pytest.mark.parametrize("number", [7, 2_487, 345_678])
def test_the_matrix_is_pytorchs(show_matrix, name, traits, number):
    page = show_matrix(Influence(number=number, **traits))
    matrix = drawn(page, number_tokens(number, "de"))
    assert (matrix - by_torch(name, number)).abs().max() < 1e-3  # three decimals
    heads = page.locator(".aln-word").all_text_contents()
    assert heads == number_tokens(number, "en")


@pytest.mark.parametrize(("name", "traits"), NETWORKS)
@pytest.mark.parametrize("number", [2_487, 345_678])
def test_the_counts_are_those_of_the_study(show_matrix, name, traits, number):
    page = show_matrix(Influence(number=number, **traits))
    drawn(page, number_tokens(number, "de"))
    links, top = alignment(number), by_torch(name, number).argmax(dim=1).tolist()
    judged = {t for t, _ in links}
    hits = sum((t, top[t]) in links for t in judged)
    says(page, f"the one it translates: {hits} of {len(judged)}.")
    said = page.get_by_role("status").inner_text()
    few, many = re.search(r"digits alone: (\d) of (\d)", said).groups()
    wanted = measure_gradients(load_weights(name)[0], [number])["right_word"]
    assert int(few) / int(many) == pytest.approx(wanted)


def test_known_counterparts_are_outlined(show_matrix):
    page = show_matrix(Influence(number=2_487))
    drawn(page, number_tokens(2_487, "de"))
    outlined = page.evaluate(
        """() => [...document.querySelectorAll(".aln-matrix tbody tr")].flatMap(
            (row, t) => [...row.querySelectorAll("td")].flatMap((cell, s) =>
                cell.classList.contains("gold") ? [[t, s]] : []))"""
    )
    assert {tuple(link) for link in outlined} == alignment(2_487)


def test_a_wrong_translation_has_no_counterparts(show_matrix):
    page = show_matrix(Influence(number=786_291, width=32))
    says(page, "which should be “siebenhundertsechsundachtzigtausend")
    says(page, "there are no counterparts to count")
    expect(page.locator(".inf-output")).to_contain_text("wrongly")
    expect(page.locator("td.gold")).to_have_count(0)


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_the_switch_between_the_networks(show_matrix, press):
    page = show_matrix(Influence())
    says(page, "2\u202f487, without attention, width 64")
    group = page.get_by_role("group", name="Network")
    if press == "mouse":
        group.get_by_label("with attention", exact=True).check()
    else:
        group.get_by_role("radio", checked=True).press("ArrowRight")
    says(page, "2\u202f487, with attention, becomes")
    expect(page.get_by_role("group", name="Its width")).to_be_hidden()
    matrix = drawn(page, number_tokens(2_487, "de"))
    assert (matrix - by_torch("en-de-attentive", 2_487)).abs().max() < 1e-3


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_every_width_can_be_chosen(show_matrix, press):
    page = show_matrix(Influence(number=24, width=16))
    group = page.get_by_role("group", name="Its width")
    for width in (32, 64, 128):
        if press == "mouse":
            group.get_by_label(str(width), exact=True).check()
        else:
            group.get_by_role("radio", checked=True).press("ArrowRight")
        says(page, f"24, without attention, width {width},")


def test_pressing_a_row_shows_and_tells_it(show_matrix):
    page = show_matrix(Influence())
    says(page, "Word 1, “zwei”, is moved most by")
    page.locator(".aln-matrix tbody tr").nth(2).locator("td").first.click()
    says(page, "Word 3, “vier”, is moved most by four 1.00")
    redrawn(page)
    bars = page.evaluate(
        """() => [...document.querySelectorAll(".aln-bar")].map((bar) =>
            Number(bar.style.getPropertyValue("--weight")))"""
    )
    assert bars == pytest.approx(drawn(page, number_tokens(2_487, "de"))[2].tolist())


def test_cells_are_read_by_keyboard_and_computed_once(show_matrix):
    page = show_matrix(Influence(number=24))
    drawn(page, number_tokens(24, "de"))
    page.evaluate(
        """() => {
          const { tanh } = Math;
          globalThis.calls = 0;
          Math.tanh = (x) => { calls += 1; return tanh(x); };
        }"""
    )
    page.locator('.aln-matrix [tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    says(page, "“vier” → “four”: ")
    page.locator(".aln-matrix tbody td").nth(2).hover()
    redrawn(page)
    assert page.evaluate("calls") == 0  # no network runs for a cell
    number_box(page).fill("25")
    drawn(page, number_tokens(25, "de"))
    assert page.evaluate("calls") > 0


@pytest.mark.touch
def test_a_finger_reads_a_cell(show_matrix):
    page = show_matrix(Influence(number=24), width=390)
    page.locator(".aln-matrix tbody td").nth(1).tap()
    readout = page.locator(".aln-readout")
    expect(readout).to_contain_text(re.compile(r"^“vier” → “four”: \d\.\d\d"))


def test_weights_wait_for_the_reader(show_matrix):
    figure = Influence()
    assert figure._weights == {}
    page = show_matrix(figure)
    scripts = "[...document.scripts].filter(s => s.src.includes('gru-64')).length"
    page.wait_for_function(f"{scripts} === 1")  # it is in the window


def test_far_below_the_window_nothing_is_loaded(show_matrix, tmp_path):
    page = show_matrix(Influence())
    html = (tmp_path / "page.html").read_text("utf-8")
    far = html.replace("<h1>", '<h1 style="margin-bottom: 5000px">')
    (tmp_path / "page.html").write_text(far, "utf-8")
    page.reload()
    page.wait_for_selector(".attnlab-body > *")
    page.wait_for_timeout(500)
    scripts = "[...document.scripts].filter(s => s.src.includes('gru-64')).length"
    assert page.evaluate(scripts) == 0
    page.locator("figure").scroll_into_view_if_needed()
    says(page, "2\u202f487, without attention")
    assert page.evaluate(scripts) == 1


def test_weights_that_cannot_be_loaded_are_answered(show_matrix, tmp_path):
    page = show_matrix(Influence())
    says(page, "width 64")
    script = tmp_path / "_static/attnlab-weights/en-de-gru-128.js"
    script.unlink()
    script.write_text("")
    group = page.get_by_role("group", name="Its width")
    group.get_by_label("128", exact=True).click()  # and back, as soon as that fails
    says(page, "The weights “en-de-gru-128” are neither in this page nor beside it.")
    expect(group.get_by_label("64", exact=True)).to_be_checked()


def test_bad_input_is_answered_and_the_picture_stays(show_matrix, bad_input):
    text, answer = bad_input
    page = show_matrix(Influence())
    drawn(page, number_tokens(2_487, "de"))
    number_box(page).fill(text)
    expect(page.locator(".al-error")).to_contain_text(answer)
    drawn(page, number_tokens(2_487, "de"))
    assert page.evaluate("window.hacked") is None
    number_box(page).fill("12")
    expect(page.locator(".al-error")).to_be_empty()
    drawn(page, ["zwölf"])


def test_numbers_longer_than_training_are_refused(show_matrix):
    page = show_matrix(Influence())
    drawn(page, number_tokens(2_487, "de"))
    number_box(page).fill("1000000000")
    expect(page.locator(".al-error")).to_contain_text(
        "too large. The largest here is 999 999 999."
    )
    with pytest.raises(TraitError):
        Influence(number=10**9)


@pytest.mark.parametrize("number", [5, 777_777, 777_777_777])
def test_nothing_overflows(show_matrix, number):
    page = show_matrix(Influence(number=number))
    page.wait_for_selector(".aln-matrix tbody tr")
    for width in (1280, 768, 390, 360):
        page.set_viewport_size({"width": width, "height": 800})
        redrawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("width", "height", "column"), [(1280, 800, 736), (390, 844, 390)]
)
def test_controls_and_matrix_share_one_screen(show_matrix, width, height, column):
    page = show_matrix(Influence(), width=width)
    page.set_viewport_size({"width": width, "height": height})
    main = page.locator("main")
    main.evaluate(f"main => {{ main.style.maxWidth = '{column}px'; }}")
    drawn(page, number_tokens(2_487, "de"))
    top = page.locator(".al-controls").bounding_box()["y"]
    matrix = page.locator(".aln-scroll").bounding_box()
    assert matrix["y"] + matrix["height"] - top <= height


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(show_matrix, violations, dark):
    page = show_matrix(
        Influence(number=777_777), Influence(network="attentive"), dark=dark
    )
    expect(page.locator(".aln-matrix tbody")).to_have_count(2)
    assert violations(page) == []


def test_python_refuses_what_there_is_not():
    for wrong in ({"width": 48}, {"network": "none"}, {"number": -1}):
        with pytest.raises(TraitError):
            Influence(**wrong)
