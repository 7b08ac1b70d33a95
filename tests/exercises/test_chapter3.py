"""Every exercise of chapter 3 takes its solution and tells the usual mistakes apart."""

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

NUMBERS = [f"3.{number}" for number in range(1, 8)]
CHAPTER = Path(__file__).parents[2] / "book" / "03_self_attention.ipynb"


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


def test_an_empty_row_must_not_be_nan():
    def not_a_number(scores, mask):
        return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)

    assert "NaN" in said("3.5", not_a_number)


def test_the_variance_asked_for_is_the_one_of_samples():
    torch.manual_seed(0)
    for d, sigma, mu in find_exercise("3.6").inputs:
        q, k = mu + sigma * torch.randn(2, 100_000, d)
        sampled = (q * k).sum(-1).var().item()
        assert find_exercise("3.6").solution(d, sigma, mu) == pytest.approx(
            sampled, rel=0.05
        )


def test_the_temperature_asked_for_gives_that_weight():
    for gap, n, weight in find_exercise("3.7").inputs:
        temperature = find_exercise("3.7").solution(gap, n, weight)
        scores = torch.zeros(n, dtype=torch.float64)
        scores[0] = gap
        assert (scores / temperature).softmax(0)[0].item() == pytest.approx(weight)


def test_the_solutions_printed_in_the_chapter_are_right():
    solutions = folded_solutions()
    assert len(solutions) == len(NUMBERS)
    for block in solutions:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(block, {"torch": torch, "math": math, "check": check})
        assert ": right" in output.getvalue(), block
