"""The roof of a machine: what no layer on it can pass, and a time by it.

    seconds = calls + max(FLOPs / peak, bytes / bandwidth)

One peak and one bandwidth for all layers, each measured by itself (see
`attnlab.experiments.roofline`), where `attnlab.complexity.roofline` fits both to the
times of each kind of layer. Bytes arrive the more slowly the more there are that a
layer goes over again and again: from the cache, from memory, from memory that the
system hands out anew. `calls` is what as many calls take that have nothing to compute.

A point has a layer, its sizes n, d and batch, a phase, "forward" (all positions at
once) or "generation" (one after the other), and the layer's options. Source: Williams,
Waterman and Patterson 2009.
"""

from typing import NamedTuple

from attnlab.checks import check_choice
from attnlab.complexity.layers import layer_type
from attnlab.complexity.roofline import count_bytes, count_steps
from attnlab.complexity.theory import LayerType

ATTENTIONS = ("attention", "attention_fused")
RECURRENT = ("gru", "lstm")
ROOF_LAYERS = (*ATTENTIONS, *RECURRENT, "convolution", "feed_forward")
PHASES = ("forward", "generation")
TINY_SIZES = {"n": 16, "d": 16, "batch": 1}  # nothing to compute: what calls cost


class Roof(NamedTuple):
    """What a machine was measured to do at most.

    Attributes:
        peak: FLOPs a second.
        slopes: bytes, and how many arrive a second if there are so many; ascending.
    """

    peak: float
    slopes: tuple[tuple[float, float], ...]

    def bandwidth(self, held: float) -> float:
        """Return the bytes a second of the least size measured that holds so many."""
        return next(
            (rate for size, rate in self.slopes if held <= size), self.slopes[-1][1]
        )

    def parts(self, point: dict) -> tuple[float, float]:
        """Return the seconds of a point's arithmetic, and those of its bytes.

        They go on at once: the longer is what it waits for.
        """
        arrived = count_traffic(point) / self.bandwidth(count_reread_bytes(point))
        return count_work(point) / self.peak, arrived

    def seconds(self, point: dict, call: float = 0.0) -> float:
        """Return a point's seconds, where each of its calls in a row takes `call`."""
        return call * count_steps(point) + max(self.parts(point))


def count_work(point: dict) -> int:
    """Return the FLOPs of a whole batch: `LayerType.flops`."""
    layer, generating = _layer_type(point), point["phase"] == "generation"
    return point["batch"] * layer.flops(point["n"], point["d"], generating=generating)


def count_traffic(point: dict) -> int:
    """Return the bytes that a batch must fetch and write: `count_bytes`.

    Without the weights of fused attention, which never leave the processor.
    """
    _layer_type(point)
    return count_bytes(point, fused_weights=False)


def count_reread_bytes(point: dict) -> int:
    """Return the bytes that a layer goes over again and again.

    All positions at once: its parameters, inputs, outputs, and weights of attention if
    they are written out. One after the other: its parameters, and input and output of
    one position, or all that attention looks back at, keys and values in one.
    """
    name, n, d = point["layer"], point["n"], point["d"]
    generates = point["phase"] == "generation"
    each = 2 * d * (1 if generates or name in RECURRENT else n)  # of a sequence
    if name in ATTENTIONS and generates:
        each = n * d
    elif name == "attention":
        each += point.get("num_heads", 1) * n * n
    return 4 * (_layer_type(point).parameters(d) + point["batch"] * each)


def _layer_type(point: dict) -> LayerType:
    check_choice("layer", point["layer"], ROOF_LAYERS)
    check_choice("phase", point["phase"], PHASES)
    return layer_type(point["layer"])
