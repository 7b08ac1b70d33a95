"""Every exercise of chapter 6 takes its solution and tells the usual mistakes apart."""

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

NUMBERS = [f"6.{number}" for number in range(1, 8)]
CHAPTER = Path(__file__).parents[2] / "book" / "06_complexity.ipynb"


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


def test_a_count_may_be_a_float():
    assert ": right" in said("6.1", 180.0)


def test_a_search_finds_the_crossing_as_well_as_a_formula():
    def by_search(d, gates):
        def dearer(n):
            return 8 * n * d**2 + 4 * n**2 * d > 4 * gates * n * d**2

        return next(n for n in range(10_000) if dearer(n + 1))

    assert ": right" in said("6.4", by_search)


def test_counting_pairs_one_by_one_is_right_too():
    def by_counting(n, radius):
        return sum(abs(i - j) <= radius for i in range(n) for j in range(n))

    assert ": right" in said("6.7", by_counting)


@pytest.mark.skipif(not CHAPTER.exists(), reason="the chapter is not there")
def test_the_solutions_printed_in_the_chapter_are_right():
    solutions = folded_solutions()
    assert len(solutions) == len(NUMBERS)
    for block in solutions:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(block, {"math": math, "torch": torch, "check": check})
        assert ": right" in output.getvalue(), block
