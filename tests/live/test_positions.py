"""The figure of positions: its arithmetic, and its use by hand and keyboard."""

import json
import re
from itertools import pairwise

import pytest
import torch
from drawing import in_column, on_phone, redrawn, span
from playwright.sync_api import expect
from traitlets import TraitError

from attnlab.live import Positions
from attnlab.positions import frequencies, shift_matrix, sinusoidal

TOLERANCE = 1e-9  # both compute in double precision
TABLES = [(10_000, 32, 64), (10_000, 128, 256), (10, 4, 64), (1, 2, 5), (2.5, 512, 512)]
SHIFTS = [0, 1, 7, -7, 511, -511]


def says(page, text: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(text)


def status(page) -> str:
    return page.get_by_role("status").inner_text()


def chips(page) -> list[str]:
    return page.locator(".pos-chip").all_text_contents()


def view(page, name: str) -> None:
    """Show one of the pictures."""
    page.get_by_role("radio", name=name, exact=True).check()


def press_try(page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


# The arithmetic ---------------------------------------------------------------------


@pytest.mark.parametrize(("base", "d", "n"), TABLES)
def test_the_table_is_pythons(page, modules, base, d, n):
    modules("math/sinusoids.js")
    found = page.evaluate(
        "([base, d, n]) => sinusoidTable(n, turnRates(d, base)).map((row) => [...row])",
        [base, d, n],
    )
    wanted = sinusoidal(n, d, base, dtype=torch.float64)
    found = torch.tensor(found, dtype=torch.float64)
    assert found.shape == wanted.shape
    assert (found - wanted).abs().max() < TOLERANCE


@pytest.mark.parametrize("k", SHIFTS)
@pytest.mark.parametrize(("base", "d"), [(10_000, 32), (10, 4), (1, 2), (2.5, 512)])
def test_the_rotation_is_pythons(page, modules, base, d, k):
    modules("math/sinusoids.js")
    blocks, moved = page.evaluate(
        """([base, d, k]) => {
          const rates = turnRates(d, base);
          const row = sinusoidRow(20, rates);
          return [Array.from(rates, (rate) => shiftBlock(k, rate)),
            [...shiftedRow(row, k, rates)]];
        }""",
        [base, d, k],
    )
    matrix = shift_matrix(k, d, base, dtype=torch.float64)
    blocks = torch.block_diag(*torch.tensor(blocks, dtype=torch.float64))
    assert (blocks - matrix).abs().max() < TOLERANCE
    row = sinusoidal(21, d, base, dtype=torch.float64)[20]
    moved = torch.tensor(moved, dtype=torch.float64)
    assert (moved - matrix @ row).abs().max() < TOLERANCE


@pytest.mark.parametrize(("base", "d", "n"), TABLES)
def test_the_kernel_and_what_is_read_off_it(page, modules, base, d, n):
    modules("math/sinusoids.js")
    kernel, alike, half = page.evaluate(
        """([base, d, n]) => {
          const rows = sinusoidTable(n, turnRates(d, base));
          const kernel = rowProducts(rows[3], rows).slice(3);
          return [[...kernel], firstLookAlike(kernel), firstBelowHalf(kernel)];
        }""",
        [base, d, n],
    )
    rows = sinusoidal(n, d, base, dtype=torch.float64)
    wanted = (rows @ rows[3])[3:]
    kernel = torch.tensor(kernel, dtype=torch.float64)
    assert (kernel - wanted).abs().max() < TOLERANCE
    assert alike == next((k for k in range(2, n - 3) if wanted[k] >= wanted[1]), None)
    assert half == next((k for k in range(n - 3) if wanted[k] < d / 4), None)


# What it shows ----------------------------------------------------------------------


def numbers_in_status(page) -> tuple[float, float]:
    """The product and the miss of the rotation, as the figure says them."""
    said = status(page).replace("−", "-")
    product = float(re.search(r"\) = (-?\d+\.\d\d) of", said)[1])
    miss = re.search(r"within (?:(\d)·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)|0)\.", said)
    if miss[1] is None:
        return product, 0.0
    exponent = miss[2].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    return product, float(miss[1]) * 10 ** int(exponent)


@pytest.mark.parametrize(
    "traits",
    [
        {},
        {"position": 45, "shift": -45},
        {"base": 10.0, "d": 4, "shift": 19},
        {"d": 128, "n": 256, "position": 200, "shift": 255},  # outside the table
        {"base": 1.0, "n": 2, "d": 2, "position": 1, "shift": 0},
    ],
)
def test_it_says_what_python_says(show, traits):
    figure = Positions(**traits)
    page = show(figure)
    base, d, p, k = figure.base, figure.d, figure.position, figure.shift
    last = max(p + k, p) + 1
    rows = sinusoidal(last, d, base, dtype=torch.float64)
    product, miss = numbers_in_status(page)
    if p + k >= 0:
        assert abs(product - rows[p] @ rows[p + k]) < 0.006
    assert miss < 1e-12
    kernel = rows.new_tensor(
        [torch.cos(j * frequencies(d, base)).sum() for j in range(figure.n)]
    )
    alike = next((j for j in range(2, figure.n) if kernel[j] >= kernel[1]), None)
    if alike is None:
        says(page, "No row farther off is as similar")
    else:
        says(page, f"The row {alike} away")


PIXELS = """() => {
  const canvas = document.querySelector(".pos-table canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return [canvas.width, canvas.height, [...data]];
}"""  # noqa: E501
GROUNDS = {False: (245, 247, 249), True: (29, 35, 43)}  # --al-panel
BLUES = {False: (0, 114, 178), True: (86, 180, 233)}  # --al-query
ORANGE = (230, 159, 0)  # --al-key


@pytest.mark.parametrize("dark", [False, True])
def test_the_cells_have_the_colours_of_the_table(show, dark):
    page = show(Positions(), dark=dark)
    width, height, data = page.evaluate(PIXELS)
    assert (width, height) == (32, 64)
    pixels = torch.tensor(data).view(64, 32, 4)[..., :3]
    table = sinusoidal(64, 32)[..., None]
    middle = torch.tensor(GROUNDS[dark]).float()
    end = torch.where(
        table > 0, torch.tensor(BLUES[dark]).float(), torch.tensor(ORANGE).float()
    )
    wanted = middle + table.abs() * (end - middle)
    assert (pixels - wanted).abs().max() <= 2  # rounded twice


def test_the_theme_recolours_the_table(show):
    page = show(Positions())
    before = page.evaluate(PIXELS)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.locator('figure[data-theme="dark"]').wait_for()
    assert page.evaluate(PIXELS) != before


def test_paper_is_light(show):
    page = show(Positions(), dark=True)
    before = page.evaluate(PIXELS)
    page.emulate_media(media="print")
    redrawn(page)
    on_paper = page.evaluate(PIXELS)
    assert on_paper != before
    page.emulate_media(media="screen")
    redrawn(page)
    assert page.evaluate(PIXELS) == before
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    redrawn(page)
    assert page.evaluate(PIXELS) == on_paper


def turned(page) -> list[str]:
    return page.locator(".pos-dial:visible .pos-turned").all_text_contents()


def hand_angles(page) -> list[list[float]]:
    """Degrees of both hands of every dial."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".pos-dial")].map((dial) =>
          ["first", "second"].map((name) => Number(dial.querySelector(`.${name}`)
            .getAttribute("transform").match(/-?[\\d.]+/)[0])))"""
    )


def test_moving_p_turns_the_hands_and_leaves_arcs_curve_and_rotation(show):
    page = show(Positions())

    def still():
        return (
            turned(page),
            page.locator(".pos-plot .whole").get_attribute("d"),
            page.locator(".pos-bracket").first.inner_text(),
            page.locator(".pos-dot").get_attribute("style"),
        )

    arcs, angles = still(), hand_angles(page)
    page.get_by_label("Position p, slider").press("Home")
    says(page, "From p = 0 to p + k = 7")
    assert still() == arcs
    assert hand_angles(page) != angles
    wanted = torch.rad2deg(7 * frequencies(32)[[0, 3, 6, 9, 12, 15]])
    differences = torch.tensor(hand_angles(page)).diff(dim=1)[:, 0] % 360
    assert (differences - wanted % 360).abs().max() < 0.01
    assert turned(page)[:3] == ["1.11 turns", "71.3°", "12.7°"]


def test_a_negative_shift_turns_back_and_has_the_same_product(show):
    page = show(Positions())
    product, _ = numbers_in_status(page)
    press_try(page, "k = −7")
    says(page, "From p = 20 to p + k = 13")
    assert numbers_in_status(page)[0] == product
    assert turned(page)[1] == "71.3° back"


@pytest.mark.parametrize(("d", "dials"), [(2, 1), (4, 2), (12, 6), (14, 6), (512, 6)])
def test_a_handful_of_hands_from_the_fastest_to_the_slowest(show, d, dials):
    page = show(Positions(d=d))
    names = page.locator(".pos-dial:visible .pos-dims").all_text_contents()
    assert len(names) == dials
    assert names[0] == "dims 0, 1"
    assert names[-1] == f"dims {d - 2}, {d - 1}"
    checked = page.locator(".pos-dial input:checked")
    expect(checked).to_have_count(1)
    expect(checked.locator("..")).to_be_visible()


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_choosing_a_hand_shows_its_block(show, press):
    page = show(Positions())
    if press == "mouse":
        page.locator(".pos-dial").nth(2).click()
    else:
        page.locator(".pos-dial input").nth(1).press("ArrowRight")
    expect(page.locator(".pos-numbers")).to_contain_text("dimensions 12 and 13")
    numbers = page.locator(".pos-bracket span").all_text_contents()
    found = torch.tensor([float(text.replace("−", "-")) for text in numbers])
    block = shift_matrix(7, 32)[12:14, 12:14].flatten()
    rows = sinusoidal(28, 32)
    wanted = torch.cat([block, rows[20, 12:14], rows[27, 12:14]])
    assert (found - wanted).abs().max() < 0.006
    label = page.locator(".pos-equation").get_attribute("aria-label")
    assert " times " in label
    expect(page.locator(".pos-ticks .chosen")).to_have_count(1)


def test_every_try_shows_what_it_is_about(show):
    page = show(Positions())
    start = status(page)
    press_try(page, "p = 45")
    says(page, "From p = 45 to p + k = 52")
    press_try(page, "base 10")
    says(page, "first falls below half at distance 3.")
    says(page, "No row farther off is as similar as the neighbouring one (cosine 0.88)")
    press_try(page, "base 10, d = 4")
    says(page, "The row 19 away (cosine 0.98) is at least as similar as the neighbour")
    view(page, "Kernel")
    expect(page.locator(".pos-ring").first).to_be_visible()
    press_try(page, "base 1")
    says(page, "PE(20)·PE(64) = 16.00 of 16")
    press_try(page, "the start")
    says(page, "From p = 20 to p + k = 27")
    page.wait_for_timeout(300)
    assert status(page) == start
    expect(page.locator(".pos-ring").first).to_be_hidden()


# How it is used ---------------------------------------------------------------------


def test_dragging_the_rows_of_the_table(show):
    page = show(Positions())
    box = page.locator(".pos-cells").bounding_box()

    def at(row: int) -> tuple[float, float]:
        return box["x"] + 50, box["y"] + (row + 0.5) / 64 * box["height"]

    page.mouse.move(*at(3))
    page.mouse.down()
    says(page, "From p = 3 to p + k = 10")
    page.mouse.move(*at(12))
    says(page, "From p = 12 to p + k = 19")
    page.mouse.up()
    page.mouse.move(*at(30))  # no longer held
    page.mouse.move(*at(19))  # the second row moves by itself
    page.mouse.down()
    page.mouse.move(*at(9))
    says(page, "From p = 12 to p + k = 9")
    page.mouse.up()
    expect(page.get_by_label("Shift k", exact=True)).to_have_value("-3")


@pytest.mark.touch
def test_fingers_tap_the_table_and_drag_its_handles(show):
    page = show(Positions(), width=390)
    view(page, "Table")
    box = page.locator(".pos-cells").bounding_box()
    page.touchscreen.tap(box["x"] + 20, box["y"] + 2.5 / 64 * box["height"])
    says(page, "From p = 2 to p + k = 9")
    track = page.locator(".pos-track.second").bounding_box()
    page.touchscreen.tap(track["x"] + 9, track["y"] + 40.5 / 64 * box["height"])
    says(page, "From p = 2 to p + k = 40")
    assert chips(page) == ["p 2", "p+k 40"]


@pytest.mark.touch
def test_a_finger_drags_a_handle_and_scrolls_on_the_table(show):
    page = show(Positions(), width=390)
    view(page, "Table")
    page.locator(".pos-cells").scroll_into_view_if_needed()
    fingers = page.context.new_cdp_session(page)

    def drag(where: str, start: int, end: int) -> None:
        box = page.locator(where).bounding_box()
        cells = page.locator(".pos-cells").bounding_box()

        def touch(kind: str, row: int | None = None) -> None:
            points = []
            if row is not None:
                y = cells["y"] + (row + 0.5) / 64 * cells["height"]
                points = [{"x": box["x"] + 20, "y": y}]
            fingers.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points}
            )

        touch("touchStart", start)
        for row in range(start, end, 1 if end > start else -1):
            touch("touchMove", row)
        touch("touchMove", end)
        touch("touchEnd")

    drag(".pos-track.second", 27, 50)
    says(page, "From p = 20 to p + k = 50")
    drag(".pos-track >> nth=0", 20, 5)
    says(page, "From p = 5 to p + k = 35")
    drag(".pos-cells", 40, 10)
    page.wait_for_timeout(300)
    says(page, "From p = 5 to p + k = 35")
    assert page.evaluate("scrollY") > 0


