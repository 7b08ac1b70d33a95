"""The Transformer in one picture: its sublayers, and what flows between them."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from attnlab.figures.palette import INK, KEY, NEUTRAL, ORCHID, QUERY, VALUE

_HALF = 1.45  # half the width of a box
_ENCODER, _DECODER = 0.0, 4.6  # where the two columns stand
_BRANCH = 0.42  # how far under a box its residual leaves


def draw_transformer(axes: Axes) -> None:
    """Draw encoder and decoder from the bottom up (Vaswani et al. 2017, figure 1).

    What a box computes is named with chapter 7's equation.

    Args:
        axes: where to draw; its frame and ticks are taken away.
    """
    encoder = (("self-attention", 3.0), ("feed-forward", 5.0))
    decoder = (
        ("masked\nself-attention", 3.0),
        ("cross-attention", 5.0),
        ("feed-forward", 7.0),
    )
    for x, sublayers, words, name in (
        (_ENCODER, encoder, "source words", "encoder"),
        (_DECODER, decoder, "target words so far", "decoder"),
    ):
        axes.text(x, -0.35, words, ha="center", va="center", color=INK)
        _arrow(axes, (x, -0.1), (x, 0.35))
        _box(axes, x, 0.7, "embedding × √d\n+ position (7.5)", NEUTRAL)
        top = _stack(axes, x, sublayers)
        frame = (x - _HALF - 0.5, 1.75), 2 * _HALF + 0.8, top - 1.65
        axes.add_patch(
            FancyBboxPatch(*frame, "round,pad=0.05", fill=False, ec=NEUTRAL, ls="--")
        )
        axes.text(x - _HALF - 0.4, 1.85, name, color=INK, weight="bold")
        axes.text(x + 0.15, 1.85, "L times", color=INK)
    _read_out(axes)
    _cross_attention(axes)
    axes.set(xlim=(-2.1, 6.6), ylim=(-0.7, 10.5))
    axes.axis("off")


def _stack(axes: Axes, x: float, sublayers: tuple) -> float:
    """Draw the sublayers of one layer; return the height of the last norm."""
    heights = [1.1]
    for name, y in sublayers:
        color = NEUTRAL if name == "feed-forward" else ORCHID
        _box(axes, x, y, name + " (7.4)" * (name == "feed-forward"), color)
        norm = y + 0.85
        _box(axes, x, norm, "add (7.1), norm (7.2)", NEUTRAL, height=0.4)
        _arrow(axes, (x, heights[-1]), (x, y - 0.4))
        _arrow(axes, (x, y + 0.35), (x, norm - 0.2))
        start = (x, y - 0.4 - _BRANCH)
        side = x - _HALF - 0.25
        axes.plot(*zip(start, (side, start[1]), (side, norm), strict=True), **_LINE)
        _arrow(axes, (side, norm), (x - _HALF, norm))
        heights.append(norm + 0.2)
    return heights[-1]


def _read_out(axes: Axes) -> None:
    """From the decoder's top to the next word."""
    _arrow(axes, (_DECODER, 8.05), (_DECODER, 8.75))
    _box(axes, _DECODER, 9.1, "linear (7.5), softmax", NEUTRAL)
    _arrow(axes, (_DECODER, 9.45), (_DECODER, 9.95))
    axes.text(_DECODER, 10.2, "next word", ha="center", va="center", color=INK)


def _cross_attention(axes: Axes) -> None:
    """Keys and values from the encoder's top, the query from the decoder."""
    left = _DECODER - _HALF
    for shift, color, name in ((0.18, KEY, "K"), (-0.12, VALUE, "V")):
        x = 2.15 + 2 * shift
        path = (
            (_ENCODER, 6.05),
            (_ENCODER, 6.6 + shift),
            (x, 6.6 + shift),
            (x, 5 + shift),
        )
        axes.plot(*zip(*path, strict=True), color=color, lw=2, marker="")
        _arrow(axes, (x, 5 + shift), (left, 5 + shift), color)
        axes.text(2.1 + shift, 6.05 + shift, name, color=color, weight="bold")
    axes.text(_ENCODER + 0.15, 7.05, "memory", color=INK)
    axes.text(_DECODER + 0.15, 4.25, "Q", color=QUERY, weight="bold")


_LINE: dict[str, Any] = {"color": NEUTRAL, "lw": 1.5, "marker": ""}


def _box(
    axes: Axes, x: float, y: float, text: str, color: str, height: float = 0.7
) -> None:
    corner = (x - _HALF, y - height / 2)
    axes.add_patch(
        FancyBboxPatch(
            corner,
            2 * _HALF,
            height,
            "round,pad=0.0",
            fill=False,
            ec=color,
            lw=2,
            zorder=3,
        )
    )
    size = 11 if height > 0.5 else 10
    axes.text(x, y, text, ha="center", va="center", size=size, color=INK, zorder=4)


def _arrow(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    color: str = NEUTRAL,
) -> None:
    axes.annotate(
        "", end, start, arrowprops={"arrowstyle": "-|>", "color": color, "lw": 1.5}
    )
