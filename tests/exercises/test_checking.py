import math
import threading
import time

import numpy as np
import pytest
import torch

from attnlab import answer_to, check
from attnlab.exercises.checking import exercise
from attnlab.exercises.comparing import difference


@exercise(
    "0.1",
    inputs=[([1.0, 2.0],), ([1.0, 2.0, 6.0],)],
    mistakes={"Divide by how many there are.": sum},
    hint="A mean is a sum over a count.",
    seconds=0.3,
)
def mean(values):
    return sum(values) / len(values)


def weights_of(scores):
    return scores.exp() / scores.exp().sum(-1, keepdim=True)


def weights_down_the_columns(scores):
    return scores.softmax(dim=0)


@exercise(
    "0.2",
    inputs=[(torch.tensor([[0.0, 1.0, 2.0], [3.0, 3.0, 3.0]]),)],
    mistakes={"Each query's weights sum to 1: which axis?": weights_down_the_columns},
    hint="Exponentials over their sum.",
)
def softmax(scores):
    return scores.softmax(dim=-1)


@exercise(
    "0.3",
    mistakes={"A GRU has three gates' worth of weights, not one.": lambda: 8},
    hint="Count the two matrices and the two biases.",
)
def parameters():
    return 24


def is_increasing(result, values):
    if sorted(result) != sorted(values):
        return "these are not the values that came in", "Return each of them."
    ordered = result == sorted(result)
    return None if ordered else ("a later value is smaller", "Which pair is wrong?")


@exercise("0.4", inputs=[([3, 1, 2],)], hint="Smallest first.", judge=is_increasing)
def increasing(values):
    return sorted(values)


@pytest.mark.parametrize(
    ("number", "answer", "line"),
    [
        ("0.1", mean, "Exercise 0.1: right, on 2 inputs.\n"),
        ("0.1", np.mean, "Exercise 0.1: right, on 2 inputs.\n"),
        ("0.2", weights_of, "Exercise 0.2: right, on 1 input.\n"),
        ("0.3", 24, "Exercise 0.3: right.\n"),
        ("0.3", torch.tensor(24), "Exercise 0.3: right.\n"),
        ("0.4", increasing, "Exercise 0.4: right.\n"),
    ],
)
def test_check_accepts_right_answer(number, answer, line, verdict):
    assert verdict(number, answer) == line


def not_begun(values): ...


def not_written(values):
    raise NotImplementedError


@pytest.mark.parametrize("answer", [..., None, not_begun, not_written])
def test_check_of_missing_answer_prints_one_line(answer, verdict):
    text = verdict("0.1", answer)
    assert text.startswith("Exercise 0.1: not answered yet")
    assert text.count("\n") == 1


def test_check_of_known_mistake_prints_its_hint(verdict):
    assert verdict("0.1", sum).splitlines() == [
        "Exercise 0.1: not yet.",
        "  input:    values = [1, 2]",
        "  expected: 1.5",
        "  came:     3",
        "  problem:  the numbers differ",
        "  hint:     Divide by how many there are.",
    ]


def test_check_of_list_asks_for_tensor_if_numbers_are_right(verdict):
    text = verdict("0.2", lambda scores: weights_of(scores).tolist())
    assert "hint:     These are the right numbers, as a list: return a tensor" in text
    assert "tensor of them" not in verdict("0.2", lambda scores: scores.tolist())
    assert "tensor of them" in verdict("0.2", lambda scores: list(weights_of(scores)))


def test_check_of_raising_answer_shows_its_own_line(verdict):
    def stacked(total):
        return np.stack(total)  # it is raised inside of NumPy

    def mine(values):
        return stacked(sum(values))

    start = stacked.__code__.co_firstlineno
    text = verdict("0.1", mine)
    assert f"in:       line {start + 1}: return np.stack(total)" in text
    assert "in: " not in verdict("0.1", lambda: 1)  # raised before its first line


@pytest.mark.parametrize(
    ("number", "answer", "told"),
    [
        ("0.1", lambda values: 7, "A mean is a sum over a count."),
        ("0.2", weights_down_the_columns, "at [0, 0]: the numbers differ"),
        ("0.2", weights_down_the_columns, "which axis?"),
        ("0.3", 8, "three gates"),
        ("0.4", lambda values: values, "problem:  a later value is smaller"),
        ("0.4", lambda values: values, "hint:     Which pair is wrong?"),
        ("0.4", lambda values: 7, "hint:     Smallest first."),
        ("0.1", lambda values: values / 2, "it raised TypeError: unsupported operand"),
        ("0.1", lambda values: values / 2, "input:    values = [1, 2]"),
        ("0.1", lambda values: exit(), "it raised SystemExit"),
        ("0.1", 1.5, "the type is float, not a function"),
        ("0.3", parameters, "a value is wanted, a function came"),
    ],
)
def test_check_of_wrong_answer_names_the_problem(number, answer, told, verdict):
    assert told in verdict(number, answer)


