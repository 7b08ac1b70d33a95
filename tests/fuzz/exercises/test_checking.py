import contextlib
import io
import math
from importlib import import_module

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import (
    ODD_NUMBERS,
    ODD_TEXT,
    ODD_THINGS,
    REFUSED,
    attempt,
    fuzz,
    tensors,
)

from attnlab.exercises import checking
from attnlab.exercises.checking import (
    Exercise,
    check,
    difference,
    exercise,
    find_exercise,
)

for chapter in range(1, 9):
    import_module(f"attnlab.exercises.chapter{chapter}")
EXERCISES = dict(checking._exercises)

VALUES = st.recursive(
    st.one_of(ODD_THINGS, tensors(), st.just(torch.tensor(1.0)), st.just(np.ones(2))),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=2)
    ),
    max_leaves=4,
)


def answers(value: object) -> list:
    """Ways to hand a value over: as it is, by a function, or by raising."""

    def takes_anything(*arguments):
        return value

    def raises(*arguments):
        raise RuntimeError(str(value))

    def changes_its_arguments(*arguments):
        for one in arguments:
            if isinstance(one, torch.Tensor):
                one.zero_()
            if isinstance(one, list | dict):
                one.clear()
        return value

    return [value, takes_anything, raises, changes_its_arguments, lambda: value]


def said(number: str, answer: object) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        check(number, answer)
    return printed.getvalue()


@fuzz(check, find_exercise, Exercise, *(one.solution for one in EXERCISES.values()))
@given(data=st.data(), value=VALUES)
def test_any_answer_to_any_exercise_is_told_what_it_is(data, value):
    answer = data.draw(st.sampled_from(answers(value)))
    for number in EXERCISES:
        assert said(number, answer).startswith(f"Exercise {number}: ")
    number = data.draw(st.sampled_from(list(EXERCISES)))
    one = find_exercise(number)
    solution = one.solution if one.inputs else one.solution()
    assert "right" in said(number, solution)  # and no answer has changed the inputs


@fuzz(find_exercise)
@given(st.one_of(ODD_TEXT, ODD_THINGS, st.from_regex(r"\d+\.\d+", fullmatch=True)))
def test_other_numbers_are_no_exercises(number):
    found = attempt(find_exercise, number)
    assert (found is not REFUSED) == (number in list(EXERCISES))


@fuzz(difference)
@given(given=VALUES, expected=VALUES, tolerance=st.floats(0, 1))
def test_differences_are_said_in_words(given, expected, tolerance):
    found = difference(given, expected, tolerance)
    assert found is None or isinstance(found, str)


@fuzz(difference)
@given(
    value=st.one_of(
        st.floats(allow_nan=False), st.text(), st.lists(st.integers(), max_size=3),
        tensors(most=1e4),
    )
)  # fmt: skip
def test_nothing_differs_from_itself(value):
    assert difference(value, value, 1e-4) is None
    if isinstance(value, float) and math.isfinite(value):
        assert difference(value + 1 + abs(value), value, 1e-4) is not None


@fuzz(exercise, Exercise)
@given(right=ODD_NUMBERS, hint=ODD_TEXT)
def test_a_new_exercise_takes_its_own_solution(right, hint):
    @exercise("99.1", hint=hint)
    def solution():
        return right

    try:
        assert find_exercise("99.1").solution is solution
        told = said("99.1", right)
        assert "right" in told or right is None or right != right
    finally:
        checking._exercises.pop("99.1")
