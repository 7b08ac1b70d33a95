"""The look-up figure: its arithmetic, and its page by mouse, finger and keyboard."""

import json

import pytest
import torch
from drawing import wait_until_drawn
from plane import (
    centre_of,
    coordinate_box,
    drag_handle,
    find_handle,
    handle_position,
    swipe_finger,
)
from playwright.sync_api import expect
from pytest import approx
from reading import expect_status
from traitlets import TraitError

from attnlab.attention import scaled_dot_product_attention
from attnlab.live import LookUp


def check_against_python(page, figure: LookUp) -> None:
    """The page's matrix holds outputs and weights to six decimals."""
    rows = page.locator(".lu-matrix tbody tr").evaluate_all(
        """all => all.map((row) =>
            [...row.querySelectorAll("data")].map((data) => Number(data.value)))"""
    )
    table = torch.tensor(rows, dtype=torch.float64)
    shown = table[:, -1], table[:, :-1]
    for found, wanted in zip(shown, figure.attend(), strict=True):
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


def test_lookup_attend_equals_package_attention():
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


@pytest.mark.computes
def test_look_up_equals_python(page, modules):
    modules("figures/lookup/attend.js")
    for state in [*random_states(20), {"mask": [[False] * 4, [True] * 4]}]:
        figure = LookUp(**state)
        found = page.evaluate("(state) => lookUp(state)", figure.state())
        for name, wanted in zip(("outputs", "weights"), figure.attend(), strict=True):
            assert torch.allclose(torch.tensor(found[name]).double(), wanted, atol=1e-6)


# Moving vectors -----------------------------------------------------------------------


def test_lookup_drag_moves_vector_within_plane(show_figures):
    figure = LookUp()
    page = show_figures(figure)
    unit = page.locator(".lu-plane").bounding_box()["width"] / 9
    for name in ("Query 2", "Key 4"):
        before = handle_position(page, name)
        drag_handle(page, name, 0.7 * unit, 1.1 * unit)
        now = handle_position(page, name)
        assert now == approx([before[0] + 0.7, before[1] + 1.1], abs=0.06)
        kind, index = name.lower().split()
        vectors = [list(vector) for vector in getattr(figure, kind)]
        vectors[int(index) - 1] = now
        figure.set_state({kind: vectors})
        check_against_python(page, figure)
    drag_handle(page, "Query 1", 20 * unit, 20 * unit)
    page.mouse.move(5, 5)  # the button is up: nothing follows the mouse any more
    wait_until_drawn(page)
    assert handle_position(page, "Query 1") == [4, 4]


@pytest.mark.touch
def test_lookup_touch_drag_moves_key_not_page(show_figures):
    page = show_figures(LookUp(), width=390)
    unit = page.locator(".lu-plane").bounding_box()["width"] / 9
    x, y = centre_of(find_handle(page, "Key 3"))
    parts = (0, 0.25, 0.5, 0.75, 1)
    swipe_finger(page, *((x + part * unit, y - part * 2 * unit) for part in parts))
    wait_until_drawn(page)
    assert page.evaluate("scrollY") == 0  # the page did not scroll instead
    now = handle_position(page, "Key 3")
    assert abs(now[0] + 1.2) < 0.06 and abs(now[1] - 1.4) < 0.06
    check_against_python(page, LookUp(key=[*LookUp().key[:2], now, LookUp().key[3]]))


def test_lookup_shift_and_arrow_move_key_within_plane(show_figures):
    page = show_figures(LookUp())
    find_handle(page, "Key 2").press("Shift+ArrowDown")
    expect_status(page, "Key 2 at (−0.5, 1.7).")
    for _ in range(12):
        page.keyboard.press("Shift+ArrowUp")
    wait_until_drawn(page)
    assert handle_position(page, "Key 2") == [-0.5, 4]
    assert page.evaluate("scrollY") == 0
    expect(find_handle(page, "Key 2")).to_be_focused()


def test_lookup_target_is_ticked_when_reached(show_figures):
    page = show_figures(LookUp())
    page.locator(".lu-more").evaluate_all("all => all.map((d) => (d.open = true))")
    ticks = page.locator(".lu-tick")
    expect(ticks).to_have_text(["○\ufe0e"] * 3)
    done = []
    for target, query in {6: [[-4, 0.0]], 8: [[-1.75, -4]]}.items():
        (there,) = LookUp(query=query).attend()[0].tolist()
        assert there == approx(target, abs=0.05)
        for axis_, number in zip("xy", query[0], strict=True):
            coordinate_box(page, f"Query 1, {axis_}").fill(str(number))
        expect_status(page, f"Target {target}: read.")
        done.append("✓\ufe0e")
        expect(ticks).to_have_text([*done, *["○\ufe0e"] * (3 - len(done))])
    page.get_by_role("button", name="Start again").click()
    expect(page.get_by_role("status")).not_to_contain_text("Target")
    for j in (2, 4):
        page.get_by_label(f"Query 1 may see key {j}", exact=True).uncheck()
    coordinate_box(page, "Query 1, x").fill("0")
    coordinate_box(page, "Query 1, y").fill("0")
    expect_status(page, "Target 3.5: read.")
    expect(ticks).to_have_text(["✓\ufe0e"] * 3)


# Python -------------------------------------------------------------------------------


def test_lookup_rejects_key_count_without_values_and_mask():
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


def test_lookup_defaults_are_not_shared_between_figures():
    figure = LookUp()
    figure.query[0][0] = 4.0
    assert LookUp().query[0][0] != 4.0
    assert LookUp(key=[[1, 0], [0, 1]]).value == [1.0, 3.0]
