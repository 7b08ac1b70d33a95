"""The figure of energies: its arithmetic, and its page by mouse, finger and keys."""

import math
import re
from functools import partial

import pytest
import torch
from drawing import wait_until_drawn, wait_until_spoken
from plane import handle_position
from pytest import approx
from reading import computed_styles, expect_status, parse_numbers
from traitlets import TraitError

from attnlab.attention import scaled_dot_product_attention
from attnlab.hopfield import hebbian_weights, settle
from attnlab.live import Energy as Shown

Energy = partial(Shown, view="plane")  # it opens on pictures

BETAS = [0.001, 0.1, 0.34, 0.7071, 1.0, 4.0, 100.0]
WEIGHT_TEXTS = {"<.01": "0.0025", ">.99": "0.9975"}  # as it is written


def shown_weights(page) -> torch.Tensor:
    """The weights that bars show; the numbers beside them must say the same."""
    rows = page.locator(".en-weight:visible, .en-tile:not(.absent):visible")
    fills = computed_styles(rows.locator(".en-bar"), "backgroundImage")
    found = [re.search(r"([\d.]+)%", fill["backgroundImage"])[1] for fill in fills]
    lengths = [float(percent) / 100 for percent in found]
    for text, length in zip(
        rows.locator(".en-share").all_inner_texts(), lengths, strict=True
    ):
        [printed] = parse_numbers(WEIGHT_TEXTS.get(text, text))
        assert printed / (100 if "%" in text else 1) == approx(length, abs=0.0051)
    return torch.tensor(lengths, dtype=torch.float64)


def check_against_torch(page, figure: Energy) -> None:
    """Bars and the sum beneath them have the numbers that `fall` gives."""
    wait_until_spoken(page.get_by_role("status").first.page)
    states, weights, energy = figure.fall()
    expect_status(page, f"comes to rest after {len(states) - 1} step")
    step = min(figure.step, len(states) - 1)
    assert (shown_weights(page) - weights[step]).abs().max() < 1e-4
    printed = parse_numbers(page.locator(".en-sum").inner_text().split("constant")[1])
    attracts, half, constant, total = printed
    assert half == approx(states[step].square().sum().item() / 2, abs=0.0051)
    assert total == approx(energy[step].item(), abs=0.0051)
    assert attracts + half + constant == approx(total, abs=0.02)


def random_states(count: int) -> list[dict]:
    draw = torch.Generator().manual_seed(0)
    planes = []
    for n in range(count):
        points = torch.rand(3 + n % 5, 2, generator=draw) * 6 - 3
        beta = 10 ** (torch.rand(1, generator=draw).item() * 5 - 3)
        planes.append(
            {"query": points[0].tolist(), "pattern": points[1:].tolist(), "beta": beta}
        )
    return planes


# The arithmetic -----------------------------------------------------------------------


def test_energy_fall_is_repeated_attention():
    for plane in random_states(20):
        figure = Energy(**plane)
        states, weights, energy = figure.fall()
        patterns = torch.tensor(figure.pattern, dtype=torch.float64)
        output, attended = scaled_dot_product_attention(
            states, patterns, patterns, scale=figure.beta
        )
        torch.testing.assert_close(attended, weights)
        torch.testing.assert_close(output[:-1], states[1:])
        assert (energy.diff() <= 1e-12).all()


@pytest.mark.computes
def test_sign_path_settles_where_python_does(page, modules):
    modules("models/hopfield.js")
    draw = torch.Generator().manual_seed(0)
    for count in range(1, 8):
        pictures = torch.randint(2, (count, 64), generator=draw) * 2.0 - 1
        cue = torch.randint(2, (64,), generator=draw) * 2.0 - 1
        found = page.evaluate(
            "([all, cue]) => signPath(hebbianWeights(all), cue).states.at(-1)",
            [pictures.tolist(), cue.tolist()],
        )
        assert found == settle(cue, hebbian_weights(pictures), sweeps=100).tolist()


# The landscape ------------------------------------------------------------------------


