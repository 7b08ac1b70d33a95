"""The figure of costs: formulas, crossings, and its use by hand and keyboard."""

import json
import re
from itertools import pairwise

import pytest
from drawing import PHONE_HEIGHT, in_column, on_phone, redrawn, span
from playwright.sync_api import expect
from traitlets import TraitError

from attnlab import store
from attnlab.complexity import LAYERS, Roofline, full_grid, measure_grid
from attnlab.complexity.grid import PHASES
from attnlab.complexity.roofline import count_bytes
from attnlab.live import Cost
from attnlab.live.base import INLINE_LIMIT
from attnlab.live.cost import FORMULAS, QUANTITIES, SIZES, compact, stored_machines

LENGTHS = [8, 33, 97, 512, 65_536]
WIDTHS = [8, 96, 4096]
KERNELS = [1, 3, 7, 1023]
RADII = [1, 31, 33, 500, 65_536]
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
    return {"name": "complexity", "runs": runs, "interrupted": False}


def with_machine(**traits) -> Cost:
    shown = {"layers": ["attention", "gru_fused"], "machines": []}
    return Cost(measured(), **{**shown, **traits})


def says(page, text: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(text)


def status(page) -> str:
    return page.get_by_role("status").inner_text()


def tries(page):
    return page.get_by_label("Try", exact=True)


def choose_try(page, name: str) -> None:
    tries(page).select_option(label=name)


def open_view(page, name: str) -> None:
    """Press one of the buttons over the picture, or over the settings beside it."""
    page.locator(".cost-tabs").get_by_role("radio", name=name).check(force=True)


def size_box(page, name: str):
    return page.get_by_label(re.compile(rf"^{name}, (length|width|kernel|radius)$"))


def size_slider(page, name: str):
    return page.get_by_label(re.compile(rf"^{name}, .*slider$"))


def layer_box(page, name: str):
    return page.get_by_role("checkbox", name=name, exact=True)


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


def columns(page):
    return page.locator(".cost-table thead th")


# The formulas -----------------------------------------------------------------------


@pytest.mark.parametrize("layer", LAYERS)
def test_the_formulas_are_pythons(page, modules, layer):
    modules("figures/cost/costs.js")
    options = LAYERS[layer].options
    sizes = [
        {"n": n, "d": d, "k": k, "r": r, "causal": causal}
        for n in LENGTHS
        for d in WIDTHS
        for k in (KERNELS if "kernel_size" in options else [3])
        for r in (RADII if "radius" in options else [32])
        for causal in (False, True)
    ]
    found = page.evaluate(
        """([layer, quantities, grid]) => grid.map((sizes) => quantities.map((what) => {
          const cost = costFormula(layer, what)(sizes);
          return Number.isNaN(cost) ? null : cost;
        }))""",
        [layer, list(FORMULAS), sizes],
    )
    figure = Cost(layers=[layer], machines=[])
    wanted = []
    for one in sizes:
        figure.set_state(one)
        wanted.append(list(figure.costs()[layer].values()))
    assert found == wanted  # whole numbers below 2⁵³: not a unit between them
    assert any(cost is not None for row in wanted for cost in row)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("layer", LAYERS)
def test_the_model_of_time_is_pythons(page, modules, layer, phase):
    modules("figures/cost/costs.js")
    kind, model = LAYERS[layer], Roofline(1e-5, 2e10, 3e9)
    sizes, wanted = [], []
    for n in LENGTHS:
        for d in WIDTHS:
            options = {"kernel_size": 3, "radius": 32}
            own = {key: value for key, value in options.items() if key in kind.options}
            if layer == "dilated":
                own["num_layers"] = kind.layers_needed(n, causal=True, **own)
            back = phase == "generation"
            flops = kind.flops(n, d, causal=back, **own)
            point = {"layer": layer, "n": n, "d": d, "phase": phase, **own}
            wanted.append(
                [count_bytes(point), model.seconds({**point, "flops": flops})]
            )
            sizes.append({"n": n, "d": d, "k": 3, "r": 32, "causal": back})
    found = page.evaluate(
        """([layer, phase, model, grid]) => grid.map((sizes) =>
          [bytesTouched(layer, phase, sizes),
           timeFormula(layer, phase, model)(sizes)])""",
        [layer, phase, list(model), sizes],
    )
    assert [touched for touched, _ in found] == [touched for touched, _ in wanted]
    times = [time for _, time in wanted]
    assert [time for _, time in found] == pytest.approx(times, rel=1e-12)


def test_the_models_meet_nine_tenths_of_the_stored_times(page, modules):
    """Within a factor of 1.5, as chapter 6 says; a rate alone does not."""
    modules("figures/cost/costs.js")
    machine = max(stored_machines(), key=lambda one: len(json.dumps(one)))
    found = page.evaluate(
        """(machine) => {
          const met = { model: 0, rate: 0, cells: 0 };
          for (const [layer, phases] of Object.entries(machine.points)) {
            for (const [phase, rows] of Object.entries(phases)) {
              const time = timeFormula(layer, phase, machine.models[layer][phase]);
              const flops = costFormula(layer, "flops");
              const cells = rows.filter((row) => row[3] !== null).map((row) => {
                const [n, d, option, micros] = row;
                const causal = phase === "generation";
                return [{ n, d, k: option, r: option, causal }, micros / 1e6];
              });
              const rates = cells.map(([sizes, seconds]) => flops(sizes) / seconds);
              const rate = rates.sort((a, b) => a - b)[rates.length >> 1];
              const near = (value, seconds) =>
                Math.abs(Math.log(value / seconds)) < Math.log(1.5);
              for (const [sizes, seconds] of cells) {
                met.cells += 1;
                met.model += near(time(sizes), seconds);
                met.rate += near(flops(sizes) / rate, seconds);
              }
            }
          }
          return met;
        }""",
        machine,
    )
    assert found["cells"] > 900
    assert found["model"] > 0.9 * found["cells"]
    assert found["rate"] < 0.7 * found["cells"]


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


def crossing_by_force(first, second, x, sizes) -> tuple[str, int] | None:
    """From where on which of two layers has more FLOPs, for good."""
    low, high = SIZES[x]
    places = range(low, high + 1, 2 if x == "k" else 1)
    options = {"kernel_size": "k", "radius": "r"}

    def flops(name, place):
        now = {**sizes, x: place}
        own = {
            key: now[short]
            for key, short in options.items()
            if key in LAYERS[name].options
        }
        return LAYERS[name].flops(now["n"], now["d"], **own)

    differences = [flops(first, place) - flops(second, place) for place in places]
    if differences[-1] == 0:
        return None
    sign = 1 if differences[-1] > 0 else -1
    if not any(gap * sign < 0 for gap in differences):
        return None
    level = max(i for i, gap in enumerate(differences) if gap * sign <= 0)
    return (first if sign > 0 else second), places[level + 1]


PAIRS = [
    ("attention", "gru_fused", "n"),
    ("attention", "convolution", "n"),
    ("attention", "banded", "n"),
    ("multi_head", "gru_fused", "n"),
    ("multi_head", "rnn", "n"),
    ("additive", "separable", "n"),
    ("banded", "separable", "n"),
    ("attention", "gru_fused", "d"),
    ("banded", "convolution", "d"),
    ("attention", "convolution", "k"),
    ("attention", "separable", "k"),
    ("attention", "banded", "r"),
    ("gru_fused", "banded", "r"),
]


@pytest.mark.parametrize(("first", "second", "x"), PAIRS)
@pytest.mark.parametrize("numbers", [(512, 256, 3, 32), (777, 99, 7, 5)])
def test_crossings_are_brute_forces(page, modules, first, second, x, numbers):
    modules("figures/cost/costs.js")
    sizes = dict(zip(SIZES, numbers, strict=True))
    found = page.evaluate(
        """([first, second, x, sizes, range]) => {
          const [a, b] = [first, second].map((layer) => costFormula(layer, "flops"));
          const found = lastCrossing(costAxis(x, false, range), a, b, sizes);
          return found && [found.sign > 0 ? first : second, found.from];
        }""",
        [first, second, x, {**sizes, "causal": False}, SIZES[x]],
    )
    wanted = crossing_by_force(first, second, x, sizes)
    assert found == (wanted and list(wanted))


@pytest.mark.parametrize("k", [3, 5, 9])
def test_the_exact_ratio_is_where_flops_are_equal(page, modules, k):
    modules("figures/cost/costs.js")
    kinds = ["attention", "multi_head", "additive", "rnn", "gru", "lstm", "convolution"]
    found = page.evaluate(
        """([kinds, k]) => kinds.map((a) => kinds.map((b) => {
          const ratio = crossingRatio(a, b, k);
          return Number.isNaN(ratio) ? null : ratio;
        }))""",
        [kinds, k],
    )
    d, tried = 64, 0
    for one, row in zip(kinds, found, strict=True):
        for other, ratio in zip(kinds, row, strict=True):
            if ratio is None or ratio <= 0:
                continue
            n = round(ratio * d)
            assert n == ratio * d
            costs = Cost(n=max(n, 8), d=d, k=k, layers=kinds, machines=[]).costs()
            if n >= 8:
                assert costs[one]["flops"] == costs[other]["flops"]
                tried += 1
    assert tried >= 12


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


def test_it_names_the_crossings(show):
    page = show(Cost(machines=[]))
    assert crossings(page) == [
        "self-attention takes more FLOPs than restricted attention from n = 111 on",
        "self-attention takes more FLOPs than the convolution beyond n = 1.5d = 384",
        "self-attention takes more FLOPs than the GRU beyond n = 3d = 768",
    ]
    assert page.locator(".cost-number").all_text_contents() == ["1", "2", "3"]
    size_box(page, "d").fill("64")
    says(page, "self-attention takes more FLOPs than the GRU beyond n = 3d = 192")
    page.get_by_role("radio", name="d", exact=True).check(force=True)
    says(page, "the GRU takes more FLOPs than self-attention beyond d = n/3 = 170.7")


def test_rings_stand_where_the_curves_meet(show):
    page = show(Cost(layers=["attention", "gru_fused"], machines=[]))
    found = page.evaluate(
        """() => {
          const ring = document.querySelector(".cost-ring");
          const place = ring.getBoundingClientRect();
          const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
          return [...document.querySelectorAll(".cost-line[d]")].slice(0, 99)
            .filter((line) => line.closest(".cost-plot")).map((line) => {
              const box = line.ownerSVGElement.getBoundingClientRect();
              const points = line.getAttribute("d").match(/[\\d.]+ [\\d.]+/g)
                .map((pair) => pair.split(" ").map(Number));
              return Math.min(...points.map(([a, b]) =>
                Math.hypot(a + box.x - x, b + box.y - y)));
            });
        }"""
    )
    assert len(found) == 2
    assert max(found) < 2  # pixels; a curve has a point every other one


# What it shows ----------------------------------------------------------------------


def test_it_says_who_wins_and_by_how_much(show):
    figure = Cost(machines=[])
    page = show(figure)
    flops = {name: cost["flops"] for name, cost in figure.costs().items()}
    assert min(flops, key=flops.get) == "banded"
    says(
        page,
        "At n = 512, d = 256, k = 3, r = 32, restricted attention takes the fewest",
    )
    for name, word in [("convolution", "The convolution"), ("gru_fused", "the GRU")]:
        says(page, f"{word} {flops[name] / flops['banded']:.3g} times")
    size_box(page, "n").fill("48")
    says(
        page,
        "At n = 48, d = 256, k = 3, r = 32, self-attention takes the fewest FLOPs",
    )


@pytest.mark.parametrize(
    "traits",
    [
        {},
        {"n": 100, "d": 24, "k": 7, "r": 5, "layers": list(LAYERS)},
        {
            "n": 65_536,
            "d": 4096,
            "k": 4,
            "r": 3,
            "causal": True,
            "layers": list(LAYERS),
        },
    ],
)
def test_the_table_is_pythons(show, traits):
    figure = Cost(machines=[], **traits)
    page = show(figure)
    table = cells(page)
    for name, costs in figure.costs().items():
        row = table[LAYERS[name].label]
        for key, title in zip(
            FORMULAS[2:], ("sequential operations", "path length"), strict=True
        ):
            shown = row[title].replace("\u202f", "")
            assert shown == ("–" if costs[key] is None else str(costs[key]))
        for key, title in zip(FORMULAS[:2], ("FLOPs", "parameters"), strict=True):
            if costs[key] is None:
                assert row[title] == "–"
            else:
                number, _, prefix = row[title].partition("\u00a0")
                shown = float(number) * 1000 ** " kMGTP".index(prefix or " ")
                assert shown == pytest.approx(costs[key], rel=0.005)
    formulas = page.locator(".cost-formula").all_text_contents()
    assert formulas == [LAYERS[name].formula for name in figure.layers]


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("x", SIZES)
def test_every_quantity_along_every_axis(show, quantity, x):
    page = show(with_machine(quantity=quantity, x=x, layers=list(LAYERS), causal=True))
    says(page, "At n = 512")
    lines = page.locator(".cost-plot [data-layer]")
    expect(lines).to_have_count(len(LAYERS))
    paths = page.evaluate(
        """() => [...document.querySelectorAll(".cost-plot path")]
          .map((path) => path.getAttribute("d") + path.getAttribute("transform"))"""
    )
    assert not any("NaN" in path or "Infinity" in path for path in paths)
    if quantity in FORMULAS:
        expect(page.locator(".cost-plot [data-layer] .cost-line")).to_have_count(
            len(LAYERS)
        )
        expect(page.locator(".cost-label")).to_have_count(len(LAYERS))


def test_labels_do_not_overlap(show):
    page = show(Cost(machines=[], layers=list(LAYERS)), width=390)
    for quantity in ("FLOPs per layer", "Sequential operations", "Parameters"):
        page.get_by_label("Quantity").select_option(label=quantity)
        redrawn(page)
        places = page.evaluate(
            """() => [...document.querySelectorAll(".cost-name")]
              .map((name) => Number(name.getAttribute("y"))).sort((a, b) => a - b)"""
        )
        assert len(places) == len(LAYERS)
        assert min(b - a for a, b in pairwise(places)) > 12


def test_no_two_layers_look_alike(page, modules):
    modules("figures/cost/looks.js")
    looks = page.evaluate("COST_LOOKS")
    assert set(looks) == set(LAYERS)
    for first in looks.values():
        for second in looks.values():
            if first is not second:
                assert first["name"] != second["name"]
                assert first["short"] != second["short"]
                if first["hue"] == second["hue"]:
                    assert first["dash"] != second["dash"]
                    assert first["mark"] != second["mark"]


# Measured ---------------------------------------------------------------------------


def test_without_machines_it_says_so(show):
    page = show(Cost(machines=[], quantity="seconds"))
    menu = page.get_by_role("combobox", name="Machine", include_hidden=True)
    options = menu.locator("option").all_text_contents()
    assert options == ["none measured yet"]
    expect(page.locator(".cost-values caption")).to_contain_text("time at 10 GFLOP/s")
    says(page, "restricted attention takes the shortest time: 5.03 ms")  # 50.3 MFLOP
    assert page.locator(".cost-point").count() == 0
    offered = tries(page).locator("option").all_text_contents()
    assert "paths" in offered
    assert not {"time", "memory"} & set(offered)
    page.get_by_label("Quantity").select_option("megabytes")
    says(page, "nothing is known of this. No machine has been measured")
    expect(page.locator(".cost-empty")).to_be_visible()


def test_curves_follow_the_model_that_was_fitted(show):
    page = show(with_machine(quantity="seconds"))
    table = cells(page)
    assert table["GRU, fused"]["time, measured"] == "40.3\u00a0ms"
    assert re.fullmatch(r"40\.[1-5]\u00a0ms", table["GRU, fused"]["time, predicted"])
    assert re.fullmatch(r"10|9\.9\d|10\.\d", table["GRU, fused"]["GFLOP/s, predicted"])
    # 4n²d / 10¹¹ = 12nd² / 10¹⁰ at n = 30d, but for what the fit makes of few points.
    (crossing,) = crossings(page)
    found = re.search(r"takes longer than the GRU (?:from|beyond) n = (\d+)", crossing)
    assert int(found[1]) == pytest.approx(30 * 256, rel=0.1)
    says(page, "measured at these sizes: self-attention 2.68 ms and the GRU 40.3 ms")
    size_box(page, "n").fill("500")
    says(page, "at these sizes none was measured")


def test_points_stand_at_the_measured_medians(show):
    results = measured()
    first = results["runs"][2]  # attention at n = 64, d = 256
    for time in ("median", "low", "high"):
        first["figures"]["seconds"][time] *= 30  # the curve takes no notice of one
    state = {"layers": ["attention", "gru_fused"], "machines": []}
    page = show(Cost(results, quantity="seconds", **state))
    expect(page.locator("[data-layer=attention] .cost-point")).to_have_count(5)
    expect(page.locator("[data-layer=attention] .cost-lost")).to_have_count(1)
    open_view(page, "Notes")
    expect(page.locator(".al-note", has_text="memory ran out")).to_be_visible()

    def place(mark) -> list[float]:
        return list(map(float, re.findall(r"[\d.]+", mark.get_attribute("transform"))))

    points = page.locator("[data-layer=gru_fused] .cost-point")
    now = page.locator("[data-layer=gru_fused] .cost-now")
    assert place(points.nth(3)) == pytest.approx(place(now), abs=2)
    x, y = place(page.locator("[data-layer=attention] .cost-point").first)
    line = page.locator("[data-layer=attention] .cost-line").get_attribute("d")
    curve = [tuple(map(float, pair)) for pair in re.findall(r"([\d.]+) ([\d.]+)", line)]
    on_curve = min(curve, key=lambda point: abs(point[0] - x))[1]
    assert y < on_curve - 20  # slower than the curve: higher up


def test_a_crossing_of_curves_names_the_measured_lengths_about_it(show):
    runs = []
    for n in (64, 256, 1024, 4096):
        work = LAYERS["attention"].flops(n, 64)
        runs.append(run("attention", n, 64, work / (1e11 if n > 300 else 1e10)))
        runs.append(run("gru_fused", n, 64, LAYERS["gru"].flops(n, 64) / 1e10))
    results = {"name": "complexity", "runs": runs, "interrupted": False}
    state = {
        "layers": ["attention", "gru_fused"],
        "quantity": "seconds",
        "machines": [],
    }
    page = show(Cost(results, **state, d=64))
    (told,) = crossings(page)
    place, measured = re.search(r"n = (\d+)[^(]*(\(.*)$", told).groups()
    assert int(place) == pytest.approx(1920, rel=0.01)
    assert measured == "(measured: between 1024 and 4096)"


def test_other_widths_have_no_points_and_it_says_which_have(show):
    page = show(with_machine(quantity="seconds", d=100))
    assert page.locator(".cost-point").count() == 0
    expect(
        page.locator(".al-note", has_text="No point at these sizes")
    ).to_contain_text("measured at d = 64, 256")


def test_layers_that_were_never_measured(show):
    page = show(with_machine(quantity="seconds", layers=["attention", "lstm_fused"]))
    says(page, "Not known here: the LSTM")
    expect(page.locator(".al-note", has_text="Never measured so")).to_contain_text(
        "LSTM"
    )
    assert cells(page)["LSTM, fused"]["time, predicted"] == "–"


def test_measured_memory_has_points_and_no_formula(show):
    page = show(with_machine(quantity="megabytes"))
    says(page, "self-attention takes the least memory: 26.2 MB. The GRU 2.17 times")
    expect(page.locator("[data-layer=gru_fused] .cost-point")).to_have_count(5)
    assert crossings(page) == []
    size_box(page, "n").fill("100")
    says(
        page,
        "nothing is known of this. Along n it was measured at 64, 128, 256, 512 and",
    )


def test_another_machine_and_phase(show):
    results = measured()
    fast = {"cpu": "x", "gpu": "H9000", "cores": 2, "threads": 1, "device": "cuda"}
    results["runs"] += [
        run("attention", 512, 256, 1e-5, machine=fast),
        run("attention", 512, 256, 5e-5, machine=fast, phase="training"),
    ]
    page = show(Cost(results, machines=[], quantity="seconds", layers=["attention"]))
    open_view(page, "Machine")
    menu = page.get_by_role("combobox", name="Machine")
    assert menu.locator("option").all_text_contents() == [
        "EPYC, 1 thread (yours)", "H9000 (yours)", "none",
    ]  # fmt: skip
    menu.select_option("H9000 (yours)")
    says(page, "self-attention takes the shortest time: 10 µs")
    page.get_by_label("Measured").select_option("training")
    says(page, "self-attention takes the shortest time: 50 µs")
    menu.select_option("")
    says(page, "self-attention takes the shortest time: 26.8 ms")
    expect(page.get_by_label("Measured")).to_be_hidden()


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


def test_a_full_grid_is_small_enough_for_a_page():
    runs = []
    for setting in full_grid():
        cell = run("attention", 64, 8, 0.012345678, 123.456789)
        runs.append({**cell, "setting": setting})
    size = len(json.dumps(compact({"name": "complexity", "runs": runs})))
    assert 20_000 < size < 70_000
    assert 3 * size < INLINE_LIMIT


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


@pytest.mark.touch
def test_a_finger_drags_the_handle_and_scrolls_on_the_chart(show):
    page = show(Cost(machines=[]), width=390)
    page.locator(".cost-plot").scroll_into_view_if_needed()
    fingers = page.context.new_cdp_session(page)

    def drag(where: str, across: float, down: float) -> None:
        box = page.locator(where).bounding_box()
        x, y = box["x"] + box["width"] / 3, box["y"] + box["height"] / 2

        def touch(kind: str, share: float | None = None) -> None:
            points = []
            if share is not None:
                points = [{"x": x + share * across, "y": y + share * down}]
            fingers.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points}
            )

        touch("touchStart", 0)
        for step in range(1, 11):
            touch("touchMove", step / 10)
        touch("touchEnd")
        page.wait_for_timeout(300)

    before = page.evaluate("scrollY")
    drag(".cost-handle", 120, 0)
    dragged = status(page)
    assert int(re.search(r"At n = (\d+),", dragged)[1]) > 4096
    assert page.evaluate("scrollY") == before
    drag(".cost-svg", 0, -150)
    assert status(page) == dragged
    assert page.evaluate("scrollY") > before
    page.evaluate("scrollTo(0, 0)")
    page.locator(".cost-plot").scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    area = page.locator(".cost-area").bounding_box()
    page.touchscreen.tap(area["x"] + 1, area["y"] + 100)
    says(page, "At n = 8,")


