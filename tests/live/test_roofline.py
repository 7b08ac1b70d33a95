"""The figure of the roof: its numbers are Python's; what a reader's hand changes."""

import re
from itertools import product

import pytest
from drawing import redrawn
from pytest import approx
from reading import assert_said, axis, boxes, numbers, vertices
from traitlets import TraitError

from attnlab import store
from attnlab.complexity.roof import PHASES, ROOF_LAYERS
from attnlab.live import Roofline

NAMES = {
    "attention": "attention written out",
    "attention_fused": "fused attention",
    "gru": "GRU",
    "lstm": "LSTM",
    "convolution": "convolution",
    "feed_forward": "feed-forward",
}
UNITS = {"s": 1, "ms": 1e-3, "µs": 1e-6}
KEYS = ("intensity", "speed", "seconds", "calls")


@pytest.mark.computes
def test_where_layers_stand_is_pythons(page, modules):
    modules("figures/roofline/roof.js")
    frame = Roofline()._frame
    sizes = product([16, 100, 512, 4096], [64, 1024], [1, 16], [1, 64], PHASES)
    for n, d, heads, batch, phase in sizes:
        figure = Roofline(n=n, d=d, heads=heads, batch=batch, phase=phase)
        found = page.evaluate(
            """([layers, phase, sizes, { roof, calls }]) => layers.map((layer) =>
                 underRoof(layer, phase, sizes, roof, calls[layer][phase]))""",
            [list(ROOF_LAYERS), phase, figure.state(), frame],
        )
        for one, wanted in zip(found, figure.standings().values(), strict=True):
            assert one["waits"] == wanted.waits
            expected = [getattr(wanted, key) for key in KEYS]
            assert [one[key] for key in KEYS] == approx(expected, rel=1e-12)


def seconds(text):
    number, unit = re.fullmatch(r"([\d.]+)\s(s|ms|µs)", text).groups()
    return float(number) * UNITS[unit]


def rows(page):
    """The table: by layer, the times at best and measured."""
    found = page.locator(".rf-table tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.children].map((one) => one.textContent))"
    )
    return {name: times for name, *times in found}


def check_picture(page, figure, times):
    """By the printed ticks: the roof's slopes, and the marks at best and measured."""
    places, labels = boxes(page.locator(".rf-tick")), page.locator(".rf-tick")
    values = [numbers(text)[0] for text in labels.all_text_contents()]
    across = axis([box.x for box in places[:3]], values[:3], log=True)
    up = axis([box.y for box in places[4:]], values[4:], log=True)
    peak, slopes = figure._frame["roof"]["peak"], dict(figure._frame["roof"]["slopes"])
    for slope, size in zip(
        vertices(page.locator(".rf-roof.slope")), (1e6, 256e6), strict=True
    ):
        for (x, y), least in zip(slope, (0.2, peak / slopes[size]), strict=True):
            height = up.at(least * slopes[size] / 1e9)
            assert (x, y) == approx((across.at(least), height), abs=3)
        rate = float(f"{slopes[size] / 1e9:.2g}")
        told = f"{size / 1e6:g} MB: {rate:g} GB/s"
        assert page.locator(".rf-limit", has_text=told).count() == 1
    measured = boxes(page.locator(".rf-measured"))
    for (layer, one), found in zip(figure.standings().items(), measured, strict=True):
        (best,) = boxes(page.locator(f".rf-svg [data-layer={layer}] .rf-dot"))
        assert best.x == found.x == approx(across.at(one.intensity), abs=3)
        assert best.y == approx(up.at(one.speed / 1e9), abs=3)
        speed = one.speed * one.seconds / times[layer]
        assert found.y == approx(up.at(speed / 1e9), abs=3)


@pytest.mark.parametrize(
    "state",
    [{}, {"batch": 16, "d": 64}, {"phase": "generation", "d": 1024}],
    ids=str,
)
def test_the_table_and_the_words_tell_the_model_and_what_was_measured(show, state):
    figure = Roofline(**state)
    page = show(figure)
    shown, standings, times = rows(page), figure.standings(), {}
    assert list(shown) == list(NAMES.values())
    for layer, name in NAMES.items():
        model, measured = shown[name]
        assert seconds(model) == approx(standings[layer].seconds, rel=0.06)
        heads = {"num_heads": figure.heads} if layer.startswith("att") else {}
        sizes = {"n": figure.n, "d": figure.d, "batch": figure.batch}
        (stored,) = store.metrics(
            "roofline", layer=layer, phase=figure.phase, **sizes, **heads
        )
        assert seconds(measured) == approx(stored["seconds"], rel=0.06)
        times[layer] = stored["seconds"]
    check_picture(page, figure, times)

    def check(said):
        first = said.split(" More than half")[0].rstrip(".")
        told = re.findall(r"for (memory|arithmetic): ([^;]*)", first)
        assert {what for what, _ in told} == {s.waits for s in standings.values()}
        for what, waiting in told:
            those = [NAMES[layer] for layer in NAMES if standings[layer].waits == what]
            names = re.split(r" \([^)]*\)(?:, | and )?", waiting)
            assert [name for name in names if name] == those
        half = [s.calls > s.seconds / 2 for s in standings.values()]
        assert ("price of calls" in said) == any(half)
        assert ("calls: all" in said) == all(half)

    assert_said(page, check)


def dot(page, layer):
    """Where a layer's filled mark stands in the picture, in pixels."""
    mark = page.locator(f".rf-svg [data-layer={layer}] .rf-dot")
    return numbers(mark.get_attribute("transform"))


WIDTHS = """window.widths = [];
new MutationObserver(() => {
  const picture = document.querySelector(".rf-svg");
  if (picture) widths.push(picture.getAttribute("width"));
}).observe(document, { subtree: true, childList: true, attributes: true });"""


def test_its_first_picture_is_as_wide_as_the_table_leaves_it(page, show):
    page.add_init_script(WIDTHS)
    show(Roofline())
    redrawn(page)
    assert len({*page.evaluate("widths")}) == 1


def test_heads_that_cannot_share_the_width_are_made_fewer(show):
    page = show(Roofline(d=100, heads=1))
    heads = page.get_by_label("Heads h", exact=True)
    heads.fill("3")  # eight
    assert heads.get_attribute("aria-valuetext") == "5"
    with pytest.raises(TraitError, match="cannot share"):
        Roofline(d=100, heads=8)
