"""Which source word a target word depends on: small models, and the stored margins."""

import random

import pytest
import torch

from attnlab.data import NumberPairs, collate
from attnlab.experiments.influence import (
    SETTINGS,
    another,
    measure_cut,
    measure_gradients,
    measure_influence,
    origins,
    target_gradients,
    without,
)
from attnlab.experiments.scores import STUDY as SCORES
from attnlab.experiments.scores import build
from attnlab.store import metrics

pytestmark = pytest.mark.slow

NUMBERS = [245_318, 987_654]


@pytest.fixture
def model():
    torch.manual_seed(0)
    return build(NumberPairs(NUMBERS), "general", 16)


def test_digit_words_come_from_their_digits():
    # vier und zwan zig from twenty four
    assert origins(24) == {0: 1, 2: 0}


def test_another_position_is_never_the_taken_one():
    rng = random.Random(0)
    assert {another(rng, 3, 1) for _ in range(20)} == {0, 2}


def test_without_leaves_one_id_out():
    assert without([5, 6, 7], 1) == [5, 7]


def test_gradients_are_those_of_one_target_word_by_finite_differences(model):
    model = model.double()
    batch = collate(NumberPairs(NUMBERS[:1]))
    table = target_gradients(model, NUMBERS[:1])
    assert table.shape == (1, batch.tgt.shape[1] - 1, batch.src.shape[1])
    word, step = 0, 1
    row = model.encoder.embedding.weight
    label = batch.tgt[0, step + 1]

    def log_prob():
        logits = model(batch.src, batch.tgt[:, :-1])
        return logits[0, step].log_softmax(dim=-1)[label].item()

    assert (batch.src[0] == batch.src[0, word]).sum() == 1
    slopes = []
    with torch.no_grad():
        before = log_prob()
        for entry in range(row.shape[1]):
            row[batch.src[0, word], entry] += 1e-6
            slopes.append((log_prob() - before) / 1e-6)
            row[batch.src[0, word], entry] -= 1e-6
    norm = torch.tensor(slopes).norm().item()
    assert table[0, step, word].item() == pytest.approx(norm, rel=1e-2)


def test_without_a_source_every_word_is_as_strong(model):
    torch.nn.init.zeros_(model.decoder.combine.weight)
    assert target_gradients(model, NUMBERS).abs().max() == 0
    assert measure_gradients(model, NUMBERS)["changes"] == 0


def test_cuts_where_attention_does_not_matter_change_nothing(model):
    torch.nn.init.zeros_(model.decoder.combine.weight)
    shares = measure_cut(model, NUMBERS, random.Random(0))
    names = ("heaviest_cut", "other_cut", "heaviest_alone", "other_alone")
    assert len({shares[name] for name in names}) == 1


def test_a_small_run_shows_the_same():
    options = {"lr": 0.01, "d_model": 32, "train_numbers": 2_000, "epochs": 5}
    shares = measure_influence(seed=7, variant="general", **options)
    assert shares["heaviest_cut"] < 0.5 < 0.8 < shares["heaviest_alone"]
    assert shares["own_deleted"] < 0.3


@pytest.mark.parametrize("setting", SETTINGS)
def test_five_seeds_are_stored_at_the_rate_that_scores_chose(setting):
    assert setting["lr"] == SCORES.best_rate(variant=setting["variant"])
    assert len(metrics("influence", **setting)) == 5


def test_stored_runs_keep_the_margins_that_the_chapters_claim():
    general, cosine, none = (metrics("influence", **setting) for setting in SETTINGS)
    assert max(seed["heaviest_cut"] for seed in general) < 0.4
    assert min(seed["heaviest_alone"] for seed in general) > 0.95
    assert min(seed["heaviest_cut"] for seed in cosine) > 0.7
    assert max(seed["own_deleted"] for seed in none) < 0.2
    assert min(seed["right_word"] for seed in none) > 0.45
    assert max(seed["one_for_all"] for seed in none) < 0.25
