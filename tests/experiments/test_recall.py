"""Recall over a distance: the data, and the contenders."""

import random

import pytest
import torch

from attnlab.data import PAD
from attnlab.experiments.recall import (
    DIGITS,
    FIRST_ITEM,
    FIRST_NOISE,
    FIRST_QUESTION,
    LENGTH,
    LETTERS,
    UP_TO,
    make_pairs,
    make_sequence,
    right_by_distance,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("items", [1, 2, LETTERS])
def test_recall_answer_is_digit_of_asked_letter(items):
    tokens, classes = make_sequence(random.Random(0), items)
    assert len(tokens) == len(classes) == LENGTH
    digits = dict(divmod(token - FIRST_ITEM, DIGITS) for token in tokens[:items])
    assert len(digits) == items
    asked = 0
    for token, answer in zip(tokens, classes, strict=True):
        if FIRST_QUESTION <= token < FIRST_NOISE:
            assert answer == 1 + digits[token - FIRST_QUESTION]
            asked += 1
        else:
            assert answer == PAD
    assert asked > 40


def test_right_by_distance_counts_each_distance():
    pairs = make_pairs(20, 0, 1)

    def answer_if_near(tokens):
        """The item's digit as long as it is at most 8 positions away."""
        said = (1 + (tokens[:, :1] - FIRST_ITEM) % DIGITS).repeat(1, LENGTH)
        said[:, 9:] = PAD
        return torch.nn.functional.one_hot(said, 1 + DIGITS)

    right = right_by_distance(answer_if_near, pairs)
    assert right == {most: float(most <= 8) for most in UP_TO}
