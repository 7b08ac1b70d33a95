"""The look-up figure: its arithmetic, and its page by mouse, finger and keyboard."""

import json
import re

import pytest
import torch
from drawing import redrawn
from plane import at, drag, handle, middle, swipe, typed
from playwright.sync_api import expect
from pytest import approx
from reading import (
    looks,
    numbers,
    says,
)
from traitlets import TraitError

from attnlab.attention import scaled_dot_product_attention
from attnlab.live import LookUp

NOTHING = [[False] * 4, [True] * 4]


@pytest.fixture
def show(show):
    """As `show`, with all that is folded open: masks, values, temperature and steps."""

    def open_page(*figures, **options):
        page = show(*figures, **options)
        page.locator(".lu-more").evaluate_all("all => all.map((d) => (d.open = true))")
        return page

    return open_page


def start_again(page) -> None:
    page.get_by_role("button", name="Start again").click()


def shown(page) -> tuple[torch.Tensor, torch.Tensor]:
    """The outputs and the weights that the page's matrix holds, to six decimals."""
    rows = page.locator(".lu-matrix tbody tr").evaluate_all(
        """all => all.map((row) =>
            [...row.querySelectorAll("data")].map((data) => Number(data.value)))"""
    )
    table = torch.tensor(rows, dtype=torch.float64)
    return table[:, -1], table[:, :-1]


def has_numbers(page, figure: LookUp) -> None:
    for found, wanted in zip(shown(page), figure.attend(), strict=True):
        assert (found - wanted).abs().max() < 1e-4


# What is drawn, held against Python's -------------------------------------------------


def agree(page, figure: LookUp) -> None:
    """All that is drawn, listed and said in the page is what Python computes."""
    has_numbers(page, figure)
    output, weights = figure.attend()
    output = output.tolist()
    check_matrix(page, figure, weights, output)


def check_matrix(page, figure: LookUp, weights: torch.Tensor, output: list) -> None:
    rows = page.locator(".lu-matrix tbody tr")
    mask = [may for row in figure.mask for may in row]
    ticks = rows.locator("input[type=checkbox]")
    assert ticks.evaluate_all("all => all.map((tick) => tick.checked)") == mask
    check_weights(rows, weights.flatten().tolist(), mask)
    outputs = rows.locator(".lu-output").all_text_contents()
    assert [numbers(text)[0] for text in outputs] == approx(output, abs=0.006)


def check_weights(place, weights: list[float], mask: list[bool]) -> None:
    """Weights as they are written, and as far as their bars are filled."""
    texts = place.locator(".lu-weight data").all_text_contents()
    assert [numbers(text)[0] for text in texts] == approx(weights, abs=0.0011)
    fills = looks(place.locator(".lu-bar"), "backgroundImage")
    shares = [re.search(r"([\d.]+)%", fill["backgroundImage"]) for fill in fills]
    assert [share is not None for share in shares] == mask
    filled = [float(share[1]) / 100 if share else 0 for share in shares]
    assert filled == approx(weights, abs=0.001)


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


# The first sight ----------------------------------------------------------------------


RARE_KEYS = [
    [[1, 1], [1, 1], [-1, 0]],  # one lies on the other
    [[0, 0], [1, 1], [-1, -1]],  # one on the line between the others
    [[2, 2], [1, 1]],
]
RARE = [
    *({"key": keys} for keys in RARE_KEYS),
    {"query": [[4, 0]], "key": [[2, 1], [2, 0], [-4, 0], [2, -1]]},  # reads three
    {"mask": [[False, True, False, False], [True] * 4]},  # a key alone
    # The keys 1 and 3 tie at right angles to the line between them, where 2 is ahead.
    {"query": [[-1.52, 4], [0, 0]], "mask": [[True, False, True, False], [True] * 4]},
]


def test_the_page_shows_pytorchs_weights_before_the_first_click(show):
    states = random_states(8) + RARE
    figures = [LookUp(**state) for state in states]
    drawn = show(*figures).locator("figure")
    for i, figure in enumerate(figures):
        agree(drawn.nth(i), figure)


# Moving vectors -----------------------------------------------------------------------


def test_every_vector_can_be_dragged_and_stays_in_the_plane(show):
    figure = LookUp()
    page = show(figure)
    unit = page.locator(".lu-plane").bounding_box()["width"] / 9
    for name in ("Query 1", "Query 2", "Key 1", "Key 4"):
        before = at(page, name)
        drag(page, name, 0.7 * unit, 1.1 * unit)
        now = at(page, name)
        assert now == approx([before[0] + 0.7, before[1] + 1.1], abs=0.06)
        kind, index = name.lower().split()
        vectors = [list(vector) for vector in getattr(figure, kind)]
        vectors[int(index) - 1] = now
        figure.set_state({kind: vectors})
        agree(page, figure)
        says(page, f"{name} at ({now[0]:g}".replace("-", "−"))
    drag(page, "Query 1", 20 * unit, 20 * unit)
    page.mouse.move(5, 5)  # the button is up: nothing follows the mouse any more
    redrawn(page)
    assert at(page, "Query 1") == [4, 4]


@pytest.mark.touch
def test_a_finger_drags_a_handle(show):
    page = show(LookUp(), width=390)
    unit = page.locator(".lu-plane").bounding_box()["width"] / 9
    x, y = middle(handle(page, "Key 3"))
    parts = (0, 0.25, 0.5, 0.75, 1)
    swipe(page, *((x + part * unit, y - part * 2 * unit) for part in parts))
    redrawn(page)
    assert page.evaluate("scrollY") == 0  # the page did not scroll instead
    now = at(page, "Key 3")
    assert abs(now[0] + 1.2) < 0.06 and abs(now[1] - 1.4) < 0.06
    agree(page, LookUp(key=[*LookUp().key[:2], now, LookUp().key[3]]))


def test_arrow_keys_move_a_handle(show):
    page = show(LookUp())
    handle(page, "Key 2").focus()
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
    expect(handle(page, "Key 2")).to_be_focused()


# What the queries read ----------------------------------------------------------------


# Temperature, scale, mask, values -----------------------------------------------------


# Extremes, room, speed, neighbours ----------------------------------------------------


TARGETS = {6: [[-4, 0.0]], 8: [[-1.75, -4]]}


def test_targets_are_ticked_off_once_they_are_read(show):
    page = show(LookUp())
    ticks = page.locator(".lu-tick")
    expect(ticks).to_have_text(["○\ufe0e"] * 3)
    done = []
    for target, query in TARGETS.items():
        (there,) = LookUp(query=query).attend()[0].tolist()
        assert there == approx(target, abs=0.05)
        for axis_, number in zip("xy", query[0], strict=True):
            typed(page, f"Query 1, {axis_}").fill(str(number))
        says(page, f"Target {target}: read.")
        done.append("✓\ufe0e")
        expect(ticks).to_have_text([*done, *["○\ufe0e"] * (3 - len(done))])
    start_again(page)
    expect(page.get_by_role("status")).not_to_contain_text("Target")
    for j in (2, 4):
        page.get_by_label(f"Query 1 may see key {j}", exact=True).uncheck()
    typed(page, "Query 1, x").fill("0")
    typed(page, "Query 1, y").fill("0")
    says(page, "Target 3.5: read.")
    expect(ticks).to_have_text(["✓\ufe0e"] * 3)


# Python -------------------------------------------------------------------------------


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
