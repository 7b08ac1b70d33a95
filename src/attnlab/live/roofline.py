"""The figure of chapter 6: does a layer wait for arithmetic, or for memory?"""

from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar, NamedTuple

import traitlets

from attnlab import store
from attnlab.complexity.roof import (
    ATTENTIONS,
    PHASES,
    ROOF_LAYERS,
    TINY_SIZES,
    Roof,
    count_traffic,
    count_work,
)
from attnlab.complexity.roofline import count_steps
from attnlab.live.base import LiveFigure, Stop
from attnlab.live.traits import OneOf, Whole

SIZES = {"n": (16, 4096), "d": (64, 1024), "heads": (1, 16), "batch": (1, 64)}

NAME = "roofline"  # of the study, attnlab.experiments.roofline


class LayerPoint(NamedTuple):
    """Where a layer stands under the roof.

    Attributes:
        intensity: FLOPs a byte.
        speed: FLOPs a second, by the model of time.
        seconds: of a batch, by that model.
        calls: those of them that calls take before they compute.
        waits: what the others wait for: "memory" (be it the cache) or "arithmetic".
    """

    intensity: float
    speed: float
    seconds: float
    calls: float
    waits: str


class Roofline(LiveFigure):
    """Six layers under the roof of a measured machine, and the times measured there.

    Traits:
        n, d: length 16 … 4096 and width 64 … 1024.
        heads: of attention, 1 … 16; they share the width evenly.
        batch: how many sequences at once, 1 … 64.
        phase: "forward", all positions at once, or "generation", one after the other.
    """

    figure: ClassVar[str] = "roofline"
    title: ClassVar[str] = "Wait for arithmetic, or for memory?"
    caption: ClassVar[str] = (
        "Filled: the best that arithmetic and memory allow. Open: measured."
    )
    description: ClassVar[str] = (
        "A roof over FLOPs a byte: a slope where bytes are waited for, a level where "
        "arithmetic is. Six layers stand under it, each with its time."
    )
    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "Six layers read 512 positions at once. The higher a mark, the more "
            "arithmetic a layer does in a second.",
            {"phase": "forward", "batch": 1},
            ".rf-svg .rf-dot",
        ),
        Stop(
            "No layer gets above the roof. On the slope it waits for bytes, on the "
            "level for arithmetic.",
            {"phase": "forward", "batch": 1},
            ".rf-svg .rf-roof",
        ),
        Stop(
            "GRU and LSTM, run as a loop over the positions, fetch their weights anew "
            "for every word: half a FLOP for each byte. Calls take half of their time.",
            {"phase": "forward", "batch": 1},
            ".rf-stage :is([data-layer=gru], [data-layer=lstm])",
        ),
        Stop(
            "Written word by word, every layer has to fetch its weights for a single "
            "position. Now all of them wait for bytes.",
            {"phase": "generation", "batch": 1},
            ".rf-svg .rf-dot",
        ),
        Stop(
            "Serve 64 sequences at once, and each weight that is fetched is used 64 "
            "times: the marks of layers with weights move to the right.",
            {"phase": "generation", "batch": 64},
            ".rf-svg .rf-dot",
        ),
        Stop(
            "Read 64 sequences at once, and they no longer fit in the cache: memory's "
            "lower slope is their roof. Which layer waits on it? Change the sizes.",
            {"phase": "forward", "batch": 64},
            ".rf-controls, .rf-svg .rf-roof",
        ),
    )
    limits: ClassVar[dict] = SIZES

    n = Whole(512, min=SIZES["n"][0], max=SIZES["n"][1]).tag(sync=True)
    d = Whole(256, min=SIZES["d"][0], max=SIZES["d"][1]).tag(sync=True)
    heads = Whole(8, min=SIZES["heads"][0], max=SIZES["heads"][1]).tag(sync=True)
    batch = Whole(1, min=SIZES["batch"][0], max=SIZES["batch"][1]).tag(sync=True)
    phase = OneOf(PHASES, PHASES[0]).tag(sync=True)

    def standings(self) -> dict[str, LayerPoint]:
        """Return where each layer stands, by its name in `ROOF_LAYERS`."""
        return {layer: self._standing(layer) for layer in ROOF_LAYERS}

    def _standing(self, layer: str) -> LayerPoint:
        point = {"layer": layer, "phase": self.phase, "n": self.n, "d": self.d}
        point["batch"] = self.batch
        if layer in ATTENTIONS:
            point["num_heads"] = self.heads
        roof, call = stored_roof(), stored_calls()[layer][self.phase]
        work, seconds = count_work(point), roof.seconds(point, call)
        arithmetic, fetching = roof.parts(point)
        return LayerPoint(
            intensity=work / count_traffic(point),
            speed=work / seconds,
            seconds=seconds,
            calls=call * count_steps(point),
            waits="memory" if fetching > arithmetic else "arithmetic",
        )

    @traitlets.default("_frame")
    def _default_frame(self) -> dict:
        machine = store.load(NAME)["runs"][0]["machine"]
        found = {
            "machine": f"{machine['cpu']}, one thread",
            "roof": stored_roof()._asdict(),
            "calls": stored_calls(),
            "measured": stored_times(),
        }
        return {**super()._default_frame(), **found}

    @traitlets.validate("d", "heads")
    def _check_heads(self, proposal: dict) -> int:
        sizes = {"d": self.d, "heads": self.heads}
        sizes[proposal["trait"].name] = proposal["value"]
        if sizes["d"] % sizes["heads"]:
            raise traitlets.TraitError(
                f"{sizes['heads']} heads cannot share d={sizes['d']} evenly"
            )
        return proposal["value"]


@cache
def stored_roof() -> Roof:
    """Return the roof of the stored machine."""
    products = store.metrics(NAME, what="product")
    scaled = store.metrics(NAME, what="scale")
    peak = max(_rate(product, "flops") for product in products)
    slopes = sorted((found["bytes"], _rate(found, "bytes")) for found in scaled)
    return Roof(peak, tuple(slopes))


def _rate(metrics: dict, what: str) -> float:
    return float(f"{metrics[what] / metrics['seconds']:.3g}")


@cache
def stored_calls() -> dict[str, dict[str, float]]:
    """Return by layer and phase what a call takes that has nothing to compute."""
    calls: dict[str, dict[str, float]] = {}
    for setting, seconds in _timed(**TINY_SIZES):
        if setting.get("num_heads", 1) == 1:
            layer, phase = setting["layer"], setting["phase"]
            each = seconds / count_steps(setting)
            calls.setdefault(layer, {})[phase] = float(f"{each:.3g}")
    return calls


@cache
def stored_times() -> list[list[Any]]:
    """Return the measured times: [layer, phase, n, d, heads or 0, batch, seconds]."""
    return [
        [
            *(setting[name] for name in ("layer", "phase", "n", "d")),
            setting.get("num_heads", 0),
            setting["batch"],
            float(f"{seconds:.3g}"),
        ]
        for setting, seconds in _timed()
        if setting["n"] > TINY_SIZES["n"]
    ]


def _timed(**setting: object) -> Iterator[tuple[dict, float]]:
    for run in store.select(store.load(NAME), what="layer", **setting):
        yield run["setting"], run["figures"]["seconds"]
