"""Recall over a distance: the data, and the contenders."""

import random
import statistics

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
    PARAMETERS,
    SPLIT_VARIANTS,
    UP_TO,
    build,
    make_pairs,
    make_sequence,
    measure_recall,
    right_by_distance,
    right_without_order,
)
from attnlab.recurrent import count_parameters

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("items", [1, 2, LETTERS])
def test_every_answer_is_the_digit_of_the_letter_asked_for(items):
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


@pytest.mark.parametrize("variant", SPLIT_VARIANTS)
def test_contenders_have_nearly_the_same_number_of_parameters(variant):
    assert abs(count_parameters(build(variant)) / PARAMETERS - 1) < 0.03


def change_at_questions(model, sequences=20):
    """How far logits move, at most, when the first and the last item's digits change
    places."""
    tests = make_pairs(sequences, 0, LETTERS, split=True)
    tokens = torch.tensor([ids for ids, _ in tests])
    changed = tokens.clone()
    first, last = 1, 2 * LETTERS - 1
    changed[:, [first, last]] = tokens[:, [last, first]]
    asked = torch.tensor([classes for _, classes in tests]) != PAD
    with torch.no_grad():
        return (model(tokens) - model(changed))[asked].abs().max().item()


@pytest.mark.parametrize(
    "variant", ["attention, rotary", "attention, 2 layers", "gru", "cnn, 16 layers"]
)
def test_positions_a_second_layer_or_recurrence_tell_some_of_it(variant):
    torch.manual_seed(0)
    assert change_at_questions(build(variant).double()) > 1e-6


def test_right_without_order_is_the_share_of_the_commonest_digit():
    assert right_without_order(1) == 1
    assert right_without_order(2) == pytest.approx(0.1 + 0.9 / 2)
    rng = random.Random(0)
    hits = 0
    for _ in range(4_000):
        digits = make_sequence(rng, LETTERS, 8, split=True)[0][1::2]
        hits += statistics.mode(digits) == rng.choice(digits)
    assert hits / 4_000 == pytest.approx(right_without_order(LETTERS), abs=0.03)


def test_right_is_counted_by_distance():
    pairs = make_pairs(20, 0, 1)

    class Forgets(torch.nn.Module):
        """Right as long as the item is at most 8 positions away."""

        def forward(self, tokens):
            logits = torch.zeros(*tokens.shape, 1 + DIGITS)
            for row, sequence in enumerate(tokens.tolist()):
                digit = (sequence[0] - FIRST_ITEM) % DIGITS
                logits[row, :9, 1 + digit] = 1.0
                logits[row, 9:, PAD] = 1.0
            return logits

    right = right_by_distance(Forgets(), pairs)
    assert right == {most: float(most <= 8) for most in UP_TO}


@pytest.mark.weekly
def test_a_short_run_shows_the_reach():
    attention, cnn = (
        measure_recall(
            seed=9,
            variant=variant,
            items=1,
            lr=0.01,
            steps=120,
            train_sequences=2_000,
            test_sequences=40,
        )["right"]
        for variant in ("attention", "cnn, 4 layers")
    )
    assert attention[127] > 0.9
    assert cnn[127] < 0.25
