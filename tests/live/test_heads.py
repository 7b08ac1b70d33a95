"""The heads figure in a page without a kernel, by mouse, touch and keyboard."""

import re
from typing import NamedTuple

import numpy as np
import pytest
import torch
from drawing import first_daily
from playwright.sync_api import expect
from pytest import approx
from reading import numbers

from attnlab.data import EOS, number_tokens, place_values
from attnlab.data.places import WORTHS, class_places, read_number
from attnlab.live import Heads, load_weights
from tools.head_damage import replaced


def tile(page, index: int):
    return page.locator(".hd-tile").nth(index)


def grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


# What PyTorch makes of a number's words -----------------------------------------------


class Reading(NamedTuple):
    """What the model makes of words with some heads silent."""

    places: list[int | None]
    sure: list[float]  # of each word's class
    number: int
    maps: torch.Tensor  # (layers, heads, n, n)
    logits: torch.Tensor  # (n, classes)
    terms: torch.Tensor  # (n, classes, 2 + heads): the word, heads, biases


@torch.no_grad()
def by_torch(tokens, heads_off=(), language="en", layers=1, instead="zero") -> Reading:
    model, about = load_weights(f"places-{language}-{layers}")
    ids = torch.tensor([[*map(about["src_tokens"].index, tokens), EOS]])
    outputs = torch.tensor(about["mean_outputs"]) * (instead == "mean")
    last, seen = model.layers[-1], {}
    norm, out = last.norm, last.mixer.heads.output_layer
    hooks = [
        last.register_forward_pre_hook(lambda _, x: seen.update(state=x[0])),
        norm.register_forward_pre_hook(lambda _, x: seen.update(sum=x[0])),
    ]
    with replaced(model, [tuple(head) for head in heads_off], outputs):
        hooks.append(
            out.register_forward_pre_hook(lambda _, x: seen.update(found=x[0]))
        )
        logits = model(ids)[0]
        maps = model.attention(ids)[:, 0]
        model(ids)
    for hook in hooks:
        hook.remove()
    sure, classes = logits[:-1].softmax(-1).max(-1)
    places = class_places(classes)
    found = seen["found"][0].unflatten(-1, (4, -1))  # (n, heads, d_head)
    blocks = out.weight.unflatten(-1, (4, -1))  # (d_model, heads, d_head)
    heads = torch.einsum("nhd,mhd->nhm", found, blocks)
    parts = torch.cat(
        [seen["state"][0][:, None], heads, out.bias.expand(len(found), 1, -1)], 1
    )  # (n, 2 + heads, d_model): what is added up before the norm
    spread = (seen["sum"][0].var(-1, unbiased=False) + norm.eps).sqrt()
    through = (parts - parts.mean(-1, keepdim=True)) / spread[:, None, None]
    terms = (through * norm.weight) @ model.output_layer.weight.T
    terms[:, -1] += model.output_layer(norm.bias)
    terms = terms.transpose(1, 2)
    number = read_number(tokens, places, language)
    return Reading(places, sure.tolist(), number, maps, logits, terms)


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
        self.now = by_torch(said, self.off, language, layers, figure.instead)
        self.word = min(figure.word, len(said))
        self.heads = [(i, j) for i in range(layers) for j in range(4)]
        self.mean = figure.instead == "mean"
        truth = place_values(self.number, language) if self.number is not None else None
        self.fates = [None] * len(self.words)  # (changed, wrong) of words with a worth
        for i, word in enumerate(said):
            if word in WORTHS[language]:
                place = self.now.places[i]
                wrong = truth is not None and place != truth[i]
                self.fates[i] = place != self.whole.places[i], wrong
        self.truth = truth

    def terms(self) -> list[float]:
        """Of the chosen word's margin: the word, the heads, all biases; the margin."""
        place = (
            self.whole.places[self.word] if self.word < len(self.words) - 1 else None
        )
        if self.truth is not None:
            place = (*self.truth, None)[self.word]
        answer = 1 if place is None else place + 2
        logits = self.now.logits[self.word].clone()
        right, logits[answer] = logits[answer].item(), -torch.inf
        rival = logits.argmax()
        terms = self.now.terms[self.word]
        parts = (terms[answer] - terms[rival]).tolist()
        return [*parts, right - logits[rival].item()]

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
    assert_maps(page, state)


