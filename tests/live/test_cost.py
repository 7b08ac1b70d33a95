"""The figure of costs: formulas, crossings, and its use by hand and keyboard."""

import json
import re
from itertools import product
from math import inf, isnan, nan
from typing import NamedTuple

import pytest
from drawing import first_daily, redrawn
from playwright.sync_api import expect
from pytest import approx
from reading import (
    Axis,
    Box,
    axis,
    beside,
    boxes,
    numbers,
    says,
    ticks,
    vertices,
)
from traitlets import TraitError

from attnlab import store
from attnlab.complexity import LAYERS, Roofline, measure_grid
from attnlab.complexity.grid import PHASES
from attnlab.live import Cost
from attnlab.live.cost import FORMULAS, QUANTITIES, SIZES, compact, stored_machines

LENGTHS = [8, 33, 97, 512, 65_536]
WIDTHS = [8, 96, 4096]
ROOM = 900  # pixels, for the layers' full names
NEAR = 1.5  # of them: steps lie between two places, letters stand half of one beside

# What the figure calls the layers, and a word for each quantity.
NAMES = {
    "attention": "self-attention",
    "attention_fused": "fused self-attention",
    "multi_head": "multi-head attention",
    "banded": "restricted attention",
    "additive": "additive attention",
    **{name: f"stepwise {name.upper()}" for name in ("rnn", "gru", "lstm")},
    **{f"{name}_fused": name.upper() for name in ("rnn", "gru", "lstm")},
    "convolution": "convolution",
    "dilated": "dilated stack",
    "separable": "separable convolution",
}
LAYER_OF = {name: layer for layer, name in NAMES.items()}
UNITS = {"seconds": "s", "megabytes": "B"}
PREFIXES = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9}
PREFIXES |= {"T": 1e12, "P": 1e15}
EPYC = {"cpu": "EPYC", "cores": 2, "threads": 1, "device": "cpu", "system": "Linux"}


def run(layer, n, d, seconds, megabytes=1.0, phase="forward", machine=EPYC, **options):
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


def measured() -> dict:
    """Attention at 100 GFLOP/s for long sequences, slower for short; a GRU at 10."""
    runs = []
    for n in (64, 128, 256, 512, 1024):
        for d in (64, 256):
            work = LAYERS["attention"].flops(n, d)
            rate = 1e11 if work >= 1e7 else 1e10
            runs.append(run("attention", n, d, work / rate, n * n / 1e4))
            runs.append(run("gru_fused", n, d, LAYERS["gru"].flops(n, d) / 1e10, n / 9))
    runs.append(run("attention", 65_536, 256, None, None))
    for radius in (8, 32, 128):
        runs.append(run("banded", 512, 256, radius / 1e4, radius, radius=radius))
    return {"name": "complexity", "runs": runs, "interrupted": False}


def with_machine(**traits) -> Cost:
    shown = {"layers": ["attention", "gru_fused"], "machines": []}
    return Cost(measured(), **{**shown, **traits})


def open_more(page) -> None:
    """Unfold the machine, all numbers and the notes."""
    page.locator(".cost-more summary").click()


def quantity(page, name: str) -> None:
    page.get_by_role("radio", name=name, exact=True).check(force=True)


def crossings(page) -> list[str]:
    return page.locator(".cost-crossings li").all_text_contents()


def cells(page) -> dict[str, dict[str, str]]:
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


# What Python says ---------------------------------------------------------------------


def machine_of(figure: Cost) -> dict:
    machines = {machine["name"]: machine for machine in figure.machines}
    return machines.get(figure.machine, {"points": {}, "models": {}})


def cells_of(figure: Cost, layer: str) -> list[list]:
    return machine_of(figure)["points"].get(layer, {}).get(figure.phase, [])


def measured_along(figure: Cost, layer: str, x: str) -> dict[int, list]:
    """What was measured along x, at sizes that otherwise are the figure's."""
    reach = {"kernel_size": "k", "radius": "r"}
    own = [short for key, short in reach.items() if key in LAYERS[layer].options]
    found = {}
    for cell in cells_of(figure, layer):
        sizes = dict(zip(["n", "d", *own], cell, strict=False))
        if all(size == getattr(figure, key) for key, size in sizes.items() if key != x):
            found[sizes.get(x)] = cell[3:]
    return dict(sorted(found.items())) if x in ["n", "d", *own] else {}


def measured_at(figure: Cost, layer: str) -> tuple[float, float]:
    """Seconds and bytes measured at just these sizes."""
    nothing = [None] * 4
    cell = measured_along(figure, layer, "n").get(figure.n, nothing)
    return scaled(cell[0], 1e-6), scaled(cell[3], 1e6)


