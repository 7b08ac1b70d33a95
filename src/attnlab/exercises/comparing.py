"""What tells an answer from what was expected, in words."""

import cmath
import sys
from collections.abc import Sequence
from typing import Any

MAX_BITS = 500  # of a whole number that is written out


def difference(given: Any, expected: Any, tolerance: float) -> str | None:
    """Return what tells `given` from `expected`, in words; `None` when they agree.

    Knows numbers, text, lists and tuples (either will do, and so will an array), sets,
    dicts, arrays and torch tensors. Shapes and kinds must agree, numbers within
    `tolerance`.
    """
    if is_array(expected):
        return _array_difference(given, expected, tolerance)
    given = given.item() if _is_scalar(given) else given
    expected = expected.item() if _is_scalar(expected) else expected
    if isinstance(expected, int | float | complex) and not isinstance(expected, bool):
        return _number_difference(given, expected, tolerance)
    if isinstance(expected, list | tuple):
        return _list_difference(given, expected, tolerance)
    if isinstance(expected, dict):
        return _dict_difference(given, expected, tolerance)
    if is_array(given) or not isinstance(given, type(expected)):
        return type_problem(given, type(expected).__name__)
    return None if given == expected else "the two differ"


def _number_difference(
    given: object, expected: complex, tolerance: float
) -> str | None:
    if isinstance(given, bool) or not isinstance(given, int | float | complex):
        return type_problem(given, "a number")
    if isinstance(given, int) and abs(given) > sys.float_info.max:
        return "the numbers differ"  # too large to be compared with a float
    if cmath.isnan(given) and not cmath.isnan(expected):
        return "it is NaN (not a number)"
    if cmath.isclose(given, expected, rel_tol=tolerance, abs_tol=tolerance):
        return None
    return "the numbers differ"


def _list_difference(given: Any, expected: Sequence, tolerance: float) -> str | None:
    given = given.tolist() if is_array(given) else given
    if not isinstance(given, list | tuple):
        return type_problem(given, type(expected).__name__)
    if len(given) != len(expected):
        return f"the length is {len(given)}, not {len(expected)}"
    for index, pair in enumerate(zip(given, expected, strict=True)):
        problem = difference(*pair, tolerance)
        if problem:
            return f"at index {index}: {problem}"
    return None


def _dict_difference(given: Any, expected: dict, tolerance: float) -> str | None:
    if not isinstance(given, dict):
        return type_problem(given, "dict")
    if given.keys() != expected.keys():
        return f"the keys are {describe(list(given))}, not {describe(list(expected))}"
    for key in expected:
        problem = difference(given[key], expected[key], tolerance)
        if problem:
            return f"at key {key!r}: {problem}"
    return None


def _array_difference(given: Any, expected: Any, tolerance: float) -> str | None:
    if not isinstance(given, type(expected)):
        return type_problem(given, type(expected).__name__)
    if tuple(given.shape) != tuple(expected.shape):
        return f"the shape is {tuple(given.shape)}, not {tuple(expected.shape)}"
    if _holds_bools(given) != _holds_bools(expected):
        return f"the dtype is {given.dtype}, not {expected.dtype}"
    # Lists of plain numbers are slow and enough: an exercise's tensors are small.
    for index, (left, right) in enumerate(
        zip(_flatten(given), _flatten(expected), strict=True)
    ):
        if isinstance(right, bool):
            problem = None if left == right else "the two differ"
        else:
            problem = _number_difference(left, right, tolerance)
        if problem:
            return f"at {_position(index, expected.shape)}: {problem}"
    return None


def is_array(value: object) -> bool:
    """Say whether it is a tensor or array of at least one dimension."""
    return hasattr(value, "shape") and hasattr(value, "tolist") and value.shape != ()


def _is_scalar(value: object) -> bool:
    return hasattr(value, "item") and getattr(value, "shape", None) == ()


def _holds_bools(array: Any) -> bool:
    return str(array.dtype).endswith("bool")


def _flatten(array: Any) -> list:
    return array.reshape(-1).tolist()


def _position(index: int, shape: Sequence[int]) -> str:
    place = []
    for size in reversed(shape):
        index, remainder = divmod(index, size)
        place.append(str(remainder))
    return f"[{', '.join(reversed(place))}]"


def type_problem(given: object, wanted: str) -> str:
    """Return the sentence that names the type given and the one wanted."""
    return f"the type is {type(given).__name__}, not {wanted}"


def without_arrays(value: Any) -> Any:
    """Lists of arrays as lists of lists."""
    if isinstance(value, list | tuple):
        return [without_arrays(one) for one in value]
    return value.tolist() if is_array(value) else value


def describe(value: Any, longest: int = 24) -> str:
    """Short enough for one line, and the same on every run: no memory addresses."""
    if is_array(value):
        if len(_flatten(value)) > longest:
            return f"{type(value).__name__} of shape {tuple(value.shape)}"
        return f"{type(value).__name__}({describe(value.tolist())})"
    if _is_scalar(value):
        value = value.item()
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        return f"a whole number of {value.bit_length()} bits"
    if isinstance(value, list | tuple):
        shown = ", ".join(describe(item) for item in value[:longest])
        return f"[{shown}{', …' if len(value) > longest else ''}]"
    if isinstance(value, str | int | set | dict):
        text = repr(value)
        return text if len(text) <= 200 else f"{text[:200]}…"
    return getattr(value, "__name__", None) or type(value).__name__
