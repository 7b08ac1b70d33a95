"""What an encoder must see: the variants, and the best readers."""

import pytest
import torch

from attnlab.data import split_numbers
from attnlab.data.places import PlacePairs, place_values
from attnlab.experiments.encoders import VARIANTS, build, measure_ceilings, read_outputs

pytestmark = pytest.mark.slow

PAIRS = PlacePairs([2, 200_005, 500_002, 243_562])


@pytest.mark.parametrize("variant", VARIANTS)
def test_encoder_variants_give_one_output_per_token(variant):
    torch.manual_seed(0)
    model = build(PAIRS, variant, 16)
    outputs, words, classes = read_outputs(model, PAIRS)
    assert outputs.shape == (sum(map(len, PAIRS.src)), 16)
    assert words.tolist() == [word for words in PAIRS.src for word in words]
    assert classes.tolist() == [place for places in PAIRS.tgt for place in places]


def test_encoder_readers_beat_constant_and_narrow_readers():
    best = measure_ceilings(seed=0, digits=(1, 4))
    _, held_out = split_numbers(6_000, 600, (1, 4), seed=0)
    places = [p for n in held_out for p in place_values(n) if p is not None]
    fixed = max(places.count(always) / len(places) for always in (0, 2, 3))
    assert fixed < best["itself"] <= best["a set"] <= 1
    assert best["itself"] <= best["itself and its position"] <= 1
