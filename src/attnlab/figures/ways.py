"""Who sees whom, layer by layer, and one way from the last position to the first."""

from collections.abc import Sequence

import torch
from matplotlib.axes import Axes
from torch import Tensor, nn

from attnlab.checks import check_integer
from attnlab.figures.palette import NEUTRAL, ORCHID

WIDTH = 2  # of the layers whose links are looked for


def links_of(layer: nn.Module, n: int) -> Tensor:
    """Return which inputs each output of a layer answers to, by its Jacobian.

    Args:
        layer: maps (1, n, 2) to the same shape, in float64.
        n: positions, at least 1.

    Returns:
        (n, n) bool: output i answers to input j.

    Raises:
        TypeError, ValueError: n is no integer of at least 1.
    """
    check_integer("n", n, 1)
    x = torch.randn(n, WIDTH, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda x: layer(x[None])[0], x)
    return jacobian.abs().sum((1, 3)) > 0  # (n, d, n, d) -> (n, n)


def draw_ways(axes: Axes, links: Sequence[Tensor]) -> int:
    """Draw all links of a stack, and a way back that goes as far as it can each time.

    Args:
        axes: where to draw; layers from bottom to top.
        links: those of each layer, (n, n) as `links_of` returns them.

    Returns:
        The steps on that way.

    Raises:
        ValueError: it does not end at the first position.
    """
    n = len(links[0])
    for level, seen in enumerate(links):
        for to, source in seen.nonzero().tolist():
            _line(axes, (source, level), (to, level + 1))
    at = n - 1
    for level in reversed(range(len(links))):
        before = int(links[level][at].nonzero()[0])  # the farthest back
        _line(axes, (before, level), (at, level + 1), way=True)
        at = before
    if at:
        raise ValueError(f"the way back ends at position {at + 1}, not at the first")
    _name(axes, n, len(links))
    return len(links)


def draw_recurrence(axes: Axes, n: int) -> int:
    """Draw one recurrent layer: the way to the last state leads along all others.

    Returns:
        The steps on that way, from the first input: n.

    Raises:
        TypeError, ValueError: n is no integer of at least 1.
    """
    check_integer("n", n, 1)
    for position in range(n):
        _line(axes, (position, 0), (position, 1))
    _line(axes, (0, 0), (0, 1), way=True)
    for position in range(1, n):
        _line(axes, (position - 1, 1), (position, 1), way=True)
    _name(axes, n, 1)
    return n


def _line(
    axes: Axes, start: tuple[int, int], end: tuple[int, int], *, way: bool = False
) -> None:
    xs, ys = zip(start, end, strict=True)
    if way:
        axes.plot(xs, ys, color=ORCHID, lw=3, marker="o")
    else:
        axes.plot(xs, ys, color=NEUTRAL, lw=0.6, marker="")


def _name(axes: Axes, n: int, layers: int) -> None:
    axes.set_xticks([0, n - 1], ["1", str(n)])
    axes.set_yticks(range(layers + 1))
    axes.set_ylabel("layer")
