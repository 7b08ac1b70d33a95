"""The live figures under odd inputs: every state that their Python class lets through,
a restless reader's doings, markup in what is typed, weights that are damaged; and the
functions that read what is typed.

A quick run tries the same few examples every time. To try many, and new ones:
`pytest tests/live/test_fuzz.py --hypothesis-profile thorough`.
"""

import base64
import json
from functools import partial

import pytest
import traitlets
from drawing import fail_on_page_errors, module_importer
from fuzzing import ODD_NUMBERS, ODD_TEXT, ODD_THINGS, num_examples
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect

from attnlab import live
from attnlab.exercises.checking import exercise
from attnlab.live import page
from attnlab.live.bundle import JS
from attnlab.saved import names, read_base64

pytestmark = pytest.mark.weekly

# Forecasts and exercises have states of their own, below.
NOT_FUZZED = {"LiveFigure", "Forecast", "Exercise", "load_weights"}
FIGURE_NAMES = [name for name in live.__all__ if name not in NOT_FUZZED]

MARKUP = (
    '<img src=x onerror="window.hacked = 1">',
    "</script><script>window.hacked = 1</script>",
    '"><b class=injected onmouseover="window.hacked = 1">',
    "<svg onload='window.hacked = 1'>",
    "javascript:window.hacked=1",
)
# What readers type: numbers nearly right, words nearly known, and all the odd text.
typed_text = st.one_of(
    ODD_TEXT,
    st.sampled_from(MARKUP),
    st.sampled_from(["0", "7", "4786", "12,345", "-5", "2.5", "1e3", ".", "1e999"]),
    st.sampled_from(["twenty one", "hundred hundred", "zwei und zwanzig", "我想"]),
    st.sampled_from(["The dog sleeps.", "I am 25 years old!", "Ünïcödé", "٣٤", "½"]),
    st.integers(-(10**13), 10**13).map(str),
    st.floats(-200, 200).map(str),
)
fraction = st.floats(0, 1)
# What `monkey.js` can do; what is named twice is done twice as often.
ACTION_NAMES = ["press", "press", "slide", "type", "choose", "key", "key", "drag"]
ACTION_NAMES += ["theme", "resize", "leave", "wait"]
# The first that is tried is a slow machine.
slow_machine = st.sampled_from([True, False])
actions = st.builds(
    lambda kind, which, where, text: {
        "kind": kind,
        "which": which,
        "where": where,
        "text": text if kind == "type" else "",
    },
    st.sampled_from(ACTION_NAMES),
    fraction,
    fraction,
    typed_text,
)


class FigureStage:
    """An empty page in which figures are shown, all by the same functions."""

    def __init__(self, browser, monkey: str) -> None:
        self.page = browser.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.set_content('<!doctype html><html lang="en"><main></main></html>')
        self.page.mouse.move(5, 5)
        self._import("monkey", monkey)
        self._modules: set[str] = set()
        self._weighed = False  # does the shelf hold the weights?

    def show(self, figure) -> list[str]:
        """Show a figure, and return what is wrong with it."""
        self._load(figure)
        return self.page.evaluate(
            """async ([name, state]) => {
                monkey.show(window[name], state);
                await monkey.drawn();
                return monkey.faults();
            }""",
            [type(figure).__name__, full_state(figure)],
        )

    def play(self, figure, acts: list[dict], slow: bool) -> dict | None:
        """Show a figure, do things to it, and return what went wrong first."""
        self._load(figure)
        return self.page.evaluate(
            "([name, ...how]) => monkey.play(window[name], ...how)",
            [type(figure).__name__, full_state(figure), acts, slow],
        )

    def uncaught(self) -> list[str]:
        """The errors since the last call that no script caught."""
        found, self.errors[:] = self.errors[:], []
        return found

    def _load(self, figure) -> None:
        name = type(figure).__name__
        if name in self._modules:
            return
        self._import(name, figure._esm)
        self.page.add_style_tag(content=figure._css)
        if not self._weighed and self.page.evaluate("'attnlabWeights' in window"):
            for weights in names():
                self.page.evaluate(
                    "([name, base64]) => attnlabWeights(name, base64)",
                    [weights, read_base64(weights)],
                )
            self._weighed = True
        self._modules.add(name)

    def _import(self, name: str, source: str) -> None:
        self.page.evaluate(
            """async ([name, source]) => {
                const url = URL.createObjectURL(
                  new Blob([source], { type: "text/javascript" }));
                window[name] = await import(url);
            }""",
            [name, source],
        )


@pytest.fixture(scope="module")
def figure_stage(browser, request):
    """The page in which all figures of this file are shown."""
    made = FigureStage(browser, (request.path.parent / "monkey.js").read_text("utf-8"))
    yield made
    made.page.close()