def test_every_control_by_keyboard(show):
    page = show(Cost(machines=[]))
    for name, key, said in [
        ("n", "ArrowRight", "At n = 768, d = 256"),
        ("d", "Home", "d = 8,"),
        ("k", "End", "k = 1023"),
        ("r", "ArrowLeft", "r = 24"),
    ]:
        size_slider(page, name).press(key)
        says(page, said)
    assert size_slider(page, "n").get_attribute("aria-valuetext") == "n = 768"
    size_box(page, "k").press("ArrowDown")
    says(page, "k = 1021")  # stays odd
    size_box(page, "n").press("ArrowUp")
    says(page, "At n = 769,")
    page.get_by_label("Quantity").press("End")
    says(page, "path")
    page.get_by_role("radio", name="n", exact=True).press("ArrowRight")
    says(page, "Along d")
    page.get_by_role("radio", name="Sizes").press("ArrowRight")
    layer_box(page, "LSTM").press("Space")
    says(page, "the LSTM")
    expect(page.locator(".cost-plot [data-layer=lstm_fused]")).to_have_count(1)


def test_layers_come_and_go(show):
    page = show(Cost(machines=[]))
    open_view(page, "Layers")
    layer_box(page, "multi-head attention").check()
    says(page, "multi-head attention")
    open_view(page, "Table")
    expect(columns(page)).to_have_count(5)
    checked = page.locator(".cost-family input:checked")
    for _ in range(5):
        checked.first.click()
    says(page, "No layer is shown: choose at least one.")
    expect(columns(page)).to_have_count(0)
    layer_box(page, "RNN").check()
    layer_box(page, "stepwise RNN").check()
    says(page, "the stepwise RNN and the RNN take the fewest FLOPs: 134 M each.")


