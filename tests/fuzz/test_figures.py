"""Live figures, forecasts, exercises and benches from Python, under odd input: a value
is taken or refused in words, and the HTML has the same tags whatever it says.
"""

import json
import math
from dataclasses import replace
from functools import cache
from importlib import import_module
from unittest import mock

import pytest
import traitlets
from bs4 import BeautifulSoup
from fuzzing import (
    ODD_NUMBERS,
    ODD_TEXT,
    ODD_THINGS,
    Refused,
    attempt,
    examples,
    exercise_numbers,
)
from hypothesis import given
from hypothesis import strategies as st

from attnlab import live
from attnlab.bench import (
    AlignmentBench,
    BottleneckBench,
    EncoderBench,
    PartsBench,
    PositionsBench,
    RecallBench,
)
from attnlab.bench.job import running
from attnlab.exercises import checking
from attnlab.training import History

FIGURES = (
    "Alignment", "Bottleneck", "ByHand", "Cells", "Clock", "Cost", "CutWire", "Dials",
    "Energy", "Heads", "Hero", "Influence", "LookUp", "Machine", "Numeral", "OneStep",
    "Positions", "PublishedHeads", "Roofline", "Sampling", "Shelf", "SixScores",
    "Train", "Translate",
)  # fmt: skip
REFUSALS = (traitlets.TraitError, TypeError, ValueError)
POINT = st.lists(st.floats(-3, 3) | ODD_NUMBERS, min_size=2, max_size=2)
VALUES = st.one_of(
    ODD_THINGS,
    st.integers(-5, 70),
    st.floats(-5, 120),
    st.booleans(),
    st.lists(POINT, max_size=4),
    POINT,
    st.lists(st.integers(-1, 64), max_size=4),
    st.lists(st.lists(st.booleans(), max_size=4), max_size=3),
    st.lists(st.sampled_from(["attention", "gru", "encoder"]), max_size=3),
    st.lists(ODD_THINGS, max_size=3),
    st.dictionaries(st.text(), ODD_THINGS, max_size=2),
    st.sampled_from(["de", "en", "plane", "pictures", "flops", "dot", "302", "n", "d"]),
)


def check_html(figure: live.LiveFigure) -> None:
    """Its HTML has the same tags whatever its traits hold, its state is JSON."""
    page = BeautifulSoup(figure._repr_html_(), "html.parser")
    tags = " ".join(tag.name for tag in page.figure.find_all())
    answer = "p details summary p " if isinstance(figure, live.Forecast) else ""
    assert tags == f"p p {answer}figcaption script script script"
    state = json.loads(page.script.string, parse_constant=lambda name: 1 / 0)
    plain = json.loads(json.dumps(figure.state(), allow_nan=False))
    assert {name: state[name] for name in plain} == plain


# What else a figure works out from its traits, all of which must be finite.
WORKED_OUT = {
    "Energy": lambda figure: figure.fall(),
    "LookUp": lambda figure: figure.attend(),
    "OneStep": lambda figure: figure.take(),
}


@pytest.mark.parametrize("name", FIGURES)
@examples(0.5)
@given(data=st.data(), value=VALUES)
def test_any_value_of_a_trait_is_taken_or_refused(name, data, value):
    figure = getattr(live, name)()
    before = figure.state()
    trait = data.draw(st.sampled_from(sorted(before)))
    if isinstance(attempt(setattr, figure, trait, value, errors=REFUSALS), Refused):
        assert figure.state() == before
    check_html(figure)
    for found in WORKED_OUT.get(name, lambda figure: ())(figure):
        assert found.isfinite().all()
    made = attempt(getattr(live, name), errors=REFUSALS, **{trait: value})
    if not isinstance(made, Refused):
        check_html(made)


NUMBERS = st.floats(-5, 120) | st.integers(-5, 120) | ODD_NUMBERS
LABELS = st.lists(ODD_TEXT | st.integers(0, 9) | ODD_NUMBERS, max_size=5)
ENDS = st.just((0, 100)) | st.tuples(NUMBERS, NUMBERS) | ODD_THINGS
QUESTIONS = st.one_of(
    st.fixed_dictionaries({"choices": LABELS | ODD_THINGS}),
    st.fixed_dictionaries({"scale": ENDS}),
    st.fixed_dictionaries({"x": LABELS | ODD_THINGS, "yrange": ENDS}),
    st.fixed_dictionaries({"choices": LABELS, "scale": ENDS}),
)
NOTES = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("unit", "because", "xlabel"), ODD_TEXT | ODD_THINGS),
        **dict.fromkeys(("close", "step"), NUMBERS),
    },
)
ANSWERS = NUMBERS | ODD_THINGS | st.lists(st.floats(0, 100), max_size=5) | LABELS