def assert_maps(page, state: State) -> None:
    """The small ones, by the shades of their cells, and the terms beside."""
    rows = page.locator(".hd-head")
    labels = rows.locator("label > span").all_text_contents()
    assert labels == [f"Head {state.name(head)}" for head in state.heads]
    ticked = [one.is_checked() for one in rows.get_by_role("checkbox").all()]
    assert ticked == [head in state.on(True) for head in state.heads]
    maps = state.now.maps.flatten(0, 1).numpy()
    for svg, weights in zip(rows.locator("svg").all(), maps, strict=True):
        assert np.abs(shades(svg, len(weights)) - weights).max() < 0.051
        row = svg.locator("rect").get_attribute("y")
        assert int(row) == state.word
    shown = page.locator(".hd-term").all_text_contents()
    told = [numbers(one)[0] for one in shown if one != "in layer 1"]
    assert told == approx(state.terms(), abs=0.006)
    assert sum(told[:-1]) == approx(told[-1], abs=0.05)  # rounded, each of them


def shades(svg, n: int) -> np.ndarray:
    """(n, n), the share of full colour that each cell of a small map has."""
    found = np.zeros((n, n))
    for path in svg.locator("path").all():
        for column, row in re.findall(r"M(\d+) (\d+)", path.get_attribute("d") or ""):
            found[int(row), int(column)] = float(path.get_attribute("fill-opacity"))
    return found


@pytest.mark.parametrize(
    ("traits", "dark"),
    first_daily(
        [
            ({}, True),
            ({"text": "345678", "heads_off": [[0, i] for i in range(4)]}, True),
            ({"heads_off": [[0, 3]], "instead": "mean"}, False),
            ({"layers": 2, "heads_off": [[0, 1], [1, 2]], "instead": "mean"}, True),
            ({"text": "hundred two thousand", "word": 99}, False),
        ],
        2,
    ),
    ids=str,
)
def test_the_picture_is_pytorchs(show, traits, dark):
    page = show(Heads(**traits), dark=dark)
    page.wait_for_selector(".hd-tile")
    assert_picture_is_torchs(page, Heads(**traits))


@pytest.mark.parametrize("instead", ["zero", "mean"])
def test_the_grid_is_the_stored_damage(show, instead):
    page = show(Heads(instead=instead))
    stored = load_weights("places-en-1")[1]["damage"][instead]
    for i in range(4):
        for j in range(i + 1):
            name = f"heads {j + 1} and {i + 1}" if i > j else f"head {i + 1}"
            cell = page.get_by_role("button", name=f"Without {name}:")
            share = numbers(cell.get_attribute("aria-label").rpartition(":")[2])[0]
            assert share == approx(100 * stored[i][j], abs=0.051)
            assert numbers(cell.inner_text())[0] == approx(share, abs=0.51)


def test_the_terms_add_up_to_the_logits():
    for off in ([], [(0, 0)], [(0, 1), (0, 3)]):
        read = by_torch(number_tokens(205_300, "en"), off, instead="mean")
        assert torch.allclose(read.terms.sum(-1), read.logits, atol=1e-4)


# Python's side ------------------------------------------------------------------------


def test_python_tidies_what_it_takes():
    figure = Heads(text=" 0205 ", layers=2, heads_off=[(1, 2), (0, 3), (1, 2)])
    assert figure.text == "205"
    assert figure.heads_off == [[0, 3], [1, 2]]
    figure.layers = 1
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
    assert [head for head, one in enumerate(read) if one == 5_500] == [3]
