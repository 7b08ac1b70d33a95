"""The live figures under odd inputs: every state that their Python class lets through,
a restless reader's doings, markup in what is typed, weights that are damaged; and the
functions of their JavaScript against Python's, on inputs drawn by lot.

A quick run tries the same few examples every time. To try many, and new ones:
`pytest tests/live/test_fuzz.py --hypothesis-profile thorough`.
"""

import json

import pytest
import traitlets
from fuzzing import ODD_NUMBERS, ODD_TEXT, ODD_THINGS, fuzz
from hypothesis import given
from hypothesis import strategies as st

from attnlab import live
from attnlab.live.weights import names, read_base64

FIGURES = ("Hero", "Bottleneck", "Alignment", "LookUp", "Heads", "Positions", "Cost")
FIGURES += ("Translate", "Energy")

MARKUP = (
    '<img src=x onerror="window.hacked = 1">',
    "</script><script>window.hacked = 1</script>",
    '"><b class=injected onmouseover="window.hacked = 1">',
    "<svg onload='window.hacked = 1'>",
    "javascript:window.hacked=1",
)
# What readers type: numbers nearly right, words nearly known, and all the odd text.
TYPED = st.one_of(
    ODD_TEXT,
    st.sampled_from(MARKUP),
    st.sampled_from(["0", "7", "4786", "12,345", "-5", "2.5", "1e3", ".", "1e999"]),
    st.sampled_from(["twenty one", "hundred hundred", "zwei und zwanzig", "我想"]),
    st.sampled_from(["The dog sleeps.", "I am 25 years old!", "Ünïcödé", "٣٤", "½"]),
    st.integers(-(10**13), 10**13).map(str),
    st.floats(-200, 200).map(str),
)
SHARE = st.floats(0, 1)
# What `monkey.js` can do; what is named twice is done twice as often.
DOINGS = ["press", "press", "slide", "type", "choose", "key", "key", "drag"]
DOINGS += ["theme", "resize", "leave", "wait"]
ACTS = st.builds(
    lambda kind, which, where, text: {
        "kind": kind,
        "which": which,
        "where": where,
        "text": text if kind == "type" else "",
    },
    st.sampled_from(DOINGS),
    SHARE,
    SHARE,
    TYPED,
)


class Stage:
    """An empty page in which figures are shown, all by the same functions."""

    def __init__(self, browser, monkey: str) -> None:
        self.page = browser.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.set_content('<!doctype html><html lang="en"><main></main></html>')
        self.page.mouse.move(5, 5)
        self._import("monkey", monkey)
        self._modules: set[str] = set()

    def show(self, figure) -> list[str]:
        """Show a figure, and return what is wrong with it."""
        self._load(type(figure))
        return self.page.evaluate(
            """async ([name, state]) => {
                monkey.show(window[name], state);
                await monkey.drawn();
                return monkey.faults();
            }""",
            [type(figure).__name__, full_state(figure)],
        )

    def play(self, figure, acts: list[dict]) -> dict | None:
        """Show a figure, do things to it, and return what went wrong first."""
        self._load(type(figure))
        return self.page.evaluate(
            "([name, state, acts]) => monkey.play(window[name], state, acts)",
            [type(figure).__name__, full_state(figure), acts],
        )

    def uncaught(self) -> list[str]:
        """The errors since the last call that no script caught."""
        found, self.errors[:] = self.errors[:], []
        return found

    def _load(self, kind: type) -> None:
        if kind.__name__ in self._modules:
            return
        figure = kind()
        self._import(kind.__name__, figure._esm)
        self.page.add_style_tag(content=figure._css)
        if not self._modules:  # the first module brings the shelf for weights
            for name in names():
                self.page.evaluate(
                    "([name, base64]) => attnlabWeights(name, base64)",
                    [name, read_base64(name)],
                )
        self._modules.add(kind.__name__)

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
def stage(browser, request):
    """The page in which all figures of this file are shown."""
    made = Stage(browser, (request.path.parent / "monkey.js").read_text("utf-8"))
    yield made
    made.page.close()


