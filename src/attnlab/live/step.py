"""The figure of chapter 2: one step of attention, every arrow an operation."""

from typing import Any, ClassVar, NamedTuple

import torch
import traitlets
from torch import Tensor

from attnlab.live.base import LiveFigure, Stop
from attnlab.live.traits import OneOf, Whole, check_point
from attnlab.scores import DotScore

REACH = 3.0  # the plane shows coordinates from −3 to 3
STEPS = 5
WIRINGS = ("bahdanau", "luong", "feeding")

# The example that chapter 2 works by hand.
WORDS = ("eighty", "seven", "EOS")
MEMORY = ((2.0, 0.0), (0.0, 2.0), (1.0, -1.0))
QUERY = (0.5, 1.5)  # the state that asks

# Made up, so that there is a next word: a trained network has learned all of these.
OUTPUTS = ("sieben", "acht", "EOS")
READ_OUT = ((0.0, 3.0), (3.0, 0.0), (1.0, -3.0))
START = (0.0, 0.0)  # the embedding of the mark that a decoder begins with
EMBEDDINGS = ((2.0, -1.0), (-1.0, -2.0), (0.0, 0.0))
HALF_WIDTH = 0.5  # every matrix but the read-out's: a half, times the identity


class StepTaken(NamedTuple):
    """What one step computes, in float64; d is 2.

    Attributes:
        scores, weights: (3,), one for every state of the memory.
        context, mixed, next_state: (2,), c, h̃ and the state that the cell makes.
        probabilities: (3,), of the next word.
    """

    scores: Tensor
    weights: Tensor
    context: Tensor
    mixed: Tensor
    next_state: Tensor
    probabilities: Tensor


class OneStep(LiveFigure):
    """One step of an attentive decoder, drawn and computed with numbers for paper.

    Traits:
        wiring: who asks and where the context goes: "bahdanau" (the old state asks; the
            context goes into the update), "luong" (the new state asks; the context goes
            to the read-out) or "feeding" (Luong's, and h̃ goes into the next update).
        query: the state that asks, `[x, y]`, coordinates from −3 to 3.
        step: how many of the five steps are done, 1 … 5.
    """

    figure: ClassVar[str] = "step"
    title: ClassVar[str] = "One step of attention"
    caption: ClassVar[str] = (
        "Left, the step as a drawing, in which each arrow is an operation; right, its "
        "vectors in the plane."
    )
    description: ClassVar[str] = (
        "A drawing of one step of a decoder with attention: the states of eighty, "
        "seven and EOS, their scores and weights, the context, the next word; and the "
        "decoder’s state in a plane, where it can be moved."
    )

    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "The encoder has left one state for each word: h₁, h₂ and h₃. The decoder "
            "has a state of its own, and it needs the next word.",
            {"step": 1, "query": list(QUERY)},
            ".st-drawing .key > rect, .st-drawing .query > rect",
        ),
        Stop(
            "It compares its state with each of the three. A dot product gives one "
            "score each, and the score of seven is the largest.",
            {"step": 2, "query": list(QUERY)},
            '.st-drawing [data-step="2"] > rect',
        ),
        Stop(
            "The softmax turns scores into weights, which add up to 1. Most of the "
            "weight now lies on seven.",
            {"step": 3, "query": list(QUERY)},
            ".st-drawing .weight > rect",
        ),
        Stop(
            "The context is the weighted sum of the three states. In the plane it lies "
            "inside their triangle, close to seven.",
            {"step": 4, "query": list(QUERY)},
            ".st-drawing .value > rect, .st-mark.context",
        ),
        Stop(
            "State and context together say which word comes next: sieben. Now drag "
            "the state s towards eighty, and watch weights and word follow.",
            {"step": 5, "query": list(QUERY)},
            ".st-drawing .output, .st-handle",
        ),
    )
    styles: ClassVar[tuple[str, ...]] = ("plane",)
    limits: ClassVar[dict] = {
        "reach": REACH,
        "words": WORDS,
        "memory": MEMORY,
        "outputs": OUTPUTS,
        "readOut": READ_OUT,
        "start": START,
        "embeddings": EMBEDDINGS,
        "half": HALF_WIDTH,
    }

    wiring = OneOf(WIRINGS, "luong").tag(sync=True)
    query: traitlets.List = traitlets.List(list(QUERY)).tag(sync=True)
    step = Whole(STEPS, min=1, max=STEPS).tag(sync=True)

    def take(self) -> StepTaken:
        """Compute the step as the page does: equations 2.1 to 2.6 with a tanh cell."""
        state, memory = _to_tensor(self.query), _to_tensor(MEMORY)
        scores = DotScore()(state[None, None], memory[None])[0, 0]  # (3,)
        weights = scores.softmax(dim=-1)
        context = weights @ memory  # (2,)
        if self.wiring == "bahdanau":
            new = _cell(state, _to_tensor(START) + HALF_WIDTH * context)
            mixed, probabilities = _read_out(context, new)
            return StepTaken(scores, weights, context, mixed, new, probabilities)
        mixed, probabilities = _read_out(context, state)
        fed = _to_tensor(EMBEDDINGS)[probabilities.argmax()]
        if self.wiring == "feeding":
            fed = fed + HALF_WIDTH * mixed
        new = _cell(state, fed)
        return StepTaken(scores, weights, context, mixed, new, probabilities)

    @traitlets.validate("query")
    def _check_query(self, proposal: Any) -> list[float]:
        return check_point("query", proposal["value"], REACH)


def _to_tensor(numbers: Any) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


def _cell(state: Tensor, inputs: Tensor) -> Tensor:
    return torch.tanh(HALF_WIDTH * state + inputs)


def _read_out(context: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    mixed = torch.tanh(HALF_WIDTH * context + HALF_WIDTH * state)  # h̃, equation 2.4
    return mixed, (_to_tensor(READ_OUT) @ mixed).softmax(dim=-1)
