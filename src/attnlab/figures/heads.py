"""How heads split a width among them, and how their outputs come together again."""

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from attnlab.checks import check_integer
from attnlab.figures.palette import CARD, CYCLE, INK, NEUTRAL

_HATCHES = ("", "//", "..", "xx")  # colour is not the only sign of a head


def draw_split_and_merge(axes: Axes, num_heads: int = 4, d_head: int = 2) -> None:
    """Draw one token's way through multi-head attention, from top to bottom.

    Args:
        axes: where to draw; its frame and ticks are taken away.
        num_heads: how many heads, 1 to 4.
        d_head: the width of each.

    Raises:
        TypeError: a number that is no integer.
        ValueError: more heads than can be told apart, or a size under 1.
    """
    check_integer("num_heads", num_heads, 1)
    check_integer("d_head", d_head, 1)
    if num_heads > len(_HATCHES):
        raise ValueError(f"num_heads must be 1 to {len(_HATCHES)}, got {num_heads}")
    width = num_heads * d_head
    gap = 1.0
    spread = (num_heads - 1) * gap / 2
    for head in range(num_heads):
        left = head * d_head
        apart = left + head * gap - spread
        _row(axes, left, 4.0, d_head, head)
        _row(axes, left, 0.9, d_head, head)
        middle, away = left + d_head / 2, apart + d_head / 2
        _arrow(axes, (middle, 3.9), (away, 3.15))
        axes.add_patch(Rectangle((apart, 2.15), d_head, 0.9, fill=False, edgecolor=INK))
        axes.text(away, 2.6, f"$A_{head + 1}$", ha="center", va="center")
        _arrow(axes, (away, 2.05), (middle, 1.6))
    _row(axes, 0, -0.6, width, None)
    _arrow(axes, (width / 2, 0.8), (width / 2, 0.1))
    axes.text(width / 2 + 0.25, 0.42, "$W_O$", va="center")
    right = width + spread + 0.4
    for y, text in (
        (4.3, "queries, keys, values\nof all heads"),
        (2.6, "attend,\neach head alone"),
        (1.2, "side by side"),
        (-0.3, "output"),
    ):
        axes.text(right, y, text, va="center", color=INK)
    axes.set(xlim=(-spread - 0.2, right + 5.5), ylim=(-0.8, 4.9))
    axes.axis("off")


def _row(axes: Axes, left: float, bottom: float, cells: int, head: int | None) -> None:
    """Cells of one width-1 number each; those of no head are grey."""
    for cell in range(cells):
        axes.add_patch(
            Rectangle(
                (left + cell, bottom),
                1,
                0.6,
                facecolor=NEUTRAL if head is None else CYCLE[head],
                hatch="" if head is None else _HATCHES[head],
                alpha=0.35 if head is None else 0.75,
                edgecolor=CARD,
            )
        )


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    style = {"arrowstyle": "-|>", "color": NEUTRAL, "lw": 1.5}
    axes.annotate("", end, start, arrowprops=style)
