import ast
import io
from itertools import combinations, pairwise
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from PIL import Image

from attnlab.figures import palette
from attnlab.figures.style import HEAT, WIDTH, label_lines, use_style


@pytest.fixture(autouse=True)
def fresh_style():
    with matplotlib.rc_context():
        matplotlib.use("agg")
        use_style()
        yield
        plt.close("all")


def draw():
    figure, axes = plt.subplots()
    digits = np.arange(1, 9)
    for number, name in enumerate(("without attention", "with attention", "both")):
        axes.plot(digits, 100 - number * digits, label=name)
    axes.set(xlabel="digits", ylabel="exact match (%)", title="Accuracy by length")
    label_lines(axes)
    return figure


def png(figure):
    stream = io.BytesIO()
    figure.savefig(stream, format="png", metadata={"Software": None})
    return stream.getvalue()


def contrast(color, ground):
    """Contrast ratio as WCAG 2 defines it, 1 to 21."""

    def luminance(name):
        parts = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in to_rgb(name)
        ]
        return np.dot(parts, (0.2126, 0.7152, 0.0722))

    lighter, darker = sorted((luminance(color), luminance(ground)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_the_palette_imports_nothing():
    tree = ast.parse(Path(palette.__file__).read_text(encoding="utf-8"))
    imports = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    assert imports == []


# A missing kind of cone in linear RGB, by Machado, Oliveira and Fernandes (2009).
SIGHTS = {
    "all cones": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
SETS = {
    "ideas": (palette.QUERY, palette.KEY, palette.VALUE, palette.WRONG),
    "signs": (palette.BELOW, palette.ABOVE),
    "kinds": palette.CYCLE,
}


def seen(color, sight):
    """Where a colour stands in OKLab, for eyes of this sight."""
    linear = np.array(
        [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in to_rgb(color)
        ]
    )
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    ) @ np.clip(SIGHTS[sight] @ linear, 0, 1)
    axes = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return axes @ np.cbrt(cones)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("name", SETS)
def test_colours_of_a_set_are_told_apart(name, sight, dark):
    colors = [palette.DARK[color] if dark else color for color in SETS[name]]
    for one, other in combinations(colors, 2):
        assert np.linalg.norm(seen(one, sight) - seen(other, sight)) > 0.07


def test_one_colour_is_one_idea():
    ideas, signs, kinds = map(set, SETS.values())
    assert not (ideas & signs or ideas & kinds or signs & kinds)
    told = (palette.NETWORKS, palette.LAYERS, palette.SCHEMES)
    assert {color for one in told for color in one.values()} <= kinds
    assert len(palette.CYCLE) <= len(set(palette.MARKERS))


def test_colours_stand_out_from_the_ground():
    for color in {color for one in SETS.values() for color in one}:
        assert contrast(color, palette.CARD) >= 3
        assert contrast(palette.DARK[color], palette.DARK[palette.CARD]) >= 3


def test_text_reads_on_the_ground():
    assert contrast(palette.INK, palette.CARD) > 7
    assert contrast(palette.NEUTRAL, palette.CARD) > 4.5


def test_the_same_drawing_gives_the_same_small_picture():
    first, second = png(draw()), png(draw())
    assert first == second
    assert len(first) < 100_000
    assert not Image.open(io.BytesIO(first)).text  # neither date nor version


def test_a_notebook_stores_drawings_with_text_as_text_the_same_each_time():
    def svg():
        stream = io.StringIO()
        draw().savefig(stream, format="svg", metadata={"Date": None})
        return stream.getvalue()

    first = svg()
    assert first == svg()
    assert "exact match (%)</text>" in first


def test_no_weight_leaves_the_ground_and_all_of_it_is_solid():
    assert HEAT(0.0)[3] == 0 and HEAT(1.0) == (*to_rgb(palette.KEY), 1)


def test_every_colour_has_another_for_the_dark():
    assert set(palette.ROLES.values()) == set(palette.DARK)
    ground = palette.DARK[palette.CARD]
    for light, dark in palette.DARK.items():
        if light not in {palette.CARD, palette.GRID}:
            assert contrast(dark, ground) > 4.5


def test_the_ground_is_white_in_every_mode():
    picture = Image.open(io.BytesIO(png(draw()))).convert("RGBA")
    assert picture.getpixel((0, 0)) == (255, 255, 255, 255)


def test_text_is_legible_on_a_phone():
    pixels_per_point = 320 / (WIDTH * 72)
    assert matplotlib.rcParams["font.size"] * pixels_per_point >= 10


def test_series_differ_in_more_than_colour():
    lines = draw().axes[0].lines
    assert len({line.get_marker() for line in lines}) == len(lines)


def test_labels_are_in_the_picture_readable_and_apart():
    figure, axes = plt.subplots()
    for name in ("one", "two", "three"):
        axes.plot([0, 1], [0, 1], label=name)
    axes.plot([0, 1], [1, 1])  # no label, so nothing is written
    label_lines(axes)
    figure.canvas.draw()
    boxes = sorted((t.get_window_extent() for t in axes.texts), key=lambda b: b.y0)
    assert sorted(text.get_text() for text in axes.texts) == sorted(
        ["one", "two", "three"]
    )
    assert all(lower.y1 <= upper.y0 for lower, upper in pairwise(boxes))
    assert all(box.x1 <= figure.bbox.x1 for box in boxes)
    assert all(contrast(t.get_color(), palette.CARD) > 4.5 for t in axes.texts)


def test_labels_of_lines_that_meet_stack_around_their_end():
    figure, axes = plt.subplots()
    for name in ("one", "two", "three"):
        axes.plot([0, 1], [0, 1], label=name)
    axes.plot([0, 1], [0, 0], label="far below")
    axes.set_ylim(0, 2)
    label_lines(axes)
    figure.canvas.draw()
    middles = {
        t.get_text(): np.mean(t.get_window_extent().intervaly) for t in axes.texts
    }
    bottom, end = axes.transData.transform([(1, 0), (1, 1)])[:, 1]
    stacked = [middles[name] for name in ("one", "two", "three")]
    assert np.mean(stacked) == pytest.approx(end, abs=2)
    assert middles["far below"] == pytest.approx(bottom, abs=2)