def scaled(number: float | None, unit: float) -> float:
    return nan if number is None else number * unit


def seconds_of(figure: Cost, layer: str) -> tuple[float, float]:
    """The time by the machine's model, or at 10 GFLOP/s, and the FLOPs of that time."""
    kind, phase = LAYERS[layer], figure.phase
    reach = {"kernel_size": figure.k, "radius": figure.r}
    own = {key: value for key, value in reach.items() if key in kind.options}
    try:
        if layer == "dilated":
            own["num_layers"] = kind.layers_needed(figure.n, causal=True, **own)
    except ValueError:  # kernels of 1 link nothing
        return nan, nan
    generating = phase == "generation"
    flops = kind.flops(figure.n, figure.d, generating=generating, **own)
    models = machine_of(figure)["models"]
    model = models.get(layer, {}).get(phase) if figure.machine else [0, 1e10, None]
    if model is None:
        return nan, flops
    point = {"layer": layer, "n": figure.n, "d": figure.d, "phase": phase, **own}
    rates = [inf if rate is None else rate for rate in model]
    return Roofline(*rates).seconds({**point, "flops": flops}), flops


def costs_of(figure: Cost, quantity: str) -> dict[str, float]:
    """What each shown layer costs at the chosen sizes; NaN where nobody knows."""
    if quantity == "seconds":
        return {layer: seconds_of(figure, layer)[0] for layer in figure.layers}
    if quantity == "megabytes":
        return {layer: measured_at(figure, layer)[1] for layer in figure.layers}
    costs = {layer: cost[quantity] for layer, cost in figure.costs().items()}
    return {layer: scaled(cost, 1) for layer, cost in costs.items()}


def step_of(figure: Cost) -> int:
    """From a size along the axis to the next: a centred kernel is odd."""
    return 2 if figure.x == "k" and not figure.causal else 1


def costs_along(figure: Cost, places: list[float]) -> dict[int, dict[str, float]]:
    """The costs at the sizes nearest to these places, and at both ends of the axis."""
    (low, high), step, here = SIZES[figure.x], step_of(figure), figure.state()
    whole = {low + step * round((place - low) / step) for place in [*places, low, high]}
    found = {}
    for place in sorted(whole):
        figure.set_trait(figure.x, place)
        found[place] = costs_of(figure, figure.quantity)
    figure.set_state(here)
    return found


# What the figure shows ----------------------------------------------------------------


def amount(text: str, quantity: str = "flops") -> float:
    """25.2 M as 25 200 000, – as NaN; with the quantity's unit, and no other."""
    if text == "–":
        return nan
    found = re.fullmatch(r"([\d.\u202f]+)\u00a0?([nµmkMGTP]?)([sB]?)", text)
    number, prefix, unit = found.groups()
    assert unit == UNITS.get(quantity, "") or float(number) == 0, text
    return numbers(number)[0] * PREFIXES[prefix]


class Plot(NamedTuple):
    """The curves as a reader finds them: by printed ticks, and by their looks."""

    x: Axis
    y: Axis
    zero: float | None  # where what is nothing lies
    lines: dict[str, list[tuple[float, float]]]  # by layer
    marks: dict[str, list[list[Box]]]  # by layer, those of each of MARKS
    shapes: dict[str, set[str]]  # by layer, those of its marks

    def point(self, at: float, cost: float) -> tuple[float, float]:
        return self.x.at(at), self.zero if cost == 0 else self.y.at(cost)

    def places(self) -> list[float]:
        """Some of the places at which the curves have corners."""
        longest = max(self.lines.values(), key=len, default=[])
        return [self.x(pixel) for pixel, _ in longest[::8]]


MARKS = (".cost-now", ".cost-point", ".cost-lost", ".cost-bar")
# Of each curve its layer, the boxes of its marks, and the shapes of the first two.
CURVES = """(all, kinds) => all.map((line) => {
  const group = line.closest("[data-layer]");
  const boxes = kinds.map((kind) => [...group.querySelectorAll(kind)].map((mark) => {
    const { x, y, width, height } = mark.getBoundingClientRect();
    return [x + width / 2, y + height / 2, width, height];
  }));
  const marks = [...group.querySelectorAll(".cost-now, .cost-point")];
  return [group.dataset.layer, boxes, marks.map((mark) => mark.getAttribute("d"))];
})"""


