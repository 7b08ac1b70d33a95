"""Every exercise of chapter 8 takes its solution and tells the usual mistakes apart."""

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

NUMBERS = [f"8.{number}" for number in range(1, 8)]
CHAPTER = Path(__file__).parents[2] / "book" / "08_beyond.ipynb"


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


def test_a_merge_by_logarithms_is_right_too():
    def merge(a, b):
        highest = max(a[0], b[0])
        scaled = [
            (math.exp(h - highest) * t, math.exp(h - highest) * m) for h, t, m in (a, b)
        ]
        return [highest, *map(sum, zip(*scaled, strict=True))]

    assert ": right" in said("8.5", merge)


def test_a_mask_built_from_pieces_is_right_too():
    def mask(n, radius, every):
        rows = [
            [k <= q and (q - k <= radius or (k + 1) % every == 0) for k in range(n)]
            for q in range(n)
        ]
        return torch.tensor(rows)

    assert ": right" in said("8.7", mask)


@pytest.mark.skipif(not CHAPTER.exists(), reason="the chapter is not there")
def test_the_solutions_printed_in_the_chapter_are_right():
    solutions = folded_solutions()
    assert len(solutions) == len(NUMBERS)
    for block in solutions:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(block, {"math": math, "torch": torch, "check": check})
        assert ": right" in output.getvalue(), block
