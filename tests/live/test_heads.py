"""The heads figure in a page without a kernel, by mouse, touch and keyboard."""

import re
from collections import Counter
from itertools import chain, product
from typing import NamedTuple

import numpy as np
import pytest
import torch
from drawing import redrawn
from maps import assert_bars, assert_large_map, assert_small_maps
from playwright.sync_api import expect
from pytest import approx
from reading import Picture, assert_said, boxes, looks, numbers, says

from attnlab.data import EOS, number_tokens, place_values
from attnlab.data.places import WORTHS, class_places, read_number
from attnlab.live import Heads, load_weights
from tools.live_weights import all_but_one, read_right


def switch(page, name: str):
    return page.get_by_role("checkbox", name=f"Head {name}")


def tile(page, index: int):
    return page.locator(".hd-tile").nth(index)


def number_box(page):
    return page.get_by_label("A number, in digits or in words")


def count(page) -> None:
    page.locator(".hd-errors summary").first.click()
    page.get_by_role("button", name="Count").first.press("Enter")
    page.wait_for_selector(".hd-damage:not([hidden])", timeout=60_000)


def grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


# What PyTorch makes of a number's words -----------------------------------------------


class Reading(NamedTuple):
    """What the model makes of words with some heads silent."""

    places: list[int | None]
    sure: list[float]  # of each word's class
    number: int
    maps: torch.Tensor  # (layers, heads, n, n)


@torch.no_grad()
def by_torch(tokens, heads_off=(), language="en", layers=1) -> Reading:
    model, about = load_weights(f"places-{language}-{layers}")
    ids = torch.tensor([[*map(about["src_tokens"].index, tokens), EOS]])
    mask = torch.ones(layers, 4, dtype=torch.bool)
    for layer, head in heads_off:
        mask[layer, head] = False
    with model.head_mask(mask):
        sure, classes = model(ids)[0, :-1].softmax(-1).max(-1)
        places = class_places(classes)
        maps = model.attention(ids)[:, 0]
    return Reading(places, sure.tolist(), read_number(tokens, places, language), maps)


ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth"]


def called(tokens: list[str], index: int) -> str:
    """A word as a sentence names it: the second “hundred”."""
    same = [i for i, token in enumerate(tokens) if token == tokens[index]]
    which = f"the {ORDINALS[same.index(index)]} " if len(same) > 1 else ""
    return f"{which}“{tokens[index]}”"


def power(place: int | None) -> str:
    digits = str(place).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return "none" if place is None else f"×10{digits}"


def times(place: int | None) -> str:
    return "nothing" if place is None else f"times {grouped(10**place)}"


class State:
    """What a figure has to show, by PyTorch."""

    def __init__(self, figure: Heads):
        language, layers = figure.language, figure.layers
        said, self.number = figure.text.split(), None
        if figure.text.isdecimal():
            self.number = int(figure.text)
            said = number_tokens(self.number, language)
        self.words = [*said, "end"]
        self.off = figure.heads_off
        self.whole = by_torch(said, (), language, layers)
        self.now = by_torch(said, self.off, language, layers)
        self.word = min(figure.word, len(said))
        self.heads = [(i, j) for i in range(layers) for j in range(4)]
        self.large = (figure.layer, figure.head)
        truth = place_values(self.number, language) if self.number is not None else None
        self.fates = [None] * len(self.words)  # (changed, wrong) of words with a worth
        for i, word in enumerate(said):
            if word in WORTHS[language]:
                place = self.now.places[i]
                wrong = truth is not None and place != truth[i]
                self.fates[i] = place != self.whole.places[i], wrong
        self.truth = truth

    def name(self, head) -> str:
        both = f"{head[0] + 1}.{head[1] + 1}"
        return both if len(self.heads) > 4 else both[2:]

    def on(self, on: bool) -> list[tuple[int, int]]:
        return [head for head in self.heads if (list(head) not in self.off) == on]


# What is drawn and said ---------------------------------------------------------------