def full_state(figure) -> dict:
    """What a figure writes into a page."""
    state = {**figure.state(), "_frame": figure._frame, "_weights": figure._weights}
    return json.loads(json.dumps(state, allow_nan=False))


# States -------------------------------------------------------------------------------


def valid_values(trait: traitlets.TraitType) -> st.SearchStrategy:
    """Values that a trait may well take."""
    if isinstance(trait, traitlets.Enum):
        return st.sampled_from(list(trait.values))
    if isinstance(trait, traitlets.Bool):
        return st.booleans()
    if isinstance(trait, traitlets.Int):
        least, most = numbers_within(trait, 12)
        return st.integers(least, most) | st.sampled_from([least, most])
    if isinstance(trait, traitlets.Float):
        least, most = numbers_within(trait, 100.0)
        return st.floats(least, most) | st.sampled_from([least, most])
    return typed_text


def numbers_within(trait: traitlets.Int | traitlets.Float, most: float) -> tuple:
    """The bounds of a number, where it has any."""
    least = -most if trait.min is None else trait.min
    return least, most if trait.max is None else trait.max


def points(count: int, reach: float = 3.0) -> st.SearchStrategy:
    """As many points of the plane, some of them equal or at its edge."""
    number = st.floats(-reach, reach) | st.sampled_from([-reach, 0.0, 1e-300, reach])
    return st.lists(
        st.lists(number, min_size=2, max_size=2), min_size=count, max_size=count
    )


@st.composite
def lookup_traits(draw: st.DrawFn) -> dict:
    queries, keys = draw(st.integers(1, 3)), draw(st.integers(2, 6))
    row = st.lists(st.booleans(), min_size=keys, max_size=keys)
    number = st.floats(-100, 100)
    return {
        "query": draw(points(queries, 4.0)),
        "key": draw(points(keys, 4.0)),
        "value": draw(st.lists(number, min_size=keys, max_size=keys)),
        "mask": draw(st.lists(row, min_size=queries, max_size=queries)),
    }


def subsets(everything: list) -> st.SearchStrategy:
    return st.lists(st.sampled_from(everything), unique_by=str)


# Lists that go together, or must be of one kind.
TRAIT_LISTS = {
    "LookUp": lookup_traits(),
    "Energy": st.fixed_dictionaries(
        {"pattern": st.integers(2, 6).flatmap(points), "flipped": subsets([*range(64)])}
    ),
    "Heads": st.fixed_dictionaries(
        {"heads_off": subsets([[i, j] for i in range(2) for j in range(4)])}
    ),
    "Translate": st.fixed_dictionaries(
        {"heads_off": subsets([["cross", 1, j] for j in range(4)])}
    ),
    "OneStep": st.fixed_dictionaries({"query": points(1).map(lambda drawn: drawn[0])}),
    "Cost": st.fixed_dictionaries(
        {"layers": subsets(["attention", "banded", "gru", "dilated", "separable"])}
    ),
}
odd_values = ODD_THINGS | st.lists(ODD_NUMBERS | ODD_TEXT, max_size=3)


@st.composite
def odd_traits(draw: st.DrawFn, name: str) -> dict:
    """Some traits of a figure: most fit, some are nonsense."""
    kind = getattr(live, name)
    own = kind().state()
    chosen = draw(TRAIT_LISTS.get(name, st.just({})))
    for trait in draw(subsets(sorted(set(own) - set(chosen) - {"machines"}))):
        chosen[trait] = draw(valid_values(kind.class_traits()[trait]))
    if draw(st.integers(0, 3)) == 0:
        chosen[draw(st.sampled_from(sorted(own)))] = draw(odd_values)
    return chosen


def make_or_reject(name: str, chosen: dict) -> live.LiveFigure | None:
    """The figure, or None if it refuses these traits and says clearly why."""
    try:
        return getattr(live, name)(**chosen)
    except traitlets.TraitError as error:
        assert len(str(error).split()) > 3
        return None


def forecasts(guesses: st.SearchStrategy, **asked: object) -> st.SearchStrategy:
    """Forecasts of a kind of question, answered or not."""
    return st.builds(
        live.Forecast,
        *(st.just("a"), st.just("How <i>many</i>?")),
        guess=st.none() | guesses,
        sure=st.sampled_from([None, "guess", "fairly", "sure"]),
        shown=st.booleans(),
        because=ODD_TEXT,
        **{name: st.just(value) for name, value in asked.items()},
    )


def exercises(number: str, answers: st.SearchStrategy) -> st.SearchStrategy:
    return st.builds(live.Exercise, st.just(number), answer=st.none() | answers)


@exercise("97.1", choices=("<b>one</b>", "two"), hint="Which?")
def solution_two():
    return "two"


