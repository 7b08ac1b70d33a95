"""The look-up figure: its arithmetic, and its page by mouse, finger and keyboard."""

import json
import math
import re

import pytest
import torch
from drawing import WIDE_HEIGHT, in_column, on_phone, redrawn, span
from playwright.sync_api import expect
from traitlets import TraitError

from attnlab.attention import scaled_dot_product_attention
from attnlab.live import LookUp

NOTHING = [[False] * 4, [True] * 4]
TRIES = ("One value", "Mean of two", "A zero query", "Nothing allowed")
TRIES += ("A key worth 0", "A key nobody finds")


def says(page, text: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(text)


def status(page) -> str:
    return page.get_by_role("status").inner_text()


def vector(page, name: str):
    """The handle of "Query 1" or "Key 2"."""
    return page.get_by_role("button", name=re.compile(rf"^{name} at"))


def at(page, name: str) -> list[float]:
    label = vector(page, name).get_attribute("aria-label")
    found = re.search(r"at \((.*?), (.*?)\)", label).groups()
    return [float(x.replace("−", "-")) for x in found]


def try_out(page, name: str) -> None:
    menu = page.get_by_label("Try")
    menu.focus()  # as mouse and keyboard do
    menu.select_option(label=name)


def start_again(page) -> None:
    page.get_by_role("button", name="Start again").click()


def query_radio(page, number: int):
    """What shows the steps of a query."""
    return page.get_by_role("radio", name=re.compile(rf"^q{number}"))


def typed(page, label: str):
    """A box for a coordinate, in the part of the figure that opens."""
    details = page.locator(".lu-coordinates")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    return page.get_by_label(label, exact=True)


def shown(page) -> tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the weights that the page's matrix holds, to six decimals."""
    rows = page.evaluate(
        """() => [...document.querySelectorAll(".lu-matrix tbody tr")].map((row) =>
            [...row.querySelectorAll("data")].map((data) => Number(data.value)))"""
    )
    table = torch.tensor(rows, dtype=torch.float64)
    return table[:, -1], table[:, :-1]


def agree(page, figure: LookUp) -> None:
    for found, wanted in zip(shown(page), figure.attend(), strict=True):
        assert (found - wanted).abs().max() < 1e-4


def random_states(count: int) -> list[dict]:
    draw = torch.Generator().manual_seed(0)
    states = []
    for n in range(count):
        l_q, l_k = 1 + n % 3, 2 + n % 5
        states.append(
            {
                "query": (torch.rand(l_q, 2, generator=draw) * 8 - 4).tolist(),
                "key": (torch.rand(l_k, 2, generator=draw) * 8 - 4).tolist(),
                "value": (torch.rand(l_k, generator=draw) * 200 - 100).tolist(),
                "temperature": 10 ** (torch.rand(1, generator=draw).item() * 4 - 2),
                "scale": n % 2 == 0,
                "mask": (torch.rand(l_q, l_k, generator=draw) < 0.6).tolist(),
            }
        )
    return states


# The arithmetic -----------------------------------------------------------------------


def test_its_arithmetic_is_pytorchs(page, modules):
    modules("figures/lookup/attend.js")
    states = random_states(60)
    assert any(not any(row) for state in states for row in state["mask"])
    for state in states:
        result = page.evaluate("(state) => lookUp(state)", state)
        output, weights = LookUp(**state).attend()
        assert (torch.tensor(result["weights"]) - weights).abs().max() < 1e-4
        assert (torch.tensor(result["outputs"]) - output).abs().max() < 1e-4


def test_attend_is_the_packages_attention():
    figure = LookUp(temperature=0.5, mask=[[True, False, True, True], [False] * 4])
    query, key = torch.tensor(figure.query), torch.tensor(figure.key)
    output, weights = scaled_dot_product_attention(
        query / 0.5, key, torch.tensor(figure.value)[:, None], torch.tensor(figure.mask)
    )
    found_output, found_weights = figure.attend()
    assert torch.allclose(found_output.float(), output[:, 0])
    assert torch.allclose(found_weights.float(), weights)
    assert found_output[1] == 0 and not found_weights[1].any()
    figure.scale = False
    wanted = (query @ key.T / 0.5).masked_fill(~torch.tensor(figure.mask), -torch.inf)
    assert torch.allclose(figure.attend()[1][0].float(), wanted.softmax(-1)[0])


def test_leading_keys_are_those_at_the_rim(page, modules):
    modules("figures/lookup/attend.js")
    turns = torch.arange(0, 2 * math.pi, 0.001)
    directions = torch.stack([turns.cos(), turns.sin()], -1)  # (turns, 2)
    for state in random_states(30):
        key = torch.tensor(state["key"])
        reached = (directions @ key.T).argmax(-1).unique().tolist()
        for j in range(len(key)):
            found = page.evaluate("([k, j]) => canLead(k, j)", [state["key"], j])
            assert found == (j in reached), (state["key"], j)


@pytest.mark.parametrize(
    ("keys", "index", "leads"),
    [
        ([[1, 1], [1, 1], [-1, 0]], 0, False),  # another lies on it
        ([[0, 0], [1, 1], [-1, -1]], 0, False),  # on the line between two others
        ([[2, 2], [1, 1]], 1, True),  # away from the other
    ],
)
def test_keys_in_special_places_lead_or_not(page, modules, keys, index, leads):
    modules("figures/lookup/attend.js")
    assert page.evaluate("([k, j]) => canLead(k, j)", [keys, index]) is leads


def test_both_programs_start_alike(page, modules):
    modules("figures/lookup/tries.js")
    assert page.evaluate("START") == LookUp().state()


# The first sight ----------------------------------------------------------------------


@pytest.mark.parametrize("number", range(8))
def test_the_page_shows_pytorchs_weights_before_the_first_click(show, number):
    figure = LookUp(**random_states(8)[number])
    agree(show(figure), figure)


def test_the_name_in_the_page_and_the_words_without_javascript(show):
    page = show(LookUp())
    assert page.locator("figure").get_attribute("data-figure") == "look-up"
    assert LookUp()._repr_html_() == LookUp()._repr_html_()
    assert repr(LookUp(query=[(1, 2)])).endswith("value=[1.0, 3.0, 6.0, 10.0])")


def test_the_steps_are_those_of_the_first_query(show):
    figure = LookUp(temperature=2.0)
    page = show(figure)
    lines = page.evaluate(
        """() => [...document.querySelectorAll(".lu-steps tbody tr")].map((row) =>
            [1, 2, 5].map((i) => Number(row.cells[i].innerText.replace("−", "-"))))"""
    )
    query, key = torch.tensor(figure.query), torch.tensor(figure.key)
    scores = query[0] @ key.T
    products = figure.attend()[1][0] * torch.tensor(figure.value)
    wanted = torch.stack([scores, scores / 2**0.5 / 2, products], -1)
    assert (torch.tensor(lines) - wanted).abs().max() < 0.0051
    assert "Scaled: q·k ÷ √2 ÷ 2." in page.locator(".lu-steps caption").inner_text()
    foot = page.locator(".lu-steps tfoot td").all_inner_texts()
    assert foot[0] == "1.000"
    assert abs(float(foot[2]) - figure.attend()[0][0]) < 0.0051


# Moving vectors -----------------------------------------------------------------------


def drag(page, name: str, right: float, up: float) -> None:
    """Drag a vector by so much, in the plane's units."""
    unit = page.locator(".lu-plane").bounding_box()["width"] / 9
    box = vector(page, name).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right * unit / 2, y - up * unit / 2)
    page.mouse.move(x + right * unit, y - up * unit, steps=5)
    page.mouse.up()
    redrawn(page)


