"""Kneser–Ney: a distribution, and the counts that its authors mean."""

import math

import pytest

from attnlab.ngrams import KneserNey
from attnlab.tokens import BOS, EOS

VOCAB = 9
TEXTS = [
    [BOS, 3, 4, 5, EOS],
    [BOS, 3, 4, 6, EOS],
    [BOS, 7, 4, 5, EOS],
    [BOS, 8, EOS],
]


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("context", [[], [BOS], [BOS, 3], [3, 4], [6, 6, 6], [8]])
def test_kneser_ney_probabilities_sum_to_one(order, context):
    model = KneserNey(TEXTS, order, VOCAB)
    chances = [model.probability(context, token) for token in range(2, VOCAB)]
    assert math.isclose(sum(chances), 1.0)
    assert min(chances) > 0


def test_kneser_ney_bigrams_equal_hand_count():
    """Behind 4 came 5 twice and 6 once; of the twelve pairs nine differ."""
    model = KneserNey(TEXTS, 2, VOCAB)
    # (BOS,3) 2, (BOS,7), (BOS,8), (3,4) 2, (4,5) 2, (4,6), (5,E) 2, (6,E), (7,4), (8,E)
    discount = 6 / (6 + 2 * 4)
    assert math.isclose(model.discounts[2], discount)
    # As singles: 3, 7, 8, 5, 6 have one predecessor each, 4 has two, the end three.
    single = 5 / (5 + 2 * 1)
    below = (1 - single) / 10 + single * 7 / 10 * (1 / 7)
    wanted = (2 - discount) / 3 + discount * 2 / 3 * below
    assert math.isclose(model.probability([4], 5), wanted)


def test_kneser_ney_without_singletons_has_no_discount():
    model = KneserNey(TEXTS * 2, 2, VOCAB)
    assert model.discounts[2] == 0
    assert math.isclose(model.probability([4], 5), 2 / 3)
    assert model.probability([4], 7) == 0


def test_kneser_ney_text_probability_is_product_of_tokens():
    model = KneserNey(TEXTS, 3, VOCAB)
    text = [BOS, 3, 4, 5, EOS]
    one_by_one = [
        math.log(model.probability([BOS] * 2 + text[1:i], text[i])) for i in range(1, 5)
    ]
    assert math.isclose(model.log_probability(text), sum(one_by_one))


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: KneserNey([], 2, VOCAB), ValueError, "no texts"),
        (lambda: KneserNey(TEXTS, 0, VOCAB), ValueError, "order must be at least 1"),
        (lambda: KneserNey(TEXTS, 2, 2), ValueError, "vocab_size must be at least 3"),
    ],
)
def test_kneser_ney_rejects_bad_input(call, error, said):
    with pytest.raises(error, match=said):
        call()
