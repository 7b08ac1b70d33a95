"""Exercises that the page checks: by mouse, by keyboard, and as `check` does."""

import math
import random
import re

import pytest
import torch
from drawing import reload
from fuzzing import exercise_numbers
from playwright.sync_api import expect
from reading import expect_status, press_button, stored_records
from traitlets import TraitError

from attnlab.exercises.checking import exercise, find_exercise
from attnlab.live import Exercise

PREFIX = "attnlab-exercise-"

VALUES = [number for number in exercise_numbers() if not find_exercise(number).inputs]


@exercise(
    "98.1",
    choices=("it <b>falls</b>", "it rises", "it stays"),
    mistakes={"That is the other way round.": lambda: "it rises"},
    hint="Which number grows?",
)
def choice_solution():
    return "it <b>falls</b>"


@exercise(
    "98.2",
    mistakes={"A head has its own map: where are they?": lambda: (2, 10, 7)},
    hint="Rows are queries.",
)
def shape_solution():
    return (2, 8, 10, 7)


@exercise(
    "98.3",
    mistakes={"What is said last is never read.": lambda: ["BOS", "drei", "EOS"]},
    hint="What has been said before each word?",
)
def sentence_solution():
    return ["BOS", "drei"]


MADE_EXERCISES = ["98.1", "98.2", "98.3"]
EXERCISE_NUMBERS = [
    *(number for number in VALUES if "98" not in number),
    *MADE_EXERCISES,
]


def answer_box(page, at=0):
    return page.get_by_role("textbox").nth(at)


def verdict_sign(page, at=0) -> str:
    """The sign that stands before what came of an answer."""
    status = page.get_by_role("status").nth(at)
    drawn = status.evaluate("e => getComputedStyle(e, '::before').content")
    return "".join(letter for letter in drawn if letter in "✓✗")


# In the page -------------------------------------------------------------------------


TYPED = {  # a wrong and a right answer, as it is typed and what it is
    "3.1": ("12", 12, "12/2", 6),
    "2.1": ("2, 3, 5", [2, 3, 5], "[0.2, 3/10, 0.5]", [0.2, 0.3, 0.5]),
    "98.2": ("(2, 10, 7)", (2, 10, 7), "2 x 8 x 10 x 7", (2, 8, 10, 7)),
    "98.3": (
        "BOS drei EOS",
        ["BOS", "drei", "EOS"],
        '["BOS", "drei"]',
        ["BOS", "drei"],
    ),
}


def test_exercise_typed_answer_is_checked_and_kept(show_figures):
    page = show_figures(*map(Exercise, TYPED))
    for at, (number, (wrong, mistake, right, answer)) in enumerate(TYPED.items()):
        field = page.get_by_role("textbox", name=f"Exercise {number}: ")
        expect_status(page, "Not answered yet.", at)
        assert verdict_sign(page, at) == ""
        for typed, value in ((wrong, mistake), (right, answer)):
            field.fill(typed)
            if typed == right:
                expect_status(page, f"Checked last: {wrong}. Not yet", at)
                field.press("Enter")
            else:
                press_button(page, "Check", at)
            verdict = Exercise(number, answer=value).verdict()
            expect(page.get_by_role("status").nth(at)).to_have_text(verdict)
            assert verdict_sign(page, at) == ("✓" if typed == right else "✗")
        assert stored_records(page, PREFIX)[number] == {"typed": right}


def test_exercise_answer_survives_reload_until_cleared(show_figures):
    page = show_figures(Exercise("4.1"), Exercise("3.1"))
    answer_box(page).fill("1,048,576")
    press_button(page, "Check")
    reload(page)
    expect(page.get_by_role("status").first).to_have_text("Right.")
    expect(answer_box(page)).to_have_value("1,048,576")
    expect_status(page, "Not answered yet.", at=1)
    press_button(page, "Clear")
    expect_status(page, "Not answered yet.")
    expect(answer_box(page)).to_have_value("")
    expect(answer_box(page)).to_be_focused()
    assert stored_records(page, PREFIX) == {}
    reload(page)
    expect_status(page, "Not answered yet.")


def test_exercise_unreadable_answer_shows_error(show_figures):
    page = show_figures(*map(Exercise, TYPED))
    for number, typed, answer in (
        ("3.1", "", "Type a number, such as"), ("3.1", "  ", "Type a number, such as"),
        ("3.1", "seven", "“seven” is not a number."), ("3.1", "0/0", "is not a number"),
        ("3.1", "1,2,3", "is not a number"), ("3.1", "2**5", "is not a number"),
        ("3.1", "1/0", "is too large"), ("3.1", "1e999", "is too large"),
        ("3.1", "<img src=x onerror=alert(1)>", "is not a number"),
        ("2.1", "0.2, b, 0.5", "“b” is not a number."),
        ("98.2", "2, 3.5", "A shape has whole numbers"),
        ("98.2", "-1, 2", "none of them negative"), ("98.3", "[]", "Type tokens"),
    ):  # fmt: skip
        field = answer_box(page, list(TYPED).index(number))
        field.fill(typed)
        field.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text(answer)
        expect(field).to_have_attribute("aria-invalid", "true")
        expect_status(page, "Not answered yet.", list(TYPED).index(number))
        assert stored_records(page, PREFIX) == {}
        field.press("7")
        expect(page.get_by_role("alert")).to_have_count(0)


def test_exercise_page_source_hides_hint():
    page = Exercise("3.1")._repr_html_()
    assert "A box for an answer" in page  # without a script
    for told in (*find_exercise("3.1").mistakes, find_exercise("3.1").hint):
        assert told not in page