def read_plot(page, quantity: str) -> Plot:
    across = page.locator(".cost-tick[text-anchor=middle]")
    up = page.locator(".cost-tick[text-anchor=end]")
    texts = up.all_text_contents()
    rows = {
        amount(text, quantity): box.y
        for text, box in zip(texts, boxes(up), strict=True)
    }
    zero = rows.pop(0, None)
    drawn = page.locator(".cost-plot .cost-line")
    curves = drawn.evaluate_all(CURVES, MARKS)
    names = [layer for layer, *_ in curves]
    return Plot(
        ticks(across, "x", log=True),
        axis(list(rows.values()), list(rows), log=True),
        zero,
        dict(zip(names, vertices(drawn), strict=True)),
        {
            layer: [[Box(*mark) for mark in kind] for kind in marks]
            for layer, marks, _ in curves
        },
        {layer: set(shapes) for layer, _, shapes in curves},
    )


def stand(marks: list[Box], points: list[tuple[float, float]]) -> None:
    """Marks stand at these points, in this order."""
    places = [(box.x, box.y) for box in marks]
    assert len(places) == len(points)
    for place, point in zip(places, points, strict=True):
        assert place == approx(point, abs=NEAR)


def check_curves(page, figure: Cost, plot: Plot, along: dict) -> None:
    """Curves, points and marks of all layers stand where Python's costs are."""
    now = costs_of(figure, figure.quantity)
    points = {layer: measured_points(figure, layer) for layer in figure.layers}
    curves = {
        layer: [(at, costs[layer]) for at, costs in along.items()]
        if figure.quantity != "megabytes"
        else [(at, value) for at, value, *_ in points[layer]]
        for layer in figure.layers
    }
    known = {
        layer: [point for point in curve if not isnan(point[1])]
        for layer, curve in curves.items()
    }
    assert set(plot.lines) == {name for name in known if len(known[name]) > 1}
    shapes = shapes_of_labels(page)
    for layer, line in plot.lines.items():
        for point in known[layer]:
            assert beside(plot.point(*point), line) <= NEAR, (layer, point)
        here = (getattr(figure, figure.x), now[layer])
        marks, measured, crosses, bars = plot.marks[layer]
        stand(marks, [] if isnan(here[1]) else [plot.point(*here)])
        stand(measured, [plot.point(at, value) for at, value, *_ in points[layer]])
        lost = [plot.x.at(at) for at in lost_along(figure, layer)]
        assert [box.x for box in crosses] == approx(lost, abs=NEAR)
        for bar, (at, _, low, high) in zip(bars, points[layer], strict=True):
            ends = [*plot.point(at, low), *plot.point(at, high)]
            assert [bar.x, bar.foot, bar.x, bar.top] == approx(ends, abs=NEAR)
        assert plot.shapes[layer] <= shapes[NAMES[layer]]
    check_labels(page, plot, {name: line[-1] for name, line in known.items() if line})


def measured_points(figure: Cost, layer: str) -> list[tuple[float, ...]]:
    """Place, value, and quartiles of what was measured along the axis."""
    found = measured_along(figure, layer, figure.x).items()
    if figure.quantity == "seconds":
        return [
            (at, *(1e-6 * time for time in cell[:3])) for at, cell in found if cell[0]
        ]
    if figure.quantity == "megabytes":
        return [(at, *[1e6 * cell[3]] * 3) for at, cell in found if cell[3]]
    return []


def lost_along(figure: Cost, layer: str) -> list[int]:
    """Where memory ran out."""
    found = measured_along(figure, layer, figure.x) if figure.quantity in UNITS else {}
    return [at for at, (median, *_) in found.items() if median is None]


def shapes_of_labels(page) -> dict[str, set[str]]:
    """The shapes of the marks beside the names of curves, at their ends."""
    labels = page.locator(".cost-label").evaluate_all(
        """all => all.map((label) => [
             label.querySelector(".cost-name").textContent,
             [...label.querySelectorAll(".cost-now")].map((e) => e.getAttribute("d")),
           ])"""
    )
    return {name: set(shapes) for name, shapes in labels}


def check_labels(page, plot: Plot, ends: dict[str, tuple[float, float]]) -> None:
    """The name at the end of each curve is that of its layer."""
    leaders = vertices(page.locator(".cost-leader"))
    names = page.locator(".cost-name").all_text_contents()
    assert len(names) == len(ends)
    for name, (start, *_) in zip(names, leaders, strict=True):
        assert start == approx(plot.point(*ends[LAYER_OF[name]]), abs=NEAR)


