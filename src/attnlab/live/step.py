"""The figure of chapter 2: one step of attention, every arrow an operation."""

from typing import Any, ClassVar, NamedTuple

import torch
import traitlets
from torch import Tensor

from attnlab.live.base import LiveFigure
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
HALF = 0.5  # every matrix but the read-out's: a half, times the identity


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
        "Each arrow is an operation; a thicker arrow into the context means more "
        "weight. The GRU and the read-out are made up. Try: drag the state s until EOS "
        "gets the most weight. Then choose which state asks."
    )
    description: ClassVar[str] = (
        "A drawing of one step of a decoder with attention: the states of eighty, "
        "seven and EOS, their scores and weights, the context, the next word; and the "
        "decoder’s state in a plane, where it can be moved."
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
        "half": HALF,
    }

    wiring = OneOf(WIRINGS, "luong").tag(sync=True)
    query: traitlets.List = traitlets.List(list(QUERY)).tag(sync=True)
    step = Whole(STEPS, min=1, max=STEPS).tag(sync=True)

    def take(self) -> StepTaken:
        """Compute the step as the page does: equations 2.1 to 2.6 with a tanh cell."""
        state, memory = _vectors(self.query), _vectors(MEMORY)
        scores = DotScore()(state[None, None], memory[None])[0, 0]  # (3,)
        weights = scores.softmax(dim=-1)
        context = weights @ memory  # (2,)
        if self.wiring == "bahdanau":
            new = _cell(state, _vectors(START) + HALF * context)
            mixed, probabilities = _read_out(context, new)
            return StepTaken(scores, weights, context, mixed, new, probabilities)
        mixed, probabilities = _read_out(context, state)
        fed = _vectors(EMBEDDINGS)[probabilities.argmax()]
        if self.wiring == "feeding":
            fed = fed + HALF * mixed
        new = _cell(state, fed)
        return StepTaken(scores, weights, context, mixed, new, probabilities)

    @traitlets.validate("query")
    def _check_query(self, proposal: Any) -> list[float]:
        return check_point("query", proposal["value"], REACH)


def _vectors(numbers: Any) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


def _cell(state: Tensor, inputs: Tensor) -> Tensor:
    return torch.tanh(HALF * state + inputs)


def _read_out(context: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    mixed = torch.tanh(HALF * context + HALF * state)  # h̃, equation 2.4
    return mixed, (_vectors(READ_OUT) @ mixed).softmax(dim=-1)