def test_check_of_wrong_value_hides_the_right_one(verdict):
    assert "24" not in verdict("0.3", 8)


def loops_for_ever(values):
    while True:
        values = values[:]


def test_check_stops_endless_answer(verdict):
    threads = threading.active_count()
    start = time.perf_counter()
    text = verdict("0.1", loops_for_ever)
    assert time.perf_counter() - start < 5
    assert "no result after 0.3 seconds" in text
    assert "Does every loop come to its end?" in text
    deadline = time.perf_counter() + 5
    while threading.active_count() > threads and time.perf_counter() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == threads


def test_check_accepts_answer_that_prints(verdict):
    text = verdict("0.1", lambda values: print("here I am") or mean(values))
    assert "here I am\n" in text and "Exercise 0.1: right" in text


def test_check_accepts_answer_that_changes_its_input(verdict):
    def empties(values):
        result = mean(values)
        values.clear()
        return result

    for _ in range(2):
        assert "right, on 2 inputs" in verdict("0.1", empties)


@pytest.mark.parametrize(
    ("given", "expected", "problem"),
    [
        (math.nan, 1.0, "NaN"),
        ("1", 1, "the type is str, not a number"),
        (1.001, 1.0, "the numbers differ"),
        ([1], [1, 2], "the length is 1, not 2"),
        ([1, [2, 3]], [1, [2, 4]], "at index 1: at index 1: the numbers differ"),
        ("zwei", "drei", "the two differ"),
        (torch.zeros(2, 3), torch.zeros(3, 2), "the shape is (2, 3), not (3, 2)"),
        (np.zeros(2), torch.zeros(2), "the type is ndarray, not Tensor"),
        (torch.zeros(2), torch.zeros(2) > 0, "the dtype is torch.float32"),
        (torch.tensor([1, math.nan]), torch.ones(2), "at [1]: it is NaN"),
        (torch.ones(2, 3).triu(2), torch.zeros(2, 3), "at [0, 2]: the numbers differ"),
        (None, torch.ones(2), "the type is NoneType, not Tensor"),
        ({"a": 1}, {"b": 1}, "the keys are ['a'], not ['b']"),
        ({"a": torch.ones(1)}, {"a": torch.zeros(1)}, "at key 'a': at [0]: the numb"),
    ],
)
def test_difference_names_first_mismatch(given, expected, problem):
    assert problem in difference(given, expected, 1e-4)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (1.00001, 1),
        (np.float32(2), 2),
        (2.0, torch.tensor(2.0)),
        ((1, 2), [1, 2]),
        (torch.ones(2, dtype=torch.long), torch.ones(2)),
        (torch.ones(2, requires_grad=True), torch.ones(2)),
        (-math.inf, -math.inf),
        (torch.tensor(True), True),
        (torch.tensor([1j]), torch.tensor([1j])),
        ({"a": torch.tensor([])}, {"a": torch.tensor([])}),
    ],
)
def test_difference_of_equal_answers_is_none(given, expected):
    assert difference(given, expected, 1e-4) is None


@pytest.mark.parametrize("number", ["3", 3.2, "3.2.1", None])
def test_check_rejects_malformed_exercise_number(number):
    with pytest.raises(ValueError, match="text like"):
        check(number, ...)


def test_check_of_unknown_exercise_lists_known_ones():
    with pytest.raises(ValueError, match=r"no check '0.9'; chapter 0 has: 0.1, 0.2"):
        check("0.9", ...)
    with pytest.raises(ValueError, match="chapter 77 has: none"):
        check("77.1", ...)


@pytest.mark.parametrize("answer", [np.mean, lambda values: sum(values) / len(values)])
def test_answer_to_returns_right_answer_itself(answer, capsys):
    assert answer_to("0.1", answer) is answer
    assert capsys.readouterr().out == "This run uses your answer to exercise 0.1.\n"


@pytest.mark.parametrize("answer", [..., None, sum, lambda values: None])
def test_answer_to_returns_solution_until_answer_is_right(answer, capsys):
    assert answer_to("0.1", answer)([1.0, 4.0]) == 2.5
    assert "uses the book's answer to exercise 0.1" in capsys.readouterr().out


@pytest.mark.parametrize(("answer", "wanted"), [(24.0, 24.0), (8, 24), (..., 24)])
def test_answer_to_returns_value_if_one_is_asked(answer, wanted):
    assert answer_to("0.3", answer) == wanted
