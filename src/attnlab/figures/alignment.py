"""Weight matrices: which source token each target token was read from."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from attnlab.figures import palette
from attnlab.figures.style import HEAT


def plot_alignment(
    axes: Axes,
    weights: Sequence,
    source: Sequence[str],
    target: Sequence[str],
    *,
    links: Iterable[tuple[int, int]] = (),
    title: str = "",
) -> None:
    """Draw one row a target token and one column a source token; dark is heavy.

    Args:
        axes: where to draw.
        weights: `(target length, source length)`, from 0 to 1: lists, an array or a
            tensor. What is beyond the tokens is left out.
        source, target: the tokens that name the columns and the rows, as they are:
            what stands between dollar signs is no formula.
        links: `(target index, source index)` of the known alignment; outlined.
        title: above the picture.

    Raises:
        TypeError: weights that are no real numbers.
        ValueError: the weights have fewer rows or columns than there are tokens.
    """
    given: Any = weights
    if hasattr(given, "detach"):  # a tensor, perhaps of a type that NumPy lacks
        given = given.detach().cpu()
        given = given.float() if given.is_floating_point() else given
    heat = np.asarray(given)
    if heat.dtype.kind not in "fiub":
        raise TypeError(f"weights must be numbers, got {heat.dtype}")
    rows, columns = len(target), len(source)
    if heat.ndim != 2 or heat.shape[0] < rows or heat.shape[1] < columns:
        raise ValueError(
            f"weights must be (target length ≥ {rows}, source length ≥ {columns}), "
            f"got {heat.shape}"
        )
    axes.imshow(heat[:rows, :columns], cmap=HEAT, vmin=0, vmax=1, aspect="auto")
    for row, column in links:
        corner = (column - 0.46, row - 0.46)
        outline = Rectangle(
            corner, 0.92, 0.92, fill=False, edgecolor=palette.INK, linewidth=2
        )
        axes.add_patch(outline)
    plain = {"parse_math": False}
    axes.set_xticks(range(len(source)), source, rotation=55, ha="right", **plain)
    axes.set_yticks(range(len(target)), target, **plain)
    axes.tick_params(length=0)
    axes.grid(False)
    axes.set_title(title)