@pytest.mark.computes
def test_find_fixed_points_are_reached_by_all_paths(page, modules):
    modules("figures/energy/basins.js")
    for plane in [*random_states(25), *({"beta": beta} for beta in BETAS)]:
        figure = Energy(**plane)
        places = page.evaluate(
            "(s) => findFixedPoints(s.pattern, s.beta, 3.3)", figure.state()
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


@pytest.mark.computes
def test_largest_eigenvalue_equals_jacobian(page, modules):
    modules("figures/energy/basins.js")
    for plane in random_states(20):
        patterns = torch.tensor(plane["pattern"], dtype=torch.float64)
        state = torch.tensor(plane["query"], dtype=torch.float64)
        jacobian = torch.func.jacfwd(
            lambda x, p=patterns, b=plane["beta"]: torch.softmax(b * p @ x, -1) @ p
        )(state)
        wanted = torch.linalg.eigvalsh(jacobian).max()
        found = page.evaluate(
            "(s) => largestEigenvalue(s.pattern, s.query, s.beta)", plane
        )
        assert abs(found - wanted) < 1e-4 * max(1, wanted)


@pytest.mark.computes
def test_basin_edge_separates_fixed_points(page, modules):
    modules("figures/energy/basins.js", "models/hopfield.js")
    figure = Energy()
    ends = page.evaluate(
        """({ pattern, beta }) => {
          const places = findFixedPoints(pattern, beta, 3.3);
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
          return ends;
        }""",  # noqa: E501
        figure.state(),
    )
    assert len(ends) > 60
    apart = sum(first != second for first, second in ends)
    assert apart > 0.95 * len(ends)


@pytest.mark.computes
def test_contour_segments_lie_at_their_height(page, modules):
    modules("figures/energy/basins.js")
    heights = [math.dist((x, y), (10, 10)) for y in range(21) for x in range(21)]
    lines = page.evaluate("(heights) => contour(heights, 20, 7)", heights)
    ends = torch.tensor(lines).view(-1, 2)
    assert len(ends) > 80
    assert ((ends - 10).norm(dim=-1) - 7).abs().max() < 0.03


# The page -----------------------------------------------------------------------------


def test_energy_bars_and_sum_equal_pytorch(show_figures):
    figures = [Energy(**plane, step=i) for i, plane in enumerate(random_states(4))]
    drawn = show_figures(*figures).locator("figure")
    for i, figure in enumerate(figures):
        drawn.nth(i).scroll_into_view_if_needed()
        check_against_torch(drawn.nth(i), figure)


def test_energy_press_on_plane_moves_query(show_figures):
    page = show_figures(Energy())
    box = page.locator(".en-plane").bounding_box()
    unit = box["width"] / 6.6
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x - 1.2 * unit, y + 2 * unit)
    page.mouse.down()
    wait_until_drawn(page)
    assert handle_position(page, "Query") == approx([-1.2, -2], abs=0.06)
    page.mouse.move(x - 0.2 * unit, y + 2 * unit, steps=3)
    page.mouse.up()
    wait_until_drawn(page)
    assert handle_position(page, "Query") == approx([-0.2, -2], abs=0.06)


def pixel(page, row: int, column: int):
    name = re.compile(rf"^Row {row}, column {column}:")
    return page.get_by_role("button", name=name)


def test_energy_mouse_painting_flips_pixels(show_figures):
    page = show_figures(Energy(view="pictures", flipped=[]))
    first, last = pixel(page, 1, 1).bounding_box(), pixel(page, 1, 8).bounding_box()
    y = first["y"] + first["height"] / 2
    page.mouse.move(first["x"] + first["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] / 2, y, steps=20)
    page.mouse.up()
    # A has ink in the middle of its first row.
    expect_status(page, "4 of 64 pixels flipped")
    page.mouse.down()  # at the last, which has ink now: the others lose it as well
    page.mouse.move(first["x"] + first["width"] / 2, y, steps=20)
    page.mouse.up()
    expect_status(page, "4 of 64 pixels flipped")
    pixel(page, 1, 4).click()
    expect_status(page, "3 of 64 pixels flipped")


# Python -------------------------------------------------------------------------------


def test_energy_fewer_pictures_keeps_choice_among_stored():
    figure = Energy(picture=20)
    figure.stored = 8
    assert figure.picture == 7
    with pytest.raises(TraitError, match="picture must be 0 … 7"):
        figure.picture = 8
    assert Energy(stored=3, picture=2).picture == 2
