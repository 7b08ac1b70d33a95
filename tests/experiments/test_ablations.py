"""Ablations: that each variant differs from the base in what it says."""

import pytest
import torch

from attnlab.data import NumberPairs, collate
from attnlab.experiments.ablations import VARIANTS, build
from attnlab.recurrent import count_parameters
from attnlab.training import set_seed


def make_batch(numbers):
    pairs = NumberPairs(numbers)
    return collate([pairs[i] for i in range(len(pairs))])


@pytest.mark.parametrize("variant", VARIANTS)
def test_ablation_variants_train_and_differ_from_base(variant):
    batch, said = make_batch([4786, 12]), []
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
def test_ablation_controls_have_base_parameter_count(variant):
    ratio = count_parameters(build(variant)) / count_parameters(build("base"))
    assert abs(ratio - 1) < 0.04


def test_ablation_without_positions_ignores_source_order():
    batch = make_batch([4786])
    turned = batch.src.flip(1)

    def weight_change(variant):
        set_seed(0)
        model = build(variant).eval()
        with torch.no_grad():
            said = model(batch.src, batch.tgt), model(turned, batch.tgt)
        return (said[0] - said[1]).abs().max()

    assert weight_change("no positions") < 1e-5
    assert weight_change("target positions") < 1e-5
    assert weight_change("source positions") > 1e-2
    assert weight_change("base") > 1e-2
