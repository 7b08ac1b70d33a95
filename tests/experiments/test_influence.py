"""Which source word a target word depends on: small models."""

import random

import pytest
import torch

from attnlab.data import NumberPairs, collate
from attnlab.experiments.influence import (
    measure_cut,
    measure_gradients,
    target_gradients,
)
from attnlab.experiments.scores import build

pytestmark = pytest.mark.slow

NUMBERS = [245_318, 987_654]


@pytest.fixture
def model():
    torch.manual_seed(0)
    return build(NumberPairs(NUMBERS), "general", 16)


def test_target_gradients_equal_finite_differences(model):
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


def test_source_blind_decoder_has_zero_gradients_and_cut_effect(model):
    torch.nn.init.zeros_(model.decoder.combine.weight)
    assert target_gradients(model, NUMBERS).abs().max() == 0
    assert measure_gradients(model, NUMBERS)["changes"] == 0
    shares = measure_cut(model, NUMBERS, random.Random(0))
    names = ("heaviest_cut", "other_cut", "heaviest_alone", "other_alone")
    assert len({shares[name] for name in names}) == 1
