"""A guess that is taken before a result is shown, and then stands beside it."""

import html
import math
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, ClassVar

import traitlets

from attnlab.live.base import LiveFigure
from attnlab.live.traits import OneOf, check_items, check_number

MAX_NUMBER = 1e12
CHOICES, POINTS = (2, 8), (2, 16)
CONFIDENCE_LEVELS = ("guess", "fairly", "sure")
FIXED = (
    "id", "question", "choices", "scale", "x", "xlabel", "ylabel", "yrange", "unit",
    "step", "answer", "tolerance", "because",
)  # fmt: skip


class Forecast(LiveFigure):
    """A question with a guess: a choice, a number on a scale, or a curve drawn by hand.

    The reader guesses, says how sure if they like, and then sees guess and answer
    together; or skips and sees the answer. The guess is kept in the reader's browser
    alone. Printed, or without script, the answer is there.

        Forecast("c03-half", "From how many digits …?", choices=[5, 7, 9], answer=7)
        Forecast("c03-bits", "How many bits …?", scale=(0, 64), unit="bits", answer=14)
        Forecast("c03-curve", "How many are right?", x=[2, 5, 9], answer=[99, 80, 12])

    Args:
        id: a name of its own, under which the browser keeps the guess: small letters,
            digits and hyphens.
        question: what is asked.
        choices: two to eight texts (or numbers, which become texts), one of them right.
        scale: the least and the greatest number that one can guess.
        x: two to sixteen texts or numbers, in whose places the curve is drawn, at equal
            distances.
        answer: what happened: one of the choices, a number, or a number for each `x`.
        xlabel: what `x` is.
        ylabel: what the curve shows.
        yrange: the least and the greatest number of a curve.
        unit: what numbers are counted in.
        close: a guess counts as right as close as this to the answer, a curve if it is
            as close on average; a twentieth of the range, if left out.
        step: of the numbers that can be guessed; if left out, a round one.
        because: a sentence that explains the answer.
        traits: `guess`, `sure` and `shown`, which are below.

    Traits:
        guess: the reader's guess, of the kind of the answer, or None.
        sure: "guess", "fairly", "sure", or None.
        shown: whether the answer is shown.

    All others are fixed when the forecast is made.

    Raises:
        TypeError: not exactly one of `choices`, `scale` and `x` is given.
        traitlets.TraitError: an argument does not fit its place, or the answer the
            question.
    """

    figure: ClassVar[str] = "forecast"
    title: ClassVar[str] = "Your forecast"
    caption: ClassVar[str] = (
        "Your guess stays in this browser. Skip it, and you miss nothing."
    )
    description: ClassVar[str] = "A guess to be taken before the answer is shown."
    limits: ClassVar[dict] = {"sure": CONFIDENCE_LEVELS}

    id = traitlets.Unicode().tag(sync=True)
    question = traitlets.Unicode().tag(sync=True)
    choices: traitlets.List = traitlets.List().tag(sync=True)
    scale: traitlets.List = traitlets.List().tag(sync=True)
    x: traitlets.List = traitlets.List().tag(sync=True)
    xlabel = traitlets.Unicode().tag(sync=True)
    ylabel = traitlets.Unicode().tag(sync=True)
    yrange: traitlets.List = traitlets.List().tag(sync=True)
    unit = traitlets.Unicode().tag(sync=True)
    step = traitlets.Float().tag(sync=True)
    answer = traitlets.Any().tag(sync=True)
    tolerance = traitlets.Float().tag(sync=True)  # `close` is a widget's method
    because = traitlets.Unicode().tag(sync=True)
    guess = traitlets.Any(None, allow_none=True).tag(sync=True)
    sure = OneOf(CONFIDENCE_LEVELS, None, allow_none=True).tag(sync=True)
    shown = traitlets.Bool(False).tag(sync=True)

    _made = False

    def __init__(
        self,
        id: str,
        question: str,
        *,
        choices: Sequence | None = None,
        scale: Sequence[float] | None = None,
        x: Sequence | None = None,
        answer: object,
        xlabel: str = "",
        ylabel: str = "",
        yrange: Sequence[float] = (0, 100),
        unit: str = "",
        close: float | None = None,
        step: float | None = None,
        because: str = "",
        **traits: object,
    ) -> None:
        given = {"choices": choices, "scale": scale, "x": x}
        kinds = [name for name, value in given.items() if value is not None]
        if len(kinds) != 1:
            raise TypeError(
                "a forecast takes exactly one of choices, scale and x, "
                f"got {' and '.join(kinds) or 'none'}"
            )
        settled: dict[str, Any] = {
            "id": _check_id(id),
            "question": _check_text("question", question, needed=True),
            "xlabel": _check_text("xlabel", xlabel),
            "ylabel": _check_text("ylabel", ylabel),
            "unit": _check_text("unit", unit),
            "because": _check_text("because", because),
        }
        if choices is not None:
            settled["choices"] = _check_labels("choices", choices, CHOICES)
        else:
            if x is not None:
                settled["x"] = _check_labels("x", x, POINTS)
            name, ends = ("yrange", yrange) if scale is None else ("scale", scale)
            settled[name] = _check_range(name, ends)
            least, most = settled[name]
            settled["tolerance"] = _check_close(close, most - least)
            settled["step"] = _check_step(step, most - least)
        settled["answer"] = _check_value("answer", answer, **_guess_shape(settled))
        if traits.get("guess") is not None:
            traits["guess"] = _check_value(
                "guess", traits["guess"], **_guess_shape(settled)
            )
        super().__init__(**settled, **traits)
        self._made = True

    @property
    def right(self) -> bool | None:
        """Whether the guess counts as right; None if there is none."""
        if self.guess is None:
            return None
        if self.choices:
            return bool(self.guess == self.answer)
        return self.distance() <= self.tolerance * (1 + 1e-9)

    def distance(self) -> float:
        """Return how far the guess is from the answer, for a curve on average.

        ValueError if there is no guess, or a choice, which has no distance.
        """
        if self.guess is None or self.choices:
            raise ValueError("only a guessed number or curve has a distance")
        pairs = zip(_as_list(self.guess), _as_list(self.answer), strict=True)
        apart = [abs(guess - answer) for guess, answer in pairs]
        return sum(apart) / len(apart)

    def answer_in_words(self) -> str:
        """Return the answer as a text, for those who see no live figure."""
        if self.choices:
            return str(self.answer)
        if not self.x:
            return self._in_words(self.answer)
        pairs = zip(self.x, self.answer, strict=True)
        told = ", ".join(f"{x}: {self._in_words(y)}" for x, y in pairs)
        head = ", by ".join(part for part in (self.ylabel, self.xlabel) if part)
        return f"{head}: {told}" if head else told

    def _in_words(self, number: float) -> str:
        """A number with its unit, rounded as the step is, and as JavaScript does."""
        decimals = max(0, -math.floor(math.log10(self.step) + 1e-9))
        space = "" if self.unit in ("", "%", "°") else "\u00a0"
        exact = Decimal(number).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
        return f"{exact:f}{space}{self.unit}".replace("-", "−")

    @traitlets.validate(*FIXED)
    def _keep(self, proposal: dict) -> object:
        name = proposal["trait"].name
        if self._made and proposal["value"] != getattr(self, name):
            raise traitlets.TraitError(
                f"the {name} of a forecast is fixed: make another Forecast"
            )
        return proposal["value"]

    @traitlets.validate("guess")
    def _check_guess(self, proposal: dict) -> object:
        value = proposal["value"]
        if value is None or not self._made:
            return value
        return _check_value("guess", value, **_guess_shape(self.state()))

    def without_script(self) -> str:
        """Return the question, and the answer in a fold, as HTML."""
        answer = f"{self.answer_in_words()}. {self.because}".replace("..", ".").strip()
        return (
            f'<p class="fc-question">{html.escape(self.question)}</p>\n'
            '<details class="fc-plain"><summary>What happened</summary>\n'
            f"<p>{html.escape(answer)}</p>\n</details>\n"
        )


