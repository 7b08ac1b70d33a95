"""The figure of a published model's heads, held against its stored maps."""

import re

import numpy as np
import pytest
from drawing import redrawn
from maps import assert_large_map, assert_small_maps
from playwright.sync_api import expect
from reading import Picture, assert_said, names, says

from attnlab.live import PublishedHeads
from attnlab.live.publishedheads import (
    HEADS,
    PLACES,
    SENTENCES,
    shares_of_places,
    stored_maps,
)

STATES = [(1, 1, 1, 2), (10, 3, 7, 5), (20, 6, 12, 1), (4, 2, 2, 11)]


def tile(page, head: int):
    return page.get_by_role("button", name=re.compile(rf"^Head {head}\b"))


def looking(tokens, weights):
    """A check of what is said of the row of one token."""
    most = np.argsort(-weights, kind="stable")[:3]  # of equal ones the first
    called = [
        f"{name} {weight:.0%}"
        for name, weight in zip(names(tokens), weights, strict=True)
    ]
    wanted = [called[at] for at in most if weights[at] >= 0.05]

    def check(said):
        told = said.split(" looks at ")[1].removesuffix(".")
        assert told.replace(" and ", ", ") == ", ".join(wanted)

    return check


@pytest.mark.parametrize(
    ("dark", "states"), [(False, STATES[::2]), (True, STATES[1::2])], ids=str
)
def test_what_is_drawn_and_said_is_what_is_stored(show, dark, states):
    page = show(PublishedHeads(), dark=dark)
    about, maps = stored_maps()
    says(page, "Layer 1, head 1: ")
    for number, layer, head, word in states:
        page.get_by_label("Sentence", exact=True).select_option(str(number))
        page.get_by_role("radio", name=str(layer), exact=True).check(force=True)
        tile(page, head).click()
        page.locator("tbody tr").nth(word - 1).locator("th").click()
        tokens, weights = about["tokens"][number - 1], maps[number - 1]
        says(page, f"Layer {layer}, head {head}: ")
        says(page, f"“{tokens[word - 1]}” looks at")
        redrawn(page)
        drawn = weights[layer - 1, head - 1].numpy()
        table = page.locator(".ph-matrix")
        picture, cards = Picture(page), page.locator(".ph-heads")
        assert_large_map(picture, table, drawn, (tokens, tokens), word - 1)
        assert_small_maps(picture, cards, weights[layer - 1].numpy(), word - 1)
        assert_said(page, looking(tokens, drawn[word - 1]))
        shares = shares_of_places(weights, tokens)[layer - 1]
        told = page.locator(".ph-shares").inner_text()
        said = [int(found) for found in re.findall(r"(\d+)%", told)]
        assert np.allclose(said, 100 * shares[head - 1], atol=0.51)
        for at in range(HEADS):
            most = PLACES[int(shares[at].argmax())]
            share = 100 * shares[at].max().item()
            expect(tile(page, at + 1)).to_contain_text(f"{most} {share:.0f}%")


def test_a_words_shares_sum_to_one_and_every_place_has_one_kind():
    about, maps = stored_maps()
    assert len(maps) == SENTENCES
    for tokens, weights in zip(about["tokens"], maps, strict=True):
        shares = shares_of_places(weights, tokens)
        assert np.allclose(shares.sum(-1), 1, atol=0.05)  # whole parts of 127
    looks_back = np.eye(4, k=-1)[None, None]
    tokens = ["[CLS]", "no", "no", "[SEP]"]
    import torch

    found = shares_of_places(torch.tensor(looks_back), tokens)[0, 0].tolist()
    assert found == [0.5, 0, 0.5, 0, 0, 0]  # the first word's is a separator
