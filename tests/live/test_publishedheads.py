"""The figure of a published model's heads, held against its stored maps."""

import re

import numpy as np
import pytest
import torch
from playwright.sync_api import expect
from reading import check_listed_weights, name_words, wait_for_status_check

from attnlab.live import PublishedHeads
from attnlab.live.publishedheads import PLACES, SENTENCES, shares_of_places, stored_maps


@pytest.mark.parametrize(
    ("sentence", "layer", "head", "word"), [(10, 3, 7, 5), (20, 6, 12, 1)]
)
def test_published_heads_picture_and_status_equal_stored_maps(
    show_figures, sentence, layer, head, word
):
    page = show_figures(PublishedHeads())
    page.get_by_label("Sentence", exact=True).select_option(str(sentence))
    page.get_by_role("radio", name=str(layer), exact=True).check(force=True)
    tiles = page.get_by_role("button", name=re.compile(r"^Head \d+"))
    tiles.nth(head - 1).click()
    page.locator("tbody tr").nth(word - 1).locator("th").click()
    about, maps = stored_maps()
    tokens, weights = about["tokens"][sentence - 1], maps[sentence - 1]
    drawn = weights[layer - 1, head - 1].numpy()

    def check_status(said):
        assert f"Layer {layer}, head {head}: " in said
        told = said.split(f"“{tokens[word - 1]}” looks at ")[1].removesuffix(".")
        check_listed_weights(
            told, name_words(tokens), [*drawn[word - 1]], least=0.05, most=3
        )

    wait_for_status_check(page, check_status)
    names_of_cells = page.locator(".ph-matrix tbody td").evaluate_all(
        "all => all.map((cell) => cell.ariaLabel)"
    )
    percents = [int(re.search(r": (\d+)%$", name)[1]) for name in names_of_cells]
    assert np.allclose(percents, 100 * drawn.ravel(), atol=0.51)
    shares = 100 * shares_of_places(weights, tokens)[layer - 1]
    told = re.findall(r"(\d+)%", page.locator(".ph-shares").inner_text())
    assert np.allclose([*map(int, told)], shares[head - 1], atol=0.51)
    for its, tile in zip(shares, tiles.all(), strict=True):
        most = its.argmax()
        expect(tile).to_contain_text(f"{PLACES[int(most)]} {its[most]:.0f}%")


def test_shares_of_places_sum_to_one():
    about, maps = stored_maps()
    assert len(maps) == SENTENCES
    for tokens, weights in zip(about["tokens"], maps, strict=True):
        shares = shares_of_places(weights, tokens)
        assert np.allclose(shares.sum(-1), 1, atol=0.05)  # whole parts of 127
    looks_back = torch.diag(torch.ones(3), -1)[None, None]
    tokens = ["[CLS]", "no", "no", "[SEP]"]
    found = shares_of_places(looks_back, tokens)[0, 0].tolist()
    assert found == [0.5, 0, 0.5, 0, 0, 0]  # the first word's is a separator
