"""Forecasts: a guess by mouse, finger, keyboard; where it is kept; and the answer."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from accessibility import violations
from bs4 import BeautifulSoup
from drawing import reload, wait_until_drawn
from playwright.sync_api import expect
from pytest import approx
from reading import expect_status, parse_numbers, press_button, stored_records
from traitlets import TraitError

from attnlab.live import Forecast

BOOK = Path(__file__).parents[2] / "book"
PREFIX = "attnlab-forecast-"


def choice(id="c01-which", **options):
    question = "Which network is right most often?"
    names = ["a plain one, 32 wide", "a plain one, 128 wide", "one with attention"]
    settings = {"choices": names, "answer": names[2], "because": "It looks back."}
    return Forecast(id, question, **(settings | options))


def number(id="c01-bits", **options):
    settings = {"scale": (0, 64), "unit": "bits", "answer": 13.9, "close": 5}
    return Forecast(id, "How many bits come through?", **(settings | options))


def curve(id="c01-curve", **options):
    settings = {
        "x": [2, 4, 6, 8, 10], "xlabel": "digits", "ylabel": "exactly right (%)",
        "answer": [100, 98, 90, 40, 0], "unit": "%", "close": 10,
    }  # fmt: skip
    return Forecast(id, "How many are right?", **(settings | options))


def choose_confidence(page, name, at=0):
    page.get_by_role("radio", name=name, exact=True).nth(at).check()


def curve_values(page) -> list[float]:
    values = page.locator(".fc-handle").evaluate_all("all => all.map((e) => e.value)")
    return [float(value) for value in values]


OWN_TAG, TRUTH = "your guess", "what happened"


def tagged_choices(page) -> list[str]:
    """The choices that have something to read beside them, and that."""
    rows = page.locator(".fc-choice").all_inner_texts()
    return [" | ".join(row.split("\n")) for row in rows if "\n" in row]


# In the page -------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_forecast_choice_is_kept_and_judged(show_figures, by):
    page = show_figures(choice())
    expect_status(page, "No guess yet.")
    assert tagged_choices(page) == []
    options = page.get_by_role("group", name="Which network").get_by_role("radio")
    if by == "mouse":
        page.get_by_text("one with attention", exact=True).click()
        choose_confidence(page, "fairly sure")
        press_button(page, "Show what happened")
    else:
        options.first.focus()
        page.keyboard.press("Space")
        page.keyboard.press("ArrowUp")  # round to the last
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    expect_status(
        page, "You said one with attention (fairly sure), and so it was. It looks"
    )
    expect(page.locator(".fc-verdict")).to_have_text("✓\ufe0e Right")
    assert tagged_choices(page) == [f"one with attention | {OWN_TAG} | {TRUTH}"]
    expect(page.get_by_role("button", name="Forecast again")).to_be_focused()
    record = stored_records(page, PREFIX)["c01-which"]
    assert record["right"] is True and record["sure"] == "fairly"
    assert record["guess"] == "one with attention"


@pytest.mark.parametrize(
    ("options", "guess"), [({}, 18), ({"scale": (-40, 40), "answer": -38.2}, -30)]
)
def test_forecast_number_is_judged_as_in_python(show_figures, options, guess):
    figure = number(**options, unit="%")
    page = show_figures(figure)
    slider = page.get_by_role("slider")
    slider.click()  # on the middle, where it stands
    expect_status(page, f"Your guess: {sum(figure.scale) / 2:.0f}%.")
    page.get_by_label("Your guess, from").first.fill(f"{guess}%")  # or without a unit
    yours = f"{guess}%".replace("-", "−")
    expect_status(page, f"Your guess: {yours}.")
    expect(slider).to_have_value(str(guess - int(figure.scale[0])))
    slider.press("ArrowLeft")
    slider.press("ArrowRight")
    choose_confidence(page, "a guess")
    press_button(page, "Show what happened")
    expect(slider).to_be_hidden()
    figure.guess = guess
    verdict = "within" if figure.right else "more than"
    expect_status(
        page, f"You said {yours} (a guess), it was {figure.answer_in_words()}: "
    )
    expect_status(page, f" off, {verdict} the 5 that counts as right.")
    off = parse_numbers(page.get_by_role("status").inner_text())[2]
    assert off == approx(figure.distance(), rel=0.05)  # in two figures
    assert stored_records(page, PREFIX)["c01-bits"]["right"] is figure.right


def test_forecast_curve_by_mouse_is_judged_as_in_python(show_figures):
    figure = curve()
    page = show_figures(figure)
    box = page.locator(".fc-plot").bounding_box()
    before = curve_values(page)
    page.mouse.click(box["x"] + 90, box["y"] + 50, button="right")  # asks for a menu
    wait_until_drawn(page)
    assert curve_values(page) == before
    page.mouse.move(box["x"] + 50, box["y"] + 14)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 200)  # at one go
    page.mouse.up()
    wait_until_drawn(page)
    drawn = curve_values(page)
    assert drawn[0] > 95 and drawn[-1] < 10
    apart = [a - b for a, b in pairwise(drawn)]
    assert max(apart) - min(apart) <= 2  # a straight line, though no point was met
    choose_confidence(page, "sure")
    press_button(page, "Show what happened")
    figure.guess = stored_records(page, PREFIX)["c01-curve"]["guess"]
    assert figure.guess == drawn and not figure.right
    expect_status(
        page, "more than the 10 that counts as right. Farthest at 6 (digits): you "
    )
    said = page.get_by_role("status").inner_text()
    assert f"What happened, {figure.answer_in_words()}." in said
    assert said.startswith("Your curve (sure) is ")
    told = parse_numbers(said)[0]
    assert told == approx(figure.distance(), rel=0.05)  # in two figures


def test_forecast_curve_by_keyboard_passes_all_points(show_figures):
    page = show_figures(curve())
    handles = page.get_by_role("slider")
    handles.first.focus()
    page.keyboard.press("End")
    wait_until_drawn(page)
    assert curve_values(page) == [100] * 5  # a curve goes through all that is drawn
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(handles.last).to_be_focused()
    page.keyboard.press("Home")
    wait_until_drawn(page)
    assert curve_values(page) == [100, 75, 50, 25, 0]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")  # which alters neither point
    wait_until_drawn(page)
    assert curve_values(page) == [100, 75, 51, 26, 0]
    expect(handles.nth(3)).to_have_attribute("aria-valuetext", "26%")
    expect_status(page, "Your guess: 2: 100%, 4: 75%, 6: 51%, 8: 26%, 10: 0%.")


def test_forecast_guess_survives_reload_until_forgotten(show_figures):
    page = show_figures(choice(), curve())
    press_button(page, "Skip and show")
    expect_status(page, "What happened: one with attention. It looks back.")
    expect(page.locator(".fc-verdict").first).to_be_hidden()
    assert stored_records(page, PREFIX) == {}
    press_button(page, "Hide it and forecast")
    expect_status(page, "No guess yet.")
    page.get_by_text("128 wide").click()
    choose_confidence(page, "sure")
    press_button(page, "Show what happened")
    reload(page)
    expect_status(
        page, "You said a plain one, 128 wide (sure). What happened: one with"
    )
    expect(page.locator(".fc-verdict").first).to_have_text("✗\ufe0e Not right")
    yours, truth = f"a plain one, 128 wide | {OWN_TAG}", f"one with attention | {TRUTH}"
    assert tagged_choices(page) == [yours, truth]
    expect_status(page, "No guess yet.", at=1)
    press_button(page, "Forecast again")
    expect_status(page, "No guess yet.")
    assert stored_records(page, PREFIX) == {}
    reload(page)
    expect_status(page, "No guess yet.")


def test_forecast_answer_unfolds_without_script():
    figure = curve(because="The cliff <comes> at eight.")
    page = BeautifulSoup(figure._repr_html_(), "html.parser")
    for script in page("script"):
        script.decompose()
    assert "How many are right?" in page.text
    fold = page.find("details")
    assert "open" not in fold.attrs
    assert "6: 90%, 8: 40%, 10: 0%. The cliff <comes> at eight." in fold.text
    assert page.find("figcaption") and page.find(role="status")


# The ledger's record -----------------------------------------------------------------


@pytest.fixture
def open_ledger(page, tmp_path):
    """Open a ledger's section, whose browser has these records."""
    text = (BOOK / "ledger.md").read_text(encoding="utf-8")
    home = re.search(r'<div id="forecast-record".*?</div>', text, re.DOTALL)[0]
    script = (BOOK / "_static" / "forecasts.js").read_text(encoding="utf-8")
    path = tmp_path / "ledger.html"
    path.write_text(
        '<!doctype html><html lang="en" data-content_root="../"><meta charset="utf-8">'
        f"<title>Ledger</title><script>{script}</script><main><h1>L</h1>{home}</main>",
        encoding="utf-8",
    )

    def open_page(records):
        page.goto(path.as_uri())
        for id, one in records.items():
            page.evaluate(
                "(item) => localStorage.setItem(...item)",
                [PREFIX + id, json.dumps(one)],
            )
        reload(page)
        return page

    return open_page


