import pytest
import torch

from attnlab.attention import head_mask
from attnlab.data import PlacePairs
from attnlab.experiments.heads import (
    BOXES,
    CONTENTS,
    D_MODEL,
    LABELS,
    PLACES,
    STUDY,
    LookUp,
    fit_look_up,
    head_subspaces,
    look_up_batch,
    map_similarity,
    measure_heads,
    measure_places,
    measure_reading,
    measure_subspaces,
    subspace_overlap,
    train_look_up,
)
from attnlab.saved import load_weights
from attnlab.store import load, select
from attnlab.store import metrics as stored_figures

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


@pytest.mark.parametrize("heads", [1, 2, 4, 8, 16])
def test_heads_that_share_the_width_cost_no_parameters(heads):
    count = sum(p.numel() for p in LookUp(2, heads).parameters())
    assert count == sum(p.numel() for p in LookUp(2, 1).parameters())


def test_the_order_of_the_boxes_does_not_matter():
    torch.manual_seed(0)
    model, batch = LookUp(2, 4), look_up_batch(5, 2)
    order = torch.randperm(BOXES)
    shuffled = batch | {
        "labels": batch["labels"][:, order],
        "contents": batch["contents"][:, order],
    }
    torch.testing.assert_close(model(batch)[0], model(shuffled)[0])


def test_a_silent_head_changes_the_answer():
    torch.manual_seed(0)
    model, batch = LookUp(2, 2), look_up_batch(5, 2)
    with head_mask([model.attention], torch.tensor([[True, False]])):
        silent = model(batch)[0]
    assert not torch.allclose(model(batch)[0], silent)


def test_similarity_of_equal_and_of_disjoint_maps():
    row = torch.tensor([0.5, 0.5, 0.0])
    assert map_similarity(row.expand(4, 3, 3)) == pytest.approx(1.0)
    assert map_similarity(torch.eye(3)) == pytest.approx(0.0)
    assert map_similarity(torch.ones(5, 1, 3)) is None


def test_an_unknown_width_is_refused():
    with pytest.raises(ValueError, match="wide"):
        train_look_up(seed=0, asked=1, num_heads=1, width="wide", steps=1)


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


def test_a_small_run_on_numerals():
    metrics = measure_places(seed=0, num_heads=2, steps=60)
    assert metrics["words"] > 0.5
    assert 0 <= metrics["accuracy"] <= metrics["words"]


def test_overlap_of_subspaces():
    torch.manual_seed(0)
    rows = torch.randn(4, 12)
    mixed = torch.randn(4, 4) @ rows  # other vectors of the same subspace
    assert subspace_overlap(rows, mixed) == pytest.approx(1.0)
    identity = torch.eye(12)
    assert subspace_overlap(identity[:4], identity[4:8]) == pytest.approx(0.0)
    assert subspace_overlap(identity[:4], identity[2:6]) == pytest.approx(0.5)
    overlaps = [subspace_overlap(rows, torch.randn(4, 12)) for _ in range(200)]
    assert sum(overlaps) / 200 == pytest.approx(4 / 12, abs=0.02)


@pytest.mark.parametrize("shapes", [((2, 4), (3, 4)), ((5, 4), (5, 4)), ((4,), (4,))])
def test_subspaces_that_do_not_fit_are_refused(shapes):
    with pytest.raises(ValueError, match="r ≤ d"):
        subspace_overlap(*map(torch.ones, shapes))


def test_heads_that_begin_alike_read_one_subspace():
    model = LookUp(2, 2)
    assert all(0.2 < overlap < 0.8 for overlap in head_subspaces(model).values())
    with torch.no_grad():
        first, second = model.attention.value_layer.weight.chunk(2)
        second.copy_(first)
    assert head_subspaces(model)["value"] == pytest.approx(1.0)


def test_stored_subspaces_are_those_of_five_seeds_and_come_out_again():
    for asked in (1, 2):
        assert len(stored_figures("heads.subspaces", asked=asked)) == 5
    again = measure_subspaces(seed=0, asked=1, steps=1)
    (first, *_) = stored_figures("heads.subspaces", asked=1)
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


@pytest.mark.parametrize(
    ("name", "study"), [("heads", STUDY), ("heads.places", PLACES)]
)
def test_every_setting_is_stored_with_the_rate_that_tuning_found(name, study):
    stored = load(name)
    for setting in study.settings:
        rate = study.best_rate(**setting)
        found = [r for r in stored["runs"] if r["setting"] == setting | {"lr": rate}]
        assert sorted(run["seed"] for run in found) == [0, 1, 2, 3, 4]


def test_stored_runs_keep_the_margins_the_chapter_claims():
    stored = load("heads")

    def metrics(key, **setting):
        default = {"asked": 2, "width": "shared", "hidden": None, "bias": None}
        runs = select(stored, **default | setting)
        assert len(runs) == 5
        return [run["figures"][key] for run in runs]

    assert max(metrics("accuracy", num_heads=1)) < 0.3
    assert min(metrics("accuracy", num_heads=2)) > 0.95
    assert min(metrics("accuracy", num_heads=4)) > 0.95
    assert max(metrics("accuracy", num_heads=16)) < 0.8
    assert min(metrics("accuracy", num_heads=16, width="full")) > 0.95
    assert min(metrics("accuracy", num_heads=4, bias=False)) > 0.95
    bent = metrics("accuracy", num_heads=1, hidden=True)
    assert sum(share > 0.8 for share in bent) > 0
    assert max(metrics("similarity", num_heads=2)) < 0.1
    assert min(metrics("similarity", num_heads=2, asked=1)) > 0.7
    sizes = {*metrics("parameters", num_heads=1), *metrics("parameters", num_heads=16)}
    assert len(sizes) == 1
    assert metrics("parameters", num_heads=16, width="full")[0] > 5 * sizes.pop()
    assert D_MODEL == 16