@examples()
@given(st.data(), st.just("an-id") | ODD_TEXT, ODD_TEXT, QUESTIONS, NOTES)
def test_a_forecast_is_made_or_refused(data, id, question, kind, notes):
    labels = kind.get("choices") or kind.get("x")
    own = st.sampled_from(labels) if isinstance(labels, list) and labels else NUMBERS
    answer, guess = data.draw(own | ANSWERS), data.draw(ANSWERS)
    options = {**kind, **notes, "answer": answer}
    made = attempt(live.Forecast, id, question, errors=REFUSALS, **options)
    if isinstance(made, Refused):
        return
    check_html(made)
    refused = isinstance(
        attempt(setattr, made, "guess", guess, errors=REFUSALS), Refused
    )
    assert (made.right is None) == (refused or guess is None)
    made.guess = made.answer
    assert made.right and (made.choices or made.distance() == 0)
    for name in ("question", "answer", "tolerance"):
        before = getattr(made, name)
        attempt(setattr, made, name, guess, errors=REFUSALS)
        assert getattr(made, name) == before
    check_html(made)


EXERCISES = exercise_numbers()


@examples()
@given(st.sampled_from(EXERCISES) | ODD_TEXT | ODD_THINGS, ANSWERS)
def test_an_exercise_is_made_or_refused(number, answer):
    made = attempt(live.Exercise, number, errors=REFUSALS)
    if isinstance(made, Refused):
        assert number not in EXERCISES or checking.find_exercise(number).inputs
        return
    attempt(setattr, made, "answer", answer, errors=REFUSALS)
    found = checking.find_exercise(number)
    assert made.verdict().startswith(("Right.", "Not yet: ", "Not answered yet."))
    assert (made.right is None) == (made.answer is None)
    assert checking.find_hint(found, made.answer) in [*found.mistakes, found.hint]
    json.dumps(made.state(), allow_nan=False)
    made.answer = found.solution()
    assert made.right


MEASURES = {
    "bottleneck": {"parameters": 1},
    "scores": {"parameters": 1, "aer": 0.5},
    "encoders": {"parameters": 1, "words": 0.5, "round": 0.5},
    "positions": {"right": dict.fromkeys("1234", 0.5)},
    "recall.split": {"parameters": 1, "right": {"4": 0.5, "127": 0.5}},
    "ablations": {"parameters": 1, "exact": 0.5},
}
BENCHES = [BottleneckBench, AlignmentBench, EncoderBench]
BENCHES += [PositionsBench, RecallBench, PartsBench]
made = cache(lambda kind: kind())  # a bench takes a while to draw


def text(widget) -> str:
    return BeautifulSoup(widget.value, "html.parser").get_text()


@pytest.mark.parametrize("kind", BENCHES)
@examples(0.5)
@given(
    st.lists(
        st.tuples(st.integers(0, 7), st.integers(-5, 60_000).map(str) | ODD_TEXT),
        max_size=4,
    ),
)
def test_whatever_is_typed_is_trained_with_or_answered(kind, typed):
    bench, trained = made(kind), []
    bench.__init__()
    boxes = [w for w in bench._inputs.values() if not hasattr(w, "options")]
    boxes.append(bench._seeds)
    for place, value in typed:
        boxes[place % len(boxes)].value = value

    def measure(*, progress, longest=1, **setting):
        trained.append(setting)
        progress(History(loss=[1.0]), 1)
        right = {str(n): 0.5 for n in range(1, longest + 3)}
        return {**MEASURES[bench.study.name], "exact_match": right}

    with mock.patch.object(bench, "study", replace(bench.study, measure=measure)):
        before = len(bench.runs)
        bench._train.click()
        if job := running():
            assert job.join(60)
    assert "This failed" not in text(bench.results.said)
    assert len(bench.runs) - before == len(trained)
    assert trained or text(bench._problem)
    assert bench.results.picture.value.count("<svg") == 1 + bool(bench.runs)


@examples()
@given(ODD_TEXT, st.booleans(), st.floats() | st.integers(0, 10**9))
def test_what_a_bench_says_is_never_markup(words, wrong, seconds):
    page = import_module("attnlab.bench.page")
    html = page.said(words, wrong=wrong) + page.failure(ValueError(words))
    names = {tag.name for tag in BeautifulSoup(html, "html.parser").find_all()}
    assert names <= {"div", "br", "details", "summary", "pre"}
    told = attempt(page.duration, seconds)
    assert isinstance(told, Refused) == (not 0 <= seconds < math.inf)