def record(right, sure="sure", **others):
    return {"guess": 1, "sure": sure, "right": right, "question": "How?", **others}


def test_ledger_counts_and_forgets_forecasts(open_ledger):
    page = open_ledger(
        {
            "a": record(True, when="2", page="book/01_bottleneck.html#forecast-a"),
            "b": record(False, when="1", page="javascript:alert(1)"),
            "c": record(True, "guess", when="3", question="<b>Why?</b>", page=None),
            "d": record(True, None, when="4"),
        }
    )
    expect(page.locator("#forecast-record p")).to_have_text(
        "You made 4 forecasts; 3 came out right."
    )
    rows = [" ".join(row.split()) for row in page.locator("tr").all_inner_texts()]
    assert rows == [
        "You were made right share", "a guess 1 1 100%", "fairly sure 0 0 –",
        "sure 2 1 50%", "did not say 1 1 100%", "all together 4 3 75%",
    ]  # fmt: skip
    expect(page.get_by_role("listitem")).to_have_text(
        [
            "How? ✗ not right, sure",
            "How? ✓ right, sure",
            "<b>Why?</b> ✓ right, a guess",
            "How? ✓ right, did not say",
        ]
    )
    links = page.get_by_role("link").evaluate_all(
        "all => all.map((a) => a.getAttribute('href'))"
    )
    assert links == ["../book/01_bottleneck.html#forecast-a"]
    assert violations(page) == []
    stored = f"localStorage.removeItem('{PREFIX}b')"  # what a chapter's page may do
    page.evaluate(f"{stored}; dispatchEvent(new PageTransitionEvent('pageshow'))")
    expect(page.locator("#forecast-record p")).to_contain_text("You made 3 forecasts")
    page.get_by_role("button", name="Forget my forecasts").click()
    expect(page.locator("#forecast-record")).to_contain_text("No forecast has been")
    expect(page.locator("#forecast-record")).to_be_focused()
    assert stored_records(page, PREFIX) == {}
    reload(page)
    expect(page.locator("#forecast-record")).to_contain_text("No forecast has been")