@pytest.mark.parametrize("name", ["Query 1", "Query 2", "Key 1", "Key 4"])
def test_every_vector_can_be_dragged(show, name):
    figure = LookUp()
    page = show(figure)
    before = at(page, name)
    drag(page, name, 0.7, -1.1)
    now = at(page, name)
    assert abs(now[0] - before[0] - 0.7) < 0.06 and abs(now[1] - before[1] + 1.1) < 0.06
    kind, index = name.lower().split()
    moved = getattr(figure, kind)
    moved = [now if i == int(index) - 1 else old for i, old in enumerate(moved)]
    agree(page, LookUp(**{kind: moved}))
    says(page, f"{name} at ({str(now[0]).replace('-', '−').removesuffix('.0')}")


def test_what_is_dragged_out_of_the_plane_stays_at_its_edge(show):
    page = show(LookUp())
    drag(page, "Query 1", 20, 20)
    assert at(page, "Query 1") == [4, 4]
    page.mouse.move(5, 5)  # the button is up: nothing follows the mouse any more
    redrawn(page)
    assert at(page, "Query 1") == [4, 4]


@pytest.mark.touch
def test_a_finger_drags_a_vector(show):
    page = show(LookUp(), width=390)
    unit = page.locator(".lu-plane").bounding_box()["width"] / 9
    box = vector(page, "Key 3").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    fingers = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        spots = [{"x": x, "y": y} for x, y in points]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": spots})

    touch("touchStart", (x, y))
    for part in (0.25, 0.5, 0.75, 1):
        touch("touchMove", (x + part * unit, y - part * 2 * unit))
    touch("touchEnd")
    redrawn(page)
    assert page.evaluate("scrollY") == 0  # the page did not scroll instead
    now = at(page, "Key 3")
    assert abs(now[0] + 1.2) < 0.06 and abs(now[1] - 1.4) < 0.06
    agree(page, LookUp(key=[*LookUp().key[:2], now, LookUp().key[3]]))