def test_looking_back_only(show):
    page = show(Cost(machines=[], layers=["convolution", "banded", "dilated"]))
    table = cells(page)
    assert table["convolution"]["path length"] == "511"
    assert table["dilated convolutions"]["path length"] == "–"
    back = page.get_by_role("checkbox", name="look back only (causal)")
    back.check()
    depths = page.locator(".cost-table tr", has_text="path length")
    expect(depths.locator("td").nth(1)).to_have_text("256")
    size_box(page, "k").fill("4")
    says(page, "k = 4")
    back.uncheck()
    says(page, "k = 3")
    expect(size_box(page, "k")).to_have_value("3")


def test_every_try_shows_what_it_is_about(show):
    page = show(with_machine())
    choose_try(page, "d = 512")
    says(page, "self-attention takes more FLOPs than the GRU beyond n = 3d = 1536")
    choose_try(page, "n = d")
    says(page, "multi-head attention takes more FLOPs than the GRU beyond n = d = 512")
    choose_try(page, "wide window")
    says(page, "restricted attention takes more FLOPs than self-attention from r =")
    choose_try(page, "paths")
    says(page, "self-attention has the shortest path: 1.")
    says(page, "the GRU 512 times as long")
    choose_try(page, "parameters")
    says(page, "the separable convolution has the fewest parameters")
    choose_try(page, "time")
    says(page, "Not known here: fused self-attention and the stepwise GRU.")
    choose_try(page, "memory")
    says(page, "self-attention takes the least memory")
    choose_try(page, "the start")
    says(
        page,
        "At n = 512, d = 256, k = 3, r = 32, restricted attention takes the fewest",
    )