def test_dragging_the_curve_sets_the_shift(show):
    page = show(Positions())
    view(page, "Kernel")
    plot = page.locator(".pos-plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.click(box["x"] + box["width"] * (63 - 20) / 126, box["y"] + 30)
    says(page, "From p = 20 to p + k = 0")
    page.mouse.click(box["x"] + box["width"] - 1, box["y"] + 30)
    says(page, "From p = 20 to p + k = 83")
    says(page, "Position 83 lies outside the table")
    assert chips(page)[1] == "▾ 83"
    assert page.locator(".pos-mark.second").is_hidden()


def test_every_control_by_keyboard(show):
    page = show(Positions())
    for label, key, said in [
        ("Position p, slider", "ArrowRight", "From p = 21 to p + k = 28"),
        ("Shift k, slider", "ArrowLeft", "From p = 21 to p + k = 27"),
        ("Base, slider", "Home", "the slowest by 344°"),  # 6 radians
        ("Width d, slider", "Home", "the hand turns by"),
        ("Length n, slider", "Home", "From p = 1 to p + k = 2"),
        ("Width d", "ArrowUp", "of 2."),
    ]:
        page.get_by_label(label, exact=True).press(key)
        says(page, said)
    expect(page.get_by_label("Width d", exact=True)).to_have_value("4")
    slider = page.get_by_label("Base, slider")
    assert slider.get_attribute("aria-valuetext") == "1"


def test_the_status_changes_with_every_control(show):
    page = show(Positions())
    texts = [status(page)]

    def look() -> None:
        page.wait_for_timeout(250)
        texts.append(status(page))

    for label in ("Base", "Width d", "Length n", "Position p", "Shift k"):
        page.get_by_label(f"{label}, slider").press("ArrowRight")
        look()
        page.get_by_label(label, exact=True).press("ArrowUp")
        look()
    for slot in (0, 2, 5):
        page.locator(".pos-dial").nth(slot).click()
        look()
    for y, place in enumerate((".pos-track", ".pos-track.second", ".pos-cells")):
        page.locator(place).first.click(position={"x": 20, "y": 15 + 45 * y})
        look()
    view(page, "Kernel")
    page.locator(".pos-plot").click(position={"x": 20, "y": 60})
    look()
    for name in ("p = 45", "k = −7", "base 10", "base 1", "the start"):
        press_try(page, name)
        look()
    same = [now for before, now in pairwise(texts) if before == now]
    assert same == []


def test_a_shorter_table_draws_position_and_shift_in(show):
    page = show(Positions(position=60, shift=-40))
    page.get_by_label("Length n", exact=True).fill("16")
    says(page, "From p = 15 to p + k = 0")
    expect(page.get_by_label("Position p", exact=True)).to_have_value("15")
    expect(page.get_by_label("Shift k", exact=True)).to_have_value("-15")


def test_typing_a_length_leaves_position_and_shift(show):
    page = show(Positions(position=50, shift=-40))
    box = page.get_by_label("Length n", exact=True)
    box.fill("")
    box.press_sequentially("128", delay=60)  # by way of 12
    expect(page.locator(".pos-table canvas")).to_have_attribute("height", "128")
    says(page, "From p = 50 to p + k = 10")


@pytest.mark.parametrize(
    ("label", "text", "answer"),
    [
        ("Base", "", "Please type a base"),
        ("Base", "0", "A base of 0 gives no frequencies"),
        ("Base", "-3", "goes from 1 to 1 000 000"),
        ("Base", "1e99", "goes from 1 to 1 000 000"),
        ("Base", "Infinity", "goes from 1 to 1 000 000"),
        ("Base", "ten", "Please type a base"),
        ("Width d", "33", "d = 33 is odd"),
        ("Width d", "", "whole number from 2 to 512"),
        ("Width d", "0", "from 2 to 512"),
        ("Width d", "100000", "from 2 to 512"),
        ("Length n", "12.5", "not whole"),
        ("Length n", "999999999999999999999", "outside"),
        ("Position p", "64", "from 0 to 63"),
        ("Position p", "-1", "from 0 to 63"),
        ("Shift k", "64", "from −63 to 63"),
        ("Shift k", "-", "whole number from −63 to 63"),
        ("Shift k", '<img src=x onerror="window.hacked = 1">', "whole number"),
    ],
)
def test_bad_input_is_answered_and_the_picture_stays(show, label, text, answer):
    page = show(Positions())
    before = status(page)
    box = page.get_by_label(label, exact=True)
    box.fill(text)
    complaint = page.locator(f"#{box.get_attribute('aria-describedby')}")
    expect(complaint).to_contain_text(answer)
    assert box.get_attribute("aria-invalid") == "true"
    assert status(page) == before
    assert page.evaluate("window.hacked") is None
    press_try(page, "the start")  # what was typed in vain goes
    expect(complaint).to_be_empty()
    assert (
        box.input_value()
        == {
            "Base": "10000",
            "Width d": "32",
            "Length n": "64",
            "Position p": "20",
            "Shift k": "7",
        }[label]
    )


@pytest.mark.parametrize(
    ("typed", "base"), [("10,000", 10_000), ("20 000", 20_000), ("2,5", 2.5)]
)
def test_a_base_is_read_as_it_is_written(show, typed, base):
    page = show(Positions(base=10.0))
    page.get_by_label("Base", exact=True).fill(typed)
    rows = sinusoidal(28, 32, base=base)
    says(page, f"PE(20)·PE(27) = {rows[20] @ rows[27]:.2f}".replace("-", "−"))


def test_what_was_refused_goes_once_something_else_changes(show):
    page = show(Positions())
    box = page.get_by_label("Position p", exact=True)
    box.fill("100")
    expect(page.locator(".al-error:not(:empty)")).to_contain_text("from 0 to 63")
    page.get_by_label("Length n", exact=True).fill("128")
    expect(page.locator(".al-error:not(:empty)")).to_have_count(0)
    expect(box).to_have_value("20")


def test_no_zero_has_a_minus_sign(show):
    page = show(Positions(base=2.5, position=0, shift=63))
    view(page, "Kernel")
    text = page.locator("figure").inner_text()
    assert "= −0.0" in text  # the product
    assert "cosine 0.00" in text


def test_two_figures_do_not_share_their_hands(show):
    page = show(Positions(), Positions(d=8))
    page.locator(".pos-dials").first.locator(".pos-dial").nth(4).click()
    checked = page.locator(".pos-dial input:checked")
    assert [box.input_value() for box in checked.all()] == ["4", "1"]
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_one_of_three_pictures_stands_beside_the_table(show, press):
    page = show(Positions())
    in_column(page)
    expect(page.get_by_role("radio", name="Table", exact=True)).to_be_hidden()
    expect(page.get_by_role("radio", name="Hands")).to_be_checked()
    for name in ("hands", "kernel", "rotation"):
        assert panels(page) == ["table", name]
        if press == "mouse":
            later = {"hands": "Kernel", "kernel": "Rotation", "rotation": "Hands"}[name]
            view(page, later)
        else:
            page.locator(".pos-choice input:checked").press("ArrowRight")
    assert panels(page) == ["table", "hands"]


def test_on_a_phone_one_of_four_pictures(show):
    page = show(Positions(), width=390)
    assert panels(page) == ["table"]
    for name in ("Hands", "Kernel", "Rotation", "Table"):
        view(page, name)
        assert panels(page) == [name.lower()]


def test_a_phone_turned_on_its_side_shows_the_table_beside_another(show):
    page = show(Positions(n=128), width=390)
    view(page, "Hands")
    page.set_viewport_size({"width": 844, "height": 390})
    redrawn(page)
    assert panels(page) == ["table", "hands"]
    on_phone(page)
    view(page, "Table")
    assert not blurred(page)
    page.set_viewport_size({"width": 844, "height": 390})
    redrawn(page)
    assert panels(page) == ["table", "hands"]
    assert not blurred(page)


def panels(page) -> list[str]:
    """The pictures in view."""
    names = page.locator(".pos-panel:visible").evaluate_all(
        "all => all.map((panel) => panel.className.match(/pos-(?!panel)(\\w+)/)[1])"
    )
    redrawn(page)
    return names


def blurred(page) -> bool:
    canvas = page.locator(".pos-table canvas")
    rendering = canvas.evaluate("canvas => getComputedStyle(canvas).imageRendering")
    return rendering != "pixelated"


@pytest.mark.parametrize("d", [2, 32, 512])
def test_the_page_does_not_overflow(show, d):
    page = show(Positions(d=d, n=512, position=511, shift=-511, base=10))
    for width in (1280, 768, 390, 360, 320):
        page.set_viewport_size({"width": width, "height": 800})
        redrawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(show, violations, dark):
    page = show(Positions(), Positions(base=10, d=4, shift=19), dark=dark)
    page.get_by_label("Width d", exact=True).first.fill("33")
    assert violations(page) == []


def test_forced_colours_leave_the_cells(show):
    page = show(Positions())
    page.emulate_media(forced_colors="active")
    redrawn(page)
    width, height, data = page.evaluate(PIXELS)
    pixels = torch.tensor(data).view(height * width, 4)
    assert len(pixels.unique(dim=0)) > 20


# From Python's side -----------------------------------------------------------------


def test_state_and_html_hold_the_traits():
    figure = Positions(base=10, shift=-3)
    assert repr(figure) == "Positions(base=10.0, d=32, n=64, position=20, shift=-3)"
    data = re.search(
        r'<script type="application/json">(.*?)</script>', figure._repr_html_()
    )
    state = json.loads(data[1])["state"]
    assert {name: state[name] for name in figure.state()} == figure.state()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"d": 33}, "d=33 is odd"),
        ({"d": 0}, "0"),
        ({"d": 32.5}, "int"),
        ({"base": 0}, "0"),
        ({"base": float("nan")}, "must be a number"),
        ({"base": 1e9}, "1000000000"),
        ({"n": 1}, "1"),
        ({"position": 64}, "position must be 0 … 63"),
        ({"position": -1}, "-1"),
        ({"n": 8, "position": 8}, "n=8, got 8"),
        ({"shift": 64}, "shift must be −63 … 63|shift must be -63 … 63"),
    ],
)
def test_python_refuses_what_the_figure_does_not_have(wrong, message):
    with pytest.raises(TraitError, match=message):
        Positions(**wrong)


