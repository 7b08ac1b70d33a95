"""Recall over a distance: the data, and the contenders."""

import random
import statistics

import pytest
import torch

from attnlab.data import PAD
from attnlab.experiments.recall import (
    CLASSES,
    DIGITS,
    FIRST_DIGIT,
    FIRST_ITEM,
    FIRST_NOISE,
    FIRST_QUESTION,
    LENGTH,
    LETTERS,
    PARAMETERS,
    SPLIT_VARIANTS,
    UP_TO,
    VOCABULARY,
    build,
    distances,
    make_pairs,
    make_sequence,
    measure_recall,
    right_by_distance,
    right_without_order,
)
from attnlab.recurrent import count_parameters
from attnlab.tagger import Tagger

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


@pytest.mark.parametrize("items", [1, 2, LETTERS])
def test_a_split_item_is_a_letter_and_then_its_digit(items):
    tokens, classes = make_sequence(random.Random(0), items, split=True)
    assert len(tokens) == len(classes) == LENGTH
    letters, numbers = tokens[: 2 * items : 2], tokens[1 : 2 * items : 2]
    assert all(FIRST_ITEM <= letter < FIRST_DIGIT for letter in letters)
    assert all(FIRST_DIGIT <= digit < FIRST_DIGIT + DIGITS for digit in numbers)
    pairs = zip(letters, numbers, strict=True)
    answers = {letter - FIRST_ITEM: 1 + n - FIRST_DIGIT for letter, n in pairs}
    assert len(answers) == items
    for token, answer in zip(tokens, classes, strict=True):
        asks = FIRST_QUESTION <= token < FIRST_NOISE
        assert answer == (answers[token - FIRST_QUESTION] if asks else PAD)
    assert max(tokens[2 * items :]) < FIRST_ITEM <= max(tokens) < VOCABULARY


def test_distance_is_counted_from_the_item():
    b, c = FIRST_ITEM + DIGITS, FIRST_ITEM + 2 * DIGITS + 7
    ask_b, ask_c = FIRST_QUESTION + 1, FIRST_QUESTION + 2
    assert distances([b, c, ask_b, FIRST_NOISE, ask_c]) == [0, 0, 2, 0, 3]


def test_distance_of_a_split_item_is_counted_from_its_digit():
    b, c, digit = FIRST_ITEM + 1, FIRST_ITEM + 2, FIRST_DIGIT + 7
    ask_b, ask_c = FIRST_QUESTION + 1, FIRST_QUESTION + 2
    tokens = [b, digit, c, digit, ask_c, FIRST_NOISE, ask_b]
    assert distances(tokens, split=True) == [0, 0, 0, 0, 1, 0, 5]


def test_questions_come_at_every_distance():
    found = {d for tokens, _ in make_pairs(50, 0, 1) for d in distances(tokens)}
    assert found == set(range(LENGTH))


def test_mixed_lengths_are_short_and_long():
    lengths = [len(tokens) for tokens, _ in make_pairs(500, 0, 1, mixed=True)]
    assert min(lengths) == 8 and max(lengths) > 120
    assert 0.4 < sum(n < 32 for n in lengths) / 500 < 0.6  # half of a logarithmic scale


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


def test_one_layer_of_attention_cannot_tell_whose_digit_is_whose():
    torch.manual_seed(0)
    assert change_at_questions(build("attention").double()) < 1e-12


@pytest.mark.parametrize(
    "variant", ["attention, rotary", "attention, 2 layers", "gru", "cnn, 16 layers"]
)
def test_positions_a_second_layer_or_recurrence_tell_some_of_it(variant):
    torch.manual_seed(0)
    assert change_at_questions(build(variant).double()) > 1e-6


def test_without_positions_it_is_the_causal_mask_that_tells_two_layers():
    torch.manual_seed(0)
    options = {"num_layers": 2, "positions": "none", "causal": False}
    model = Tagger(VOCABULARY, CLASSES, 16, **options).double()
    assert change_at_questions(model) < 1e-12


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