def test_arrow_keys_move_a_vector(show):
    page = show(LookUp())
    vector(page, "Key 2").focus()
    for press, where in [
        ("ArrowRight", [-0.4, 2.2]),
        ("ArrowUp", [-0.4, 2.3]),
        ("ArrowLeft", [-0.5, 2.3]),
        ("Shift+ArrowDown", [-0.5, 1.8]),
    ]:
        page.keyboard.press(press)
        redrawn(page)
        assert at(page, "Key 2") == where
    says(page, "Key 2 at (−0.5, 1.8).")
    for _ in range(12):
        page.keyboard.press("Shift+ArrowUp")
    redrawn(page)
    assert at(page, "Key 2") == [-0.5, 4]
    assert page.evaluate("scrollY") == 0
    expect(vector(page, "Key 2")).to_be_focused()


def test_the_tab_key_reaches_every_control(show):
    page = show(LookUp())
    typed(page, "Query 1, x")
    page.locator("body").click(position={"x": 2, "y": 2})
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(
            page.evaluate(
                """() => document.activeElement.getAttribute("aria-label")
                  ?? document.activeElement.labels?.[0]?.textContent
                  ?? document.activeElement.textContent"""
            )
        )
    wanted = {"Try", "Start again", "divide by √d = √2", "Query 1 may see key 4"}
    wanted |= {"Query 2, y", "Key 4, x", "Value of key 3", "Type the coordinates"}
    assert wanted <= seen
    for name in ("Temperature", "Query 2 at", "Key 4 at", "q1:"):
        assert any(label.startswith(name) for label in seen), name


