"""`check("3.2", answer)`: try a reader's answer, say what is wrong, give a hint.

An exercise is its solution with a decorator, in `attnlab/exercises/chapter3.py`
for chapter 3. A typical mistake is a function too: when an answer returns what the
mistake would return, the reader gets the hint that goes with it.

    @exercise(
        "3.2",
        inputs=[([1.0, 2.0],), ([1.0, 2.0, 5.0],)],
        mistakes={"Divide by how many there are.": sum},
        hint="A mean is a sum over a count.",
    )
    def mean(values):
        return sum(values) / len(values)
"""

import copy
import ctypes
import inspect
import re
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from attnlab.exercises.comparing import (
    describe,
    difference,
    is_array,
    type_problem,
    without_arrays,
)


@dataclass(frozen=True)
class Exercise:
    """What `check` knows of one exercise; made by the decorator `exercise`."""

    number: str
    solution: Callable
    inputs: Sequence[tuple] | None
    mistakes: Mapping[str, Callable]
    hint: str
    tolerance: float
    seconds: float
    judge: Callable | None
    choices: tuple[str, ...] = ()


_exercises: dict[str, Exercise] = {}
# Files in which no reader's answer stands: the package's and installed ones.
_OTHERS = re.compile(
    rf"(site|dist)-packages|{re.escape(str(Path(__file__).parents[1]))}"
)


def exercise(
    number: str,
    *,
    hint: str,
    inputs: Sequence[tuple] | None = None,
    mistakes: Mapping[str, Callable] | None = None,
    tolerance: float = 1e-4,
    seconds: float = 10.0,
    judge: Callable | None = None,
    choices: Sequence[str] = (),
) -> Callable[[Callable], Callable]:
    """Register the decorated function as the solution of exercise `number`.

    `inputs` are tuples of arguments to try, the plainest first. Without them the answer
    is a value, not a function, and the solution a function of nothing that returns it.
    `mistakes` maps a hint to a function that makes that mistake; `hint` is the general
    one.
    Numbers may differ by `tolerance`, absolute and relative. One call of an answer may
    take `seconds`. Where there are many right answers, `judge(result, *arguments)`
    returns `None` or what is wrong with a hint, and the solution is but one of them.
    `choices` are the texts among which the reader finds the answer, if it is a text.
    """

    def register(solution: Callable) -> Callable:
        _exercises[number] = Exercise(
            number,
            solution,
            inputs,
            mistakes or {},
            hint,
            tolerance,
            seconds,
            judge,
            tuple(choices),
        )
        return solution

    return register


def find_exercise(number: str) -> Exercise:
    """Return the exercise of that number; `ValueError` names those that there are."""
    if not isinstance(number, str) or not re.fullmatch(r"\d+\.\d+", number):
        raise ValueError(f"an exercise's number is text like '3.2', got {number!r}")
    chapter = number.split(".")[0]
    module = f"attnlab.exercises.chapter{chapter}"
    try:
        import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
    if number not in _exercises:
        known = [name for name in _exercises if name.split(".")[0] == chapter]
        listed = ", ".join(sorted(known)) or "none"
        raise ValueError(f"no check {number!r}; chapter {chapter} has: {listed}")
    return _exercises[number]


def check(number: str, answer: object) -> None:
    """Try `answer` on exercise `number` and print what came of it.

    An answer that is `...` or `None`, or a function that returns one of them or raises
    `NotImplementedError`, is not given yet; a page shows that as a card. Raises
    `ValueError` for a number that is no exercise; whatever the answer does wrong is
    printed, not raised.
    """
    verdict = _verdict(find_exercise(number), answer)
    line = f"Exercise {number}: {verdict}"
    if not verdict.startswith("not answered yet"):
        print(line)
        return
    from IPython.display import display

    display(_Unanswered(number, line))


def answer_to(number: str, answer: object) -> Any:
    """Return the reader's answer if it is right, else the book's, and print which.

    What a lab runs next goes on with it, so that one can see a run before the answer is
    written, and skip it. Raises `ValueError` for a number that is no exercise.
    """
    exercise = find_exercise(number)
    if _verdict(exercise, answer).startswith("right"):
        print(f"This run uses your answer to exercise {number}.")
        return answer
    print(f"This run uses the book's answer to exercise {number}: yours is not ready.")
    return exercise.solution() if exercise.inputs is None else exercise.solution


class _Unanswered:
    """What a page shows of an exercise that waits for its answer; as text a line."""

    def __init__(self, number: str, line: str) -> None:
        self.number, self.line = number, line

    def __repr__(self) -> str:
        return self.line

    def _repr_html_(self) -> str:
        return (
            f'<section class="exercise-card" data-exercise="{self.number}" '
            f'aria-label="Exercise {self.number}"><p><b>Not answered yet.</b> '
            "Replace the dots and run the cell.</p></section>"
        )


def _verdict(exercise: Exercise, answer: object) -> str:
    if answer is None or answer is ...:
        return "not answered yet."
    if exercise.inputs is None:
        return _judge(exercise, answer, ()) or "right."
    if not callable(answer):
        problem = type_problem(answer, "a function")
        return _report(
            f"problem:  {problem}", "Hand over its name, without calling it."
        )
    for arguments in exercise.inputs:
        failure = _try_input(exercise, answer, arguments)
        if failure:
            return failure
    if exercise.judge:
        return "right."  # how much a judge tries on one input, it alone knows
    tried = len(exercise.inputs)
    return f"right, on {tried} input{'s' if tried > 1 else ''}."