def check_table(page, figure: Cost) -> None:
    """All numbers of the table, and what it says they are of."""
    rows = {title.replace("_", " "): costs_of(figure, title) for title in FORMULAS}
    rows["FLOPs"] = rows.pop("flops")
    timed = {layer: seconds_of(figure, layer) for layer in figure.layers}
    rows["time, predicted"] = {layer: time for layer, (time, _) in timed.items()}
    if figure.machine:
        hands = {layer: measured_at(figure, layer) for layer in figure.layers}
        rows["time, measured"] = {layer: time for layer, (time, _) in hands.items()}
        rows["peak memory, measured"] = {
            name: size for name, (_, size) in hands.items()
        }
        rows["GFLOP/s, predicted"] = {
            layer: flops / time / 1e9 for layer, (time, flops) in timed.items()
        }
    table = cells(page)
    for layer in figure.layers:
        column = table[LAYERS[layer].label]
        assert set(column) == set(rows)
        for title, row in rows.items():
            unit = (
                "seconds" if "time" in title else "megabytes" if "mem" in title else ""
            )
            exact = 0 if title in ("sequential operations", "path length") else 0.006
            shown = amount(column[title], unit)
            assert shown == approx(row[layer], rel=exact, nan_ok=True), (layer, title)
    formulas = page.locator(".cost-formula").all_text_contents()
    assert formulas == [LAYERS[name].formula for name in figure.layers]
    caption = page.locator(".cost-values caption").text_content()
    assert numbers(caption)[:2] == [figure.n, figure.d]
    assert ("causal" in caption) is figure.causal
    assert (figure.machine or "time at 10 GFLOP/s") in caption


def check_all(page, figure: Cost) -> None:
    """The curves and the table of this state are the package's numbers."""
    plot = read_plot(page, figure.quantity)
    check_curves(page, figure, plot, costs_along(figure, plot.places()))
    check_table(page, figure)


@pytest.mark.parametrize("quantity", first_daily(list(QUANTITIES), 2))
def test_what_is_drawn_along_every_axis_is_pythons(show, quantity):
    causal = quantity in ("parameters", "path_length")
    figure = with_machine(quantity=quantity, layers=list(LAYERS), causal=causal)
    page = show(figure, width=ROOM)
    for x in SIZES:
        page.get_by_role("radio", name=x, exact=True).check(force=True)
        figure.x = x
        check_all(page, figure)


# The formulas -----------------------------------------------------------------------


def test_the_model_of_time_is_pythons(page, modules):
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
            wanted += [seconds_of(figure, layer)[0] for layer in LAYERS]
    found = page.evaluate(
        """asked => asked.map(([layer, phase, model, sizes]) =>
             timeFormula(layer, phase, model)(sizes))""",
        asked,
    )
    assert found == approx(wanted, rel=1e-12)