def test_the_table_is_copied(show, page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    figure = with_machine()
    page = show(figure)
    open_view(page, "Table")
    page.get_by_role("button", name="Copy the table").click()
    expect(page.get_by_text("Copied 2 rows.")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    head, *rows = [line.split("\t") for line in copied.split("\n")]
    assert head[:8] == ["layer", "n", "d", "k", "r", "causal", "FLOPs", "parameters"]
    table = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    for name, costs in figure.costs().items():
        row = table[LAYERS[name].label]
        assert int(row["FLOPs"]) == costs["flops"]
        assert int(row["path length"]) == costs["path_length"]
    assert float(table["GRU, fused"]["seconds, measured"]) == pytest.approx(
        0.0403, rel=0.01
    )


def test_the_table_is_copied_without_a_clipboard(show, page):
    page.add_init_script(
        """Object.defineProperty(navigator, "clipboard", { value: undefined });
        document.execCommand = (command) => {
          window.copied = [command, document.activeElement.value];
          return window.allowed ?? true;
        };"""
    )
    page = show(Cost(machines=[], layers=["rnn"]))
    open_view(page, "Table")
    button = page.get_by_role("button", name="Copy the table")
    button.click()
    expect(page.get_by_text("Copied 1 row.")).to_be_visible()
    assert page.evaluate("window.copied")[1].startswith(
        "layer\tn\td\tk\tr\tcausal\tFLOPs"
    )
    assert button.evaluate("button => document.activeElement === button")
    page.evaluate("window.allowed = false")
    button.click()
    expect(page.get_by_text("does not let a page copy")).to_be_visible()


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("n", "", "Please type a whole number for n, from 8"),
        ("n", "7", "7 is outside: n goes from 8"),
        ("n", "-5", "outside"),
        ("n", "1e99", "outside"),
        ("n", "Infinity", "not whole"),
        ("d", "2.5", "not whole"),
        ("d", "5000", "outside: d goes from 8 to 4"),
        ("k", "4", "A centred kernel must be odd to have a centre: 3 or 5"),
        ("k", "seven", "Please type a whole number for k"),
        ("r", "0", "outside"),
        ("r", '<img src=x onerror="window.hacked = 1">', "whole number"),
    ],
)
def test_bad_input_is_answered_and_the_picture_stays(show, name, text, answer):
    page = show(Cost(machines=[]))
    before = status(page)
    box = size_box(page, name)
    box.fill(text)
    complaint = page.locator(f"#{box.get_attribute('aria-describedby')}")
    expect(complaint).to_contain_text(answer)
    assert box.get_attribute("aria-invalid") == "true"
    assert status(page) == before
    assert page.evaluate("window.hacked") is None
    choose_try(page, "d = 512")
    choose_try(page, "the start")  # what was typed in vain goes
    expect(complaint).to_be_empty()
    sizes = {"n": "512", "d": "256", "k": "3", "r": "32"}
    expect(box).to_have_value(sizes[name])