def test_coordinates_can_be_typed(show):
    page = show(LookUp())
    typed(page, "Query 1, x").fill("-2,345")  # as some write it
    typed(page, "Query 1, y").fill(".5")
    redrawn(page)
    agree(page, LookUp(query=[[-2.345, 0.5], LookUp().query[1]]))
    expect(typed(page, "Query 1, x")).to_have_value("-2,345")
    typed(page, "Query 1, y").press("ArrowUp")
    expect(typed(page, "Query 1, y")).to_have_value("0.6")
    says(page, "Query 1 at (−2.345, 0.6).")
    vector(page, "Query 1").press("ArrowRight")
    expect(typed(page, "Query 1, x")).to_have_value("-2.25")  # rounded when it is moved


# What the queries read ----------------------------------------------------------------


def test_one_value(show):
    page = show(LookUp())
    try_out(page, "One value")
    says(page, "Query 1 reads one value, 3, from key 2")
    output, weights = shown(page)
    assert weights[0, 1] > 0.99 and abs(output[0] - 3) < 0.03
    assert weights[1, 1] < 0.8  # the same direction, but short


def test_the_mean_of_two(show):
    page = show(LookUp())
    try_out(page, "Mean of two")
    says(page, "Query 1 reads the mean of two values, 1 and 3")
    output, weights = shown(page)
    assert (weights[0, :2] - 0.5).abs().max() < 1e-3 and abs(output[0] - 2) < 0.01


def test_the_mean_of_three(show):
    state = {"query": [[4, 0]], "key": [[2, 1], [2, 0], [-4, 0], [2, -1]]}
    page = show(LookUp(**state))
    says(page, "Query 1 reads the mean of 3 values, 1, 3 and 10: weights from 0.333")
    says(page, "No query can give key 2 more weight than every other key")


def test_a_zero_query_reads_everything(show):
    page = show(LookUp())
    try_out(page, "A zero query")
    says(page, "Query 1 reads the mean of all 4 values that it may see")
    assert shown(page)[0][0] == 5


def test_nothing_allowed_reads_nothing(show):
    page = show(LookUp())
    try_out(page, "Nothing allowed")
    says(page, "all its weights are 0, and its output is 0. It reads nothing")
    output, weights = shown(page)
    assert output[0] == 0 and not weights[0].any() and weights[1].sum() > 0.99
    assert "NaN" not in page.locator("figure").inner_text()


def test_a_key_worth_nothing_is_nearly_nothing(show):
    page = show(LookUp())
    try_out(page, "A key worth 0")
    says(page, "Query 1 reads one value, 0, from key 4")
    output, weights = shown(page)
    assert abs(output[0]) < 0.03 and abs(weights[0].sum() - 1) < 1e-4


def test_a_key_between_the_others_is_never_first(show):
    page = show(LookUp())
    try_out(page, "A key nobody finds")
    says(page, "No query can give key 4 more weight than every other key")
    handle = vector(page, "Query 1")
    handle.focus()
    for press in ["Shift+ArrowRight"] * 9 + ["Shift+ArrowDown"] * 15:
        page.keyboard.press(press)
        redrawn(page)
        assert shown(page)[1][0].argmax() != 3
    start_again(page)
    expect(page.get_by_role("status")).not_to_contain_text("No query can give")


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_every_try_is_a_state_that_python_knows(show, press):
    page = show(LookUp(query=[[1, 1]], key=[[1, 1], [2, -1]], value=[5, 7]))
    at_first = status(page)
    for name in TRIES:
        if press == "mouse":
            try_out(page, name)
        else:
            page.get_by_label("Try").press("ArrowDown")
        redrawn(page)
        assert page.get_by_label("Try").input_value() == name
        values = [page.get_by_label(f"Value of key {j}") for j in (1, 2, 3, 4)]
        mask = [
            [
                page.get_by_label(f"Query {i} may see key {j}").is_checked()
                for j in (1, 2, 3, 4)
            ]
            for i in (1, 2)
        ]
        figure = LookUp(
            query=[at(page, "Query 1"), at(page, "Query 2")],
            key=[at(page, f"Key {j}") for j in (1, 2, 3, 4)],
            value=[float(box.input_value()) for box in values],
            mask=mask,
        )
        agree(page, figure)
    start_again(page)
    says(page, f"As it was at first. {at_first}")
    expect(page.locator(".lu-matrix tbody tr")).to_have_count(1)
    expect(page.get_by_label("Try")).to_have_value("")


