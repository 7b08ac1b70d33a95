"""One look for every picture of the book: `use_style()` and direct labels.

A picture brings its own white ground, so that it reads in light and dark mode alike,
and its text is large enough for a phone 360 pixels wide.
"""

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes

from attnlab.figures import palette

# Inches. At 360 pixels a page shows 6.4 inches in about 320 pixels, 50 to the inch,
# so that text of 13 points (0.18 inches) is 9 pixels tall there and 18 on a wide page.
WIDTH, HEIGHT = 6.4, 3.6

_STYLE = {
    "figure.figsize": (WIDTH, HEIGHT),
    "figure.dpi": 100,
    "figure.facecolor": palette.CARD,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 100,
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
    "axes.prop_cycle": cycler(color=palette.CYCLE) + cycler(marker=palette.MARKERS),
    "grid.color": palette.GRID,
    "text.color": palette.INK,
    "xtick.color": palette.INK,
    "ytick.color": palette.INK,
    "lines.linewidth": 2.2,
    "lines.markersize": 6,
    "legend.frameon": False,
    "image.cmap": "Blues",
}


def use_style() -> None:
    """Draw every later figure of this notebook in the book's style.

    Pictures that a notebook stores then hold no date and no version number: the same
    drawing gives the same bytes.
    """
    mpl.rcParams.update(_STYLE)
    try:
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:  # outside a notebook there is nothing to store
        return
    from IPython import get_ipython

    if get_ipython() is not None:
        metadata = {"Software": None}
        set_matplotlib_formats("png", bbox_inches=None, metadata=metadata)


def label_lines(axes: Axes, *, gap: float = 0.02) -> None:
    """Write each line's label at its right end, in its colour, instead of a legend.

    Labels that would overlap are moved apart; `gap` is the space between line and label
    as a share of the axes' width. Lines without a label are left alone.
    """
    lines = [line for line in axes.lines if not line.get_label().startswith("_")]
    to_axes = (axes.transData + axes.transAxes.inverted()).transform
    ends = [(to_axes(line.get_xydata()[-1]), line) for line in lines]
    height = 1.3 * mpl.rcParams["font.size"] / 72 / _height_in_inches(axes)
    lowest = -1.0
    for (x, y), line in sorted(ends, key=lambda end: end[0][1]):
        lowest = max(y, lowest + height)
        axes.text(
            x + gap,
            lowest,
            line.get_label(),
            color=line.get_color(),
            transform=axes.transAxes,
            va="center",
            fontweight="bold",
        )


def _height_in_inches(axes: Axes) -> float:
    return axes.get_position().height * axes.figure.get_figheight()