def test_two_figures_do_not_share_their_state(show):
    page = show(Cost(machines=[]), Cost(machines=[], n=1024, quantity="parameters"))
    size_box(page, "n").first.fill("64")
    expect(page.get_by_role("status").first).to_contain_text("At n = 64,")
    expect(page.get_by_role("status").nth(1)).to_contain_text("At n = 1024,")
    page.get_by_role("radio", name="d", exact=True).first.check(force=True)
    checked = page.locator(".cost-controls input:checked")
    assert [box.input_value() for box in checked.all()] == ["d", "n"]
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("dark", [False, True])
def test_the_page_does_not_overflow(show, dark):
    page = show(with_machine(layers=list(LAYERS), quantity="seconds"), dark=dark)
    for width in (1280, 768, 390, 360, 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(
            """() => document.querySelector(".cost-svg").clientWidth
              === document.querySelector(".cost-plot").clientWidth"""
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        outside = page.evaluate(
            """() => {
              const plot = document.querySelector(".cost-plot").getBoundingClientRect();
              return [...document.querySelectorAll(".cost-svg text")].filter((text) => {
                const { left, right } = text.getBoundingClientRect();
                return left < plot.left - 0.5 || right > plot.right + 0.5;
              }).map((text) => text.textContent);
            }"""
        )
        assert outside == []


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(show, violations, dark):
    page = show(with_machine(), Cost(machines=[], quantity="path_length"), dark=dark)
    size_box(page, "k").first.fill("4")
    assert violations(page) == []
    tabs = page.locator(".cost-tabs")
    tabs.get_by_role("radio", name="Table").first.check(force=True)
    page.get_by_role("button", name="Copy the table").first.click()
    for name in ("Notes", "Layers", "Machine"):
        tabs.get_by_role("radio", name=name).last.check(force=True)
        assert violations(page) == []


def test_forced_colours_leave_the_lines(show):
    page = show(Cost(machines=[]))
    page.emulate_media(forced_colors="active")
    redrawn(page)
    strokes = page.evaluate(
        """() => [".cost-line", ".cost-upright"].map((name) => {
          const line = document.querySelector(`.cost-plot ${name}`);
          return getComputedStyle(line).stroke;
        })"""
    )
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert all(stroke not in (ground, "none") for stroke in strokes)


# From Python's side -----------------------------------------------------------------


def test_repr_names_the_machines_and_html_holds_the_traits():
    figure = with_machine(n=100)
    assert "n=100" in repr(figure)
    assert "machines=['EPYC, 1 thread (yours)']" in repr(figure)
    assert len(repr(figure)) < 300
    found = re.search(
        r'<script type="application/json">(.*?)</script>', figure._repr_html_()
    )
    state = json.loads(found[1])["state"]
    assert {name: state[name] for name in figure.state()} == figure.state()
    assert figure._repr_html_() == with_machine(n=100)._repr_html_()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n": 7}, "7"),
        ({"n": 12.5}, "int"),
        ({"d": 5000}, "5000"),
        ({"k": 4}, "must be odd"),
        ({"r": 0}, "0"),
        ({"layers": ["atention"]}, "'atention'"),
        ({"layers": 3}, "list"),
        ({"quantity": "flop"}, "flop"),
        ({"x": "h"}, "h"),
        ({"machine": "abacus"}, "'abacus'"),
        ({"phase": "backward"}, "backward"),
        ({"machines": [{"name": "x"}]}, "compact"),
    ],
)
def test_python_refuses_what_the_figure_does_not_have(wrong, message):
    with pytest.raises(TraitError, match=message):
        Cost(**{"machines": [], **wrong})


