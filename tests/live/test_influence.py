"""The figure of influence in a page without a kernel: gradients as PyTorch has them."""

import re

import pytest
from linkmatrix import (
    check_bars,
    check_matrix,
    count_hits,
    known_links,
    translate_greedily,
)
from playwright.sync_api import expect
from reading import check_listed_weights, name_words, wait_for_status_check

from attnlab.data import number_tokens
from attnlab.experiments.influence import log_prob_gradients
from attnlab.live import Influence, load_weights

SIDE_TEXT = re.compile(r"(?:(\d+) of (\d+) right|wrong); “(.*?)” is moved by (.*)")
SAID = re.compile(r"[\d\u202f]+\. Without .*, width \d+: (.*)\. With attention: (.*)\.")


def torch_gradients(name: str, number: int):
    """The words that are written, and how far each English one moves them.

    The largest of a row is 1.
    """
    src, tgt, words = translate_greedily(name, number)
    table = log_prob_gradients(load_weights(name)[0], src, tgt)[0, :, :-1]
    return words, (table / table.amax(dim=1, keepdim=True)).tolist()


# The last is a number that the network without attention gets wrong.
@pytest.mark.parametrize(("number", "width"), [(345_678, 128), (786_291, 32)])
def test_influence_picture_and_status_equal_pytorch(show_figures, number, width):
    page = show_figures(Influence(number=number, width=width))
    columns = number_tokens(number, "en")
    sides = [*page.locator(".inf-side").all()]  # without attention, and with it
    told = [
        torch_gradients(n, number) for n in (f"en-de-gru-{width}", "en-de-attentive")
    ]
    for side, (words, weights) in zip(sides, told, strict=True):
        expect(side.locator(".aln-matrix tbody th")).to_have_text(words)
        links = known_links(words, number)
        check_matrix(side, words, columns, weights, links)
        expect(side.locator(".inf-count")).to_have_text(
            "{} of {} by their own word".format(*count_hits(weights, links))
            if links
            else "✗\ufe0e writes it wrongly"
        )
    sides[1].locator(".aln-matrix tbody tr").nth(1).locator("td").last.click()
    for side, (_, weights) in zip(sides, told, strict=True):
        check_bars(side, weights[1])

    def check_status(said: str) -> None:
        parts = SAID.fullmatch(said).groups()
        for part, (words, weights) in zip(parts, told, strict=True):
            *hits, word, moved = SIDE_TEXT.fullmatch(part).groups()
            assert word == words[1]
            check_listed_weights(
                moved, name_words(columns), weights[1], least=0.3, most=3
            )
            links = known_links(words, number)
            counts = map(str, count_hits(weights, links)) if links else [None, None]
            assert hits == [*counts]

    wait_for_status_check(page, check_status)