def assert_picture_is_torchs(page, figure: Heads) -> None:
    """Words, worths, bars, maps, the answer and the sentence beneath."""
    state = State(figure)
    expect(page.locator(".hd-number")).to_have_text(grouped(state.now.number))
    assert_words(page, state)
    assert_maps(page, state)
    assert_said(page, lambda said: assert_sentence(said, state))


def assert_words(page, state: State) -> None:
    assert page.locator(".hd-word").all_text_contents() == state.words
    verdict = {None: "–", state.now.number: "✓"}.get(state.number, "✗")
    shown = page.locator(".hd-verdict").inner_text()
    assert shown.startswith(verdict)
    assert numbers(shown) == ([state.number] if verdict == "✗" else [])
    worths = page.locator(".hd-worth").all_text_contents()
    marks = page.locator(".hd-was").all_text_contents()
    borders = looks(page.locator(".hd-tile"), "borderTopStyle")
    names = [one.get_attribute("aria-label") for one in page.locator(".hd-tile").all()]
    for i, fate in enumerate(state.fates):
        changed, wrong = fate or (False, False)
        assert (borders[i]["borderTopStyle"] == "dashed") == changed
        assert ("with all heads" in names[i]) == changed
        assert ("wrong" in names[i]) == wrong == ("✗" in marks[i])
        wanted = f"was {power(state.whole.places[i])}" if changed else ""
        if wrong and not changed:
            wanted = f"not {power(state.truth[i])}"
        assert marks[i].lstrip("✗≠\ufe0e ") == wanted
        if fate is None:
            assert worths[i] == "–"
            continue
        worth, sure = worths[i].split()
        assert worth == power(state.now.places[i])
        assert numbers(sure)[0] == approx(100 * state.now.sure[i], abs=0.6)
        assert times(state.now.places[i]) in names[i]
    chosen = page.locator(".hd-tile[aria-pressed='true']")
    assert boxes(chosen) == [boxes(page.locator(".hd-tile"))[state.word]]
    bars = page.locator(".hd-bars span")
    hollow = looks(bars, "borderTopStyle", part="::after")
    silent = [head in state.on(False) for head in state.heads] * len(state.words)
    assert [one["borderTopStyle"] == "dashed" for one in hollow] == silent
    weights = state.now.maps[:, :, state.word].flatten(0, 1).T.numpy().ravel()
    # A dashed bar is not flatter than its own two borders, of a pixel each.
    assert_bars(bars, "height", weights, least=np.multiply(silent, 2), off=0.1)


def assert_maps(page, state: State) -> None:
    """The small ones and the large one, by the colours that are on the screen."""
    picture, cards = Picture(page), page.locator(".hd-card")
    labels = cards.locator("label > span:not(.hd-state)").all_text_contents()
    assert labels == [f"Head {state.name(head)}" for head in state.heads]
    ticked = [one.is_checked() for one in cards.get_by_role("checkbox").all()]
    assert ticked == [head in state.on(True) for head in state.heads]
    maps = state.now.maps.flatten(0, 1).numpy()
    assert_small_maps(picture, cards, maps, state.word)
    tops = page.locator(".hd-top").all_text_contents()
    for head, top in zip(state.heads, tops, strict=True):
        start, goal, share = re.fullmatch(r"(\S+) → (\S+) (\d+)%", top).groups()
        weight, to = state.now.maps[head][state.word].max(0)
        assert [start, goal] == [state.words[state.word], state.words[to]]
        assert float(share) == approx(100 * weight.item(), abs=0.6)
    weights = state.now.maps[state.large].numpy()
    names = state.words, state.words
    assert_large_map(picture, page.locator(".hd-matrix"), weights, names, state.word)
    heading = page.locator(".hd-heading").inner_text()
    assert heading.startswith(f"Head {state.name(state.large)}:")
    assert ("It is off" in heading) == (state.large in state.on(False))


