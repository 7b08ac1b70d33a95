"""The figure of chapter 1: a sentence read and answered by hand, every number shown."""

from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from attnlab.live.base import LiveFigure
from attnlab.live.traits import OneOf, Whole

# The example that chapter 1 works by hand.
EMBEDDINGS = {"eighty": (1.0, 0.0), "seven": (0.0, 1.0)}
FROM_WORD = ((1.0, -0.5), (0.5, 1.0))  # W
FROM_STATE = ((0.5, 0.0), (0.0, 0.5))  # U
READ_OUT = ((0.0, 2.0), (2.0, 0.0), (0.0, 0.0))  # W_o
OUTPUTS = ("sieben", "acht", "EOS")

SENTENCES = ("eighty seven", "seven eighty", "seven", "eighty")
STEPS = 4  # read a word, read the other, score, choose
COPIES = 100
MAX_NOISE = 20  # tenths


class Read(NamedTuple):
    """What the example computes, in float64; d is 2.

    Attributes:
        states: (words + 1, 2), the first is the state before any word, the last C.
        scores, probabilities: (3,), of the first German word.
        right: how many of the `COPIES` of C, with noise added, keep its answer.
    """

    states: Tensor
    scores: Tensor
    probabilities: Tensor
    right: int


class ByHand(LiveFigure):
    """A recurrent encoder of width 2 and the first word of its decoder, step by step.

    Each number can be pointed at, and shows the sum that it is.

    Traits:
        sentence: one of `SENTENCES`.
        step: which of the four steps is shown: the first two read, of a sentence of one
            word only one does; then the scores, then the probabilities.
        noise: what is added to C, in tenths: the standard deviation of each entry.
    """

    figure: ClassVar[str] = "by-hand"
    title: ClassVar[str] = "Read by hand"
    caption: ClassVar[str] = (
        "Point at a number of a result, or go to it with the arrow keys: the row and "
        "the column that it is computed from light up. Then add noise to C: how much "
        "does it take before the answer is lost?"
    )
    description: ClassVar[str] = (
        "The products of matrices and vectors that turn eighty seven into a state of "
        "two numbers, and that into scores and probabilities of three German words."
    )
    limits: ClassVar[dict] = {
        "embeddings": EMBEDDINGS,
        "fromWord": FROM_WORD,
        "fromState": FROM_STATE,
        "readOut": READ_OUT,
        "outputs": OUTPUTS,
        "sentences": SENTENCES,
        "mostNoise": MAX_NOISE,
        "draws": [
            [round(x, 3) for x in pair]
            for pair in torch.randn(
                COPIES, 2, generator=torch.Generator().manual_seed(0)
            ).tolist()
        ],
    }

    sentence = OneOf(SENTENCES, SENTENCES[0]).tag(sync=True)
    step = Whole(1, min=1, max=STEPS).tag(sync=True)
    noise = Whole(0, min=0, max=MAX_NOISE).tag(sync=True)

    def read(self) -> Read:
        """Compute the example as the page does: equation 1.1, and a softmax."""
        states = [torch.zeros(2, dtype=torch.float64)]
        for word in self.sentence.split():
            from_word = _to_tensor(FROM_WORD) @ _to_tensor(EMBEDDINGS[word])
            states.append(torch.tanh(from_word + _to_tensor(FROM_STATE) @ states[-1]))
        scores = _to_tensor(READ_OUT) @ states[-1]
        copies = states[-1] + self.noise / 10 * _to_tensor(self.limits["draws"])
        answers = (copies @ _to_tensor(READ_OUT).T).argmax(dim=-1)
        right = int((answers == scores.argmax()).sum())
        return Read(torch.stack(states), scores, scores.softmax(dim=-1), right)


def _to_tensor(values: object) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)
