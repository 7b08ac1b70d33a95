"""Benches under odd input: whatever is typed is trained with or answered."""

import math
from functools import cache
from unittest import mock

from bs4 import BeautifulSoup
from fuzzing import ODD_NUMBERS, ODD_TEXT, ODD_THINGS, REFUSED, attempt, fuzz
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from attnlab.bench import AlignmentBench, BottleneckBench
from attnlab.bench.base import Bench, TooLong
from attnlab.bench.fields import Choice, Whole, differences, epochs
from attnlab.bench.job import Job, running, seconds_a_step
from attnlab.bench.page import drawing, duration, failure, said, style_sheet
from attnlab.bench.stored import Stored
from attnlab.data import NumberPairs
from attnlab.recurrent import Seq2Seq
from attnlab.training import History

TYPED = st.one_of(st.integers(-5, 60_000).map(str), ODD_TEXT)
FIGURES = {
    "bottleneck": {"parameters": 1},
    "scores": {"parameters": 1, "aer": 0.5},
}
made = cache(lambda kind: kind())  # a bench takes a while to draw


def text(widget):
    return BeautifulSoup(widget.value, "html.parser").get_text()


@fuzz(Bench, BottleneckBench, AlignmentBench, TooLong)
@given(
    st.sampled_from([BottleneckBench, AlignmentBench]),
    st.lists(st.tuples(st.integers(0, 7), TYPED), max_size=4),
    st.sampled_from([0.0, 0.01, 1e6]),
)
def test_whatever_is_typed_is_trained_with_or_answered(kind, typed, pace):
    bench, trained = made(kind), []
    bench.__init__()
    boxes = [w for w in bench._inputs.values() if not hasattr(w, "options")]
    for place, value in typed:
        boxes[place % len(boxes)].value = value

    def measure(setting, progress):
        trained.append(setting)
        progress(History(loss=[1.0]), 1)
        right = {str(n): 0.5 for n in range(1, setting["longest"] + 3)}
        return {**FIGURES[bench.study], "exact_match": right}

    with (
        mock.patch("attnlab.bench.base.seconds_a_step", lambda *batch: pace),
        mock.patch.object(bench, "measure", measure),
    ):
        before = len(bench.runs)
        bench._train.click()
        if job := running():
            assert job.join(60)
    assert "This failed" not in text(bench._said)
    assert len(bench.runs) - before == len(trained)
    assert trained or text(bench._problem)
    assert bench._picture.value.count("<svg") == 1


@fuzz(Whole, Choice)
@given(TYPED, st.integers(0, 10), st.integers(10, 10**6))
def test_a_field_reads_or_refuses(typed, low, high):
    whole = Whole("n", "Count", low, low, high)
    choice = Choice("c", "Kind", {"a": 1, "b": 2})
    assert whole.read(whole.widget().value) == low
    read = attempt(whole.read, typed)
    assert read is REFUSED or low <= read <= high
    assert attempt(choice.read, typed) in (REFUSED, 1, 2)
    assert attempt(choice.read, choice.widget().value) == 1


@fuzz(differences, epochs)
@given(st.integers(1, 50), st.integers(1, 50))
def test_settings_differ_where_their_values_do(one, other):
    fields = (Whole("epochs", "Epochs", 1, 1, 50),)
    found = differences(fields, {"epochs": one}, {"epochs": other})
    assert found == ["epochs"] * (one != other)
    assert str(one) in epochs({"epochs": one})


@fuzz(Job, running)
@given(st.lists(st.floats(-10, 10), min_size=1, max_size=6), st.integers(0, 8))
def test_a_job_follows_every_step_until_it_is_told_to_stop(losses, asked):
    taken, ended = [], []

    def work(job):
        history = History()
        for step, loss in enumerate(losses, start=1):
            history.loss.append(loss)
            taken.append(step)
            if step == asked:
                job.stop()
            if job.follow(history, len(losses)):
                return

    job = Job(work, lambda job: None, ended.append)
    assert job.start() and job.join(60)
    assert ended == [None] and running() is None
    stops = 0 < asked < len(losses)
    assert job.stopped == stops and len(taken) == (asked if stops else len(losses))
    assert math.isclose(job.loss, sum(losses[: len(taken)]) / len(taken), abs_tol=1e-9)


@fuzz(seconds_a_step, share=0.3)
@given(st.lists(st.integers(0, 999), min_size=1, max_size=4))
def test_a_step_takes_some_time(numbers):
    pairs = NumberPairs(numbers)
    model = Seq2Seq(len(pairs.src_vocab), len(pairs.tgt_vocab), 4)
    assert 0 < seconds_a_step(model, pairs) < 60


@fuzz(duration)
@given(st.one_of(st.floats(0, 1e12), st.integers(0, 10**9), st.floats()))
def test_a_time_is_said_or_refused(seconds):
    words = attempt(duration, seconds)
    assert words is REFUSED or words[0].isdigit()
    assert (words is REFUSED) == (not 0 <= seconds < math.inf)


@fuzz(said, failure, style_sheet)
@given(ODD_TEXT, st.booleans())
def test_what_is_said_is_never_markup(words, wrong):
    page = BeautifulSoup(
        said(words, wrong=wrong) + failure(ValueError(words)), "html.parser"
    )
    names = {tag.name for tag in page.find_all()}
    assert names <= {"div", "br", "details", "summary", "pre"}
    assert style_sheet().count("<style>") == 1


@fuzz(drawing, share=0.5)
@given(ODD_TEXT)
def test_a_drawing_is_one_element_whatever_it_says(alt):
    svg = drawing(Figure(figsize=(1, 1)), alt)
    page = BeautifulSoup(svg, "html.parser")
    assert len(page.find_all("svg")) == 1 and page.find("script") is None


@fuzz(Stored, share=0.3)
@given(st.dictionaries(st.just("d_model"), st.integers(1, 10**6)), ODD_THINGS)
def test_the_nearest_is_one_of_the_stored(setting, odd):
    stored = Stored("bottleneck", lambda s: s, {"d_model": 1.0, "odd": 1.0})
    for other, _ in stored.groups:
        other["odd"] = None
    wanted = {"d_model": 64, "odd": odd if isinstance(odd, str) else "", **setting}
    assert stored.nearest(wanted) in stored.groups
    assert stored.distance(wanted, wanted) == 0


@fuzz(Stored, share=0.3)
@given(ODD_NUMBERS)
def test_a_study_without_results_is_refused(name):
    errors = (ValueError, FileNotFoundError)
    found = attempt(Stored, f"x{name}", lambda s: s, {}, errors=errors)
    assert found is REFUSED
