"""The figure of energies: its arithmetic, and its page by mouse, finger and keys."""

import math
import re
from functools import partial

import pytest
import torch
from drawing import quiet, redrawn
from plane import at, drag, handle
from playwright.sync_api import expect
from pytest import approx
from reading import (
    Plot,
    axis,
    boxes,
    grow_alike,
    looks,
    numbers,
    says,
    status,
    ticks,
)
from traitlets import TraitError

from attnlab.attention import scaled_dot_product_attention
from attnlab.hopfield import energy as energy_of
from attnlab.hopfield import update
from attnlab.live import Energy as Shown

Energy = partial(Shown, view="plane")  # it opens on pictures

BETAS = [0.001, 0.1, 0.34, 0.7071, 1.0, 4.0, 100.0]


def chosen_step(page) -> tuple[int, int]:
    text = page.get_by_label(re.compile(r"^Step ")).get_attribute("aria-valuetext")
    return tuple(int(number) for number in text.split(" of "))


WEIGHT = {"<.01": "0.0025", ">.99": "0.9975"}  # as it is written


def shares(page) -> torch.Tensor:
    """The weights that bars show; the numbers beside them must say the same."""
    rows = page.locator(".en-weight:visible, .en-tile:not(.absent):visible")
    fills = looks(rows.locator(".en-bar"), "backgroundImage")
    found = [re.search(r"([\d.]+)%", fill["backgroundImage"])[1] for fill in fills]
    lengths = [float(percent) / 100 for percent in found]
    for text, length in zip(
        rows.locator(".en-share").all_inner_texts(), lengths, strict=True
    ):
        [printed] = numbers(WEIGHT.get(text, text))
        assert printed / (100 if "%" in text else 1) == approx(length, abs=0.0051)
    return torch.tensor(lengths, dtype=torch.float64)


def agree(page, figure: Energy) -> None:
    """Bars, sum, sentences, plane and chart have the way that `fall` gives."""
    quiet(page.get_by_role("status").first.page)
    states, weights, energy = figure.fall()
    step = min(figure.step, len(states) - 1)
    assert chosen_step(page) == (step, len(states) - 1)
    assert (shares(page) - weights[step]).abs().max() < 1e-4
    printed = numbers(page.locator(".en-sum").inner_text().split("constant")[1])
    half = states[step].square().sum() / 2
    patterns = torch.tensor(figure.pattern, dtype=torch.float64)
    constant = torch_energy(patterns, 0 * patterns[0], figure.beta)
    constant += math.log(len(patterns)) / figure.beta  # its lse is log(N) / β
    parts = [energy[step] - half - constant, half, constant, energy[step]]
    assert printed == approx([x.item() for x in parts], abs=0.0051)
    names = page.locator(".en-weight > :first-child").all_inner_texts()
    assert names == [f"pattern {i + 1}" for i in range(len(patterns))]
    if patterns.std(0).min() > 0:
        way_is_drawn(page, figure, states, weights[step], step)
    fall_is_drawn(page.locator(".en-energy"), energy.tolist(), step)