# What is typed -----------------------------------------------------------------------


PARSED_ANSWERS = [
    ("number", "1,048,576", 1048576), ("number", "2 487", 2487),
    ("number", "1,234.5", 1234.5), ("number", "1/3", 1 / 3),
    ("number", "4 · 512 × 512", 4 * 512 * 512), ("number", "0,333", 0.333),
    ("number", "−1.5", -1.5), ("number", ".5", 0.5), ("number", "1e6", 1e6),
    ("number", " +7 ", 7),
    ("numbers", "[0.2, 0.3, 0.5]", [0.2, 0.3, 0.5]),
    ("numbers", "0,2; 0,3; 0,5", [0.2, 0.3, 0.5]),
    ("numbers", "0.2 0.3 0.5", [0.2, 0.3, 0.5]),
    ("numbers", "1/2, 1 / 3", [1 / 2, 1 / 3]),
    ("numbers", "tensor([0.2, -0.3])", [0.2, -0.3]),
    ("shape", "(2, 3)", [2, 3]), ("shape", "2 × 3", [2, 3]),
    ("shape", "torch.Size([2, 3])", [2, 3]), ("shape", "(5,)", [5]),
    ("shape", "()", []), ("shape", "2x3x4", [2, 3, 4]),
    ("sentence", "BOS | drei", ["BOS", "drei"]),
    ("sentence", "['BOS', 'drei']", ["BOS", "drei"]),
]  # fmt: skip


@pytest.mark.computes
def test_parse_answer_accepts_usual_notations(modules, page):
    modules("figures/exercise/reading.js")
    for kind, typed, answer in PARSED_ANSWERS:
        found = page.evaluate(
            "([kind, text]) => parseAnswer({ kind, choices: [], largest: 1e15 }, text)",
            [kind, typed],
        )
        assert found == {"answer": answer}, typed


# As Python checks --------------------------------------------------------------------


def nearby_answers(draw, value):
    """Something about as large as a value, of its kind; now and then just beside it."""
    if isinstance(value, list | tuple):
        some = [nearby_answers(draw, one) for one in value]
        cut = draw.choice([0, 0, 0, 1])
        return some[: len(some) - cut] + some[:1] * draw.choice([0, 0, 0, 1])
    if isinstance(value, str):
        return draw.choice([value, "", "drei"])
    width = 10 ** draw.uniform(-6, 1)
    moved = draw.choice([value, value * (1 + draw.gauss(0, width)), draw.gauss(0, 99)])
    return draw.choice([moved, float(round(moved)), round(moved, 2)])


def answers_to_check(number) -> list:
    """The right answer, every mistake, and 200 answers beside them."""
    found = find_exercise(number)
    known = [found.solution(), *(mistake() for mistake in found.mistakes.values())]
    draw = random.Random(number)
    if found.choices:
        return list(found.choices)
    return [*known, *(nearby_answers(draw, draw.choice(known)) for _ in range(200))]


@pytest.mark.computes
def test_exercise_verdict_equals_python(modules, page):
    modules("figures/exercise/judging.js")
    for number in EXERCISE_NUMBERS:
        figure = Exercise(number)
        answers = answers_to_check(number)
        told = page.evaluate(
            """([state, answers]) => {
                const asked = readQuestion({ get: (name) => state[name] });
                return [null, ...answers].map((one) => exerciseVerdict(asked, one));
            }""",
            [figure.state() | {"_frame": figure._frame}, answers],
        )
        expected = [figure.verdict()]
        for answer in answers:
            figure.answer = answer
            expected.append(figure.verdict())
        assert told == expected, number
        kinds = {sentence.split(".")[0].split(":")[0] for sentence in told}
        assert kinds == {"Not answered yet", "Right", "Not yet"}


def test_exercise_widget_and_kernel_exchange_answers(view, page):
    view(Exercise("2.1", answer=torch.tensor([2.0, 3.0, 5.0])))
    expect(answer_box(page)).to_have_value("2, 3, 5")
    expect_status(page, "Those are the exponentials.")
    answer_box(page).fill("2; 3; 4")
    answer_box(page).press("Enter")
    assert page.evaluate("widget.get('answer')") == [2, 3, 4]
    page.evaluate("widget.set('answer', [0.2, 0.3, 0.5])")  # from Python
    expect(page.get_by_role("status")).to_have_text("Right.")
    expect(answer_box(page)).to_have_value("0.2, 0.3, 0.5")


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: Exercise("3.2"), ValueError, "is code: use check('3.2', …)"),
        (lambda: Exercise("3.99"), ValueError, "no check '3.99'"),
        (lambda: Exercise("3.1", answer="six"), TraitError, "must be a number"),
        (lambda: Exercise("3.1", answer=math.nan), TraitError, "must lie in"),
        (lambda: Exercise("3.1", answer=True), TraitError, "must be a number"),
        (lambda: Exercise("2.1", answer=3), TraitError, "must be a list"),
        (lambda: Exercise("2.1", answer=["a"]), TraitError, "each of answer"),
        (lambda: Exercise("98.1", answer="it sinks"), TraitError, "one of it <b>"),
        (lambda: Exercise("98.3", answer=[3]), TraitError, "must be a text"),
        (lambda: Exercise("3.1", sealed="x"), TypeError, "multiple values"),
        (lambda: Exercise("3.1").set_trait("number", "4.1"), TraitError, "is fixed"),
    ],
)
def test_exercise_rejects_what_does_not_fit(make, error, says):
    with pytest.raises(error, match=re.escape(says)):
        make()
