"""What an encoder must see: small runs, and the best readers."""

import pytest
import torch

from attnlab.data import split_numbers
from attnlab.data.places import PlacePairs, place_values
from attnlab.experiments.encoders import (
    VARIANTS,
    build,
    measure_ceilings,
    measure_encoders,
    read_outputs,
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


@pytest.mark.weekly
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
