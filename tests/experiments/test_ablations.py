"""Ablations: that each variant differs from the base in what it says."""

import pytest
import torch

from attnlab.data import NumberPairs, collate
from attnlab.experiments.ablations import VARIANTS, build
from attnlab.recurrent import count_parameters
from attnlab.training import set_seed


def batch_of(numbers):
    pairs = NumberPairs(numbers)
    return collate([pairs[i] for i in range(len(pairs))])


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_can_be_trained_and_differs_from_the_base(variant):
    batch, said = batch_of([4786, 12]), []
    for name in ("base", variant):
        set_seed(0)
        model = build(name).eval()
        said.append(model(batch.src, batch.tgt[:, :-1]))
    said[1].sum().backward()
    assert said[1].isfinite().all()
    assert torch.equal(*said) == (variant == "base")


@pytest.mark.parametrize(
    "variant",
    ["no FFN, wider", "no FFN, deeper", "FFN ×4", "linear FFN", "shared FFN, wider"],
)
def test_controls_get_their_parameters_back(variant):
    ratio = count_parameters(build(variant)) / count_parameters(build("base"))
    assert abs(ratio - 1) < 0.04


def test_without_positions_a_source_in_another_order_is_the_same():
    batch = batch_of([4786])
    turned = batch.src.flip(1)

    def change(variant):
        set_seed(0)
        model = build(variant).eval()
        with torch.no_grad():
            said = model(batch.src, batch.tgt), model(turned, batch.tgt)
        return (said[0] - said[1]).abs().max()

    assert change("no positions") < 1e-5
    assert change("target positions") < 1e-5
    assert change("source positions") > 1e-2
    assert change("base") > 1e-2
