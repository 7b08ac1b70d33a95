"""Ablations: that each variant differs from the base in what it says."""

import pytest
import torch
from torch import nn

from attnlab.data import NumberPairs, collate
from attnlab.experiments.ablations import (
    VARIANTS,
    build,
    layers_of,
    train_and_test,
    transformer,
)
from attnlab.recurrent import count_parameters
from attnlab.training import set_seed


def batch_of(numbers):
    pairs = NumberPairs(numbers)
    return collate([pairs[i] for i in range(len(pairs))])


def logits(model, batch):
    with torch.no_grad():
        return model.eval()(batch.src, batch.tgt[:, :-1])


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_can_be_trained_and_differs_from_the_base(variant):
    batch = batch_of([4786, 12])
    set_seed(0)
    base = logits(build("base"), batch)
    set_seed(0)
    model = build(variant)
    said = logits(model, batch)
    assert said.isfinite().all()
    assert torch.equal(said, base) == (variant == "base")
    model(batch.src, batch.tgt[:, :-1]).sum().backward()


@pytest.mark.parametrize(
    "variant",
    ["no FFN, wider", "no FFN, deeper", "FFN ×4", "linear FFN", "shared FFN, wider"],
)
def test_controls_get_their_parameters_back(variant):
    ratio = count_parameters(build(variant)) / count_parameters(build("base"))
    assert abs(ratio - 1) < 0.04


def test_what_is_left_out_costs_nothing():
    base = count_parameters(build("base"))
    assert count_parameters(build("no FFN")) < 0.75 * base
    assert count_parameters(build("shared FFN")) < 0.8 * base
    assert count_parameters(build("tied")) < base


def test_a_shared_feed_forward_is_one():
    layers = layers_of(build("shared FFN"))
    assert len(layers) == 4
    assert len({id(layer.feed_forward) for layer in layers}) == 1


def test_a_linear_feed_forward_is_linear_but_for_its_bias():
    layer = layers_of(build("linear FFN"))[0].feed_forward
    one, other, nothing = torch.randn(40), torch.randn(40), torch.zeros(40)
    both = layer(one + other)
    torch.testing.assert_close(both, layer(one) + layer(other) - layer(nothing))


def test_without_the_factor_embeddings_enter_smaller_unless_drawn_larger():
    def size(variant):
        set_seed(0)
        model = build(variant)
        return (model.src_embedding.weight * model.scale).std().item()

    assert size("base") == pytest.approx(1, abs=0.1)
    assert size("no √d") == pytest.approx(40**-0.5, abs=0.02)
    assert size("no √d, large") == pytest.approx(1, abs=0.1)


def test_small_positions_are_to_small_embeddings_as_large_ones_to_large():
    set_seed(0)
    base = build("base").eval()
    small = build("no √d, small positions").eval()
    small.load_state_dict(base.state_dict(), strict=False)
    ids = torch.randint(3, 20, (2, 7))
    whole, part = (one._embed(one.src_embedding, ids, 2) for one in (base, small))
    torch.testing.assert_close(part * base.d_model**0.5, whole)


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


def test_the_causal_mask_alone_tells_a_decoder_the_order():
    model = build("no positions").eval()
    batch = batch_of([4786])
    turned = batch.tgt.clone()
    turned[0, 1:4] = batch.tgt[0, 1:4].flip(0)
    with torch.no_grad():
        first, other = model(batch.src, batch.tgt), model(batch.src, turned)
    # Once all three are read their order makes no difference to one layer of attention,
    # but it does to two: the second sees what the first made of shorter beginnings.
    assert (first[0, 5] - other[0, 5]).abs().max() > 1e-4


def test_a_training_that_breaks_off_counts_as_nothing_right():
    def broken():
        model = transformer()
        with torch.no_grad():
            model.output_layer.bias.fill_(float("inf"))
        return model

    metrics = train_and_test(broken, seed=9, lr=1e-2, steps=2, test_numbers=30)
    assert metrics["exact"] == 0 and metrics["valid_loss"] is None


def test_a_model_without_norms_has_none_and_one_without_residuals_forgets():
    assert not any(isinstance(m, nn.LayerNorm) for m in build("no norm").modules())
    set_seed(0)
    layer = layers_of(build("no residual"))[0]
    for part in (layer.self_attention, layer.feed_forward):
        for weight in part.parameters():
            nn.init.zeros_(weight)  # the sublayers say nothing: nothing is left
    assert layer(torch.randn(1, 3, 40))[0].abs().max() == 0


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_residuals_go_from_one_side_alone(side):
    set_seed(0)
    model, base = build(f"no residual, {side}"), build("base")
    base.load_state_dict(model.state_dict())
    x = torch.randn(1, 3, 40)
    for name in ("encoder", "decoder"):
        layer, kept = (getattr(one, name).layers[0].eval() for one in (model, base))
        inputs = (x,) if name == "encoder" else (x, x)
        same = torch.equal(layer(*inputs)[0], kept(*inputs)[0])
        assert same == (name != side)