def test_the_models_meet_nine_tenths_of_the_stored_times():
    """Within a factor of 1.5, as chapter 6 says; a rate alone does not."""
    machine = max(stored_machines(), key=lambda one: len(json.dumps(one)))
    figure = Cost(machines=[machine], causal=True)
    by_model, by_rate = [], []
    for layer, phase in product(machine["points"], PHASES):
        cells, ratios = [], []
        for n, d, option, micros, *_ in machine["points"][layer].get(phase, []):
            if micros is not None:
                sizes = {"r" if layer == "banded" else "k": option} if option else {}
                figure.set_state({"n": n, "d": d, "phase": phase, **sizes})
                time, flops = seconds_of(figure, layer)
                cells.append(time / micros * 1e6)
                ratios.append(flops / micros)
        middle = sorted(ratios)[len(ratios) // 2] if ratios else 1
        by_model += cells
        by_rate += [ratio / middle for ratio in ratios]
    near = [[1 / 1.5 < x < 1.5 for x in found] for found in (by_model, by_rate)]
    assert len(by_model) > 900
    assert sum(near[0]) > 0.9 * len(by_model) and sum(near[1]) < 0.7 * len(by_rate)


def test_costs_are_the_formulas_of_the_package():
    figure = Cost(n=100, d=64, k=5, r=7, layers=list(LAYERS), machines=[])
    costs = figure.costs()
    assert costs["gru_fused"]["flops"] == 12 * 100 * 64**2
    assert costs["separable"]["flops"] == LAYERS["separable"].flops(
        100, 64, kernel_size=5
    )
    assert costs["banded"]["path_length"] == 15  # ⌈99 / 7⌉
    assert costs["lstm"]["sequential_operations"] == 100
    assert costs["dilated"]["flops"] == 3 * 2 * 5 * 100 * 64**2  # 5³ > 99
    assert costs["multi_head"]["parameters"] == 4 * 64**2 + 4 * 64


def test_the_ranges_are_pythons(page, modules):
    modules("figures/cost/costs.js")
    assert Cost(machines=[])._frame["limits"] == SIZES
    for x, (low, high) in SIZES.items():
        for causal in (False, True):
            found, samples = page.evaluate(
                """([x, causal, range]) => {
                  const axis = costAxis(x, causal, range);
                  return [axis, axisSamples(axis)];
                }""",
                [x, causal, [low, high]],
            )
            step = 2 if x == "k" and not causal else 1
            steps = (high - low) // step
            assert found == {"x": x, "low": low, "step": step, "last": steps}
            assert samples == sorted(set(samples))
            assert (samples[0], samples[-1]) == (low, high)
            assert all((place - low) % step == 0 for place in samples)
            assert len(samples) > 100


# Crossings --------------------------------------------------------------------------


def test_curves_that_touch_or_never_cross(page, modules):
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


# What it shows ----------------------------------------------------------------------


# Measured ---------------------------------------------------------------------------


def test_compact_keeps_what_the_figure_shows():
    runs = [
        run("banded", 64, 8, 1.23456e-3, 0.123456, radius=7),
        run("convolution", 64, 8, 1e-3, None),
        run("multi_head", 64, 8, 1e-3, num_heads=8),
        run("multi_head", 64, 8, 2e-3, num_heads=2),  # not the figure's heads
        run("dilated", 64, 8, 1e-3, num_layers=4),
        run("dilated", 64, 8, 2e-3, num_layers=3),  # does not link 64 positions
        run("attention", 64, 8, None, None),
        run("attention", 64, 8, 1e-3, batch=4),
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
def test_results_of_another_form_are_refused(results):
    with pytest.raises(ValueError, match=r"measure_grid|`measure`"):
        Cost(results)


def test_it_reads_what_measure_grid_stores(tmp_path, monkeypatch):
    settings = [{"layer": "banded", "n": 16, "d": 8, "phase": "forward", "radius": 3}]
    measure_grid(settings, name="complexity.full", folder=tmp_path, progress=False)
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    (machine,) = stored_machines()
    ((n, d, r, median, low, high, megabytes),) = machine["points"]["banded"]["forward"]
    assert (n, d, r) == (16, 8, 3)
    assert 0 < low <= median <= high
    assert megabytes > 0
    assert Cost().machine == machine["name"]
    results = measured()
    assert [one["name"] for one in Cost(results).machines] == [
        "EPYC, 1 thread (yours)", machine["name"],
    ]  # fmt: skip


# How it is used ---------------------------------------------------------------------


def test_dragging_the_upright_line(show):
    page = show(Cost(machines=[]))
    area = page.locator(".cost-area").bounding_box()
    page.mouse.move(area["x"] + 2, area["y"] + 50)
    page.mouse.down()
    says(page, "At n = 8,")
    page.mouse.move(area["x"] + area["width"] / 2, area["y"] + 50)
    says(page, "At n = 768,")  # the middle of 8 and 65536 is 724
    page.mouse.move(area["x"] + area["width"] + 300, area["y"])
    says(page, "At n = 65536,")
    page.mouse.up()
    page.mouse.move(area["x"] + 5, area["y"] + 50)  # no longer held
    redrawn(page)
    says(page, "At n = 65536,")
    page.get_by_role("radio", name="k", exact=True).check(force=True)
    page.mouse.click(area["x"] + area["width"] - 1, area["y"] + 50)
    says(page, "k = 1023")


def test_the_table_is_copied(show, page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    figure = with_machine()
    page = show(figure)
    open_more(page)
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


def test_too_many_points_are_refused():
    row = [64, 8, 0, 1000, 900, 1200, 1.0]
    machine = {"name": "x", "points": {"rnn": {"forward": [row] * 9000}}, "models": {}}
    with pytest.raises(TraitError, match="a page may hold 200000"):
        Cost(machines=[machine])


def test_traits_keep_each_other_in_order():
    figure = with_machine(causal=True, k=4, layers=["gru_fused", "attention"])
    assert figure.layers == ["gru_fused", "attention"]
    figure.causal = False
    assert figure.k == 3
    with pytest.raises(TraitError, match="odd"):
        figure.k = 6
    assert figure.machine == "EPYC, 1 thread (yours)"
    figure.machines = []
    assert figure.machine == ""
