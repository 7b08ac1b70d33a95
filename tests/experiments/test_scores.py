"""Chapter 2's experiment: its variants, and a small run."""

import pytest
import torch

from attnlab.data import NumberPairs, alignment
from attnlab.experiments.scores import (
    VARIANTS,
    attention_of,
    build,
    mass_on_links,
    share_within,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "none"])
def test_score_variants_build_and_give_weights(variant):
    torch.manual_seed(0)
    pairs = NumberPairs([7, 2_487, 654_321])
    weights = attention_of(build(pairs, variant, 16), pairs)
    assert weights.shape[:1] == (3,)
    assert weights.shape[1:] == (1 + len(pairs.tgt[2]) - 2, len(pairs.src[2]))
    assert weights.isfinite().all()


def test_mass_on_links_of_perfect_weights_is_one():
    links = alignment(24)
    weights = torch.zeros(4, 3)
    for target, source in links:
        weights[target, source] = 1.0
    assert mass_on_links(weights[None], [links]) == 1.0
    assert share_within(weights[None], [links]) == 1.0
    assert share_within(weights.roll(1, dims=1)[None], [links]) == 0.0
