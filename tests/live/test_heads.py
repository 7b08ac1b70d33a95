"""The heads figure in a page without a kernel, by mouse, touch and keyboard."""

import re
from typing import NamedTuple

import numpy as np
import pytest
import torch
from playwright.sync_api import expect
from pytest import approx
from reading import parse_numbers

from attnlab.data import EOS, number_tokens, place_values
from attnlab.data.places import class_places, read_number
from attnlab.live import Heads, load_weights
from tools.head_damage import heads_replaced

# What PyTorch makes of a number's words -----------------------------------------------


class HeadsReading(NamedTuple):
    """What the model makes of words with some heads silent."""

    places: list[int | None]
    number: int
    maps: torch.Tensor  # (layers, heads, n, n)
    logits: torch.Tensor  # (n, classes)
    terms: torch.Tensor  # (n, classes, 2 + heads): the word, heads, biases


@torch.no_grad()
def torch_reading(
    tokens, heads_off=(), language="en", layers=1, instead="zero"
) -> HeadsReading:
    model, about = load_weights(f"places-{language}-{layers}")
    ids = torch.tensor([[*map(about["src_tokens"].index, tokens), EOS]])
    outputs = torch.tensor(about["mean_outputs"]) * (instead == "mean")
    last, seen = model.layers[-1], {}
    norm, out = last.norm, last.mixer.heads.output_layer
    hooks = [
        last.register_forward_pre_hook(lambda _, x: seen.update(state=x[0])),
        norm.register_forward_pre_hook(lambda _, x: seen.update(sum=x[0])),
    ]
    with heads_replaced(model, [tuple(head) for head in heads_off], outputs):
        hooks.append(
            out.register_forward_pre_hook(lambda _, x: seen.update(found=x[0]))
        )
        logits = model(ids)[0]
        maps = model.attention(ids)[:, 0]
        model(ids)
    for hook in hooks:
        hook.remove()
    places = class_places(logits[:-1].argmax(-1))
    found = seen["found"][0].unflatten(-1, (4, -1))  # (n, heads, d_head)
    blocks = out.weight.unflatten(-1, (4, -1))  # (d_model, heads, d_head)
    heads = torch.einsum("nhd,mhd->nhm", found, blocks)
    bias = out.bias.expand(len(found), 1, -1)
    # What is added up before the norm, (n, 2 + heads, d_model).
    parts = torch.cat([seen["state"][0][:, None], heads, bias], 1)
    spread = (seen["sum"][0].var(-1, unbiased=False) + norm.eps).sqrt()
    through = (parts - parts.mean(-1, keepdim=True)) / spread[:, None, None]
    terms = (through * norm.weight) @ model.output_layer.weight.T
    terms[:, -1] += model.output_layer(norm.bias)
    terms = terms.transpose(1, 2)
    number = read_number(tokens, places, language)
    return HeadsReading(places, number, maps, logits, terms)


def map_shades(svg, n: int) -> np.ndarray:
    """(n, n), the share of full colour that each cell of a small map has."""
    found = np.zeros((n, n))
    for path in svg.locator("path").all():
        for column, row in re.findall(r"M(\d+) (\d+)", path.get_attribute("d") or ""):
            found[int(row), int(column)] = float(path.get_attribute("fill-opacity"))
    return found


@pytest.mark.parametrize(
    "figure",
    [
        Heads(heads_off=[[0, 3]], instead="mean"),
        Heads(layers=2, heads_off=[[0, 1], [1, 2]]),
        Heads(text="hundred two thousand", word=99),  # no number: the end is chosen
    ],
    ids=str,
)
def test_heads_number_maps_and_terms_equal_pytorch(show_figures, figure):
    page = show_figures(figure)
    page.wait_for_selector(".hd-tile")
    numeric = figure.text.isdecimal()
    said = number_tokens(int(figure.text), "en") if numeric else figure.text.split()
    word = min(figure.word, len(said))
    whole = torch_reading(said, layers=figure.layers)
    now = torch_reading(said, figure.heads_off, "en", figure.layers, figure.instead)
    grouped = f"{now.number:,}".replace(",", "\u202f")
    expect(page.locator(".hd-number")).to_have_text(grouped)
    rows = page.locator(".hd-head")
    maps = now.maps.flatten(0, 1).numpy()
    for svg, weights in zip(rows.locator("svg").all(), maps, strict=True):
        assert np.abs(map_shades(svg, len(weights)) - weights).max() < 0.051
        assert int(svg.locator("rect").get_attribute("y")) == word

    # The word, the heads, all biases; and the margin that they add up to.
    right = place_values(int(figure.text)) if numeric else whole.places
    place = (*right, None)[word]
    answer = 1 if place is None else place + 2
    logits = now.logits[word].clone()
    logits[answer] = -torch.inf
    rival = logits.argmax()
    terms = (now.terms[word][answer] - now.terms[word][rival]).tolist()
    margin = (now.logits[word][answer] - now.logits[word][rival]).item()
    shown = page.locator(".hd-term").all_text_contents()
    told = [parse_numbers(one)[0] for one in shown if one != "in layer 1"]
    assert told == approx([*terms, margin], abs=0.006)
    assert sum(told[:-1]) == approx(told[-1], abs=0.05)  # rounded, each of them


# Python's side ------------------------------------------------------------------------


def test_heads_traits_are_normalised_in_python():
    figure = Heads(text=" 0205 ", layers=2, heads_off=[(1, 2), (0, 3), (1, 2)])
    assert figure.text == "205"
    assert figure.heads_off == [[0, 3], [1, 2]]
    figure.layers = 1
    assert figure.heads_off == [[0, 3]]


def test_heads_language_change_keeps_digits_and_drops_words():
    figure = Heads(text="205")
    figure.language = "de"
    assert figure.text == "205"
    figure.text = "zwei hundert"
    figure.language = "en"
    assert figure.text == Heads().text
