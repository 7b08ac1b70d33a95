"""An exercise whose answer is checked where it stands, in the page as in a notebook."""

import base64
import json
from typing import Any, ClassVar

import traitlets

from attnlab.exercises.checking import find_exercise, find_hint
from attnlab.exercises.comparing import difference
from attnlab.live.base import LiveFigure
from attnlab.live.traits import OneOf, check_items, check_number

MAX_NUMBER = 1e15
DIGITS = 12  # of a number that the page compares with: the same on every machine
KINDS = ("number", "numbers", "shape", "choice", "sentence")


class Exercise(LiveFigure):
    """A box for the answer to an exercise, checked with the hints that `check` gives.

    What is asked for follows from the solution that is registered in
    `attnlab.exercises`: a number; a list of numbers; a tuple of whole numbers, which
    is a shape; a text out of `choices`; or a list of texts, a sentence of tokens. The
    answer is kept in the reader's browser alone.

        Exercise("2.1")
        check("2.1", [0.2, 0.3, 0.5])  # the same in code

    Args:
        number: of the exercise, as text.
        traits: `answer`, which is below.

    Traits:
        answer: what the reader has had checked, or None: a number, a text, or a list
            of either.

    All others are fixed when the exercise is made.

    Raises:
        ValueError: there is no such exercise, or its answer is code.
        traitlets.TraitError: the answer is of another kind than what is asked for.
    """

    figure: ClassVar[str] = "exercise"
    title: ClassVar[str] = ""  # its label says which exercise it is
    caption: ClassVar[str] = "Your answer stays in this browser."
    description: ClassVar[str] = "A box for an answer, which is checked at once."
    limits: ClassVar[dict] = {"answer": MAX_NUMBER}

    number = traitlets.Unicode().tag(sync=True)
    kind = OneOf(KINDS).tag(sync=True)
    choices: traitlets.List = traitlets.List().tag(sync=True)
    sealed = traitlets.Unicode().tag(sync=True)
    answer = traitlets.Any(None, allow_none=True).tag(sync=True)

    _made = False

    def __init__(self, number: str, **traits: object) -> None:
        found = find_exercise(number)
        if found.inputs is not None or found.judge is not None:
            raise ValueError(
                f"the answer to exercise {number} is code: use check({number!r}, …)"
            )
        expected = found.solution()
        settled = {
            "number": number,
            "kind": _answer_kind(expected),
            "choices": list(found.choices),
            "sealed": _to_base64(
                {
                    "answer": _as_plain_data(expected),
                    "tolerance": found.tolerance,
                    "mistakes": [
                        [_as_plain_data(mistake()), hint]
                        for hint, mistake in found.mistakes.items()
                    ],
                    "hint": found.hint,
                }
            ),
        }
        super().__init__(**settled, **traits)
        self._made = True

    def __repr__(self) -> str:
        given = "" if self.answer is None else f", answer={self.answer!r}"
        return f"Exercise({self.number!r}{given})"

    @property
    def right(self) -> bool | None:
        """Whether the answer is right; None if there is none."""
        if self.answer is None:
            return None
        return self.verdict() == "Right."

    def verdict(self) -> str:
        """Return what came of the answer, in the words of the page."""
        if self.answer is None:
            return "Not answered yet."
        found = find_exercise(self.number)
        problem = difference(self.answer, found.solution(), found.tolerance)
        if problem is None:
            return "Right."
        return f"Not yet: {problem}. Hint: {find_hint(found, self.answer)}"

    @traitlets.validate("number", "kind", "choices", "sealed")
    def _keep(self, proposal: dict) -> object:
        name = proposal["trait"].name
        if self._made and proposal["value"] != getattr(self, name):
            raise traitlets.TraitError(
                f"the {name} of an exercise is fixed: make another Exercise"
            )
        return proposal["value"]

    @traitlets.validate("answer")
    def _check_answer(self, proposal: dict) -> object:
        if proposal["value"] is None:
            return None
        return _check_answer(self.kind, self.choices, proposal["value"])


def _answer_kind(expected: object) -> str:
    """Return what kind of answer a solution is."""
    if isinstance(expected, str):
        return "choice"
    if isinstance(expected, tuple):
        return "shape"
    if isinstance(expected, list):
        is_text = all(isinstance(one, str) for one in expected)
        return "sentence" if is_text else "numbers"
    return "number"


def _check_answer(kind: str, choices: list[str], value: object) -> Any:
    """Return an answer as plain data; TraitError if it is not of this kind."""
    if kind == "choice":
        if value not in choices:
            raise traitlets.TraitError(
                f"answer must be one of {', '.join(choices)}, got {value!r}"
            )
        return value
    if kind == "number":
        return check_number("answer", value, MAX_NUMBER)
    found = check_items("answer", value)
    if kind != "sentence":
        return [check_number("each of answer", one, MAX_NUMBER) for one in found]
    if not all(isinstance(one, str) for one in found):
        raise traitlets.TraitError(f"each of answer must be a text, got {found!r}")
    return found


def _as_plain_data(value: Any) -> Any:
    """Return a solution or a mistake as the page compares with it."""
    if isinstance(value, list | tuple):
        return [_as_plain_data(one) for one in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _to_base64(contents: dict) -> str:
    """Text that cannot be read in passing. It is no secret: the solution is below."""
    text = json.dumps(contents, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(text.encode()).decode()
