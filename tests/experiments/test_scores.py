"""Chapter 2's experiment: its variants, and a small run."""

import pytest
import torch

from attnlab.data import NumberPairs, alignment
from attnlab.experiments.scores import (
    VARIANTS,
    attention_of,
    build,
    mass_on_links,
    mean_exact,
    measure_scores,
    share_within,
)

pytestmark = pytest.mark.slow


@pytest.mark.weekly
def test_a_small_run_learns_to_translate_and_to_align():
    options = {"lr": 0.01, "d_model": 32, "train_numbers": 2_000, "epochs": 6}
    small = measure_scores(seed=0, variant="general", **options)
    assert mean_exact(small) > 0.5
    assert small["aer"] < 0.5


@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "none"])
def test_every_variant_builds_and_gives_weights(variant):
    torch.manual_seed(0)
    pairs = NumberPairs([7, 2_487, 654_321])
    weights = attention_of(build(pairs, variant, 16), pairs)
    assert weights.shape[:1] == (3,)
    assert weights.shape[1:] == (1 + len(pairs.tgt[2]) - 2, len(pairs.src[2]))
    assert weights.isfinite().all()


def test_the_variant_without_attention_has_no_weights():
    pairs = NumberPairs([7, 2_487])
    none = build(pairs, "none", 16)
    with pytest.raises(ValueError, match="attention"):
        attention_of(none, pairs)


def test_perfect_weights_have_all_their_mass_on_the_links():
    links = alignment(24)
    weights = torch.zeros(4, 3)
    for target, source in links:
        weights[target, source] = 1.0
    assert mass_on_links(weights[None], [links]) == 1.0
    assert share_within(weights[None], [links]) == 1.0
    assert share_within(weights.roll(1, dims=1)[None], [links]) == 0.0