def full_state(figure) -> dict:
    """What a figure writes into a page."""
    state = {**figure.state(), "_frame": figure._frame, "_weights": figure._weights}
    return json.loads(json.dumps(state, allow_nan=False))


# States -------------------------------------------------------------------------------


def fitting(trait: traitlets.TraitType) -> st.SearchStrategy:
    """Values that a trait may well take."""
    if isinstance(trait, traitlets.Enum):
        return st.sampled_from(list(trait.values))
    if isinstance(trait, traitlets.Bool):
        return st.booleans()
    if isinstance(trait, traitlets.Int):
        least, most = within(trait, 12)
        return st.integers(least, most) | st.sampled_from([least, most])
    if isinstance(trait, traitlets.Float):
        least, most = within(trait, 100.0)
        return st.floats(least, most) | st.sampled_from([least, most])
    return TYPED


def within(trait: traitlets.Int | traitlets.Float, most: float) -> tuple:
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
def looked_up(draw: st.DrawFn) -> dict:
    queries, keys = draw(st.integers(1, 3)), draw(st.integers(2, 6))
    row = st.lists(st.booleans(), min_size=keys, max_size=keys)
    number = st.floats(-100, 100)
    return {
        "query": draw(points(queries, 4.0)),
        "key": draw(points(keys, 4.0)),
        "value": draw(st.lists(number, min_size=keys, max_size=keys)),
        "mask": draw(st.lists(row, min_size=queries, max_size=queries)),
    }


def some_of(everything: list) -> st.SearchStrategy:
    return st.lists(st.sampled_from(everything), unique_by=str)


# Lists that go together, or must be of one kind.
LISTS = {
    "LookUp": looked_up(),
    "Energy": st.fixed_dictionaries(
        {"pattern": st.integers(2, 6).flatmap(points), "flipped": some_of([*range(64)])}
    ),
    "Heads": st.fixed_dictionaries(
        {"heads_off": some_of([[i, j] for i in range(2) for j in range(4)])}
    ),
    "Translate": st.fixed_dictionaries(
        {"heads_off": some_of([["cross", 1, j] for j in range(4)])}
    ),
    "Cost": st.fixed_dictionaries(
        {"layers": some_of(["attention", "banded", "gru", "dilated", "separable"])}
    ),
}
ODD_VALUES = ODD_THINGS | st.lists(ODD_NUMBERS | ODD_TEXT, max_size=3)


@st.composite
def traits(draw: st.DrawFn, name: str) -> dict:
    """Some traits of a figure: most fit, some are nonsense."""
    kind = getattr(live, name)
    own = kind().state()
    chosen = draw(LISTS.get(name, st.just({})))
    for trait in draw(some_of(sorted(set(own) - set(chosen) - {"machines"}))):
        chosen[trait] = draw(fitting(kind.class_traits()[trait]))
    if draw(st.integers(0, 3)) == 0:
        chosen[draw(st.sampled_from(sorted(own)))] = draw(ODD_VALUES)
    return chosen


def made(name: str, chosen: dict) -> live.LiveFigure | None:
    """The figure, or None if it refuses these traits and says clearly why."""
    try:
        return getattr(live, name)(**chosen)
    except traitlets.TraitError as error:
        assert len(str(error).split()) > 3
        return None


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_draws_every_state_that_it_takes(stage, name):
    @fuzz(share=0.5)
    @given(traits(name))
    def draws(chosen):
        figure = made(name, chosen)
        if figure is not None:
            assert stage.show(figure) == []
            assert stage.uncaught() == []

    draws()


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_bears_a_restless_reader(stage, name):
    figure = getattr(live, name)()

    @fuzz(share=0.25)
    @given(st.lists(ACTS, min_size=5, max_size=25))
    def plays(acts):
        assert stage.play(figure, acts) is None
        assert stage.uncaught() == []

    plays()