def way_is_drawn(page, figure: Energy, states, weights, step: int) -> None:
    """By the patterns' places: way, end, step, halos, and the resting places."""
    plane = page.locator(".en-plane")
    handles = boxes(plane.locator(".en-pattern"))
    columns = zip(zip(*figure.pattern, strict=True), (0, 1), strict=True)
    pairs = [sorted(zip(at, [b[i] for b in handles], strict=True)) for at, i in columns]
    plot = Plot(*(axis([b for _, b in one], [a for a, _ in one]) for one in pairs))
    assert plot.across.slope == approx(-plot.up.slope, rel=0.02)
    assert plot.across.slope > 0
    halos, number = plane.locator(".en-halos circle"), plane.locator(".en-now:visible")
    corners = plot.corners(plane.locator(".en-path"))
    assert corners == plot.near(states, 1.5)
    for marks, points in (
        (plane.locator(".en-query"), [figure.query]),
        (plane.locator(".en-end"), states[-1:]),
        (number, states[step : step + 1] if step else []),
        (halos, figure.pattern),
    ):
        assert plot.centres(marks) == plot.near(points, 1.5)
    assert number.all_inner_texts() == ([str(step)] if step else [])
    grow_alike([halo.width for halo in boxes(halos)], weights.sqrt().tolist(), 0.5)
    opacities = [float(look["opacity"]) for look in looks(halos, "opacity")]
    grow_alike(opacities, weights.tolist(), 0.01)
    diamonds = torch.tensor(plot.corners(plane.locator(".en-rests"))).double()
    places = diamonds.view(-1, 4, 2).mean(1)
    patterns = torch.tensor(figure.pattern, dtype=torch.float64)
    assert torch.dist(update(places, patterns, figure.beta), places) < 0.05
    most = torch.softmax(figure.beta * places @ patterns.T, -1).argmax(-1) + 1
    told = re.search(r"The plane has (\S+) resting places?: (.*)\.", status(page))
    assert len(places) == int(told[1].replace("one", "1"))
    for name, pattern in zip(told[2].split("; "), most.tolist(), strict=True):
        assert "mean" in name or pattern in numbers(name)


def fall_is_drawn(panel, energies: list[float], step: int) -> None:
    """The energy's line, by its ticks, and the step that is shown."""
    largest = abs(energies[0])
    if energies[0] - energies[-1] < 0.01 * largest + 1e-6:
        return  # its ticks are too much alike
    plot = chart_of(panel)
    off = 2 * abs(plot.up.slope) + 1e-3 * largest  # its ticks have four figures
    line = plot.near(enumerate(energies), off / abs(plot.up.slope))
    assert plot.corners(panel.locator(".en-curve")) == line
    assert plot.centres(panel.locator(".chosen")) == [line[step]]
    [upright] = boxes(panel.locator(".en-upright"))
    assert plot.across(upright.x) == line[step][0]


def chart_of(panel) -> Plot:
    sides = panel.locator(".en-xticks span"), panel.locator(".en-yticks span")
    return Plot(ticks(sides[0], "x"), ticks(sides[1], "y"))


def random_planes(count: int) -> list[dict]:
    draw = torch.Generator().manual_seed(0)
    planes = []
    for n in range(count):
        points = torch.rand(3 + n % 5, 2, generator=draw) * 6 - 3
        beta = 10 ** (torch.rand(1, generator=draw).item() * 5 - 3)
        planes.append(
            {"query": points[0].tolist(), "pattern": points[1:].tolist(), "beta": beta}
        )
    return planes


def torch_energy(patterns, state, beta: float):
    """Ramsauer et al. 2020, eq. 2, as it stands there."""
    return (
        -torch.logsumexp(beta * patterns @ state, -1) / beta
        + state @ state / 2
        + math.log(len(patterns)) / beta
        + patterns.norm(dim=-1).max() ** 2 / 2
    )


# The arithmetic -----------------------------------------------------------------------


def test_a_step_is_attention_and_the_energy_is_the_papers():
    for plane in random_planes(20):
        figure = Energy(**plane)
        states, weights, energy = figure.fall()
        patterns = torch.tensor(figure.pattern, dtype=torch.float64)
        output, attended = scaled_dot_product_attention(
            states[:1], patterns, patterns, scale=figure.beta
        )
        assert torch.allclose(attended, weights[:1])
        if len(states) > 1:
            assert torch.allclose(output, states[1:2])
        for state, found in zip(states[:5], energy, strict=False):
            assert abs(found - torch_energy(patterns, state, figure.beta)) < 1e-9
        assert energy.min() >= -1e-9
        assert (energy.diff() <= 1e-12).all()


# The landscape ------------------------------------------------------------------------


