"""One look for every picture of the book: `use_style()` and direct labels.

A picture is a drawing (SVG) with a ground of its own, so that light and dark notebooks
show it alike; the built page gives it its own ground and ink. Its text is large enough
for a phone 360 pixels wide.
"""

from statistics import fmean
from typing import Any

import matplotlib as mpl
import numpy as np
from IPython import get_ipython
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, is_color_like, to_hex, to_rgb
from matplotlib.lines import Line2D
from matplotlib.rcsetup import cycler
from matplotlib_inline.backend_inline import set_matplotlib_formats

from attnlab.figures import palette

# Inches. On a phone 360 pixels wide the picture gets about 320 of them, 57 to the inch:
# text of 13 points, 0.18 inches, is then 10 pixels tall, and on a wide screen more.
WIDTH, HEIGHT = 5.6, 3.4

# Heavy is orange; no weight is no ink, so that the ground may be light or dark.
HEAT = LinearSegmentedColormap.from_list(
    "attention", [(*to_rgb(palette.KEY), weight) for weight in (0.0, 1.0)]
)
# Below zero is olive, above it violet.
SIGNED = LinearSegmentedColormap.from_list(
    "signed",
    [
        (0.0, (*to_rgb(palette.BELOW), 1.0)),
        (0.5, (*to_rgb(palette.BELOW), 0.0)),
        (0.5, (*to_rgb(palette.ABOVE), 0.0)),
        (1.0, (*to_rgb(palette.ABOVE), 1.0)),
    ],
)
for _colormap in (HEAT, SIGNED):
    if _colormap.name not in mpl.colormaps:
        mpl.colormaps.register(_colormap)

# What makes a drawing the same each time. (Newer matplotlibs type these keys by name.)
SVG: Any = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "attnlab",  # the same drawing gives the same ids
}
_STYLE: dict[str, Any] = {
    **SVG,
    "figure.figsize": (WIDTH, HEIGHT),
    "figure.dpi": 140,
    "figure.facecolor": palette.CARD,
    "figure.constrained_layout.use": True,
    "savefig.dpi": "figure",
    "savefig.facecolor": palette.CARD,
    "font.size": 13,
    "axes.titlesize": 14,
    "axes.titlelocation": "left",
    "axes.facecolor": palette.CARD,
    "axes.edgecolor": palette.NEUTRAL,
    "axes.labelcolor": palette.INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.prop_cycle": cycler(color=palette.CYCLE)
    + cycler(marker=palette.MARKERS[: len(palette.CYCLE)]),
    "grid.color": palette.GRID,
    "text.color": palette.INK,
    "xtick.color": palette.INK,
    "ytick.color": palette.INK,
    "lines.linewidth": 2.2,
    "lines.markersize": 6,
    "legend.frameon": False,
    "image.cmap": HEAT.name,
}


def use_style() -> None:
    """Draw every later figure in the book's style.

    The pictures that a notebook stores then hold no date and no version number: the
    same drawing gives the same bytes.
    """
    mpl.rcParams.update(_STYLE)  # type: ignore[arg-type]  # keys are plain text here
    if get_ipython() is not None:
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        set_matplotlib_formats("svg", bbox_inches=None, metadata=nothing)


def label_lines(axes: Axes, point: int = -1) -> None:
    """Write each line's label at its right end instead of a legend; call it last.

    The text is a shade of the line's colour dark enough to read on white. Labels that
    would overlap are moved apart. Lines without a label are left alone. Where lines
    meet in the end, `point` chooses another of their points to give the height.
    """
    axes.get_xlim(), axes.get_ylim()  # brings the limits up to date
    lines = [line for line in axes.lines if not str(line.get_label()).startswith("_")]
    lines.sort(key=lambda line: _height(axes, line, point))
    heights = [_height(axes, line, point) for line in lines]
    apart = _spread_positions(heights, 1.3 * mpl.rcParams["font.size"])
    for line, height, placed in zip(lines, heights, apart, strict=True):
        axes.annotate(
            str(line.get_label()),
            xy=(_points(line)[-1, 0], _points(line)[point, 1]),
            xytext=(8, placed - height),
            textcoords="offset points",
            color=shade(to_hex(line.get_color())),
            fontweight="bold",
            va="center",
            annotation_clip=False,
        )


def shade(color: str) -> str:
    """Return the colour of text that belongs to a line: dark enough to read on white.

    Raises:
        ValueError: no colour of matplotlib's.
    """
    if not is_color_like(color):
        raise ValueError(f"wanted a colour such as #0072B2, got {color!r}")
    red, green, blue = (0.6 * part for part in to_rgb(color))
    return to_hex((red, green, blue))


def _points(line: Line2D) -> np.ndarray:
    return np.asarray(line.get_xydata())  # (points, 2)


def _height(axes: Axes, line: Line2D, point: int) -> float:
    """Return how high on the page this point of the line is, in points."""
    pixels = axes.transData.transform(_points(line)[point])[1]
    return pixels * 72 / axes.figure.dpi


def _spread_positions(heights: list[float], gap: float) -> list[float]:
    """Rising heights moved as little as possible until each is `gap` above the last."""
    groups: list[list[float]] = []  # what touches is one stack around its middle
    for number, height in enumerate(heights):
        groups.append([height - number * gap])
        while len(groups) > 1 and fmean(groups[-2]) > fmean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    bottoms = [fmean(group) for group in groups for _ in group]
    return [bottom + number * gap for number, bottom in enumerate(bottoms)]
