"""The state matrix of chapter 11: what is read back, against PyTorch."""

import pytest
import torch
from playwright.sync_api import expect
from pytest import approx
from reading import parse_by_form
from torch.nn import functional as F

from attnlab.live import StateMatrix
from attnlab.live.statematrix import DECAY, KEYS, RULES


def torch_readings(figure):
    """Return the state, the answers' cosines with their values, and their scores."""
    keys = F.normalize(torch.tensor(figure.limits["keys"], dtype=torch.float64), dim=1)
    values = torch.tensor(figure.limits["values"], dtype=torch.float64)
    if figure.kind == "alike":
        keys = F.normalize(keys + keys[-1], dim=1)
    if figure.kind == "one twice":
        keys[3] = keys[1]
    keys, values = keys[: figure.written], values[: figure.written]
    state = torch.zeros(keys.shape[1], values.shape[1], dtype=torch.float64)
    for key, value in zip(keys, values, strict=True):
        if figure.rule in ("decay", "gated delta"):
            state = DECAY * state
        held = key @ state if "delta" in figure.rule else 0
        state = state + torch.outer(key, value - held)
    answers = keys @ state
    return state, F.cosine_similarity(answers, values), answers @ values.T


@pytest.mark.computes
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", KEYS)
def test_statematrix_readings_equal_pytorch(page, modules, rule, kind):
    modules("figures/statematrix/readings.js")
    figure = StateMatrix(rule=rule, kind=kind, written=9, read=2)
    found = page.evaluate(
        "([settings, limits]) => readBackPairs(settings, limits)",
        [figure.state(), figure.limits],
    )
    state, likes, scores = torch_readings(figure)
    assert torch.tensor(found["state"]).double() == approx(state, abs=1e-4)
    replaced = {1} if kind == "one twice" else set()
    assert (found["value"] == figure.limits["values"][1]) == (not replaced)
    for i, pair in enumerate(found["pairs"]):
        if i in replaced:
            assert pair is None
            continue
        assert pair["like"] == approx(likes[i].item(), abs=1e-4)
        assert pair["named"] == (scores[i].argmax().item() == i)


def test_statematrix_bars_and_heading_show_readings(show_figures):
    figure = StateMatrix(rule="delta", written=24)
    page = show_figures(figure)
    _, likes, scores = torch_readings(figure)
    named = scores.argmax(dim=1) == torch.arange(24)
    heading = page.locator(".sm-heading").inner_text()
    form = "{right} of {all} values read back"
    assert parse_by_form(form, heading) == {"right": named.sum().item(), "all": 24}
    for i, bar in enumerate(page.locator(".sm-bar").all()):
        height = bar.locator(".sm-fill").evaluate("one => one.style.height")
        assert float(height.rstrip("%")) == approx(
            100 * max(0, likes[i].item()), abs=0.51
        )
        assert ("right" in bar.get_attribute("class").split()) == named[i].item()
    page.locator(".sm-bar").first.click()
    expect(page.get_by_label("Read the key of pair")).to_have_value("1")
