"""The figure of the roof: its numbers are Python's; what a reader's hand changes."""

import re
from itertools import product

import pytest
from drawing import wait_until_drawn
from pytest import approx

from attnlab import store
from attnlab.complexity.roof import PHASES, ROOF_LAYERS
from attnlab.live import Roofline

LAYER_NAMES = {
    "attention": "attention written out",
    "attention_fused": "fused attention",
    "gru": "GRU loop",
    "lstm": "LSTM loop",
    "convolution": "convolution",
    "feed_forward": "feed-forward",
}
UNITS = {"s": 1, "ms": 1e-3, "µs": 1e-6}
RESULT_KEYS = ("intensity", "speed", "seconds", "calls")


@pytest.mark.computes
def test_predict_time_equals_python_at_all_sizes(page, modules):
    modules("figures/roofline/roof.js")
    sizes = product([16, 100, 4096], [64, 1024], [1, 16], [1, 64], PHASES)
    figures = [
        Roofline(n=n, d=d, heads=heads, batch=batch, phase=phase)
        for n, d, heads, batch, phase in sizes
    ]
    found = page.evaluate(
        """([layers, states, { roof, calls }]) => states.map((state) =>
             layers.map((layer) => predictTime(
               layer, state.phase, state, roof, calls[layer][state.phase])))""",
        [list(ROOF_LAYERS), [one.state() for one in figures], figures[0]._frame],
    )
    for figure, row in zip(figures, found, strict=True):
        for one, wanted in zip(row, figure.standings().values(), strict=True):
            assert one["waits"] == wanted.waits
            expected = [getattr(wanted, key) for key in RESULT_KEYS]
            assert [one[key] for key in RESULT_KEYS] == approx(expected, rel=1e-12)


def parse_seconds(text):
    number, unit = re.fullmatch(r"([\d.]+)\s(s|ms|µs)", text).groups()
    return float(number) * UNITS[unit]


@pytest.mark.parametrize(
    "state", [{"batch": 16, "d": 64}, {"phase": "generation", "d": 1024}], ids=str
)
def test_roofline_table_shows_model_and_stored_times(show_figures, state):
    figure = Roofline(**state)
    rows = (
        show_figures(figure)
        .locator(".rf-table tbody tr")
        .evaluate_all(
            "rows => rows.map((row) => [...row.children].map((one) => one.textContent))"
        )
    )
    shown, standings = {name: times for name, *times in rows}, figure.standings()
    assert list(shown) == list(LAYER_NAMES.values())
    for layer, name in LAYER_NAMES.items():
        model, measured = map(parse_seconds, shown[name])
        assert model == approx(standings[layer].seconds, rel=0.06)
        heads = {"num_heads": figure.heads} if layer.startswith("att") else {}
        sizes = {"n": figure.n, "d": figure.d, "batch": figure.batch}
        (stored,) = store.metrics(
            "roofline", layer=layer, phase=figure.phase, **sizes, **heads
        )
        assert measured == approx(stored["seconds"], rel=0.06)


RECORD_WIDTHS = """window.widths = [];
new MutationObserver(() => {
  const picture = document.querySelector(".rf-svg");
  if (picture) widths.push(picture.getAttribute("width"));
}).observe(document, { subtree: true, childList: true, attributes: true });"""


def test_roofline_first_draw_uses_final_width(page, show_figures):
    page.add_init_script(RECORD_WIDTHS)
    show_figures(Roofline())
    wait_until_drawn(page)
    assert len({*page.evaluate("widths")}) == 1


def test_roofline_heads_not_dividing_width_are_reduced(show_figures):
    page = show_figures(Roofline(d=100, heads=1))
    heads = page.get_by_label("Heads h", exact=True)
    heads.fill("3")  # eight
    assert heads.get_attribute("aria-valuetext") == "5"
