"""The figure of costs: formulas, crossings, measurements, and its use by hand."""

import re
from itertools import product
from math import inf, nan

import pytest
from drawing import evaluate_large, wait_until_drawn
from playwright.sync_api import expect
from pytest import approx
from reading import expect_status, parse_numbers
from traitlets import TraitError

from attnlab.complexity import LAYERS, Roofline
from attnlab.complexity.grid import PHASES
from attnlab.live import Cost
from attnlab.live.cost import FORMULAS, SIZES, compact

LENGTHS = [8, 33, 97, 512, 65_536]
WIDTHS = [8, 96, 4096]
PREFIXES = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9}
PREFIXES |= {"T": 1e12, "P": 1e15}
EPYC = {"cpu": "EPYC", "cores": 2, "threads": 1, "device": "cpu", "system": "Linux"}


def cell(layer, n, d, seconds, megabytes=1.0, phase="forward", machine=EPYC, **options):
    """A measured cell, as `measure_grid` stores it."""
    times = None
    if seconds is not None:
        times = {"median": seconds, "low": 0.9 * seconds, "high": 1.2 * seconds}
        times["blocks"] = 5
    return {
        "setting": {"layer": layer, "n": n, "d": d, "phase": phase, "threads": 1}
        | options,
        "seed": 0,
        "figures": {
            "seconds": times,
            "megabytes": megabytes,
            "out_of_memory": seconds is None,
        },
        "machine": machine,
    }


def measured_runs() -> dict:
    """Attention at 100 GFLOP/s for long sequences, slower for short; a GRU at 10."""
    runs = []
    for n in (64, 128, 256, 512, 1024):
        for d in (64, 256):
            work = LAYERS["attention"].flops(n, d)
            rate = 1e11 if work >= 1e7 else 1e10
            runs.append(cell("attention", n, d, work / rate, n * n / 1e4))
            runs.append(
                cell("gru_fused", n, d, LAYERS["gru"].flops(n, d) / 1e10, n / 9)
            )
    runs.append(cell("attention", 65_536, 256, None, None))
    for radius in (8, 32, 128):
        runs.append(cell("banded", 512, 256, radius / 1e4, radius, radius=radius))
    return {"name": "complexity", "runs": runs, "interrupted": False}


def make_figure(**traits) -> Cost:
    shown = {"layers": ["attention", "gru_fused"], "machines": []}
    return Cost(measured_runs(), **{**shown, **traits})


def table_cells(page) -> dict[str, dict[str, str]]:
    """The table: layer -> quantity -> text."""
    head, *rows = page.evaluate(
        """() => [...document.querySelectorAll(".cost-table tr")].map((row) =>
          [...row.children].map((cell) =>
            (cell.firstElementChild ?? cell).textContent))"""
    )
    quantities = [row[0] for row in rows]
    return {
        layer: dict(zip(quantities, column, strict=True))
        for layer, *column in zip(*(row[1:] for row in [head, *rows]), strict=True)
    }


def parse_amount(text: str) -> float:
    """25.2 M as 25 200 000, 3.1 ms as 0.0031, – as NaN."""
    if text == "–":
        return nan
    number, prefix = re.fullmatch(
        r"([\d.\u202f]+)\u00a0?([nµmkMGTP]?)[sB]?", text
    ).groups()
    return parse_numbers(number)[0] * PREFIXES[prefix]


def selected_machine(figure: Cost) -> dict:
    (found,) = (one for one in figure.machines if one["name"] == figure.machine)
    return found


def predicted_seconds(figure: Cost, layer: str) -> tuple[float, float]:
    """The time by the machine's model, NaN without one, and the FLOPs of that time."""
    kind, phase = LAYERS[layer], figure.phase
    reach = {"kernel_size": figure.k, "radius": figure.r}
    own = {key: value for key, value in reach.items() if key in kind.options}
    if layer == "dilated":
        own["num_layers"] = kind.layers_needed(figure.n, causal=True, **own)
    generating = phase == "generation"
    flops = kind.flops(figure.n, figure.d, generating=generating, **own)
    model = selected_machine(figure)["models"].get(layer, {}).get(phase)
    if model is None:
        return nan, flops
    point = {"layer": layer, "n": figure.n, "d": figure.d, "phase": phase, **own}
    rates = [inf if rate is None else rate for rate in model]
    return Roofline(*rates).seconds({**point, "flops": flops}), flops


def measured_at(figure: Cost, layer: str) -> tuple[float, float]:
    """Seconds and bytes measured at just these sizes, NaN where nothing was."""
    reach = {"kernel_size": figure.k, "radius": figure.r}
    own = [reach[key] for key in LAYERS[layer].options if key in reach] or [0]
    for n, d, option, micros, *_, megabytes in (
        selected_machine(figure)["points"].get(layer, {}).get(figure.phase, [])
    ):
        if [n, d, option] == [figure.n, figure.d, *own]:
            return micros * 1e-6, megabytes * 1e6
    return nan, nan


