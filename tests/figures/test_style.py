import io
from itertools import combinations, pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from PIL import Image

from attnlab.figures import palette
from attnlab.figures.style import WIDTH, label_lines, use_style


@pytest.fixture(autouse=True)
def fresh_style():
    with matplotlib.rc_context():
        matplotlib.use("agg")
        use_style()
        yield
        plt.close("all")


def draw_sample():
    figure, axes = plt.subplots()
    digits = np.arange(1, 9)
    for number, name in enumerate(("without attention", "with attention", "both")):
        axes.plot(digits, 100 - number * digits, label=name)
    axes.set(xlabel="digits", ylabel="exact match (%)", title="Accuracy by length")
    label_lines(axes)
    return figure


def linear(color):
    """Red, green and blue without the screen's gamma."""
    return [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in to_rgb(color)
    ]


def contrast_ratio(color, ground):
    """Contrast ratio as WCAG 2 defines it, 1 to 21."""
    both = [np.dot(linear(name), (0.2126, 0.7152, 0.0722)) for name in (color, ground)]
    return (max(both) + 0.05) / (min(both) + 0.05)


# A missing kind of cone in linear RGB, by Machado, Oliveira and Fernandes (2009).
COLOUR_BLINDNESS_MATRICES = {
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
COLOUR_SETS = {
    "ideas": (palette.QUERY, palette.KEY, palette.VALUE, palette.WRONG),
    "signs": (palette.BELOW, palette.ABOVE),
    "kinds": palette.CYCLE,
}


def to_oklab(color, sight):
    """Where a colour stands in OKLab, for eyes of this sight."""
    to_cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    to_axes = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    told_apart = np.clip(
        np.array(COLOUR_BLINDNESS_MATRICES[sight]) @ linear(color), 0, 1
    )
    return to_axes @ np.cbrt(to_cones @ told_apart)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("sight", COLOUR_BLINDNESS_MATRICES)
@pytest.mark.parametrize("name", COLOUR_SETS)
def test_palette_colours_are_distinguishable(name, sight, dark):
    colors = [palette.DARK[color] if dark else color for color in COLOUR_SETS[name]]
    for one, other in combinations(colors, 2):
        assert np.linalg.norm(to_oklab(one, sight) - to_oklab(other, sight)) > 0.07


def test_palette_colours_are_unique_per_role():
    ideas, signs, kinds = map(set, COLOUR_SETS.values())
    assert not (ideas & signs or ideas & kinds or signs & kinds)
    told = (palette.NETWORKS, palette.LAYERS, palette.SCHEMES)
    assert {color for one in told for color in one.values()} <= kinds
    assert len(palette.CYCLE) <= len(set(palette.MARKERS))


def test_palette_contrast_suffices_in_light_and_dark():
    ground = palette.DARK[palette.CARD]
    for color in {color for one in COLOUR_SETS.values() for color in one}:
        assert contrast_ratio(color, palette.CARD) >= 3
    assert contrast_ratio(palette.INK, palette.CARD) > 7
    assert contrast_ratio(palette.NEUTRAL, palette.CARD) > 4.5
    assert set(palette.ROLES.values()) == set(palette.DARK)
    for light, dark in palette.DARK.items():
        if light not in {palette.CARD, palette.GRID}:
            assert contrast_ratio(dark, ground) > 4.5


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_saved_svg_is_small_and_reproducible(kind):
    pictures = []
    for _ in range(2):
        stream = io.BytesIO()
        # What changes by itself: the version, the date.
        metadata = {"Software": None} if kind == "png" else {"Date": None}
        draw_sample().savefig(stream, format=kind, metadata=metadata)
        pictures.append(stream.getvalue())
    first, second = pictures
    assert first == second
    assert len(first) < 100_000
    if kind == "svg":
        assert b"exact match (%)</text>" in first  # text is stored as text
    else:
        picture = Image.open(io.BytesIO(first))
        assert not picture.text  # neither date nor version
        # White, on a dark page as well.
        assert picture.convert("RGBA").getpixel((0, 0)) == (255, 255, 255, 255)


def test_figure_text_is_legible_on_a_phone():
    pixels_per_point = 320 / (WIDTH * 72)
    assert matplotlib.rcParams["font.size"] * pixels_per_point >= 10


def test_style_series_differ_in_more_than_colour():
    lines = draw_sample().axes[0].lines
    assert len({line.get_marker() for line in lines}) == len(lines)


def test_label_lines_separates_labels_of_meeting_lines():
    figure, axes = plt.subplots()
    names = ["one", "two", "three"]
    for name in names:
        axes.plot([0, 1], [0, 1], label=name)
    axes.plot([0, 1], [0, 0], label="far below")
    axes.plot([0, 1], [1, 1])  # no label, so nothing is written
    axes.set_ylim(0, 2)
    label_lines(axes)
    figure.canvas.draw()
    boxes = {text.get_text(): text.get_window_extent() for text in axes.texts}
    assert sorted(boxes) == sorted([*names, "far below"])
    by_height = sorted(boxes.values(), key=lambda box: box.y0)
    assert all(lower.y1 <= upper.y0 for lower, upper in pairwise(by_height))
    assert all(box.x1 <= figure.bbox.x1 for box in by_height)
    assert all(contrast_ratio(t.get_color(), palette.CARD) > 4.5 for t in axes.texts)
    bottom, end = axes.transData.transform([(1, 0), (1, 1)])[:, 1]
    middles = {name: np.mean(box.intervaly) for name, box in boxes.items()}
    assert np.mean([middles[name] for name in names]) == pytest.approx(end, abs=2)
    assert middles["far below"] == pytest.approx(bottom, abs=2)