def assert_sentence(said: str, state: State) -> None:
    """The status names the heads, words and numbers that PyTorch has."""
    n = r"[\d\u202f]+"
    word, worth = r"((?:[Tt]he \w+ )?“\w+”)", rf"(nothing|times {n})"
    reads = (
        rf"(Without heads? [^a-z]*(?:and .*?)?|With all heads) the model reads ({n})"
    )
    ((heads, read),) = re.findall(reads, said) or [("", "")]
    silent = [state.name(head) for head in state.on(False)]
    assert re.findall(r"[\d.]+\d|\d", heads) == silent
    assert ("With all" in heads) == (not silent)
    assert numbers(read) == [state.now.number]
    wrong = state.number not in (None, state.now.number)
    meant = re.findall(rf"but ({n}) is meant", said)
    assert [numbers(one) for one in meant] == ([[state.number]] if wrong else [])
    assert ("which is right" in said) == (state.number == state.now.number)
    assert ("no right answer" in said) == (state.number is None)
    broken = re.findall(rf"{word} counts {worth}(?: instead of {worth})?", said)
    assert [(one.replace("The", "the"), *rest) for one, *rest in broken] == [
        (
            called(state.words, i),
            times(state.now.places[i]),
            times(state.whole.places[i]) if fate[0] else "",
        )
        for i, fate in enumerate(state.fates)
        if fate and any(fate)
    ]
    start = called(state.words, state.word)
    names = [called(state.words, i) for i in range(len(state.words) - 1)] + ["the end"]
    ((origin, head, goal, _, share),) = re.findall(
        rf"From {word} head ([\d.]+), whose map is large, looks most at "
        rf"(the end|{word}) \((\d+)%\)",
        said,
    )
    assert (origin, head) == (start, state.name(state.large))
    weights = state.now.maps[state.large][state.word]
    assert goal in names
    assert weights[names.index(goal)] > weights.max() - 1e-3  # or as much
    assert float(share) == approx(100 * weights.max().item(), abs=0.6)


@pytest.mark.parametrize(
    ("traits", "dark"),
    [
        ({}, True),
        ({"text": "0"}, False),
        ({"text": "123456789012", "heads_off": [[0, 2]], "head": 3, "word": 5}, False),
        ({"text": "345678", "heads_off": [[0, i] for i in range(4)]}, True),
        ({"text": "345678", "heads_off": [[0, 0], [0, 1]]}, False),
        ({"text": "hundred two thousand", "word": 99}, False),
        ({"text": "777777", "language": "de", "heads_off": [[0, 1]], "head": 1}, True),
        (
            {"text": "19019", "layers": 2, "layer": 1, "head": 2}
            | {"heads_off": [[1, 3]], "word": 1},
            False,
        ),
    ],
    ids=str,
)
def test_the_picture_is_pytorchs(show, traits, dark):
    page = show(Heads(**traits), dark=dark)
    page.wait_for_selector(".hd-tile")
    assert_picture_is_torchs(page, Heads(**traits))


def test_switches_and_maps_are_pressed_by_mouse_and_keys(show):
    page = show(Heads(text="345678"))
    for head in range(4):
        one = switch(page, str(head + 1))
        button = page.get_by_role("button", name=f"Map of head {head + 1}")
        one.click() if head % 2 else one.press("Space")
        button.press("Enter") if head % 2 else button.click()
        redrawn(page)
        figure = Heads(text="345678", heads_off=[[0, head]], head=head)
        assert_picture_is_torchs(page, figure)
        expect(page.locator(".hd-map[aria-pressed='true']")).to_have_count(1)
        expect(button).to_have_attribute("aria-pressed", "true")
        one.click() if head % 2 else one.press("Space")
        redrawn(page)
    assert_picture_is_torchs(page, Heads(text="345678", head=3))


