"""Exercises from Python: any answer is judged or refused, and what it says is JSON."""

import json
from importlib import import_module

import traitlets
from fuzzing import ODD_NUMBERS, ODD_TEXT, ODD_THINGS, REFUSED, attempt, fuzz
from hypothesis import given
from hypothesis import strategies as st

from attnlab.exercises import checking
from attnlab.exercises.checking import find_exercise, find_hint
from attnlab.live.exercise import Exercise

for chapter in range(1, 9):
    import_module(f"attnlab.exercises.chapter{chapter}")
NUMBERS = sorted(checking._exercises)
REFUSALS = (traitlets.TraitError, TypeError, ValueError)
ANSWERS = st.one_of(
    ODD_THINGS, ODD_NUMBERS, ODD_TEXT, st.lists(st.floats(-9, 9), max_size=5)
)


@fuzz(Exercise, find_hint)
@given(st.one_of(st.sampled_from(NUMBERS), ODD_TEXT, ODD_THINGS), ANSWERS)
def test_an_exercise_is_made_or_refused(number, answer):
    made = attempt(Exercise, number, errors=REFUSALS)
    if made is REFUSED:
        assert number not in NUMBERS or find_exercise(number).inputs
        return
    try:
        made.answer = answer
    except REFUSALS as error:
        assert str(error) and made.answer is None
    found = find_exercise(number)
    assert made.verdict().startswith(("Right.", "Not yet: ", "Not answered yet."))
    assert (made.right is None) == (made.answer is None)
    assert find_hint(found, made.answer) in [*found.mistakes, found.hint]
    json.dumps(made.state(), allow_nan=False)
    made.answer = found.solution()
    assert made.right