def _check_id(id: object) -> str:
    if not isinstance(id, str) or not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,59}", id):
        raise traitlets.TraitError(
            "the id of a forecast must be small letters, digits and hyphens, "
            f"at most 60, got {id!r}"
        )
    return id


def _check_text(name: str, text: object, *, needed: bool = False) -> str:
    if not isinstance(text, str):
        raise traitlets.TraitError(f"{name} must be a text, got {text!r}")
    if needed and not text.strip():
        raise traitlets.TraitError(f"{name} must not be empty")
    return text


def _label_text(name: str, label: object) -> str:
    if isinstance(label, str):
        text = label.strip()
    else:
        text = str(check_number(f"each of {name}", label, MAX_NUMBER))
    if not text:
        raise traitlets.TraitError(f"each of {name} must have a text, got {label!r}")
    return text


def _check_labels(name: str, labels: object, count: tuple[int, int]) -> list[str]:
    found = [_label_text(name, label) for label in check_items(name, labels)]
    least, most = count
    if not least <= len(found) <= most:
        raise traitlets.TraitError(
            f"{name} must be {least} … {most} texts or numbers, got {len(found)}"
        )
    if len(set(found)) < len(found):
        raise traitlets.TraitError(f"{name} must differ, got {found!r}")
    return found


def _check_range(name: str, ends: object) -> list[float]:
    found = [
        check_number(f"each end of {name}", end, MAX_NUMBER)
        for end in check_items(name, ends)
    ]
    if len(found) != 2 or not found[0] < found[1]:
        raise traitlets.TraitError(
            f"{name} must be the least number and the greatest, got {ends!r}"
        )
    return found