def test_resting_places_rest_and_every_way_ends_at_one(page, modules):
    modules("figures/energy/basins.js")
    for plane in [*random_planes(25), *({"beta": beta} for beta in BETAS)]:
        figure = Energy(**plane)
        places = page.evaluate(
            "(s) => restingPlaces(s.pattern, s.beta, 3.3)", figure.state()
        )
        patterns = torch.tensor(figure.pattern, dtype=torch.float64)
        places = torch.tensor(places, dtype=torch.float64)  # (places, 2)
        following = torch.softmax(figure.beta * places @ patterns.T, -1) @ patterns
        assert (following - places).norm(dim=-1).max() < 1e-3
        draw = torch.Generator().manual_seed(1)
        states = torch.rand(200, 2, generator=draw, dtype=torch.float64) * 6 - 3
        for _ in range(3000):
            before = states
            states = torch.softmax(figure.beta * states @ patterns.T, -1) @ patterns
            if torch.equal(states, before):  # all are at rest
                break
        assert torch.cdist(states, places).min(-1).values.max() < 0.06


def test_growth_of_a_push_is_the_jacobians(page, modules):
    modules("figures/energy/basins.js")
    for plane in random_planes(20):
        patterns = torch.tensor(plane["pattern"], dtype=torch.float64)
        state = torch.tensor(plane["query"], dtype=torch.float64)
        jacobian = torch.func.jacfwd(
            lambda x, p=patterns, b=plane["beta"]: torch.softmax(b * p @ x, -1) @ p
        )(state)
        wanted = torch.linalg.eigvalsh(jacobian).max()
        found = page.evaluate("(s) => pushGrowth(s.pattern, s.query, s.beta)", plane)
        assert abs(found - wanted) < 1e-4 * max(1, wanted)


def test_both_sides_of_an_edge_fall_to_different_places(page, modules):
    modules("figures/energy/basins.js", "models/hopfield.js")
    figure = Energy()
    edges, ends = page.evaluate(
        """({ pattern, beta }) => {
          const places = restingPlaces(pattern, beta, 3.3);
          const edges = [...basinEdges(pattern, beta, places, 3.3, 40)].flat();
          const end = (x, y) => {
            const last = hopfieldPath(pattern, [x, y], beta).states.at(-1);
            const far = places.map((p) => Math.hypot(p[0] - last[0], p[1] - last[1]));
            return far.indexOf(Math.min(...far));
          };
          const plane = (at) => 3.3 * (2 * at / 40 - 1);
          const ends = [];
          for (let i = 0; i < edges.length; i += 4) {
            const [x1, y1, x2, y2] = edges.slice(i, i + 4).map(plane);
            const length = Math.hypot(x2 - x1, y2 - y1);
            if (length < 0.05) continue;
            const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
            const [across, up] = [(y2 - y1) / length, (x1 - x2) / length];
            ends.push([1, -1].map((way) => end(x + way * 0.06 * across, y + way * 0.06 * up)));
          }
          return [edges.length, ends];
        }""",  # noqa: E501
        figure.state(),
    )
    assert edges % 4 == 0 and len(ends) > 60
    apart = sum(first != second for first, second in ends)
    assert apart > 0.95 * len(ends)


def test_a_contour_lies_at_its_height(page, modules):
    modules("figures/energy/basins.js")
    heights, lines = page.evaluate(
        """() => {
          const heights = [];
          for (let y = 0; y <= 20; y++) {
            for (let x = 0; x <= 20; x++) heights.push(Math.hypot(x - 10, y - 10));
          }
          return [heights.length, contour(heights, 20, 7)];
        }"""
    )
    assert heights == 441
    ends = torch.tensor(lines).view(-1, 2)
    assert len(ends) > 80
    assert ((ends - 10).norm(dim=-1) - 7).abs().max() < 0.03


# The first sight ----------------------------------------------------------------------


