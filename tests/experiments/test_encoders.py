"""What an encoder must see: small runs, and the best readers."""

from collections import Counter

import pytest
import torch

from attnlab.data import split_numbers
from attnlab.data.places import NO_PLACE, PlacePairs, place_values
from attnlab.experiments.encoders import (
    READERS,
    ROUND,
    VARIANTS,
    build,
    explained_share,
    measure_ceilings,
    measure_encoders,
    read_outputs,
    word_accuracy,
)

pytestmark = pytest.mark.slow

PAIRS = PlacePairs([2, 200_005, 500_002, 243_562])


@pytest.fixture(scope="module")
def small():
    """An eighth of the steps, a sixth of the data: seconds."""
    setting = {"seed": 0, "lr": 0.01, "train_numbers": 1_000, "steps": 80}
    return {
        variant: measure_encoders(variant=variant, **setting)
        for variant in ("gru", "none", "none, no positions")
    }


def test_context_helps_at_once(small):
    assert small["gru"]["words"] > 0.9
    assert small["none"]["words"] < 0.75
    assert small["none, no positions"]["explained"] == 0.0
    assert small["gru"]["explained"] > small["none"]["explained"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_answers_for_every_token(variant):
    torch.manual_seed(0)
    model = build(PAIRS, variant, 16)
    outputs, words, classes = read_outputs(model, PAIRS)
    assert outputs.shape == (sum(map(len, PAIRS.src)), 16)
    assert words.tolist() == [word for words in PAIRS.src for word in words]
    assert classes.tolist() == [place for places in PAIRS.tgt for place in places]


def test_explained_is_1_if_the_class_fixes_the_output_and_0_if_nothing_differs():
    words = torch.tensor([5] * 4 + [6] * 4)
    classes = torch.tensor([2, 2, 4, 4] * 2)
    by_class = classes[:, None] * torch.ones(1, 3)
    assert explained_share(by_class, words, classes) == pytest.approx(1.0)
    assert explained_share(torch.ones(8, 3), words, classes) == 0.0
    crossed = torch.tensor([1.0, -1.0] * 4)[:, None]
    assert explained_share(crossed, words, classes) == pytest.approx(0.0)


def test_words_without_a_worth_do_not_count_as_words():
    class SaysNoPlace(torch.nn.Module):
        def forward(self, tokens):
            logits = torch.zeros(*tokens.shape, 14)
            logits[..., NO_PLACE] = 1.0
            return logits

    assert word_accuracy(SaysNoPlace(), PAIRS) == 0.0


def test_round_numerals_have_hundred_right_before_thousand():
    assert len(set(ROUND)) == 90
    assert all(place_values(number)[:3] == [5, None, None] for number in ROUND)


def test_readers_know_what_they_say_they_know():
    first, second = ["two", "hundred"], ["hundred", "two"]
    sets = READERS["a set"]
    assert Counter(sets(first)) == Counter(sets(second))
    alone = READERS["itself"]
    assert alone(first) == [("two",), ("hundred",)]
    assert READERS["itself and its position"](second)[1] == ("two", 1)


def test_who_sees_more_is_right_more_often():
    best = measure_ceilings(seed=0, digits=(1, 4))
    assert best["itself"] <= best["a set"] <= 1
    assert best["itself"] <= best["itself and its position"] <= 1


@pytest.mark.parametrize("always", [0, 2, 3])
def test_no_fixed_answer_beats_the_best_reader(always):
    _, held_out = split_numbers(6_000, 600, (1, 4), seed=0)
    places = [p for n in held_out for p in place_values(n) if p is not None]
    share = places.count(always) / len(places)
    assert share < measure_ceilings(seed=0, digits=(1, 4))["itself"]


def test_what_is_never_solved_took_all_steps():
    options = {"variant": "none", "lr": 1e-5, "train_numbers": 64, "d_model": 8}
    assert measure_encoders(seed=0, steps=10, **options)["solved_at"] == 10
