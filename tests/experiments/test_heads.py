import pytest
import torch

from attnlab.attention import head_mask
from attnlab.data import PlacePairs
from attnlab.experiments.heads import (
    BOXES,
    CONTENTS,
    LABELS,
    LookUp,
    fit_look_up,
    look_up_batch,
    measure_heads,
    measure_reading,
    measure_subspaces,
    subspace_overlap,
)
from attnlab.saved import load_weights
from attnlab.store import metrics as stored_metrics

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("asked", [1, 2, 3])
def test_a_shelf_has_different_labels_and_the_right_answers(asked):
    torch.manual_seed(0)
    batch = look_up_batch(200, asked)
    assert batch["labels"].shape == batch["contents"].shape == (200, BOXES)
    assert batch["labels"].min() >= 0 and batch["labels"].max() < LABELS
    assert batch["contents"].min() >= 0 and batch["contents"].max() < CONTENTS
    for row in range(200):
        labels = batch["labels"][row].tolist()
        asked_for = batch["questions"][row].tolist()
        assert len(set(labels)) == BOXES
        assert len(set(asked_for)) == asked
        answers = [batch["contents"][row, labels.index(label)] for label in asked_for]
        assert answers == batch["answers"][row].tolist()


def test_a_silent_head_changes_the_answer():
    torch.manual_seed(0)
    model, batch = LookUp(2, 2), look_up_batch(5, 2)
    with head_mask([model.attention], torch.tensor([[True, False]])):
        silent = model(batch)[0]
    assert not torch.allclose(model(batch)[0], silent)


@pytest.mark.weekly
def test_two_heads_answer_two_questions_and_one_head_answers_one():
    one = measure_heads(seed=0, asked=2, num_heads=1, lr=0.01, steps=600)
    two = measure_heads(seed=0, asked=2, num_heads=2, lr=0.01, steps=600)
    assert two["accuracy"] > 0.9
    assert max(one["each"]) > 0.6 and min(one["each"]) < 0.4
    assert two["similarity"] < 0.2 and one["similarity"] is None


def test_heads_that_begin_alike_stay_alike():
    torch.manual_seed(0)
    model = LookUp(2, 2)
    attention = model.attention
    inputs = (attention.query_layer, attention.key_layer, attention.value_layer)
    with torch.no_grad():
        for layer in inputs:
            first, second = layer.weight.chunk(2)
            second.copy_(first)
        first, second = attention.output_layer.weight.chunk(2, dim=1)
        second.copy_(first)
    fit_look_up(model, 2, lr=0.01, steps=20)
    first, second = attention.query_layer.weight.chunk(2)
    torch.testing.assert_close(first, second)


def test_overlap_of_subspaces():
    torch.manual_seed(0)
    rows = torch.randn(4, 12)
    turned = torch.linalg.qr(torch.randn(4, 4)).Q @ rows  # in other coordinates
    assert subspace_overlap(rows, 3 * turned) == pytest.approx(1.0)
    identity = torch.eye(12)
    assert subspace_overlap(identity[:4], identity[4:8]) == pytest.approx(0.0)
    assert subspace_overlap(identity[:4], identity[2:6]) == pytest.approx(0.5)
    faint = torch.cat([identity[:1], 0.01 * identity[1:4]])  # nearly one direction
    assert subspace_overlap(faint, identity[1:5]) < 0.001


def test_stored_subspaces_are_those_of_five_seeds_and_come_out_again():
    for asked in (1, 2):
        assert len(stored_metrics("heads.subspaces", asked=asked)) == 5
    again = measure_subspaces(seed=0, asked=1, steps=1)
    (first, *_) = stored_metrics("heads.subspaces", asked=1)
    assert again["start"] == pytest.approx(first["start"], abs=1e-4)


def test_reading_counts_the_words_with_a_worth():
    model, about = load_weights("places-en-1")
    pairs = PlacePairs(about["test_numbers"])
    found = measure_reading(model, pairs)
    assert found["words"] > 0.98 and found["numbers"] > 0.95 and found["margin"] > 3
    with torch.no_grad():  # "hundred", "and" and the end may be told anything
        model.output_layer.bias[1] -= 1000
    assert measure_reading(model, pairs)["numbers"] >= found["numbers"]
    silent = measure_reading(model, pairs, torch.zeros(1, 4, dtype=torch.bool))
    assert silent["words"] < 0.9 and silent["numbers"] < 0.1
    assert silent["margin"] < found["margin"]