def test_a_try_can_be_had_again_once_it_was_changed(show):
    page = show(LookUp())
    try_out(page, "A zero query")
    query_radio(page, 2).click()  # looks, and changes nothing
    expect(page.get_by_label("Try")).to_have_value("A zero query")
    vector(page, "Query 1").press("ArrowUp")
    expect(page.get_by_label("Try")).to_have_value("")
    try_out(page, "A zero query")
    says(page, "Query 1 is zero")


# Temperature, scale, mask, values -----------------------------------------------------


def test_the_temperature(show):
    page = show(LookUp())
    slider = page.get_by_label("Temperature")
    assert slider.get_attribute("aria-valuetext") == "1"
    slider.press("Home")
    says(page, "Temperature 0.01. Query 1 reads one value, 1, from key 1")
    agree(page, LookUp(temperature=0.01))
    slider.press("End")
    says(page, "Temperature 100. Query 1 reads the mean of all 4 values")
    agree(page, LookUp(temperature=100))
    slider.press("ArrowLeft")
    says(page, "Temperature 79")
    assert page.locator(".lu-now").inner_text() == "79"
    box = slider.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    says(page, "Temperature 1.")
    agree(page, LookUp())


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_scaling_can_be_switched_off(show, press):
    page = show(LookUp())
    box = page.get_by_label("divide by √d")
    box.click() if press == "mouse" else box.press("Space")
    says(page, "The scores are not divided by √d")
    agree(page, LookUp(scale=False))
    assert "q·k, as it is" in page.locator(".lu-steps caption").inner_text()
    # √2 as the temperature does what √d does
    agree(show(LookUp(scale=False, temperature=2**0.5)), LookUp())


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_keys_can_be_hidden_one_by_one_to_the_last(show, press):
    page = show(LookUp())
    mask = [[True] * 4, [True] * 4]
    for j in range(4):
        box = page.get_by_label(f"Query 1 may see key {j + 1}", exact=True)
        box.click() if press == "mouse" else box.press("Space")
        mask[0][j] = False
        says(page, f"Query 1 may not see key {j + 1}")
        agree(page, LookUp(mask=mask))
        label = vector(page, f"Key {j + 1}").get_attribute("aria-label")
        assert "hidden from query 1" in label
        if j == 2:
            says(page, "may see key 4 alone, and so it reads exactly 10")
    says(page, "It reads nothing")
    assert page.locator(".lu-steps tfoot td").first.inner_text() == "0.000"
    box.click() if press == "mouse" else box.press("Space")
    says(page, "Query 1 may see key 4.")


def test_a_key_alone_is_not_one_that_nobody_finds(show):
    page = show(LookUp(mask=[[False, True, False, False], [True] * 4]))
    says(page, "Query 1 may see key 2 alone")
    assert "No query can give" not in page.locator(".attnlab-status").inner_text()


def test_every_value_has_a_name_on_the_line(show):
    page = show(LookUp(value=[96, 92, 88, 100]))
    names = [text.strip() for text in page.locator(".lu-mark").all_inner_texts()]
    assert names == ["v1,\u20092,\u20094", "", "v3", ""]


def test_no_direction_but_a_mask_reads_the_mean_of_opposite_keys(show):
    # The keys 1 and 3 tie at right angles to the line between them, where 2 is ahead.
    page = show(LookUp(query=[[-1.52, 4], [0, 0]]))
    says(page, "from key 2")
    page.get_by_label("Query 1 may see key 2", exact=True).click()
    page.get_by_label("Query 1 may see key 4", exact=True).click()
    says(page, "Query 1 reads the mean of both values that it may see")
    assert abs(shown(page)[0][0] - 3.5) < 0.02


