"""The shelf of chapter 4: one row of weights against two, as PyTorch has them."""

from itertools import combinations_with_replacement

import pytest
import torch
from pytest import approx
from reading import assert_said, numbers, told

from attnlab.attention import scaled_dot_product_attention
from attnlab.live import Shelf
from attnlab.live.shelf import CONTENTS, LABELS, MAX_SHARPNESS

CLOSE = 0.0051  # to the two decimals that are shown


def look_up(sharpness, *places):
    """The package's attention: weights (8,) and what they bring back."""
    labels = torch.eye(len(LABELS), dtype=torch.float64)
    query = sum(labels[place] for place in set(places))
    contents = torch.tensor(CONTENTS, dtype=torch.float64)
    output, weights = scaled_dot_product_attention(
        query[None, None],
        labels[None],
        contents[None, :, None],
        scale=float(sharpness),
    )
    return weights[0, 0], output.item()


def rows_of(figure):
    first, second = LABELS.index(figure.first), LABELS.index(figure.second)
    asked = [(first, second), (first,), (second,)]
    return [look_up(figure.sharpness, *places) for places in asked]


STATES = [
    {"sharpness": 0},
    {"first": "H", "second": "A", "sharpness": 1},
    {"first": "D", "second": "D"},
]


@pytest.mark.parametrize("traits", STATES)
def test_shelf_shows_and_tells_what_attention_brings_back(show, traits):
    figure = Shelf(**traits)
    page = show(figure)
    drawn = page.locator(".sh-table tbody tr:has(.sh-bar)").all()
    for row, (weights, brought) in zip(drawn, rows_of(figure), strict=True):
        shares = row.locator("td > span").all_inner_texts()
        found = [numbers(share)[0] if share else 0 for share in shares]
        assert found == approx((100 * weights).tolist(), abs=0.51)
        assert float(row.locator(".sh-brought").inner_text()) == approx(
            brought, abs=CLOSE
        )
    (_, mean), (_, first), (_, second) = rows_of(figure)

    def check(said):
        if figure.first == figure.second:
            found = told("one head brings back {it}, as two do", said)
            assert found["it"] == approx(mean, abs=CLOSE)
            return
        found = told("brings back {it}, in either order", said)
        assert found["it"] == approx(mean, abs=CLOSE)
        found = told("bring back {a}, then {b}.", said)
        assert found == approx({"a": first, "b": second}, abs=CLOSE)

    assert_said(page, check)


@pytest.mark.parametrize("sharpness", [0, 2, MAX_SHARPNESS])
@pytest.mark.computes
def test_boxes_that_bring_back_the_same_are_found(page, modules, sharpness):
    modules("figures/shelf/rows.js")
    every = combinations_with_replacement(range(len(LABELS)), 2)
    brought = {
        tuple(dict.fromkeys(pair)): f"{look_up(sharpness, *pair)[1]:.2f}"
        for pair in every
    }
    for asked, same in brought.items():
        found = page.evaluate(
            "([contents, asked, sharpness]) => sameAs(contents, asked, sharpness)",
            [CONTENTS, asked[::-1], sharpness],
        )
        wanted = {other for other in brought if brought[other] == same} - {asked}
        assert set(map(tuple, found)) == wanted
