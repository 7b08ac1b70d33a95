"""The dials of chapter 5: hands, arcs and scores against PyTorch's."""

import math

import pytest
import torch
from pytest import approx
from reading import Plot, assert_said, boxes, numbers, ticks, told

from attnlab.live import Clock, Dials
from attnlab.live.dials import BASES, FARTHEST, KEY, QUERY, SCHEMES
from attnlab.positions import RotaryPositions, frequencies, sinusoidal

TOLERANCE = 1e-4
D = len(QUERY)


def hands(position, trained, base):
    """For each hand its angle, what training has swept, both in degrees, and if out."""
    found = []
    for rate in frequencies(D, base).tolist():
        angle, swept = position * rate, (trained - 1) * rate
        out = swept < 2 * math.pi and angle % (2 * math.pi) > swept
        degrees = math.degrees(angle) % 360, min(360, math.degrees(swept))
        found.append((*degrees, out))
    return found


def shown(figure):
    """The hands of a figure."""
    return hands(figure.position, figure.trained, figure.base)


def scores_back(figure):
    """The score of a query at 128 with the key k positions before it: (129,)."""
    if figure.scheme == "sinusoids":
        rows = sinusoidal(FARTHEST + 1, D, figure.base, dtype=torch.float64)
        return (rows @ rows[-1]).flip(0)
    turn = RotaryPositions(D, figure.base).double()
    query, key = torch.tensor([QUERY, KEY], dtype=torch.float64)
    everywhere = key.expand(FARTHEST + 1, D)
    return (turn(everywhere) @ turn(query[None], start=FARTHEST)[0]).flip(0)


def check_picture(page, figure):
    """The dials, their words and the curve are those of Python."""
    for dial, (angle, met, out) in zip(
        page.locator(".di-dial").all(), shown(figure), strict=True
    ):
        turned = dial.locator("g").get_attribute("transform")
        assert numbers(turned)[0] == approx(angle, abs=0.001)
        stands, known = dial.locator("strong"), dial.locator("small")
        assert numbers(stands.inner_text())[0] == approx(angle, rel=0.05, abs=1e-4)
        assert ("out" in stands.inner_text()) == out
        if met == 360:
            assert known.inner_text() == "met: all"
        else:
            assert numbers(known.inner_text())[0] == approx(met, rel=0.05)
            arc = numbers(dial.locator(".di-met").get_attribute("d"))
            end = math.sin(math.radians(met)), -math.cos(math.radians(met))
            wanted = [int(met > 180), 1, 46 * end[0], 46 * end[1]]
            assert arc[-4:] == approx(wanted, abs=0.006)
        tip = dial.locator(".tip").get_attribute("d")
        assert ("l" in tip) == out  # a diamond has corners
    scores = scores_back(figure)
    plot = Plot(
        ticks(page.locator(".di-across span"), "x"),
        ticks(page.locator(".di-up span"), "y"),
    )
    edge = min(figure.position, figure.trained - 1)
    drawn = {"known": (0, edge), "later": (figure.position, FARTHEST)}
    if figure.position > edge:
        drawn["far"] = (edge, figure.position)
    for name, (start, end) in drawn.items():
        wanted = [(k, scores[k].item()) for k in range(start, end + 1)]
        corners = plot.corners(page.locator(f".di-chart .{name}"))
        assert corners == plot.near(wanted, pixels=1.5)
    (shaded,) = boxes(page.locator(".di-chart .di-met"))
    assert shaded.right == approx(plot.across.at(figure.trained - 1), abs=1)
    known = scores[: figure.trained]
    far = list(enumerate(scores.tolist()))[figure.trained : figure.position + 1]
    wanted = [(k, score) for k, score in far if score > known.max()]
    wanted += [(k, score) for k, score in far if score < known.min()]
    beyond = page.locator(".di-chart .beyond")
    drawn = plot.corners(beyond) if beyond.get_attribute("d") else []
    assert drawn == plot.near(wanted, pixels=1.5)


STATES = [
    {},
    {"scheme": "sinusoids", "position": 100, "trained": 8},
    {"position": 15},  # the last that was trained
    {"position": 16},
    {"position": 0, "base": 10},
    {"position": 128, "base": 10, "trained": 64},  # all dials have been gone round
    {"scheme": "sinusoids", "position": 128, "base": 500_000, "trained": 32},
]


@pytest.mark.parametrize("traits", STATES)
def test_what_is_shown_and_said_is_pythons(show, traits):
    figure = Dials(**traits)
    page = show(figure)
    check_picture(page, figure)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("base", BASES)
@pytest.mark.computes
def test_scores_are_pytorchs(page, modules, scheme, base):
    modules("figures/dials/turns.js")
    found = page.evaluate(
        "([settings, limits]) => [...scoresBack(settings, limits)]",
        [{"scheme": scheme, "base": base}, Dials.limits],
    )
    wanted = scores_back(Dials(scheme=scheme, base=base))
    assert found == approx(wanted.tolist(), abs=TOLERANCE)


# The clock ------------------------------------------------------------------------


def check_clock(page, position):
    """The hands, what is shaded, and the words are those of Python."""
    rates = frequencies(D, Clock.limits["base"]).tolist()
    turned = [math.degrees(position * rate) for rate in rates]
    for dial, rate, angle in zip(
        page.locator(".di-dial").all(), rates, turned, strict=True
    ):
        hand = numbers(dial.locator("g").get_attribute("transform"))[0]
        assert hand == approx(angle % 360, abs=0.001)
        below = dial.locator("small").inner_text()
        assert numbers(below)[0] == approx(2 * math.pi / rate, rel=0.05)
        whole = "A46 46 0 1 1 0 46" in dial.locator(".di-met").get_attribute("d")
        assert whole == (angle >= 360)

    def check(said):
        form = "Position {p}: the fastest hand is in round {round} and"
        wanted = {"p": position, "round": 1 + turned[0] // 360}
        assert told(form, said) == wanted
        stands = {"fast": turned[0] % 360, "slow": turned[-1] % 360}
        found = told("stands at {fast}°, the slowest at {slow}°", said)
        assert found == approx(stands, rel=0.05, abs=1e-4)
        been = sum(angle >= 360 for angle in turned)
        assert told("{been} of 8 have come round", said) == {"been": been}

    assert_said(page, check)


@pytest.mark.parametrize("position", [0, 6, 7, 63, 128])
def test_the_clock_is_pythons(show, position):
    check_clock(show(Clock(position=position)), position)