def test_values_can_be_typed(show):
    page = show(LookUp())
    page.get_by_label("Value of key 1").fill("-20.5")
    says(page, "The value of key 1 is −20.5.")
    agree(page, LookUp(value=[-20.5, 3, 6, 10]))
    page.get_by_label("Value of key 1").press("ArrowDown")
    expect(page.get_by_label("Value of key 1")).to_have_value("-21.5")
    line = page.locator(".lu-line")
    expect(line).to_have_attribute(
        "aria-label", re.compile("on a line from −21.5 to 10")
    )


def test_choosing_the_query_whose_steps_are_shown(show):
    page = show(LookUp())
    caption = page.locator(".lu-steps caption")
    query_radio(page, 2).click()
    expect(caption).to_contain_text("Query 2, step by step")
    says(page, "Query 2 reads")
    vector(page, "Query 1").press("Enter")
    expect(caption).to_contain_text("Query 1, step by step")
    vector(page, "Query 2").focus()  # on the way to the keys
    redrawn(page)
    expect(caption).to_contain_text("Query 1, step by step")
    vector(page, "Query 2").press("ArrowUp")
    expect(caption).to_contain_text("Query 2, step by step")
    vector(page, "Query 1").press("Space")
    expect(caption).to_contain_text("Query 1, step by step")
    vector(page, "Query 2").click()
    expect(caption).to_contain_text("Query 2, step by step")
    output = page.locator(".lu-steps tfoot td").last.inner_text()
    assert output == page.locator(".lu-matrix .lu-output").last.inner_text()


def test_the_status_changes_with_every_change(show):
    page = show(LookUp())
    texts = [status(page)]

    def look() -> None:
        page.wait_for_timeout(250)
        texts.append(status(page))

    vector(page, "Key 3").press("ArrowLeft")
    look()
    vector(page, "Key 3").press("ArrowLeft")
    look()
    page.get_by_label("Value of key 3").fill("6.001")
    look()
    page.get_by_label("Query 2 may see key 1", exact=True).click()
    look()
    page.get_by_label("Temperature").press("ArrowRight")
    look()
    page.get_by_label("divide by √d").click()
    look()
    assert len(set(texts)) == 7


# Bad input ----------------------------------------------------------------------------

BAD_DECIMALS = {
    "": "type a number",
    "   ": "type a number",
    "two": "“two” is not a number",
    "1.2.3": "is not a number",
    "NaN": "is not a number",
    "Infinity": "is not a number",
    "0x10": "is not a number",
    "1e400": "between",
    "-101": "between",
    "99999999999999999999": "between",
    '<img src=x onerror="window.hacked = 1">': "is not a number",
}


@pytest.mark.parametrize("text", BAD_DECIMALS)
@pytest.mark.parametrize("label", ["Value of key 2", "Key 2, y"])
def test_bad_input_is_answered_and_the_picture_stays(show, text, label):
    page = show(LookUp())
    box = typed(page, label)
    box.fill(text)
    error = page.locator(".al-error:not(:empty)")
    expect(error).to_contain_text(f"{label}: ")
    expect(error).to_contain_text(BAD_DECIMALS[text])
    assert box.get_attribute("aria-invalid") == "true"
    described = box.get_attribute("aria-describedby")
    assert error.get_attribute("id") == described
    assert page.evaluate("window.hacked") is None
    assert page.locator("figure img").count() == 0
    redrawn(page)
    agree(page, LookUp())
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    box.fill("3.5")
    expect(error).to_have_count(0)
    key = [LookUp().key[0], [-0.5, 3.5], *LookUp().key[2:]]
    figure = (
        LookUp(key=key) if label.startswith("Key") else LookUp(value=[1, 3.5, 6, 10])
    )
    redrawn(page)
    agree(page, figure)