def test_too_many_points_are_refused():
    row = [64, 8, 0, 1000, 900, 1200, 1.0]
    machine = {"name": "x", "points": {"rnn": {"forward": [row] * 9000}}, "models": {}}
    with pytest.raises(TraitError, match="a page may hold 200000"):
        Cost(machines=[machine])


def test_traits_keep_each_other_in_order():
    figure = with_machine(causal=True, k=4, layers=["gru_fused", "attention"])
    assert figure.layers == ["attention", "gru_fused"]  # as in the table
    figure.causal = False
    assert figure.k == 3
    with pytest.raises(TraitError, match="odd"):
        figure.k = 6
    assert figure.machine == "EPYC, 1 thread (yours)"
    figure.machines = []
    assert figure.machine == ""


def test_a_try_stays_chosen_until_something_else_is_set(show):
    page = show(with_machine())
    expect(tries(page)).to_have_value("")  # these are not the layers of any
    choose_try(page, "d = 512")
    expect(page.locator(".cost-question")).to_contain_text("d has doubled")
    expect(tries(page)).to_have_value("d = 512")
    size_box(page, "d").fill("128")
    expect(tries(page)).to_have_value("")
    expect(page.locator(".cost-question")).to_contain_text("d has doubled")
    choose_try(page, "choose one")
    says(page, "d = 128, k = 3")
    choose_try(page, "d = 512")  # once more
    says(page, "d = 512, k = 3")