def test_a_shorter_table_draws_in_python_too():
    figure = Positions(n=16)
    assert (figure.position, figure.shift) == (15, 7)
    figure.n = 4
    assert (figure.position, figure.shift) == (3, 3)
    figure.d = 64
    with pytest.raises(TraitError, match="odd"):
        figure.d = 65
    assert figure.d == 64


VIEWS = ("Hands", "Kernel", "Rotation")
LONGEST = {"base": 10.0, "d": 4, "position": 60, "shift": 44}  # many words


@pytest.mark.parametrize(("traits", "most"), [({}, 790), (LONGEST, 800)])
def test_it_is_one_screen_high(show, traits, most):
    page = show(Positions(**traits))
    in_column(page)
    heights = set()
    for name in VIEWS:
        view(page, name)
        heights.add(page.locator("figure").bounding_box()["height"])
    assert max(heights) <= most
    assert len(heights) == 1  # nothing jumps


def test_on_a_phone_all_controls_share_a_screen_with_every_picture(show):
    page = show(Positions(), width=390)
    on_phone(page)
    heights = set()
    for name in ("Table", *VIEWS):
        view(page, name)
        assert span(page, ".pos-try", ".pos-views") <= 760
        assert span(page, ".pos-controls", ".pos-views") <= 640
        heights.add(page.locator("figure").bounding_box()["height"])
    assert max(heights) <= 1150
    assert len(heights) == 1
