"""Live figures: Python classes, and the JavaScript that computes in the page."""

from importlib import import_module

# Where each name lives. They load when asked for: anywidget and the models are heavy.
_HOMES = {
    "Alignment": "attnlab.live.alignment",
    "Bottleneck": "attnlab.live.bottleneck",
    "ByHand": "attnlab.live.byhand",
    "Cells": "attnlab.live.cells",
    "Clock": "attnlab.live.dials",
    "Cost": "attnlab.live.cost",
    "CutWire": "attnlab.live.cutwire",
    "Dials": "attnlab.live.dials",
    "Energy": "attnlab.live.energy",
    "Exercise": "attnlab.live.exercise",
    "Forecast": "attnlab.live.forecast",
    "Heads": "attnlab.live.heads",
    "Hero": "attnlab.live.hero",
    "Influence": "attnlab.live.influence",
    "LiveFigure": "attnlab.live.base",
    "LookUp": "attnlab.live.lookup",
    "Machine": "attnlab.live.machine",
    "Numeral": "attnlab.live.numeral",
    "OneStep": "attnlab.live.step",
    "Positions": "attnlab.live.positions",
    "PublishedHeads": "attnlab.live.publishedheads",
    "Roofline": "attnlab.live.roofline",
    "Sampling": "attnlab.live.sampling",
    "Shelf": "attnlab.live.shelf",
    "StateMatrix": "attnlab.live.statematrix",
    "Train": "attnlab.live.train",
    "Translate": "attnlab.live.translate",
    "load_weights": "attnlab.saved",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    """Import `name` on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'attnlab.live' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