def _check_close(close: object, width: float) -> float:
    found = (
        width / 20 if close is None else float(check_number("close", close, MAX_NUMBER))
    )
    if not 0 <= found <= width:
        raise traitlets.TraitError(f"close must lie in 0 … {width:g}, got {close!r}")
    return found


def _check_step(step: object, width: float) -> float:
    """Return the step, or a round one: 1 where that makes 10 to 200 steps."""
    if step is None:
        if 10 <= width <= 200:
            return 1.0
        power = 10.0 ** math.floor(math.log10(width / 100))
        return max(n * power for n in (1, 2, 5) if n * power <= width / 100 * 1.001)
    found = float(check_number("step", step, MAX_NUMBER))
    if not 0 < found <= width:
        raise traitlets.TraitError(f"step must be more than 0 and at most {width:g}")
    return found


def _guess_shape(state: dict) -> dict[str, Any]:
    """What a guess must be like: the choices, or the range and the number of points."""
    if state.get("choices"):
        return {"choices": state["choices"], "ends": None, "points": 0}
    ends = state.get("scale") or state["yrange"]
    return {"choices": None, "ends": ends, "points": len(state.get("x", []))}


def _check_value(
    name: str,
    value: object,
    *,
    choices: list[str] | None,
    ends: list[float] | None,
    points: int,
) -> Any:
    """Return an answer or a guess as plain data; TraitError if the question has none
    such."""
    if choices:
        found = _label_text(name, value)
        if found not in choices:
            raise traitlets.TraitError(
                f"the {name} must be one of {', '.join(choices)}, got {value!r}"
            )
        return found
    assert ends is not None
    if not points:
        return _is_inside(name, value, ends)
    values = check_items(name, value)
    if len(values) != points:
        raise traitlets.TraitError(
            f"the {name} must have a number for each of {points} x, got {len(values)}"
        )
    return [_is_inside(f"{name}, each of its numbers,", one, ends) for one in values]


def _is_inside(name: str, value: object, ends: list[float]) -> float:
    found = check_number(name, value, MAX_NUMBER)
    least, most = ends
    if not least <= found <= most:
        raise traitlets.TraitError(
            f"the {name} must lie in {least:g} … {most:g}, got {value!r}"
        )
    return found


def _as_list(value: Any) -> list[float]:
    return value if isinstance(value, list) else [value]