# The numbers --------------------------------------------------------------------------


@pytest.mark.computes
def test_cost_formulas_equal_python_for_every_layer(page, modules):
    modules("figures/cost/costs.js")
    asked, wanted = [], []
    for n, d, (k, r, causal) in product(
        LENGTHS, WIDTHS, [(1, 1, False), (3, 32, True), (4, 7, True), (511, 99, False)]
    ):
        sizes = {"n": n, "d": d, "k": k, "r": r, "causal": causal}
        costs = Cost(layers=list(LAYERS), machines=[], **sizes).costs()
        asked += [[layer, what, sizes] for layer in LAYERS for what in FORMULAS]
        wanted += [costs[layer][what] for layer in LAYERS for what in FORMULAS]
    found = evaluate_large(
        page,
        """asked => asked.map(([layer, what, sizes]) => {
             const cost = costFormula(layer, what)(sizes);
             return Number.isNaN(cost) ? null : cost;
           })""",
        asked,
    )
    assert found == wanted


def test_cost_table_shows_formulas_and_measurements(show_figures):
    figure = make_figure(layers=list(LAYERS), causal=True)
    table = table_cells(show_figures(figure))
    for layer in figure.layers:
        costs, (time, flops) = figure.costs()[layer], predicted_seconds(figure, layer)
        measured, size = measured_at(figure, layer)
        row = {"FLOPs": costs.pop("flops"), "time, predicted": time}
        row |= {title.replace("_", " "): cost for title, cost in costs.items()}
        row |= {"time, measured": measured, "peak memory, measured": size}
        row |= {"GFLOP/s, predicted": flops / time / 1e9}
        shown = {
            title: parse_amount(text)
            for title, text in table[LAYERS[layer].label].items()
        }
        assert shown == approx(row, rel=0.006, nan_ok=True), layer


@pytest.mark.computes
def test_cost_time_formula_equals_python(page, modules):
    modules("figures/cost/costs.js")
    models = [1e-5, 2e10, 3e9], [0, 1e30, 1]  # the second is of bytes alone
    asked, wanted = [], []
    for model in models:
        of_all = {layer: dict.fromkeys(PHASES, model) for layer in LAYERS}
        figure = Cost(machines=[{"name": "x", "points": {}, "models": of_all}])
        for phase, n, d in product(PHASES, LENGTHS, WIDTHS):
            figure.set_state({"phase": phase, "n": n, "d": d})
            sizes = {"n": n, "d": d, "k": 3, "r": 32, "causal": phase == "generation"}
            asked += [[layer, phase, model, sizes] for layer in LAYERS]
            wanted += [predicted_seconds(figure, layer)[0] for layer in LAYERS]
    found = evaluate_large(
        page,
        """asked => asked.map(([layer, phase, model, sizes]) =>
             timeFormula(layer, phase, model)(sizes))""",
        asked,
    )
    assert found == approx(wanted, rel=1e-12)


def test_cost_names_the_width_where_attention_and_gru_cross(show_figures):
    page = show_figures(make_figure(layers=["attention", "gru"], x="d", n=512))
    expect_status(page, "beyond d = n/3 = 170.7")


@pytest.mark.computes
def test_last_crossing_ignores_curves_that_touch_or_part(page, modules):
    modules("figures/cost/costs.js")
    found = page.evaluate(
        """() => {
          const axis = { x: "k", low: 1, step: 1, last: 4 };
          const from = (list) => ({ k }) => list[k - 1];
          const at = (a, b) => lastCrossing(axis, from(a), from(b), {});
          return [
            at([1, 2, 3, 4, 5], [2, 3, 4, 5, 6]),
            at([1, 2, 3, 4, 5], [2, 2, 2, 2, 2]),
            at([1, 2, 3, 4, 5], [1, 2, 3, 4, 4]),
            at([1, 3, 3, 2, 5], [2, 2, 2, 3, 3]),
            at([1, 3, 2, 3, 5], [2, 2, 2, 2, 3]),
            at([1, 1, 1, 1, NaN], [2, 2, 2, 0, 0]),
            at([3, 3, 3, 3, 3], [5, 4, 2, 1, 0]),
            at([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]),
          ];
        }"""
    )
    assert found == [
        None,
        {"sign": 1, "before": 1, "from": 3, "equal": 2},
        None,  # they part, they do not cross
        {"sign": 1, "before": 4, "from": 5, "equal": None},  # the last time
        {"sign": 1, "before": 1, "from": 4, "equal": 3},  # they touch once more
        None,
        {"sign": 1, "before": 2, "from": 3, "equal": None},
        None,
    ]


