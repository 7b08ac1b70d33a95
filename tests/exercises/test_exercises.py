"""Every exercise of every chapter: its solution, the usual mistakes, odd answers, and
whether the chapter and the package speak of the same ones.
"""

import copy
import math
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch
from fuzzing import exercise_numbers
from torch import nn

from attnlab import check
from attnlab.exercises.checking import find_exercise

pytestmark = pytest.mark.slow

BOOK = Path(__file__).parents[2] / "book"
CHECKED = re.compile(r'^check\("(\d+\.\d+)", .*\)$', re.MULTILINE)
ASKED = re.compile(r'^(?:check|Exercise)\("(\d+\.\d+)".*\)$', re.MULTILINE)


@dataclass
class Printed:
    """An exercise as a chapter prints it."""

    number: str
    cell: str  # where the reader writes
    solution: str  # the Python of what is folded away below


def find_printed(path: Path) -> list[Printed]:
    """The exercises that a chapter has checks for."""
    cells = nbformat.read(path, as_version=4).cells
    found = []
    for cell, following in pairwise(cells):
        number = ASKED.search(cell.source)
        if cell.cell_type == "code" and number:
            folded = following.source.partition("</details>")[0]
            assert folded.startswith("<details>"), number[1]
            blocks = re.findall(r"```python\n(.*?)```", folded, flags=re.DOTALL)
            found.append(Printed(number[1], cell.source, "\n".join(blocks)))
    return found


NUMBERS = exercise_numbers()
PRINTED = {
    one.number: one
    for path in sorted(BOOK.glob("[0-9]*.ipynb"))
    for one in find_printed(path)
}
MISTAKES = [
    (number, hint) for number in NUMBERS for hint in find_exercise(number).mistakes
]
FUNCTIONS = [number for number in NUMBERS if find_exercise(number).inputs]
VALUES = [number for number in NUMBERS if not find_exercise(number).inputs]


def answer_of(number, function):
    return function if find_exercise(number).inputs else function()


def test_exercises_of_chapters_and_package_are_equal():
    assert sorted(PRINTED) == NUMBERS


@pytest.mark.parametrize("number", [one for one in NUMBERS if float(one) >= 3])
def test_exercise_has_box_for_value_and_cell_for_code(number):
    is_box = "Exercise(" in PRINTED[number].cell
    assert is_box == (number in VALUES)


@pytest.mark.parametrize("number", NUMBERS)
def test_solution_is_right_and_uses_every_argument(verdict, number):
    exercise = find_exercise(number)
    answer = answer_of(number, exercise.solution)
    assert verdict(number, answer).startswith(f"Exercise {number}: right")
    first = exercise.inputs[0] if exercise.inputs else ()
    for place, held in enumerate(first):  # as if it were written into the answer

        def ignores_argument(*given, place=place, held=held):
            held = copy.deepcopy(held)
            return exercise.solution(*given[:place], held, *given[place + 1 :])

        assert "not yet" in verdict(number, ignores_argument), f"argument {place}"


@pytest.mark.parametrize("number", PRINTED)
def test_folded_chapter_solution_fills_the_cell_and_is_right(capsys, number):
    exercise = PRINTED[number]
    code = exercise.solution
    if not CHECKED.search(code):
        code += "\n" + CHECKED.search(exercise.cell)[0]
    headers = re.compile("^def .*", re.MULTILINE)
    assert {*headers.findall(exercise.cell)} <= {*headers.findall(code)}
    exec(code, {"torch": torch, "nn": nn, "math": math, "check": check})
    assert capsys.readouterr().out.startswith(f"Exercise {number}: right")


@pytest.mark.parametrize(("number", "hint"), MISTAKES)
def test_check_of_each_mistake_prints_its_hint(verdict, number, hint):
    exercise = find_exercise(number)
    answer = answer_of(number, exercise.mistakes[hint])
    assert f"  hint:     {hint}\n" in verdict(number, answer)


# Odd answers --------------------------------------------------------------------------


@pytest.mark.parametrize("number", NUMBERS)
def test_check_of_missing_answer_is_not_wrong(verdict, number):
    assert verdict(number, ...).endswith(": not answered yet.\n")
    if number in FUNCTIONS:
        text = verdict(number, lambda *arguments: None)
        assert text.startswith(f"Exercise {number}: not answered yet")


class Contrary:
    """Raises whatever one asks it."""

    def __eq__(self, other):
        raise RuntimeError("do not compare me")

    __hash__ = None

    def __len__(self):
        raise RuntimeError("do not count me")


CIRCLE: list = []
CIRCLE.append(CIRCLE)
ODD_ANSWERS = {
    "text": "seven",
    "a flag": True,
    "not a number": math.nan,
    "a whole number too long to print": 10**5000,
    "a complex number": 1j,
    "a ragged list": [[1.0], [2.0, 3.0]],
    "a list in itself": CIRCLE,
    "an empty dictionary": {},
    "a generator": (one for one in range(3)),
    "a contrary thing": Contrary(),
    "a tensor with gradients": torch.ones(2, requires_grad=True) * 2,
    "a sparse tensor": torch.eye(3).to_sparse(),
    "a tensor without numbers": torch.zeros(2, device="meta"),
    "a complex tensor": torch.zeros(3, dtype=torch.complex64),
    "an array of things": np.array([None, "a"], dtype=object),
}


@pytest.mark.parametrize("odd", ODD_ANSWERS)
def test_check_explains_odd_answer(verdict, odd):
    for number in FUNCTIONS:
        text = verdict(number, lambda *arguments: ODD_ANSWERS[odd])
        assert "not yet" in text and "problem: " in text and "hint: " in text
    for number in VALUES:
        text = verdict(number, ODD_ANSWERS[odd])
        assert "not yet" in text and "problem: " in text and "hint: " in text
        assert "0x" not in text
