"""The figure of chapter 9: where does a query fall among the stored patterns?"""

from typing import ClassVar

import torch
import traitlets
from torch import Tensor

from attnlab.hopfield import energy, update
from attnlab.live.base import LiveFigure, Stop
from attnlab.live.traits import Number, OneOf, Whole, check_point, check_points

REACH = 3.0  # the plane shows coordinates from −3 to 3
MIN_BETA, MAX_BETA = 0.001, 100.0
PATTERN_COUNT = (2, 6)
PICTURES = 26  # of each kind
PIXELS = 64
MAX_STEPS = 500
REST_TOLERANCE = 1e-4  # a state that would move by less is at rest

PATTERNS = ((2.0, 1.0), (-0.5, 2.2), (-2.2, -0.6), (1.0, -2.0))
QUERY = (0.4, 0.9)
FLIPPED = (56, 60, 45, 26, 22, 10, 44, 36, 27, 13)  # drawn by lot


class Energy(LiveFigure):
    """A query falls among stored patterns, by the update of a modern Hopfield network.

    The update ξ ← Xᵀ softmax(β X ξ) is one step of attention with the patterns X as
    keys and as values; with each the energy E(ξ) = −lse(β, X ξ) + ½ ξᵀξ + constant
    falls (Ramsauer et al. 2020, https://arxiv.org/abs/2008.02217, eqs 2 and 3).

    Traits:
        view: "plane" for patterns that are points, "pictures" for small pictures.
        pattern: two to six points `[x, y]`, coordinates from −3 to 3.
        query: such a point.
        beta: the inverse temperature β in the plane, 0.001 … 100.
        step: the step that is shown; a shorter way is shown to its end.
        pictures: "letters" or "random", what is stored in the other view.
        stored: how many of the pictures are stored, 1 … 26.
        picture: which of them the query is made from, 0 … `stored` − 1.
        flipped: the pixels, 0 … 63, whose sign is flipped in it.
        picture_beta: β for the pictures.
        rule: "attention", or "classical" for the sign rule with Hebbian weights.
    """

    figure: ClassVar[str] = "energy"
    title: ClassVar[str] = "Where does a query come to rest?"
    caption: ClassVar[str] = (
        "Attention as a memory: the output of each step is the query of the next."
    )
    description: ClassVar[str] = (
        "Stored pictures of letters, one of them spoilt and brought back; or stored "
        "patterns in a plane, the energy as a landscape around them, and the way of a "
        "query down to a resting place."
    )
    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "26 letters are stored. Here is the A with 10 of its 64 pixels flipped, "
            "each marked by a cross. Can attention repair it?",
            {"view": "pictures", "step": 1},
            ".en-picture:first-child .en-pixels",
        ),
        Stop(
            "One step of attention: the spoilt A is the query, the letters are keys "
            "and values. The output is a blend of letters; A has a weight of 0.77.",
            {"step": 1},
            ".en-picture:nth-child(2) .en-pixels, .en-tilebox",
        ),
        Stop(
            "Use each output as the next query. After 11 steps nothing moves any more: "
            "A now has a weight of 0.94, and no pixel has a cross.",
            {"step": 11},
            ".en-picture:nth-child(3) .en-pixels, .en-tilebox",
        ),
        Stop(
            "Every step lowers the energy: from 43.09 at the start to 25.67 at rest. "
            "The spoilt letter rolls downhill.",
            {"step": 11},
            ".en-energy",
        ),
        Stop(
            "The sign rule of 1982 is an older memory. With only five letters stored, "
            "it comes to rest at a picture that is none of them.",
            {"step": MAX_STEPS, "rule": "classical", "stored": 5},
            ".en-picture:nth-child(3) .en-pixels, .en-tilebox",
        ),
        Stop(
            "Attention again, with all 26. Flip pixels of the A yourself, or move the "
            "slider. How many flipped pixels until another letter comes back?",
            {"step": MAX_STEPS},
            ".en-picture:first-child .en-pixels, .en-noise, .en-tilebox",
        ),
    )
    plane_tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "Four patterns are stored, as points of a plane. Darker ground has a lower "
            "energy. The query ξ lies between x₁ and x₂.",
            {"view": "plane", "step": 0},
            ".en-query",
        ),
        Stop(
            "One step of attention moves the query to the weighted mean of the "
            "patterns. x₁ and x₂ share the weight: 0.45 and 0.54.",
            {"step": 1},
            ".en-now, .en-bars",
        ),
        Stop(
            "With each further step it goes downhill, and after 11 it is at rest, "
            "close to x₂, whose weight is now 0.97.",
            {"step": 11},
            ".en-now, .en-bars",
        ),
        Stop(
            "Dashed lines divide the plane into four basins. From anywhere in a basin, "
            "attention brings the query to the same resting place.",
            {"step": 11},
            ".en-plane",
        ),
        Stop(
            "Lower β to 0.1, and one resting place is left, near the mean of all "
            "patterns. All four have nearly the same weight.",
            {"step": MAX_STEPS, "beta": 0.1},
            ".en-now, .en-bars",
        ),
        Stop(
            "Now drag the query and raise β. From which β on is there more than one "
            "resting place?",
            {"step": MAX_STEPS, "beta": 0.1},
            ".en-query, .en-beta",
        ),
    )

    styles: ClassVar[tuple[str, ...]] = ("plane",)
    limits: ClassVar[dict] = {
        "reach": REACH,
        "beta": (MIN_BETA, MAX_BETA),
        "patterns": PATTERN_COUNT,
    }

    view = OneOf(["plane", "pictures"], "pictures").tag(sync=True)
    pattern: traitlets.List = traitlets.List().tag(sync=True)
    query: traitlets.List = traitlets.List().tag(sync=True)
    beta = Number(1.0, min=MIN_BETA, max=MAX_BETA).tag(sync=True)
    step = Whole(1, min=0, max=MAX_STEPS).tag(sync=True)
    pictures = OneOf(["letters", "random"], "letters").tag(sync=True)
    stored = Whole(PICTURES, min=1, max=PICTURES).tag(sync=True)
    picture = Whole(0, min=0, max=PICTURES - 1).tag(sync=True)
    flipped: traitlets.List = traitlets.List().tag(sync=True)
    picture_beta = Number(0.125, min=MIN_BETA, max=MAX_BETA).tag(sync=True)
    rule = OneOf(["attention", "classical"], "attention").tag(sync=True)

    def fall(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return the query's way in the plane, as the page shows it.

        Returns:
            states (steps + 1, 2), the query first; the weights of the patterns
            (steps + 1, patterns) and the energy (steps + 1,) at each; in float64.
        """
        patterns = torch.tensor(self.pattern, dtype=torch.float64)  # (N, 2)
        states = [torch.tensor(self.query, dtype=torch.float64)]
        for _ in range(MAX_STEPS):
            following = update(states[-1], patterns, self.beta)
            if torch.dist(following, states[-1]) < REST_TOLERANCE:
                break
            states.append(following)
        way = torch.stack(states)  # (steps + 1, 2)
        weights = torch.softmax(self.beta * way @ patterns.T, dim=-1)
        return way, weights, energy(way, patterns, self.beta)

    def stops(self) -> tuple[Stop, ...]:
        """Return the stops of the tour of its view."""
        return self.plane_tour if self.view == "plane" else self.tour

    @traitlets.default("pattern")
    def _default_pattern(self) -> list[list[float]]:
        return [list(pattern) for pattern in PATTERNS]

    @traitlets.default("query")
    def _default_query(self) -> list[float]:
        return list(QUERY)

    @traitlets.default("flipped")
    def _default_flipped(self) -> list[int]:
        return list(FLIPPED)

    @traitlets.validate("pattern")
    def _check_pattern(self, proposal: dict) -> list[list[float]]:
        return check_points("pattern", proposal["value"], PATTERN_COUNT, REACH)

    @traitlets.validate("query")
    def _check_query(self, proposal: dict) -> list[float]:
        return check_point("the query", proposal["value"], REACH)

    @traitlets.validate("picture")
    def _check_picture(self, proposal: dict) -> int:
        if proposal["value"] >= self.stored:
            raise traitlets.TraitError(
                f"picture must be 0 … {self.stored - 1}, as {self.stored} are stored, "
                f"got {proposal['value']}"
            )
        return proposal["value"]

    @traitlets.validate("flipped")
    def _check_flipped(self, proposal: dict) -> list[int]:
        flipped = proposal["value"]
        for pixel in flipped:
            whole = isinstance(pixel, int) and not isinstance(pixel, bool)
            if not whole or not 0 <= pixel < PIXELS:
                raise traitlets.TraitError(
                    f"a flipped pixel must be a whole number, 0 … {PIXELS - 1}, "
                    f"got {pixel!r}"
                )
        if len(set(flipped)) < len(flipped):
            raise traitlets.TraitError(f"a pixel is flipped twice in {flipped}")
        return list(flipped)

    @traitlets.observe("stored")
    def _choose_stored_picture(self, change: dict) -> None:
        self.picture = min(self.picture, change["new"] - 1)
