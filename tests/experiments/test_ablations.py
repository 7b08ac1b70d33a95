"""Ablations: that each variant differs from the base in what it says, and margins."""

from statistics import fmean

import pytest
import torch
from torch import nn

from attnlab.data import NumberPairs, collate
from attnlab.experiments.ablations import (
    NORM_SETTINGS,
    RATES,
    STUDY,
    VARIANTS,
    build,
    layers_of,
    measure_ablation,
    measure_norm,
    train_and_test,
    transformer,
)
from attnlab.experiments.study import TUNING_SEED
from attnlab.recurrent import count_parameters
from attnlab.store import load, select
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


def test_short_runs_learn():
    options = {"seed": 9, "lr": 1e-2, "steps": 20, "test_numbers": 30}
    assert measure_ablation(variant="no FFN", **options)["valid_loss"] < 3
    assert measure_norm(norm_first=True, warmup=0.0, **options)["valid_loss"] < 3


def test_an_unknown_variant_is_named():
    with pytest.raises(ValueError, match="'no attention'"):
        build("no attention")


def test_every_variant_is_stored_with_the_rate_that_won_on_the_tuning_seed():
    stored = load("ablations")
    for variant in VARIANTS:
        runs = select(stored, variant=variant)
        assert [run["seed"] for run in runs] == list(range(5))
        assert {run["setting"]["lr"] for run in runs} == {
            STUDY.best_rate(variant=variant)
        }
        tuned = select(load("ablations.tuning"), variant=variant)
        assert {run["setting"]["lr"] for run in tuned} == set(RATES)
        assert {run["seed"] for run in tuned} == {TUNING_SEED}


def test_norms_are_stored_for_every_rate():
    stored = load("ablations.norms")
    for setting in NORM_SETTINGS:
        runs = select(stored, **{"steps": None} | setting)
        assert [run["seed"] for run in runs] == [0, 1, 2]


def exact(variant):
    return [
        run["figures"]["exact"] for run in select(load("ablations"), variant=variant)
    ]


def test_stored_runs_keep_the_margins_the_chapter_claims():
    base = exact("base")
    assert min(base) > 0.95
    # Numerals need no feed-forward layers, and none that differ from layer to layer.
    for variant in ("no FFN", "no FFN, wider", "FFN ×4", "linear FFN", "shared FFN"):
        assert min(exact(variant)) > 0.95
    # The factor √d keeps words as large as positions; drawn larger, they need none.
    assert max(exact("no √d")) < min(base)
    assert fmean(exact("no √d")) < fmean(base) - 0.08
    assert max(exact("tied, no √d")) < 0.85 < min(exact("tied"))
    assert min(exact("no √d, large")) > 0.93
    # The source needs positions. The target has the causal mask.
    assert max(exact("no positions") + exact("target positions")) < 0.4
    assert min(exact("source positions")) > 0.95


def test_deep_models_keep_the_margins_the_chapter_claims():
    def exact(**setting):
        runs = select(load("ablations.norms"), **{"steps": None} | setting)
        return [run["figures"]["exact"] for run in runs]

    assert max(exact(norm_first=False, warmup=0.0)) < 0.2
    assert max(exact(norm_first=False)) < 0.5  # at any rate, with warm-up or without
    assert min(exact(norm_first=True, lr=3e-3)) > 0.8
    assert min(exact(norm_first=True, lr=1e-2, warmup=0.2)) > 0.9
    assert max(exact(norm_first=True, lr=1e-2, warmup=0.0)) < 0.8
    assert min(exact(norm_first=False, steps=1200)) > 0.9  # slow, not unable


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


def test_residuals_are_needed_and_norms_are_not_at_two_layers():
    assert max(exact("no residual")) < 0.1
    assert max(exact("no residual, encoder") + exact("no residual, decoder")) < 0.5
    assert min(exact("no norm")) > 0.95