def test_the_page_shows_pytorchs_numbers_before_the_first_click(show):
    figures = [Energy(**plane) for plane in random_planes(5)]
    drawn = show(*figures).locator("figure")
    for i, figure in enumerate(figures):
        drawn.nth(i).scroll_into_view_if_needed()
        agree(drawn.nth(i), figure)


# The plane ----------------------------------------------------------------------------


def test_every_handle_can_be_dragged_and_stays_in_the_plane(show):
    page, figure = show(Energy()), Energy()
    unit = page.locator(".en-plane").bounding_box()["width"] / 6.6
    for name in ("Query", "Pattern 1", "Pattern 4"):
        before = at(page, name)
        drag(page, name, 0.5 * unit, 0.8 * unit)
        now = at(page, name)
        assert now == approx([before[0] + 0.5, before[1] + 0.8], abs=0.06)
        if name == "Query":
            figure.query = now
        else:
            pattern = [list(one) for one in figure.pattern]
            pattern[int(name[-1]) - 1] = now
            figure.pattern = pattern
            says(page, f"{name} at (")
        agree(page, figure)
    drag(page, "Query", 20 * unit, 20 * unit)
    page.mouse.move(5, 5)  # the button is up: nothing follows the mouse any more
    redrawn(page)
    assert at(page, "Query") == [3, 3]


def test_a_press_on_the_ground_puts_the_query_there(show):
    page = show(Energy())
    box = page.locator(".en-plane").bounding_box()
    unit = box["width"] / 6.6
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x - 1.2 * unit, y + 2 * unit)
    page.mouse.down()
    redrawn(page)
    found = at(page, "Query")
    assert abs(found[0] + 1.2) < 0.06 and abs(found[1] + 2) < 0.06
    page.mouse.move(x - 0.2 * unit, y + 2 * unit, steps=3)
    page.mouse.up()
    redrawn(page)
    found = at(page, "Query")
    assert abs(found[0] + 0.2) < 0.06
    agree(page, Energy(query=found))


def stands(page, name: str, where: str) -> None:
    """Wait until the handle is there: a finger is heard in its own time."""
    expect(handle(page, name)).to_have_attribute("aria-label", f"{name} at {where}")


def test_arrow_keys_move_a_handle(show):
    page = show(Energy())
    handle(page, "Query").focus()
    for press, where in [
        ("ArrowRight", [0.5, 0.9]),
        ("ArrowUp", [0.5, 1.0]),
        ("ArrowLeft", [0.4, 1.0]),
        ("Shift+ArrowDown", [0.4, 0.5]),
    ]:
        page.keyboard.press(press)
        redrawn(page)
        assert at(page, "Query") == where
    expect(handle(page, "Query")).to_be_focused()
    handle(page, "Pattern 2").press("Shift+ArrowDown")
    redrawn(page)
    says(page, "Pattern 2 at (−0.5, 1.7).")
    assert page.evaluate("scrollY") == 0


# β and the steps ----------------------------------------------------------------------


# What there is to try in the plane ----------------------------------------------------


# Pictures -----------------------------------------------------------------------------

PICTURES = {"view": "pictures"}


def pixel(page, row: int, column: int):
    name = re.compile(rf"^Row {row}, column {column}:")
    return page.get_by_role("button", name=name)


def inks(page, which: int) -> torch.Tensor:
    """The cue (0), the state (1) or the end (2), by how dark the 64 pixels are."""
    cue, state = (
        torch.tensor([numbers(look["backgroundColor"])[0] for look in found])
        for found in (
            looks(page.locator(".en-pixels").nth(i).locator("> *"), "backgroundColor")
            for i in (0, which)
        )
    )
    paper, ink = cue.max(), cue.min()
    return 1 - 2 * (state.double() - ink) / (paper - ink)


