"""The figure of chapter 3: what must a query do to read one value, two, or none?"""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import torch
import traitlets
from torch import Tensor

from attnlab.attention import scaled_dot_product_attention
from attnlab.live.base import LiveFigure, Stop
from attnlab.live.traits import Number, check_points, check_within

REACH = 4.0  # the plane shows coordinates from −4 to 4
MAX_VALUE = 100.0
MIN_TEMPERATURE, MAX_TEMPERATURE = 0.01, 100.0
QUERY_COUNT, KEY_COUNT = (1, 3), (2, 6)

QUERIES = ((1.2, 1.6), (-1.0, -0.4))
KEYS = ((2.0, 1.0), (-0.5, 2.2), (-2.2, -0.6), (1.0, -2.0))
# No two means of different sets of these are alike: an output tells what was read.
VALUES = (1.0, 3.0, 6.0, 10.0, 20.0, 40.0)


def _tour_queries(first: tuple[float, float]) -> list[list[float]]:
    """Return the queries of a stop of the tour, of which the first one moves."""
    return [list(first), list(QUERIES[1])]


class LookUp(LiveFigure):
    """Queries and keys in the plane, a value for each key, and what the queries read.

    Traits:
        query: one to three vectors `[x, y]`, coordinates from −4 to 4.
        key: two to six such vectors.
        value: a number for each key, from −100 to 100.
        temperature: what the scores are divided by, 0.01 … 100.
        scale: whether the scores are divided by √d as well; here d = 2.
        mask: for each query a list with a bool for each key, True = may attend.

    Value and mask, if left out, suit the number of keys. To change that number
    later, set what depends on it at once: `with figure.hold_trait_notifications(): …`.
    """

    figure: ClassVar[str] = "look-up"
    title: ClassVar[str] = "What does a query read?"
    caption: ClassVar[str] = (
        "Squares are keys, each with its value; circles are queries."
    )
    description: ClassVar[str] = (
        "Two query and four key vectors in a plane that can be moved, the weights that "
        "each query gives to each key, and the weighted mean of the keys’ values."
    )

    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "Four keys lie in the plane, and each has a value, from 1 to 10. The query "
            "q1 asks all four: the larger the halo of a key, the more q1 reads of it.",
            {"query": _tour_queries(QUERIES[0])},
            ".lu-handle.query",
        ),
        Stop(
            "The farther a key lies in the direction of q1, the larger its score, and "
            "the larger its weight: the halo around it. The weights add up to 1.",
            {"query": _tour_queries(QUERIES[0])},
            ".lu-numbers > .lu-scroll",
        ),
        Stop(
            "Each value is multiplied by its weight, and the products add up to the "
            "output, 1.73. Most of it comes from the values 1 and 3.",
            {"query": _tour_queries(QUERIES[0])},
            ".lu-line",
        ),
        Stop(
            "A query twice as long asks in the same direction, only more sharply: now "
            "82% of the weight is on k1.",
            {"query": _tour_queries((2.4, 3.2))},
            ".lu-numbers > .lu-scroll",
        ),
        Stop(
            "Now drag q1. Can you make it read 6 alone? The mean of 6 and 10? And is "
            "there a direction that reads the mean of 1 and 6?",
            {"query": _tour_queries(QUERIES[0])},
            ".lu-targets, .lu-handle.query",
        ),
    )
    styles: ClassVar[tuple[str, ...]] = ("plane",)
    limits: ClassVar[dict] = {
        "reach": REACH,
        "value": MAX_VALUE,
        "temperature": (MIN_TEMPERATURE, MAX_TEMPERATURE),
    }

    query: traitlets.List = traitlets.List().tag(sync=True)
    key: traitlets.List = traitlets.List().tag(sync=True)
    value: traitlets.List = traitlets.List().tag(sync=True)
    temperature = Number(1.0, min=MIN_TEMPERATURE, max=MAX_TEMPERATURE).tag(sync=True)
    scale = traitlets.Bool(True).tag(sync=True)
    mask: traitlets.List = traitlets.List().tag(sync=True)

    def attend(self) -> tuple[Tensor, Tensor]:
        """Return the outputs (L_q,) and the weights (L_q, L_k), as the page shows them.

        They come from `scaled_dot_product_attention`, in float64.
        """
        query = torch.tensor(self.query, dtype=torch.float64)  # (L_q, 2)
        key = torch.tensor(self.key, dtype=torch.float64)  # (L_k, 2)
        value = torch.tensor(self.value, dtype=torch.float64)[:, None]  # (L_k, 1)
        divisor = self.temperature * (math.sqrt(2) if self.scale else 1.0)
        weights: Any
        output, weights = scaled_dot_product_attention(
            query, key, value, torch.tensor(self.mask), scale=1 / divisor
        )
        return output[:, 0], weights

    @traitlets.default("query")
    def _default_query(self) -> list[list[float]]:
        return [list(query) for query in QUERIES]

    @traitlets.default("key")
    def _default_key(self) -> list[list[float]]:
        return [list(key) for key in KEYS]

    @traitlets.default("value")
    def _default_value(self) -> list[float]:
        return list(VALUES[: len(self.key)])

    @traitlets.default("mask")
    def _default_mask(self) -> list[list[bool]]:
        return [[True] * len(self.key) for _ in self.query]

    @traitlets.validate("query")
    def _check_query(self, proposal: dict) -> list[list[float]]:
        queries = check_points("query", proposal["value"], QUERY_COUNT, REACH)
        if len(queries) != len(self.mask):
            raise traitlets.TraitError(
                f"{len(queries)} queries, but a mask for {len(self.mask)}: set both at "
                "once, in `with figure.hold_trait_notifications():`"
            )
        return queries

    @traitlets.validate("key")
    def _check_key(self, proposal: dict) -> list[list[float]]:
        keys = check_points("key", proposal["value"], KEY_COUNT, REACH)
        if {len(keys)} != {len(self.value), *map(len, self.mask)}:
            raise traitlets.TraitError(
                f"{len(keys)} keys, but {len(self.value)} values and a mask for "
                f"{len(self.mask[0])} keys: set all three at once, in "
                "`with figure.hold_trait_notifications():`"
            )
        return keys

    @traitlets.validate("value")
    def _check_value(self, proposal: dict) -> list[float]:
        values = proposal["value"]
        if len(values) != len(self.key):
            raise traitlets.TraitError(
                f"each of the {len(self.key)} keys needs a value, got {len(values)}"
            )
        return [check_within("a value", value, MAX_VALUE) for value in values]

    @traitlets.validate("mask")
    def _check_mask(self, proposal: dict) -> list[list[bool]]:
        shape = f"{len(self.query)} lists (queries) of {len(self.key)} bools (keys)"
        rows = proposal["value"]
        fits = len(rows) == len(self.query) and all(
            isinstance(row, Sequence)
            and len(row) == len(self.key)
            and all(isinstance(may, bool) for may in row)
            for row in rows
        )
        if not fits:
            raise traitlets.TraitError(f"the mask must be {shape}, got {rows!r}")
        return [list(row) for row in rows]