def test_words_are_walked_along_by_keys_and_looked_at_by_mouse(show):
    page = show(Heads(text="205"))  # two hundred and five end
    expect(page.locator(".hd-tile[tabindex='0']")).to_have_count(1)
    page.locator(".hd-tile[tabindex='0']").focus()
    for key, word in [
        ("ArrowRight", "hundred"),
        ("ArrowDown", "and"),
        ("End", "end"),
        ("ArrowRight", "end"),
        ("ArrowLeft", "five"),
        ("Home", "two"),
        ("ArrowUp", "two"),
        ("ArrowRight", "hundred"),
    ]:
        page.keyboard.press(key)
        redrawn(page)
        focused = page.evaluate("document.activeElement.firstChild.textContent")
        assert focused == word
        says(page, f"From “{word}” head 4, whose map is large, looks most at ")
        expect(page.locator(".hd-tile[tabindex='0']")).to_have_count(1)
    assert_picture_is_torchs(page, Heads(text="205", word=1))
    row = page.locator(".hd-matrix tbody tr").nth(2).locator("td").nth(1)
    for one, word in [(tile(page, 3), 3), (row, 2)]:  # looked at, not chosen
        one.hover()
        assert_picture_is_torchs(page, Heads(text="205", word=word))
        page.mouse.move(1, 1)
        says(page, "From “hundred” head 4")
    row.click()
    page.mouse.move(1, 1)
    says(page, "From “and” head 4")


@pytest.mark.touch
def test_fingers_choose_words_heads_and_maps(show):
    page = show(Heads(text="205"), width=390)
    tile(page, 3).tap()
    switch(page, "2").tap()
    page.get_by_role("button", name="Map of head 3").tap()
    state = State(Heads(text="205", word=3, heads_off=[[0, 1]], head=2))
    assert_said(page, lambda said: assert_sentence(said, state))
    expect(page.locator(".hd-heading")).to_contain_text("Head 3")


def test_typing_digits_and_words(show):
    page = show(Heads())
    box = number_box(page)
    for typed, words in [
        ("91,234", number_tokens(91_234, "en")),
        ("two hundred and Five", ["two", "hundred", "and", "five"]),
        ("twentyone", ["twenty", "one"]),
        ("hundred two thousand", ["hundred", "two", "thousand"]),  # no number
        ("seven", ["seven"]),
    ]:
        box.fill(typed)
        expect(page.locator(".hd-word")).to_have_text([*words, "end"])
        assert box.input_value() == typed  # it is not rewritten under the fingers
    says(page, "the model reads 7, which is right")


def test_the_other_language_and_the_larger_model(show):
    page = show(Heads(text="two hundred five"))
    page.get_by_role("radio", name="German").click()
    expect(page.locator(".hd-word").first).to_have_text("zwei")
    expect(number_box(page)).to_have_value("205")
    assert_picture_is_torchs(page, Heads(text="205", language="de"))
    page.get_by_label("Layers").select_option("2")
    expect(page.get_by_role("checkbox")).to_have_count(8)
    switch(page, "1.2").click()
    redrawn(page)
    figure = Heads(text="205", language="de", layers=2, heads_off=[[0, 1]])
    assert_picture_is_torchs(page, figure)
    page.get_by_label("Layers").select_option("1")
    expect(page.get_by_role("checkbox")).to_have_count(4)
    assert_picture_is_torchs(page, Heads(text="205", language="de"))


def test_what_was_refused_is_read_in_the_other_language_or_gives_way(show):
    page = show(Heads())
    box = number_box(page)
    box.fill("zwei hundert")
    expect(page.locator(".al-error")).to_contain_text("“zwei”")
    page.get_by_role("radio", name="German").click()
    expect(page.locator(".hd-word")).to_have_text(["zwei", "hundert", "end"])
    expect(page.locator(".al-error")).to_be_empty()
    box.fill("nonsense")
    page.get_by_role("radio", name="English").click()
    expect(page.locator(".hd-word")).to_have_text(["two", "hundred", "end"])
    expect(box).to_have_value("200")
    expect(page.locator(".al-error")).to_be_empty()
    for _ in range(2):  # the second time it is drawn already
        box.fill("nonsense")
        page.get_by_label("Examples").select_option("302415")
        expect(box).to_have_value("302415")
        expect(page.locator(".al-error")).to_be_empty()


