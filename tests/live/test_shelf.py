"""The shelf of chapter 4: one row of weights against two, as PyTorch has them."""

from itertools import combinations_with_replacement

import pytest
import torch
from pytest import approx
from reading import assert_said, numbers, told

from attnlab.attention import scaled_dot_product_attention
from attnlab.live import Shelf
from attnlab.live.shelf import CONTENTS, LABELS, SHARPEST

CLOSE = 0.0051  # to the two decimals that are shown


def look_up(sharpness, *asked):
    """The package's attention: weights (8,) and what they bring back."""
    labels = torch.eye(len(LABELS), dtype=torch.float64)
    query = sum(labels[LABELS.index(label)] for label in set(asked))
    contents = torch.tensor(CONTENTS, dtype=torch.float64)
    output, weights = scaled_dot_product_attention(
        query[None, None],
        labels[None],
        contents[None, :, None],
        scale=float(sharpness),
    )
    return weights[0, 0], output.item()


def rows_of(figure):
    asked = [(figure.first, figure.second), (figure.first,), (figure.second,)]
    return [look_up(figure.sharpness, *labels) for labels in asked]


HEADS = ["label", *LABELS, "brings", "box", "one head", "head 1 of 2", "head 2 of 2"]


def check_picture(page, figure):
    assert page.locator(".sh-table th").all_inner_texts() == HEADS
    held = page.locator(".sh-box").all_inner_texts()
    assert tuple(map(int, held)) == CONTENTS
    chosen = page.locator(".sh-controls strong").inner_text()
    assert int(chosen) == figure.sharpness
    drawn = page.locator(".sh-table tbody tr:has(.sh-bar)").all()
    for row, (weights, brought) in zip(drawn, rows_of(figure), strict=True):
        bars = row.locator(".sh-bar").evaluate_all(
            "all => all.map((bar) => bar.getBoundingClientRect().height)"
        )
        assert bars == approx((48 * weights).tolist(), abs=0.1)
        shares = row.locator("td > span").all_inner_texts()
        told = [numbers(share)[0] if share else 0 for share in shares]
        assert told == approx((100 * weights).tolist(), abs=0.51)
        brings = row.locator(".sh-brought").inner_text()
        assert float(brings) == approx(brought, abs=CLOSE)


def check_words(figure):
    (weights, mean), (_, first), (_, second) = rows_of(figure)

    def check(said):
        if figure.first == figure.second:
            assert told("one head brings back {it}, as two do", said)["it"] == approx(
                mean, abs=CLOSE
            )
            return
        form = f"gives {figure.first} and {figure.second} {{share}}% each and brings"
        share = 100 * weights[LABELS.index(figure.first)].item()
        assert told(form, said)["share"] == approx(share, abs=0.51)
        assert told("brings back {it}, in either order", said)["it"] == approx(
            mean, abs=CLOSE
        )
        wanted = {"a": first, "b": second}
        assert told("bring back {a}, then {b}.", said) == approx(wanted, abs=CLOSE)

    return check


STATES = [
    {},
    {"sharpness": 0},
    {"first": "H", "second": "A", "sharpness": 1},
    {"first": "D", "second": "D"},
    {"first": "A", "second": "B", "sharpness": SHARPEST},
]


@pytest.mark.parametrize("traits", STATES)
def test_what_is_shown_and_said_is_pythons(show, traits):
    figure = Shelf(**traits)
    page = show(figure)
    check_picture(page, figure)
    assert_said(page, check_words(figure))


def test_no_sharpness_mends_one_head_and_any_mends_two():
    errors = {1: [], 2: []}
    for sharpness in range(SHARPEST + 1):
        (_, mean), (_, first), (_, second) = rows_of(Shelf(sharpness=sharpness))
        errors[1].append(abs(mean - 3))
        errors[2].append(abs(first - 3) + abs(second - 5))
    assert min(errors[1]) > 0.9
    assert errors[2] == sorted(errors[2], reverse=True)
    assert errors[2][0] > 1 and errors[2][-1] < 0.01


@pytest.mark.parametrize("sharpness", [0, 2, 8, SHARPEST])
@pytest.mark.computes
def test_which_other_boxes_bring_back_the_same(page, modules, sharpness):
    modules("figures/shelf/rows.js")
    every = combinations_with_replacement(LABELS, 2)
    shown = {
        tuple(dict.fromkeys(pair)): f"{look_up(sharpness, *pair)[1]:.2f}"
        for pair in every
    }
    for asked, brought in shown.items():
        found = page.evaluate(
            "([contents, asked, sharpness]) => sameAs(contents, asked, sharpness)",
            [CONTENTS, [LABELS.index(label) for label in reversed(asked)], sharpness],
        )
        others = [other for other in shown if shown[other] == brought]
        wanted = {other for other in others if other != asked}
        assert {tuple(LABELS[i] for i in places) for places in found} == wanted
