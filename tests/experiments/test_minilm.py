"""A published model's measurements, on a small model of the same parts."""

import pytest
import torch

from attnlab.experiments import minilm, minilm_inside
from attnlab.experiments.minilm import (
    batch_of,
    heads_ablated,
    mean_outputs,
    share_found,
)
from tests.small_encoder import SENTENCES, make_small_encoder

LONGER = ["one hundred and two", "two and one", "two thousand and two", "and one two"]


@pytest.fixture
def drawn_sentences(monkeypatch):
    """Of Tatoeba nothing is needed: these sentences are drawn."""
    for module in (minilm, minilm_inside):
        monkeypatch.setattr(
            module, "draw_sentences", lambda seed, pairs=0: (LONGER, LONGER)
        )


def test_heads_ablated_equals_head_mask_and_restores():
    model, mask = make_small_encoder(), torch.tensor([[True, False], [True, True]])
    before = model.encode(SENTENCES)
    with heads_ablated(model, [(0, 1)]):
        silent = model.encode(SENTENCES)
    with model.head_mask(mask):
        torch.testing.assert_close(silent, model.encode(SENTENCES))
    assert torch.equal(model.encode(SENTENCES), before)
    assert not torch.allclose(silent, before, atol=1e-3)


def test_heads_replaced_by_own_mean_keeps_vector_close():
    model = make_small_encoder()
    with torch.no_grad():
        means = mean_outputs(batch_of(model, ["two"]))
        whole = model.encode(["two"])
        turned = {}
        for name, instead in (("zero", None), ("mean", means)):
            with heads_ablated(model, [(0, 0), (0, 1)], instead):
                turned[name] = (model.encode(["two"]) - whole).norm().item()
    assert means.shape == (2, 2, 4) and 0 < turned["mean"] < turned["zero"]


def test_share_found_counts_pairs_most_alike_both_ways():
    one, two, three = torch.eye(3)
    assert share_found(torch.stack([one, one, two, two])) == 1.0
    assert share_found(torch.stack([one, two, two, one])) == 0.0
    assert share_found(torch.stack([one, one, two, three, three, two])) == 0.3333


@pytest.mark.parametrize("question", ["alone", "layers", "orders"])
def test_minilm_ablation_questions_cover_all_heads(
    question, drawn_sentences, monkeypatch
):
    monkeypatch.setattr(minilm, "HEADS_PER_ROUND", 2)
    with torch.no_grad():
        found = minilm.QUESTIONS[question](make_small_encoder(), 0)
    if question == "alone":
        assert [len(row) for row in found["zero"]["like"]] == [2, 2]
    if question == "layers":
        assert set(found["mean"]) >= {"1", "2", "1 to 2"}
    if question == "orders":
        for one in found.values():
            assert len(one["curve"]) == 3
            assert sorted(one["order"]) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_encoder_without_positions_ignores_order(drawn_sentences, monkeypatch):
    monkeypatch.setattr(minilm_inside, "NEAR", 16)
    model = make_small_encoder()
    table = model.positions.table.clone()
    with torch.no_grad():
        found = minilm_inside.measure_word_order(model, 0)
    kinds = "no positions", "as published"
    bare, published = (found[kind]["like its shuffled self"] for kind in kinds)
    assert bare == 1.0 > published
    assert torch.equal(model.positions.table, table)


@pytest.mark.parametrize("question", ["moved", "doubles"])
def test_even_attention_gives_every_place_an_even_share(
    question, drawn_sentences, monkeypatch
):
    monkeypatch.setattr(minilm_inside, "WORDS", 3)
    model = make_small_encoder()
    table = model.positions.table.clone()
    for layer in model.encoder.layers:
        layer.self_attention.query_layer.weight.data.zero_()
        layer.self_attention.query_layer.bias.data.zero_()
    with torch.no_grad():
        found = minilm_inside.QUESTIONS[question](model, 0)
    if question == "moved":
        for one in found.values():
            assert one["first"] == one["last"] == one["even"]
        assert found["bare words"]["even"] > found["as published"]["even"]
    else:
        for shares in found.values():
            assert torch.allclose(torch.tensor(shares), torch.tensor(1 / 8))
    assert torch.equal(model.positions.table, table)