# Measured ---------------------------------------------------------------------------


def test_compact_keeps_what_the_figure_shows():
    runs = [
        cell("banded", 64, 8, 1.23456e-3, 0.123456, radius=7),
        cell("convolution", 64, 8, 1e-3, None),
        cell("multi_head", 64, 8, 1e-3, num_heads=8),
        cell("multi_head", 64, 8, 2e-3, num_heads=2),  # not the figure's heads
        cell("dilated", 64, 8, 1e-3, num_layers=4),
        cell("dilated", 64, 8, 2e-3, num_layers=3),  # does not link 64 positions
        cell("attention", 64, 8, None, None),
        cell("attention", 64, 8, 1e-3, batch=4),
    ]
    (machine,) = compact({"name": "complexity", "runs": runs})
    assert machine["name"] == "EPYC, 1 thread"
    points = {name: rows["forward"] for name, rows in machine["points"].items()}
    assert machine["models"].keys() == points.keys() - {"attention"}
    # Of one cell the rate is known: 2k n d² FLOPs in a millisecond.
    assert machine["models"]["convolution"]["forward"] == [
        0.0,
        6 * 64 * 64 / 1e-3,
        None,
    ]
    assert points == {
        "banded": [[64, 8, 7, 1230, 1110, 1480, 0.123]],
        "convolution": [[64, 8, 3, 1000, 900, 1200, None]],
        "multi_head": [[64, 8, 0, 1000, 900, 1200, 1.0]],
        "dilated": [[64, 8, 3, 1000, 900, 1200, 1.0]],
        "attention": [[64, 8, 0, None, None, None, None]],
    }


@pytest.mark.parametrize("results", [{}, [], {"runs": [{"setting": {}}]}, {"runs": 3}])
def test_cost_rejects_results_of_another_form(results):
    with pytest.raises(ValueError, match=r"measure_grid|`measure`"):
        Cost(results)


# How it is used ---------------------------------------------------------------------


def test_cost_dragging_the_line_sets_the_size(show_figures):
    page = show_figures(Cost(machines=[]))
    area = page.locator(".cost-area").bounding_box()
    page.mouse.move(area["x"] + 2, area["y"] + 50)
    page.mouse.down()
    expect_status(page, "At n = 8,")
    page.mouse.move(area["x"] + area["width"] / 2, area["y"] + 50)
    expect_status(page, "At n = 768,")  # the middle of 8 and 65536 is 724
    page.mouse.move(area["x"] + area["width"] + 300, area["y"])
    expect_status(page, "At n = 65536,")
    page.mouse.up()
    page.mouse.move(area["x"] + 5, area["y"] + 50)  # no longer held
    wait_until_drawn(page)
    expect_status(page, "At n = 65536,")
    page.get_by_role("radio", name="k", exact=True).check(force=True)
    page.mouse.click(area["x"] + area["width"] - 1, area["y"] + 50)
    expect_status(page, "k = 1023")


def test_cost_copy_button_copies_the_table(show_figures, page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    figure = make_figure()
    page = show_figures(figure)
    page.locator(".cost-more summary").click()
    page.get_by_role("button", name="Copy the table").click()
    expect(page.get_by_text("Copied 2 rows.")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    head, *rows = [line.split("\t") for line in copied.split("\n")]
    assert head[:8] == ["layer", "n", "d", "k", "r", "causal", "FLOPs", "parameters"]
    table = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    for name, costs in figure.costs().items():
        row = table[LAYERS[name].label]
        assert [row[size] for size in SIZES] == ["512", "256", "3", "32"]
        titles = ["FLOPs", *(title.replace("_", " ") for title in FORMULAS[1:])]
        assert [int(row[title]) for title in titles] == list(costs.values())
    assert float(table["GRU, fused"]["seconds, measured"]) == approx(0.0403, rel=0.01)


# From Python's side -----------------------------------------------------------------


def test_cost_rejects_too_many_points():
    row = [64, 8, 0, 1000, 900, 1200, 1.0]
    machine = {"name": "x", "points": {"rnn": {"forward": [row] * 9000}}, "models": {}}
    with pytest.raises(TraitError, match="a page may hold 200000"):
        Cost(machines=[machine])


def test_cost_traits_adjust_to_each_other():
    assert Cost(measured_runs()).machine == "EPYC, 1 thread (yours)"  # the first of all
    figure = make_figure(causal=True, k=4, layers=["gru_fused", "attention"])
    assert figure.layers == ["gru_fused", "attention"]
    figure.causal = False
    assert figure.k == 3
    with pytest.raises(TraitError, match="odd"):
        figure.k = 6
    assert figure.machine == "EPYC, 1 thread (yours)"
    figure.machines = []
    assert figure.machine == ""
