"""Windows on a long recall: the masks, and the data."""

import random

import torch

from attnlab.data import PAD
from attnlab.experiments.recall import (
    DIGITS,
    FIRST_ITEM,
    FIRST_NOISE,
    FIRST_QUESTION,
    distances,
)
from attnlab.experiments.windows import (
    LENGTH,
    VARIANTS,
    build,
    make_latest,
    make_pairs,
    right_by_distance,
    right_by_item,
    share_swapped,
)
from attnlab.recurrent import count_parameters


def test_window_contenders_share_the_model():
    counts, numbers = set(), []
    for variant in VARIANTS:
        torch.manual_seed(0)
        model = build(variant)
        counts.add(count_parameters(model))
        numbers.append(torch.cat([p.flatten() for p in model.parameters()]))
    assert len(counts) == 1
    assert all(torch.equal(numbers[0], other) for other in numbers)


def test_make_latest_answers_with_latest_digit():
    tokens, classes = make_latest(random.Random(0), LENGTH)
    latest, asked = {}, 0
    for token, answer in zip(tokens, classes, strict=True):
        if token >= FIRST_ITEM:
            letter, digit = divmod(token - FIRST_ITEM, DIGITS)
            latest[letter] = digit
        if FIRST_QUESTION <= token < FIRST_NOISE:
            assert answer == 1 + latest[token - FIRST_QUESTION]
            asked += 1
        else:
            assert answer == PAD
    assert len(tokens) == LENGTH and asked > 60


def test_right_by_distance_leaves_out_small_groups():
    pairs = make_pairs("latest", 10, 0)

    def answer_if_near(tokens):
        near = [[0 < far <= 32 for far in distances(sequence)] for sequence, _ in pairs]
        said = torch.tensor([classes for _, classes in pairs]) * torch.tensor(near)
        return torch.nn.functional.one_hot(said, 1 + DIGITS)

    right = right_by_distance(answer_if_near, pairs)
    assert right[16] == right[32] == 1.0 and right[48] == 0.0
    assert 0.8 < right[0] < 1.0
    assert 255 not in right


def test_share_swapped_counts_digit_of_other_item():
    pairs = make_pairs("far", 30, 0)

    def answer_first_digit(tokens):
        """Always the first item's digit."""
        first = 1 + (tokens[:, :1] - FIRST_ITEM) % DIGITS  # (B, 1)
        said = first.expand_as(tokens)
        return torch.nn.functional.one_hot(said, 1 + DIGITS).float()

    def answer_no_digit(tokens):
        """A class that stands for no digit."""
        return torch.zeros(*tokens.shape, 1 + DIGITS)

    for say, shares in (
        (answer_first_digit, (1.0, 0.0)),
        (answer_no_digit, (0.0, 0.0)),
    ):
        assert share_swapped(say, pairs) == shares[0]
        assert set(right_by_item(say, pairs)) == {shares}