CHOICES = ["five", "<b>seven</b>", "9"]
percentages = st.lists(st.floats(0, 100), min_size=3, max_size=3)
# Figures in some state; None stands for one that Python refused.
figure_states = {
    **{
        name: odd_traits(name).map(partial(make_or_reject, name))
        for name in FIGURE_NAMES
    },
    "forecast of a choice": forecasts(
        st.sampled_from(CHOICES), choices=CHOICES, answer="9"
    ),
    "forecast of a number": forecasts(
        st.floats(-1, 1), scale=(-1, 1), answer=0.255, unit="%"
    ),
    "forecast of a curve": forecasts(
        percentages, x=[2, "<i>", 9], answer=[0, 50, 100], xlabel="digits"
    ),
    "exercise with a number": exercises(
        "3.1", st.floats(-1e15, 1e15) | st.integers(-99, 99)
    ),
    "exercise with numbers": exercises("2.1", st.lists(st.floats(-9, 9), max_size=4)),
    "exercise with a choice": exercises("97.1", st.sampled_from(["<b>one</b>", "two"])),
}


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", figure_states)
def test_figure_draws_its_states_and_survives_random_actions(figure_stage, name):
    most = 8 if name == "Translate" else 25  # a long sentence takes its time

    @num_examples(0.2)
    @given(
        figure_states[name], st.lists(actions, min_size=5, max_size=most), slow_machine
    )
    def play_actions(figure, acts, slow):
        figure = getattr(live, name)() if figure is None else figure
        assert figure_stage.show(figure) == []
        assert figure_stage.play(figure, acts, slow) is None
        assert figure_stage.uncaught() == []

    play_actions()


FAULTY_FIGURES = {
    "NaN": "figure.querySelector('input[type=text]').value = NaN",
    "undefined": "figure.append(`${undefined} heads`)",
    "<img>": "figure.innerHTML += '<img alt>'",
    "onclick": "figure.firstChild.setAttribute('onclick', '1')",
    "words": "figure.querySelector('[role=status]').textContent = ''",
}


@pytest.mark.parametrize("fault", FAULTY_FIGURES)
def test_random_action_driver_reports_planted_faults(figure_stage, fault):
    assert figure_stage.show(live.LookUp()) == []
    found = figure_stage.page.evaluate(
        """(code) => {
            const figure = document.querySelector("figure");
            new Function("figure", code)(figure);
            return monkey.faults();
        }""",
        FAULTY_FIGURES[fault],
    )
    assert any(fault in one for one in found)


# Functions ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def call_js(browser):
    """Call what `live/js` exports, in a page of its own: `call_js("softmax", [1])`."""
    paths = [path for path in JS.rglob("*.js") if path.stem != "loader"]  # no module
    with fail_on_page_errors(browser.new_page()) as page:
        module_importer(page)(
            *sorted(path.relative_to(JS).as_posix() for path in paths)
        )
        yield lambda code, *given: page.evaluate(
            f"(given) => ({code})(...given)", given
        )


# Weights that are damaged -------------------------------------------------------------


@num_examples()
@given(
    st.integers(0, 43_140),
    st.lists(st.tuples(st.integers(0, 99_999), st.integers(0, 255))),
)
def test_make_model_rejects_damaged_weights(call_js, length, changes):
    code = """(base64, length, changes) => {
        const letters = atob(base64).slice(0, length);
        const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
        for (const [at, byte] of changes) bytes[at % Math.max(1, bytes.length)] = byte;
        try {
          const { tensors } = makeModel(bytes.buffer);
          return [...tensors.values()].every(({ shape, data }) =>
            data.every(Number.isFinite)
            && data.length === shape.reduce((product, size) => product * size, 1));
        } catch (error) {
          return error.message;
        } }"""
    told = call_js(code, read_base64("places-en-1"), length, changes)
    assert told is True or (isinstance(told, str) and told)


WITHOUT_MODEL = json.dumps({"__metadata__": {"attnlab": "no model"}}).encode()
DAMAGED_FILES = {
    "cut": lambda text: text[:4000],
    "empty": lambda text: "",
    "letters": lambda text: "not base64 at all",
    "header": lambda text: base64.b64encode(
        len(WITHOUT_MODEL).to_bytes(8, "little") + WITHOUT_MODEL
    ).decode(),
}


@pytest.mark.parametrize("damage", DAMAGED_FILES)
def test_figure_reports_damaged_weights(show_figures, monkeypatch, damage):
    monkeypatch.setattr(
        page, "read_base64", lambda model: DAMAGED_FILES[damage](read_base64(model))
    )
    told = expect(show_figures(live.Hero()).get_by_role("status"))
    told.to_contain_text("are damaged")
    told.to_contain_text("Load the page again")
