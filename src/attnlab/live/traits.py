"""Kinds of traits that figures have, and checks of what stands in lists."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import traitlets

from attnlab.data.grammar import MORPHEMES, check_spellable
from attnlab.data.numbers import number_tokens


class Whole(traitlets.Int):
    """A trait for whole numbers; `traitlets.Int` would take True for 1."""

    def validate(self, obj: traitlets.HasTraits, value: object) -> int | None:
        if isinstance(value, bool):
            self.error(obj, value)
        return super().validate(obj, value)


class OneOf(traitlets.Enum):
    """A trait for one of some values; `traitlets.Enum` would take True for 1."""

    def validate(self, obj: traitlets.HasTraits, value: object) -> object:
        value = plain(value)
        choices = {(isinstance(one, bool), one): one for one in self.values or ()}
        try:
            return choices[isinstance(value, bool), value]
        except (KeyError, TypeError):  # no such value, or none that could be one
            self.error(obj, value)


class Number(traitlets.Float):
    """A trait for numbers; `traitlets.Float` would take NaN, whatever its bounds."""

    def validate(self, obj: traitlets.HasTraits, value: object) -> float:
        number = super().validate(obj, value)
        if math.isnan(number):  # which is neither too small nor too large
            self.error(obj, value)
        return number


def plain(value: Any) -> object:
    """Return Python's own number for one of NumPy's or torch's; others as they are."""
    of_arrays = hasattr(value, "item") and getattr(value, "ndim", 1) == 0
    return value.item() if of_arrays else value


def check_within(name: str, number: object, largest: float) -> float:
    """Return a number as a float; TraitError if it is none, or beyond ± `largest`."""
    if isinstance(number, bool) or not isinstance(number, Real):
        raise traitlets.TraitError(f"{name} must be a number, got {number!r}")
    if not abs(float(number)) <= largest:  # NaN, too, is not
        raise traitlets.TraitError(
            f"{name} must lie in −{largest:g} … {largest:g}, got {number!r}"
        )
    return float(number)


def check_point(name: str, point: object, reach: float) -> list[float]:
    """Return a point of the plane as floats; TraitError if it is none, or far off."""
    if not isinstance(point, Sequence) or isinstance(point, str) or len(point) != 2:
        raise traitlets.TraitError(f"{name} must be [x, y], got {point!r}")
    return [check_within(f"a coordinate of {name}", x, reach) for x in point]


def check_points(
    name: str, points: list, count: tuple[int, int], reach: float
) -> list[list[float]]:
    """Return a list of points, as floats; TraitError if one is none, or too many."""
    least, most = count
    if not least <= len(points) <= most:
        raise traitlets.TraitError(
            f"{name} must be {least} … {most} points [x, y], got {len(points)}"
        )
    return [check_point(f"each {name}", point, reach) for point in points]


def check_items(name: str, items: object) -> list:
    """Return a list, tuple, range, array or tensor as a list; TraitError for others."""
    if not isinstance(items, Sequence) and hasattr(items, "tolist"):
        items = items.tolist()
    if not isinstance(items, Sequence) or isinstance(items, str | bytes):
        raise traitlets.TraitError(f"{name} must be a list, got {items!r}")
    return list(items)


def check_number(name: str, number: object, largest: float) -> float | int:
    """Return a number as a plain one, whole where it is whole.

    TraitError if it is none, or beyond ± `largest`. NumPy's and torch's will do.
    """
    found = check_within(name, plain(number), largest)
    return int(found) if found.is_integer() else found


def check_words(text: str, language: str, most: int) -> str:
    """Return a number in digits, or number words with one space between them.

    TraitError if it is neither, or has more than `most` words.
    """
    text = " ".join(text.split())
    try:
        if text.isdecimal():
            return str(check_spellable(int(text)))
    except ValueError as error:
        raise traitlets.TraitError(str(error)) from error
    words = text.split()
    unknown = [word for word in words if word not in MORPHEMES[language]]
    if unknown or not 1 <= len(words) <= most:
        raise traitlets.TraitError(
            f"text is a number in digits, or 1 to {most} words of "
            f"{', '.join(MORPHEMES[language])}; got {text!r}"
        )
    return text


def check_short(text: str, most: int) -> str:
    """Return a number as `check_words` does, of at most `most` English words."""
    text = check_words(text, "en", most)
    if text.isdecimal() and len(number_tokens(int(text), "en")) > most:
        raise traitlets.TraitError(f"text has at most {most} words, got {text!r}")
    return text
