"""Forecasts from Python: any question is taken or refused, and what it says is JSON."""

import json
import math

import traitlets
from bs4 import BeautifulSoup
from fuzzing import ODD_NUMBERS, ODD_TEXT, ODD_THINGS, REFUSED, attempt, fuzz
from hypothesis import given
from hypothesis import strategies as st

from attnlab.live.forecast import Forecast

REFUSALS = (traitlets.TraitError, TypeError)
NUMBERS = st.one_of(st.floats(-5, 120), st.integers(-5, 120), ODD_NUMBERS)
LABELS = st.lists(st.one_of(ODD_TEXT, st.integers(0, 9), ODD_NUMBERS), max_size=5)
ENDS = st.one_of(st.just((0, 100)), st.tuples(NUMBERS, NUMBERS), ODD_THINGS)
KINDS = st.one_of(
    st.fixed_dictionaries({"choices": st.one_of(LABELS, ODD_THINGS)}),
    st.fixed_dictionaries({"scale": ENDS}),
    st.fixed_dictionaries({"x": st.one_of(LABELS, ODD_THINGS), "yrange": ENDS}),
    st.fixed_dictionaries({"choices": LABELS, "scale": ENDS}),
)
REST = st.fixed_dictionaries(
    {},
    optional={
        "unit": st.one_of(ODD_TEXT, ODD_THINGS),
        "because": st.one_of(ODD_TEXT, ODD_THINGS),
        "xlabel": st.one_of(ODD_TEXT, ODD_THINGS),
        "close": NUMBERS,
        "step": NUMBERS,
    },
)
SMALL = st.lists(st.floats(0, 100), max_size=5)
VALUES = st.one_of(NUMBERS, ODD_THINGS, SMALL, LABELS)


@fuzz(Forecast)
@given(
    st.data(),
    st.one_of(st.just("an-id"), ODD_TEXT),
    st.one_of(st.just("How many?"), ODD_TEXT),
    KINDS,
    REST,
)
def test_a_forecast_is_made_or_refused(data, id, question, kind, rest):
    labels = kind.get("choices") or kind.get("x")
    own = st.sampled_from(labels) if isinstance(labels, list) and labels else NUMBERS
    answer = data.draw(st.one_of(own, SMALL, VALUES))
    made = attempt(
        Forecast, id, question, **kind, **rest, answer=answer, errors=REFUSALS
    )
    if made is REFUSED:
        return
    check_html(made)
    guess = data.draw(st.one_of(st.just(made.answer), VALUES))
    try:
        made.guess = guess
    except REFUSALS as error:
        assert str(error) and made.guess is None
    else:
        assert made.right is None if guess is None else isinstance(made.right, bool)
    made.guess = made.answer
    assert made.right and (made.choices or made.distance() == 0)
    for name in ("question", "answer", "tolerance"):
        before = getattr(made, name)
        try:
            setattr(made, name, guess)
        except REFUSALS as error:
            assert str(error)
        assert getattr(made, name) == before
    check_html(made)


def check_html(figure):
    """Its HTML has the same tags whatever it asks, its state is JSON."""
    page = BeautifulSoup(figure._repr_html_(), "html.parser")
    tags = [tag.name for tag in page.find_all()]
    assert tags == [
        "figure", "p", "p", "p", "details", "summary", "p", "figcaption", "script",
        "script",
    ]  # fmt: skip
    state = json.loads(page.script.string, parse_constant=lambda name: 1 / 0)["state"]
    assert state["answer"] == json.loads(json.dumps(figure.answer, allow_nan=False))
    assert math.isfinite(state["tolerance"]) and state["id"] == figure.id
    assert repr(figure) == repr(figure)
