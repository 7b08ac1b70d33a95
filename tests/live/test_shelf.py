"""The shelf of chapter 4: one row of weights against two, as PyTorch has them."""

from itertools import combinations_with_replacement

import pytest
import torch
from pytest import approx
from reading import parse_by_form, parse_numbers, wait_for_status_check

from attnlab.attention import scaled_dot_product_attention
from attnlab.live import Shelf
from attnlab.live.shelf import CONTENTS, LABELS, MAX_SHARPNESS

ROUNDING = 0.0051  # to the two decimals that are shown


def package_look_up(sharpness, *places):
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


def expected_rows(figure):
    first, second = LABELS.index(figure.first), LABELS.index(figure.second)
    asked = [(first, second), (first,), (second,)]
    return [package_look_up(figure.sharpness, *places) for places in asked]


STATES = [
    {"sharpness": 0},
    {"first": "H", "second": "A", "sharpness": 1},
    {"first": "D", "second": "D"},
]


@pytest.mark.parametrize("traits", STATES)
def test_shelf_picture_and_status_equal_attention(show_figures, traits):
    figure = Shelf(**traits)
    page = show_figures(figure)
    drawn = page.locator(".sh-table tbody tr:has(.sh-bar)").all()
    for row, (weights, brought) in zip(drawn, expected_rows(figure), strict=True):
        shares = row.locator("td > span").all_inner_texts()
        found = [parse_numbers(share)[0] if share else 0 for share in shares]
        assert found == approx((100 * weights).tolist(), abs=0.51)
        assert float(row.locator(".sh-brought").inner_text()) == approx(
            brought, abs=ROUNDING
        )
    (_, mean), (_, first), (_, second) = expected_rows(figure)

    def check_status(said):
        if figure.first == figure.second:
            found = parse_by_form("one head brings back {it}, as two do", said)
            assert found["it"] == approx(mean, abs=ROUNDING)
            return
        found = parse_by_form("brings back {it}, in either order", said)
        assert found["it"] == approx(mean, abs=ROUNDING)
        found = parse_by_form("bring back {a}, then {b}.", said)
        assert found == approx({"a": first, "b": second}, abs=ROUNDING)

    wait_for_status_check(page, check_status)


@pytest.mark.parametrize("sharpness", [0, 2, MAX_SHARPNESS])
@pytest.mark.computes
def test_equal_places_finds_same_results(page, modules, sharpness):
    modules("figures/shelf/rows.js")
    every = combinations_with_replacement(range(len(LABELS)), 2)
    brought = {
        tuple(dict.fromkeys(pair)): f"{package_look_up(sharpness, *pair)[1]:.2f}"
        for pair in every
    }
    for asked, same in brought.items():
        found = page.evaluate(
            "([contents, asked, sharpness]) => equalPlaces(contents, asked, sharpness)",
            [CONTENTS, asked[::-1], sharpness],
        )
        wanted = {other for other in brought if brought[other] == same} - {asked}
        assert set(map(tuple, found)) == wanted