def test_painting_pixels_with_the_mouse(show):
    page = show(Energy(**PICTURES, flipped=[]))
    first, last = pixel(page, 1, 1).bounding_box(), pixel(page, 1, 8).bounding_box()
    y = first["y"] + first["height"] / 2
    page.mouse.move(first["x"] + first["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] / 2, y, steps=20)
    page.mouse.up()
    says(page, "4 of 64 pixels flipped")  # A has ink in the middle of its first row
    assert (inks(page, 0)[:8] == 1).all()
    pixel(page, 1, 1).click()
    says(page, "3 of 64 pixels flipped")


# Extremes, room, speed, neighbours ----------------------------------------------------


def painted(page) -> set:
    """The colours of the landscape, thinned out."""
    return set(
        page.locator(".en-ground").first.evaluate(
            """(canvas) => {
              const { data } = canvas.getContext("2d")
                .getImageData(0, 0, canvas.width, canvas.height);
              const found = [];
              for (let i = 0; i < data.length; i += 4 * 97) {
                found.push(`${data[i]} ${data[i + 1]} ${data[i + 2]} ${data[i + 3]}`);
              }
              return found;
            }"""
        )
    )


def test_the_landscape_is_the_energy_and_follows_theme_and_width(show):
    figure = Energy()
    page = show(figure)
    lights = page.locator(".en-ground").evaluate(
        """(canvas) => {
          const pen = canvas.getContext("2d");
          const at = (i) => Math.floor(((i + 0.5) / 21) * canvas.width) - 4;
          return Array.from({ length: 441 }, (_, k) => {
            const row = Math.floor(k / 21);
            const { data } = pen.getImageData(at(k - 21 * row), at(20 - row), 9, 9);
            const greens = data.filter((_, i) => i % 4 === 1);
            return greens.sort()[40]; // the median: lines are drawn over the ground
          });
        }"""
    )
    patterns = torch.tensor(figure.pattern, dtype=torch.float64)
    sides = torch.linspace(-1, 1, 21, dtype=torch.float64) * 3.3 * 20 / 21
    points = torch.cartesian_prod(sides, sides).flip(-1)
    heights = energy_of(points, patterns, figure.beta)
    shades = ((heights - heights.min()) / 4).sqrt().clamp(max=1)  # darker is lower
    both = torch.stack([torch.tensor(lights, dtype=torch.float64), shades])
    assert torch.corrcoef(both)[0, 1] > 0.99
    light = painted(page)
    assert len(light) > 50
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    redrawn(page)
    dark = painted(page)

    def brightness(colours: set) -> float:
        values = [float(x) for one in colours for x in one.split()[:3]]
        return sum(values) / len(values)

    assert brightness(light) - brightness(dark) > 60
    width = page.locator(".en-ground").evaluate("canvas => canvas.width")
    page.set_viewport_size({"width": 360, "height": 800})
    page.wait_for_function(
        "(width) => document.querySelector('.en-ground').width !== width", arg=width
    )
    assert len(painted(page)) > 50


# Python -------------------------------------------------------------------------------


def test_fewer_stored_pictures_draw_the_chosen_one_in():
    figure = Energy(picture=20)
    figure.stored = 8
    assert figure.picture == 7
    with pytest.raises(TraitError, match="picture must be 0 … 7"):
        figure.picture = 8
    assert Energy(stored=3, picture=2).picture == 2


def test_a_notebook_follows_the_page():
    figure = Energy()
    heard = []
    figure.observe(lambda change: heard.append(change.name), ["query", "beta"])
    figure.set_state({"query": [0, -1.5], "beta": 8})  # as a page sends it
    assert set(heard) == {"query", "beta"}
    _, weights, _ = figure.fall()
    assert weights[-1].argmax() == 3


def test_defaults_are_no_ones_to_change():
    figure = Energy()
    figure.pattern[0][0] = 3.0
    figure.flipped.clear()
    assert Energy().pattern[0][0] != 3.0 and len(Energy().flipped) == 10