def test_every_example_can_be_read(show):
    page = show(Heads())
    menu = page.get_by_label("Examples")
    for language, name in (("en", "English"), ("de", "German")):
        page.get_by_role("radio", name=name).click()
        values = menu.locator("option").evaluate_all("all => all.map((o) => o.value)")
        assert len(values) > 8
        for value in values[1:]:
            menu.select_option(value)
            expect(page.locator(".al-error")).to_be_empty()
            expect(number_box(page)).to_have_value(value)
            Heads(text=value, language=language)  # Python takes it as well


def shares_of_weight(tests, head: int) -> dict[str, float]:
    """Where the weight goes that a head gives from words with a worth."""
    sums = Counter()
    for number in tests:
        words = number_tokens(number, "en")
        maps = by_torch(words).maps
        for i, j in product(range(len(words)), range(len(words) + 1)):
            if words[i] not in WORTHS["en"]:
                continue
            goal = "the end" if j == len(words) else f"“{words[j]}”"
            if j < len(words) and words[j] in WORTHS["en"]:
                goal = "other digits"
            sums["itself" if i == j else goal] += maps[0, head, i, j].item()
    return {goal: weight / sums.total() for goal, weight in sums.items()}


def test_the_count_is_pythons(show):
    page = show(Heads())
    count(page)
    expect(page.locator(".hd-damage")).to_be_focused()  # the button has gone
    model, about = load_weights("places-en-1")
    tests = about["test_numbers"]

    def right(mask=None) -> int:
        return round(len(tests) * read_right(model, tests, "en", mask))

    masks = all_but_one(1, 4)[0]
    without = [right(mask) for mask in masks]
    alone = [right(~mask) for mask in masks]
    told = [len(tests), right(), *chain(*enumerate(without, 1))]

    def tells_counts(said: str) -> None:
        assert numbers(said.rpartition("Of ")[2]) == told

    assert_said(page, tells_counts)
    rows = page.locator(".hd-damage tbody tr")
    found = [row.locator("th, td").all_text_contents() for row in rows.all()]
    assert found[0][:2] == ["none", str(right())]
    for head, (name, few, one, looks_at) in enumerate(found[1:]):
        assert name == str(head + 1)
        assert [*numbers(few), *numbers(one)] == [without[head], alone[head]]
        assert ("◂" in few) == (without[head] == min(without))
        shares = shares_of_weight(tests, head)
        goals = re.findall(r"(.+?) (\d+)%(?:, )?", looks_at)
        most = sorted(shares.values(), reverse=True)[:3]
        for (goal, share), top in zip(goals, most, strict=True):
            assert float(share) == approx(100 * shares[goal], abs=0.6)
            assert shares[goal] == approx(top, abs=1e-3)
    switch(page, "1").click()
    switch(page, "4").click()
    last = page.locator(".hd-damage tbody tr").last
    expect(last.locator("th")).to_have_text("1 and 4")
    both = right(torch.tensor([[False, True, True, False]]))
    expect(last.locator("td").first).to_have_text(str(both))
    page.get_by_role("button", name="Map of head 3").click()
    assert_picture_is_torchs(page, Heads(heads_off=[[0, 0], [0, 3]], head=2))


# Python's side ------------------------------------------------------------------------


def test_python_tidies_what_it_takes():
    figure = Heads(text=" 0205 ", layers=2, layer=1, heads_off=[(1, 2), (0, 3), (1, 2)])
    assert figure.text == "205"
    assert figure.heads_off == [[0, 3], [1, 2]]
    figure.layers = 1
    assert figure.layer == 0
    assert figure.heads_off == [[0, 3]]


def test_another_language_keeps_digits_and_drops_words():
    figure = Heads(text="205")
    figure.language = "de"
    assert figure.text == "205"
    figure.text = "zwei hundert"
    figure.language = "en"
    assert figure.text == Heads().text


def test_it_opens_on_a_number_that_one_silence_alone_breaks_so():
    number = int(Heads().text)
    tokens = number_tokens(number, "en")
    read = [by_torch(tokens, [(0, head)]).number for head in range(4)]
    assert by_torch(tokens).number == number == 205_300
    assert [head for head, one in enumerate(read) if one == 5_500] == [Heads().head]