def test_a_complaint_goes_when_the_number_changes_in_another_way(show):
    page = show(LookUp())
    box = page.get_by_label("Value of key 4")
    box.fill("ten")
    expect(page.locator(".al-error:not(:empty)")).to_have_count(1)
    try_out(page, "Mean of two")
    expect(page.locator(".al-error:not(:empty)")).to_have_count(0)
    expect(box).to_have_value("10")


# Extremes, room, speed, neighbours ----------------------------------------------------

EXTREMES = [
    {"query": [[4, 4], [-4, 4], [4, -4]], "temperature": 0.01, "scale": False},
    {"query": [[0, 0]], "key": [[0, 0], [0, 0]], "value": [0, 0]},
    {"value": [-100, 100, -100, 99.999], "temperature": 100.0},
    {"value": [-1, -2, -3, -4], "mask": NOTHING},
    {
        "query": [[1, 2], [3, -4], [0, 0]],
        "key": [[4, 4], [4, 4], [-4, -4], [0.1, 0.1], [0, 0], [-4, 4]],
        "value": [-99.99, -99.98, 88.88, -77.77, 66.66, -55.55],
    },
]


@pytest.mark.parametrize("number", range(len(EXTREMES)))
def test_extreme_states_are_drawn_and_overflow_nothing(show, number):
    figure = LookUp(**EXTREMES[number])
    page = show(figure)
    typed(page, "Query 1, x")
    for width in (1280, 768, 390, 360):
        page.set_viewport_size({"width": width, "height": 800})
        redrawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        agree(page, figure)
    drawn = page.locator("figure").evaluate("figure => figure.outerHTML")
    drawn = re.sub(r"<script.*?</script>", "", drawn, flags=re.DOTALL)
    assert "NaN" not in drawn and "Infinity" not in drawn and "undefined" not in drawn


def view(page, name: str) -> None:
    """On a phone, show one of the three views."""
    page.get_by_role("radio", name=name, exact=True).check()


@pytest.mark.parametrize("width", [390, 360])
def test_four_keys_need_no_scrolling_on_a_phone(show, width):
    page = show(LookUp(), width=width)
    for name in TRIES:
        try_out(page, name)
        for table in ("Weights", "Steps"):
            view(page, table)
            redrawn(page)
            assert page.locator(".lu-scroll:visible").evaluate(
                "box => box.scrollWidth <= box.clientWidth"
            ), (name, table)


def test_two_figures_on_a_page_do_not_touch_each_other(show):
    page = show(LookUp(), LookUp(query=[[0, 0]]))
    first, second = (page.locator("figure").nth(i) for i in (0, 1))
    before = second.inner_text()
    try_out(first, "Nothing allowed")
    expect(first.get_by_role("status")).to_contain_text("It reads nothing")
    query_radio(first, 2).click()
    assert second.inner_text() == before
    try_out(second, "One value")
    expect(second.get_by_role("status")).to_contain_text("reads one value, 3")
    expect(query_radio(first, 2)).to_be_checked()
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(show, violations, dark, width):
    page = show(LookUp(), LookUp(mask=NOTHING), dark=dark, width=width)
    typed(page.locator("figure").first, "Key 1, x").fill("x")
    redrawn(page)
    assert violations(page) == []


def test_forced_colours_leave_bars_and_vectors(show):
    page = show(LookUp())
    page.emulate_media(forced_colors="active")
    grounds = page.locator(".lu-handle").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).backgroundColor)"
    )
    assert len(set(grounds)) == 2
    bar = page.locator(".lu-bar").first.evaluate(
        "bar => getComputedStyle(bar).backgroundImage"
    )
    assert "gradient" in bar


