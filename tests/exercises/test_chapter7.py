"""Every exercise of chapter 7 takes its solution and tells the usual mistakes apart."""

import contextlib
import io
import math
import re
from pathlib import Path

import nbformat
import pytest
import torch

from attnlab import check
from attnlab.exercises.checking import find_exercise

NUMBERS = [f"7.{number}" for number in range(1, 9)]
CHAPTER = Path(__file__).parents[2] / "book" / "07_transformer.ipynb"


def said(number, answer):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        check(number, answer)
    return output.getvalue()


def solution_of(number):
    exercise = find_exercise(number)
    return exercise.solution if exercise.inputs else exercise.solution()


@pytest.mark.parametrize("number", NUMBERS)
def test_the_solution_is_right(number):
    assert ": right" in said(number, solution_of(number))


@pytest.mark.parametrize("number", NUMBERS)
def test_no_answer_is_not_wrong(number):
    assert "not answered yet" in said(number, ...)


@pytest.mark.parametrize(
    ("number", "hint"),
    [(number, hint) for number in NUMBERS for hint in find_exercise(number).mistakes],
)
def test_each_mistake_gets_its_own_hint(number, hint):
    exercise = find_exercise(number)
    mistake = exercise.mistakes[hint]
    answer = mistake if exercise.inputs else mistake()
    assert hint in said(number, answer)


def folded_solutions():
    """The Python of each folded solution that ends in a check, as in the chapter."""
    cells = nbformat.read(CHAPTER, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    blocks = re.findall(r"```python\n(.*?)```", prose, flags=re.DOTALL)
    return [block for block in blocks if "check(" in block]


def test_the_solutions_printed_in_the_chapter_are_right():
    solutions = folded_solutions()
    assert len(solutions) == len(NUMBERS)
    for block in solutions:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(block, {"torch": torch, "math": math, "check": check})
        assert ": right" in output.getvalue(), block
