"""A model of time: a price a step, and arithmetic or memory, whichever is slower.

    seconds = overhead · steps + max(FLOPs / peak, bytes / bandwidth)

The second half is the roofline of Williams, Waterman and Patterson 2009; the first is
what a call costs before it computes anything. Steps and bytes are counted from a
point's sizes, and the three constants fitted to measured points. They are of one kind
of layer on one machine: a rate that layers of one kind reach, not what the machine
could do. Bytes are the numbers that a layer must touch, four bytes each, however often
a cache spares the way to the memory.

A point is what `grid.points` returns: its layer, sizes and phase, FLOPs and seconds.
"""

from collections.abc import Callable, Sequence
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from attnlab.complexity.layers import BLOCK, GATES, layer_type

SEARCH_STARTS = ((1e9, 3e10), (2e9, 3e10))  # for the search: bandwidths and peaks
FIRST_STEP, LAST_STEP = 1.0, 0.01  # of the search, in logarithms


class Roofline(NamedTuple):
    """Seconds a step, FLOPs a second and bytes a second."""

    overhead: float
    peak: float
    bandwidth: float

    def seconds(self, point: dict) -> float:
        """Return the seconds that a point should take."""
        arithmetic = point["flops"] / self.peak
        memory = count_bytes(point) / self.bandwidth
        return self.overhead * count_steps(point) + max(arithmetic, memory)


def count_steps(point: dict) -> int:
    """Return how many calls must be made in a row: n if recurrent or generating."""
    if point["phase"] == "generation":
        return point["n"]
    return layer_type(point["layer"]).sequential_operations(point["n"])


def count_bytes(point: dict, *, fused_weights: bool = True) -> int:
    """Return four bytes for each number that the layer of a point must touch.

    Inputs, outputs and two results between them, nd each a layer; an attention's n²
    weights of each head, four times over; every matrix, and at every step again if
    there are many. Generating, each position goes through all keys and values before
    it. A fused recurrence does W x for all positions at once. A batch shares the
    matrices.

    Args:
        point: see above; of one sequence, if it has no "batch".
        fused_weights: count the weights that a fused attention makes and never writes.

    Raises:
        KeyError, ValueError: the point has no size or phase, or an unknown layer.
    """
    name, n, d = point["layer"], point["n"], point["d"]
    layer, own = layer_type(name), _layer_options(point)
    matrices = count_steps(point) * layer.parameters(d, **own)
    if name.endswith("_fused") and name.split("_")[0] in GATES:
        matrices = (count_steps(point) + 1) // 2 * layer.parameters(d, **own)
    each = 4 * n * d * own.get("num_layers", 1)  # of a sequence
    if point["phase"] == "generation":
        seen = {"banded": n * (2 * own.get("radius", 0) + 1)}.get(name, n * n)
        each += seen * d if _is_attention(name) else 0
    elif fused_weights or name not in ("attention_fused", "multi_head"):
        each += 4 * _weight_bytes(name, n, d, own)
    return 4 * (matrices + point.get("batch", 1) * each)


def fit_roofline(points: Sequence[dict]) -> Roofline:
    """Fit the three constants to points of one kind of layer and phase.

    The mean distance of predicted from measured times, in logarithms, is made small by
    trying larger and smaller constants by turns.

    Raises:
        ValueError: fewer than four points, or a time that is not positive.
    """
    if len(points) < 4:
        raise ValueError(f"three constants want four points, got {len(points)}")
    columns = [(count_steps(p), p["flops"], count_bytes(p)) for p in points]
    steps, flops, touched = np.array(columns, dtype=float).T
    seconds = np.array([point["seconds"] for point in points], dtype=float)
    if not ((seconds > 0) & (seconds < np.inf)).all():
        raise ValueError("times must be positive and finite")

    def distances(logs: np.ndarray) -> np.ndarray:  # (tries, 3) -> (tries,)
        overhead, peak, bandwidth = np.exp(logs).T[..., None]
        model = overhead * steps + np.maximum(flops / peak, touched / bandwidth)
        return np.abs(np.log(model / seconds)).mean(axis=1)

    least = float((seconds / steps).min())
    bandwidths, peaks = SEARCH_STARTS
    starts = [np.log([least, *rates]) for rates in product(peaks, bandwidths)]
    best, _ = min((_descend(distances, start) for start in starts), key=itemgetter(1))
    return Roofline(*map(float, np.exp(best)))


def _descend(
    distances: Callable[[np.ndarray], np.ndarray], logs: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return the logarithms (3,) that no move makes nearer, and their distance."""
    stride, moves = FIRST_STEP, np.concatenate([np.eye(3), -np.eye(3)])
    (least,) = distances(logs[None])
    while stride > LAST_STEP:
        tried = logs + stride * moves
        found = distances(tried)
        nearest = found.argmin()
        if found[nearest] < least:
            logs, least = tried[nearest], found[nearest]
        else:
            stride /= 2
    return logs, least


def _layer_options(point: dict) -> dict[str, Any]:
    options = layer_type(point["layer"]).options
    return {name: point.get(name, default) for name, default in options.items()}


def _is_attention(name: str) -> bool:
    return name in ("attention", "attention_fused", "multi_head", "additive", "banded")


def _weight_bytes(name: str, n: int, d: int, own: dict[str, Any]) -> int:
    """How many weights an attention has, or numbers that its scores are made from."""
    if name == "additive":
        return n * n * (own["d_hidden"] or d)
    if name == "banded":
        radius = min(own["radius"], n - 1)
        size = max(radius, BLOCK)
        return -(-n // size) * size * (size + 2 * radius)
    return n * n * own["num_heads"] if _is_attention(name) else 0