# In Python ---------------------------------------------------------------------------


def test_forecast_choice_or_no_guess_has_no_distance():
    pick = choice(guess="one with attention")
    assert pick.right and number().right is None
    for figure in (pick, number()):
        with pytest.raises(ValueError, match="distance"):
            figure.distance()


def test_forecast_converts_choices_and_rounds_steps():
    figure = Forecast("a", "How many?", choices=[5, 7.5, 9], answer=7.5)
    assert figure.choices == ["5", "7.5", "9"] and figure.answer == "7.5"
    steps = {(0, 100): 1, (0, 64): 1, (0, 1): 0.01, (1, 4): 0.02, (0, 30_000): 200}
    for scale, step in steps.items():
        figure = Forecast("a", "How many?", scale=scale, answer=scale[1])
        assert figure.step == pytest.approx(step)
        assert figure.tolerance == (scale[1] - scale[0]) / 20


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: choice(id="Chapter 1"), TraitError, "id of a forecast"),
        (lambda: Forecast("a", " ", choices="ab", answer="a"), TraitError, "question"),
        (lambda: choice(choices=["one"]), TraitError, "2 … 8"),
        (lambda: choice(choices=["one", "one "]), TraitError, "must differ"),
        (lambda: choice(choices=["a", ""]), TraitError, "must have a text"),
        (lambda: choice(answer="none"), TraitError, "answer must be one of"),
        (lambda: choice(scale=(0, 1)), TypeError, "exactly one of choices, scale"),
        (lambda: Forecast("a", "How?", answer=1), TypeError, "got none"),
        (lambda: number(scale=(3, 3)), TraitError, "least number and the greatest"),
        (lambda: number(answer=65), TraitError, "must lie in 0 … 64"),
        (lambda: number(answer=float("nan")), TraitError, "answer"),
        (lambda: number(close=-1), TraitError, "close must lie in"),
        (lambda: number(step=0), TraitError, "step"),
        (lambda: number(because=None), TraitError, "because must be a text"),
        (lambda: curve(answer=[1, 2]), TraitError, "for each of 5 x, got 2"),
        (lambda: curve(answer=[1, 2, 3, 4, 500]), TraitError, "must lie in 0 … 100"),
        (lambda: curve(x=range(17)), TraitError, "2 … 16"),
        (lambda: curve(guess=3), TraitError, "guess must be a list"),
        (lambda: number(guess=99), TraitError, "guess must lie in"),
    ],
)
def test_forecast_rejects_what_does_not_fit(make, error, says):
    with pytest.raises(error, match=re.escape(says)):
        make()


def test_forecast_question_is_read_only_and_guess_checked():
    figure = number()
    with pytest.raises(TraitError, match="answer of a forecast is fixed"):
        figure.answer = 20
    with pytest.raises(TraitError, match="guess must lie in"):
        figure.guess = 65
    assert figure.answer == 13.9 and figure.guess is None