def _try_input(exercise: Exercise, answer: Callable, arguments: tuple) -> str | None:
    """What to tell the reader about this input; `None` when the answer is right."""
    given_input = f"input:    {_describe_input(exercise, arguments)}"
    try:
        result = _call(answer, copy.deepcopy(arguments), exercise.seconds)
    except NotImplementedError:
        return "not answered yet."
    except TimeoutError:
        complaint = f"problem:  no result after {exercise.seconds:g} seconds"
        return _report(
            f"{given_input}\n{complaint}", "Does every loop come to its end?"
        )
    except BaseException as error:
        complaint = f"problem:  it raised {type(error).__name__}: {error}"
        place = own_line(error)
        lines = [given_input, complaint, *([f"in:       {place}"] if place else [])]
        return _report("\n".join(lines), exercise.hint)
    if result is None or result is ...:
        return "not answered yet: the function returns nothing so far."
    return _judge(exercise, result, arguments, given_input)


def own_line(error: BaseException) -> str:
    """The last line of the answer's own that led to the error: its number and text."""
    frames = traceback.extract_tb(error.__traceback__)
    mine = [frame for frame in frames if not _OTHERS.search(frame.filename)]
    if not mine or not mine[0].line:
        return ""
    last = [frame for frame in mine if frame.filename == mine[0].filename][-1]
    return f"line {last.lineno}: {last.line}"


def _report(complaint: str, hint: str) -> str:
    lines = [*complaint.split("\n"), f"hint:     {hint}"]
    return "not yet.\n" + "\n".join(f"  {line}" for line in lines)


def _judge(
    exercise: Exercise, result: object, arguments: tuple, given_input: str = ""
) -> str | None:
    """What to tell the reader of `result`; `None` when nothing is wrong."""
    hint = None
    try:
        if exercise.judge is None:
            complaint = _error_text(exercise, result, arguments)
        else:
            fault = exercise.judge(result, *copy.deepcopy(arguments))
            complaint = fault and f"problem:  {fault[0]}"
            hint = fault and fault[1]
    except Exception as error:  # some things, such as sparse tensors, bear no look
        kind, raised = type(result).__name__, type(error).__name__
        complaint = f"problem:  this {kind} cannot be compared: {raised}: {error}"
    if complaint is None:
        return None
    hint = hint or find_hint(exercise, result, arguments)
    return _report("\n".join(filter(None, [given_input, complaint])), hint)


def _error_text(exercise: Exercise, result: object, arguments: tuple) -> str | None:
    """Lines that say what is wrong with `result`; `None` when nothing is."""
    if callable(result):
        return "problem:  a value is wanted, a function came"
    expected = exercise.solution(*copy.deepcopy(arguments))
    problem = difference(result, expected, exercise.tolerance)
    if problem is None:
        return None
    lines = [f"came:     {describe(result)}", f"problem:  {problem}"]
    if arguments:  # without an input the expected value would be the answer itself
        lines.insert(0, f"expected: {describe(expected)}")
    return "\n".join(lines)


def find_hint(exercise: Exercise, result: object, arguments: tuple = ()) -> str:
    """The hint of the first mistake that returns the same; else the general one."""
    if _is_array_in_lists(exercise, result, arguments):
        return "These are the right numbers, as a list: return a tensor of them."
    for hint, mistake in exercise.mistakes.items():
        try:
            mistaken = mistake(*copy.deepcopy(arguments))
            same = difference(result, mistaken, exercise.tolerance) is None
        except Exception:  # nobody can make this mistake on this input
            same = False
        if same:
            return hint
    return exercise.hint


def _is_array_in_lists(exercise: Exercise, result: object, arguments: tuple) -> bool:
    """Return whether a list came in place of the array that has the same numbers."""
    if not isinstance(result, list | tuple):
        return False
    expected = exercise.solution(*copy.deepcopy(arguments))
    try:
        numbers = expected.tolist() if is_array(expected) else None
        return numbers is not None and not difference(
            without_arrays(result), numbers, exercise.tolerance
        )
    except Exception:  # some lists bear no look
        return False


def _call(function: Callable, arguments: tuple, seconds: float) -> object:
    """`function(*arguments)` in a thread of its own, for `seconds` at most.

    A thread, because signals reach only the main thread and not Windows. One that runs
    over time is asked to stop: the exception arrives at its next line of Python.
    """
    outcome: dict[str, Any] = {}

    def work() -> None:
        try:
            outcome["result"] = function(*arguments)
        except BaseException as error:  # SystemExit and its like are answers too
            outcome["error"] = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        stop = ctypes.py_object(SystemExit)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident or 0), stop
        )
        raise TimeoutError
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]


def _describe_input(exercise: Exercise, arguments: tuple) -> str:
    names = inspect.signature(exercise.solution).parameters
    pairs = zip(names, arguments, strict=False)
    return ", ".join(f"{name} = {describe(value)}" for name, value in pairs)