def test_the_plot_is_drawn_again_after_another_view(show):
    page = show(Cost(machines=[]))
    open_view(page, "Table")
    expect(page.locator(".cost-plot")).to_be_hidden()
    on_phone(page)
    size_box(page, "d").fill("64")
    says(page, "beyond n = 3d = 192")
    expect(page.get_by_text("n = 512, d = 64, k = 3, r = 32; time")).to_be_visible()
    open_view(page, "Curves")
    expect(page.locator(".cost-table")).to_be_hidden()
    plot = page.locator(".cost-plot").bounding_box()
    assert page.locator(".cost-svg").bounding_box()["width"] == plot["width"]
    page.get_by_role("radio", name="d", exact=True).check(force=True)
    expect(page.locator(".cost-pilltext")).to_contain_text("d = 64")


def test_a_sentence_names_a_few_layers_and_the_views_have_all(show):
    page = show(Cost(layers=list(LAYERS)))
    says(page, "; the table has 8 more.")
    says(page, "(3) ")
    more = int(re.search(r"; the notes have (\d+) more", status(page))[1])
    assert len(crossings(page)) == 3 + more
    assert len(cells(page)) == len(LAYERS)


def test_rings_stay_in_the_plot_however_many(show):
    page = show(Cost(layers=list(LAYERS), quantity="seconds"))
    for fit in (in_column, on_phone):
        fit(page)
        heights = page.evaluate(
            """() => {
              const area = document.querySelector(".cost-area").getBoundingClientRect();
              return [...document.querySelectorAll(".cost-ring")].map((ring) => {
                const { top, height } = ring.getBoundingClientRect();
                return (top + height / 2 - area.top) / area.height;
              });
            }"""
        )
        assert len(heights) > 20
        assert min(heights) >= 0
        assert max(heights) <= 1


@pytest.mark.parametrize("view", ["Curves", "Table", "Notes"])
@pytest.mark.parametrize("setting", ["Sizes", "Layers", "Machine"])
@pytest.mark.parametrize("quantity", ["flops", "seconds"])
def test_it_is_one_screen_high(show, view, setting, quantity):
    page = show(Cost(quantity=quantity))
    in_column(page)
    open_view(page, view)
    open_view(page, setting)
    assert page.locator("figure.attnlab-live").bounding_box()["height"] <= 800


@pytest.mark.touch
@pytest.mark.parametrize("view", ["Curves", "Table", "Notes"])
def test_on_a_phone_what_is_set_and_what_it_changes_share_a_screen(show, view):
    page = show(Cost())
    on_phone(page)
    figure = page.locator("figure.attnlab-live")
    assert figure.bounding_box()["height"] <= 1300
    assert span(page, ".cost-controls", ".cost-sizes") <= PHONE_HEIGHT
    open_view(page, view)
    for setting, settings in [
        ("Sizes", ".cost-sizes"),
        ("Layers", ".cost-families"),
        ("Machine", ".cost-machine"),
    ]:
        open_view(page, setting)
        assert span(page, ".cost-stage", settings) <= PHONE_HEIGHT
