"""The dials of chapter 5: hands, arcs and scores against PyTorch's."""

import math

import pytest
import torch
from pytest import approx
from reading import parse_by_form, parse_numbers, wait_for_status_check

from attnlab.live import Clock, Dials
from attnlab.live.dials import BASES, KEY, MAX_DISTANCE, QUERY, SCHEMES
from attnlab.positions import RotaryPositions, frequencies, sinusoidal

TOLERANCE = 1e-4
WIDTH = len(QUERY)


def expected_hands(position, trained, base):
    """For each hand its angle, what training has swept, both in degrees, and if out."""
    found = []
    for rate in frequencies(WIDTH, base).tolist():
        angle, swept = position * rate, (trained - 1) * rate
        out = swept < 2 * math.pi and angle % (2 * math.pi) > swept
        degrees = math.degrees(angle) % 360, min(360, math.degrees(swept))
        found.append((*degrees, out))
    return found


def torch_scores(figure):
    """The score of a query at 128 with the key k positions before it: (129,)."""
    if figure.scheme == "sinusoids":
        rows = sinusoidal(MAX_DISTANCE + 1, WIDTH, figure.base, dtype=torch.float64)
        return (rows @ rows[-1]).flip(0)
    turn = RotaryPositions(WIDTH, figure.base).double()
    query, key = torch.tensor([QUERY, KEY], dtype=torch.float64)
    everywhere = key.expand(MAX_DISTANCE + 1, WIDTH)
    return (turn(everywhere) @ turn(query[None], start=MAX_DISTANCE)[0]).flip(0)


STATES = [
    {"position": 16},
    {"position": 0, "base": 10},
    {"position": 128, "base": 10, "trained": 64},  # all dials have been gone round
    {"scheme": "sinusoids", "position": 128, "base": 500_000, "trained": 32},
]


@pytest.mark.parametrize("traits", STATES)
def test_dials_hands_equal_python(show_figures, traits):
    figure = Dials(**traits)
    page = show_figures(figure)
    wanted = expected_hands(figure.position, figure.trained, figure.base)
    dials = page.locator(".di-dial").all()
    for dial, (angle, met, out) in zip(dials, wanted, strict=True):
        turned = dial.locator("g").get_attribute("transform")
        assert parse_numbers(turned)[0] == approx(angle, abs=0.001)
        assert ("out" in dial.locator("strong").inner_text()) == out
        known = dial.locator("small").inner_text()
        if met == 360:
            assert known == "met: all"
        else:
            assert parse_numbers(known)[0] == approx(met, rel=0.05)
            arc = parse_numbers(dial.locator(".di-met").get_attribute("d"))
            end = math.sin(math.radians(met)), -math.cos(math.radians(met))
            corner = [int(met > 180), 1, 46 * end[0], 46 * end[1]]
            assert arc[-4:] == approx(corner, abs=0.006)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("base", BASES)
@pytest.mark.computes
def test_dials_scores_equal_pytorch(page, modules, scheme, base):
    modules("figures/dials/turns.js")
    found = page.evaluate(
        "([settings, limits]) => [...scoresByDistance(settings, limits)]",
        [{"scheme": scheme, "base": base}, Dials.limits],
    )
    wanted = torch_scores(Dials(scheme=scheme, base=base))
    assert found == approx(wanted.tolist(), abs=TOLERANCE)
    met, far = wanted[:32], wanted[32:101]
    asked = [wanted.tolist(), {"position": 100, "trained": 32}]
    beyond = page.evaluate("(asked) => scoresBeyondTraining(...asked)", asked)
    counts = int((far > met.max()).sum()), int((far < met.min()).sum())
    assert (len(beyond["higher"]), len(beyond["lower"])) == counts


@pytest.mark.parametrize("position", [7, 128])
def test_clock_rounds_and_status_equal_python(show_figures, position):
    page = show_figures(Clock(position=position))
    rates = frequencies(WIDTH, Clock.limits["base"]).tolist()
    turned = [math.degrees(position * rate) for rate in rates]
    below = page.locator(".di-dial small").all_inner_texts()
    lasts = [parse_numbers(text)[0] for text in below]
    assert lasts == approx([2 * math.pi / rate for rate in rates], rel=0.05)

    def check_status(said):
        form = "Position {p}: the fastest hand is in round {round} and"
        wanted = {"p": position, "round": 1 + turned[0] // 360}
        assert parse_by_form(form, said) == wanted
        been = sum(angle >= 360 for angle in turned)
        assert parse_by_form("{been} of 8 have come round", said) == {"been": been}

    wait_for_status_check(page, check_status)


def test_clock_slider_stops_the_play(show_figures):
    page = show_figures(Clock())
    page.get_by_role("button", name="Play").click()
    assert page.get_by_role("button", name="Pause").is_visible()
    page.get_by_role("slider", name="Position").press("ArrowRight")
    assert page.get_by_role("button", name="Play").is_visible()