# Python -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"query": []},
        {"query": [[0, 0]] * 4},
        {"query": [[1, 2, 3]]},
        {"query": [[math.nan, 0]]},
        {"query": [[0, 4.01]]},
        {"query": [["1", 0]]},
        {"query": [[True, 0]]},
        {"query": [1, 2]},
        {"query": "ab"},
        {"key": [[1, 1]]},
        {"key": [[0, 0]] * 7},
        {"key": [[math.inf, 0], [0, 0]]},
        {"value": [1, 2, 3]},
        {"value": [1, 2, 3, math.nan]},
        {"value": [1, 2, 3, 100.5]},
        {"value": [1, 2, 3, None]},
        {"mask": [[True] * 4]},
        {"mask": [[True] * 4, [True] * 3]},
        {"mask": [[True] * 4, [1, 1, 1, 1]]},
        {"mask": [True, False]},
        {"temperature": 0},
        {"temperature": -1.0},
        {"temperature": math.nan},
        {"temperature": math.inf},
        {"temperature": "hot"},
        {"scale": 0.5},
    ],
    ids=str,
)
def test_python_refuses_what_cannot_be_drawn(wrong):
    with pytest.raises(TraitError):
        LookUp(**wrong)
    figure = LookUp()
    before = figure.state()
    with pytest.raises(TraitError):
        figure.set_trait(*wrong.popitem())
    assert figure.state() == before


def test_the_number_of_keys_changes_only_together():
    figure = LookUp()
    with pytest.raises(TraitError, match="set all three at once"):
        figure.key = [[1, 0], [0, 1]]
    with pytest.raises(TraitError, match="set both at once"):
        figure.query = [[1, 0]]
    with figure.hold_trait_notifications():
        figure.query, figure.key = [[1, 0]], [(1, 0), (0, 1)]
        figure.value, figure.mask = [2, 4], [[True, True]]
    assert figure.attend()[1].shape == (1, 2)
    assert json.dumps(figure.state()["key"]) == "[[1.0, 0.0], [0.0, 1.0]]"


def test_a_notebook_follows_the_page():
    figure = LookUp()
    heard = []
    figure.observe(lambda change: heard.append(change.name), ["query", "key", "mask"])
    state = {"query": [[0, 0], [4, -4]], "mask": NOTHING}
    figure.set_state(state)  # as a page sends it
    assert set(heard) == {"query", "mask"}
    output, weights = figure.attend()
    assert output[0] == 0 and not weights[0].any() and weights[1].argmax() == 3


def test_defaults_are_no_ones_to_change():
    figure = LookUp()
    figure.query[0][0] = 4.0
    assert LookUp().query[0][0] != 4.0
    assert LookUp(key=[[1, 0], [0, 1]]).value == [1.0, 3.0]


def test_it_is_one_screen_high(show):
    page = show(LookUp())
    in_column(page)
    figure = page.locator("figure")
    assert figure.bounding_box()["height"] <= WIDE_HEIGHT
    for part in page.locator(".lu-view").all():
        expect(part).to_be_visible()
    expect(page.locator(".lu-choice")).to_be_hidden()
    for name in TRIES:
        try_out(page, name)
        redrawn(page)
        assert figure.bounding_box()["height"] <= 800, name


def test_on_a_phone_each_view_shares_a_screen_with_what_makes_it(show):
    page = show(LookUp())
    on_phone(page)
    views = {"Weights": ".lu-matrix", "Steps": ".lu-steps", "Sum": ".lu-sum"}
    for name, part in views.items():
        view(page, name)
        assert page.locator(".lu-view:visible").count() == 1
        assert span(page, ".lu-scaling", part) <= 740
        assert span(page, ".lu-controls", part) <= 790
        assert page.locator("figure").bounding_box()["height"] <= 1250


def test_on_a_phone_the_view_stays_when_the_number_of_queries_changes(show):
    page = show(LookUp(query=[[1, 1]]), width=390)
    view(page, "Steps")
    try_out(page, "One value")
    says(page, "Query 2: output")
    expect(page.locator(".lu-steps")).to_be_visible()
    expect(page.locator(".lu-matrix")).to_be_hidden()
