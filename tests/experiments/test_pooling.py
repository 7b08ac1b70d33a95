import pytest
import torch

from attnlab.experiments.pooling import (
    MARKER,
    POOLINGS,
    STUDY,
    Classifier,
    common_batch,
    marked_batch,
    measure_pooling,
)
from attnlab.store import load


def test_the_label_of_a_marked_row_follows_its_one_marker():
    torch.manual_seed(0)
    tokens, labels = marked_batch(50, 20)
    rows, places = (tokens == MARKER).nonzero(as_tuple=True)
    assert rows.tolist() == list(range(50))
    assert torch.equal(tokens[rows, places + 1], labels)


def test_the_label_of_a_common_row_is_usually_its_most_frequent_digit():
    torch.manual_seed(0)
    tokens, labels = common_batch(200, 80)
    assert (tokens.mode(dim=1).values == labels).float().mean() > 0.95


@pytest.mark.parametrize("pooling", POOLINGS)
def test_weights_sum_to_one(pooling):
    torch.manual_seed(0)
    states = torch.randn(3, 7, 8)
    weights = Classifier(pooling, 8).weights(states)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(3))


def test_last_state_pooling_takes_the_last_state():
    weights = Classifier("last", 8).weights(torch.randn(2, 5, 8))
    assert weights.tolist() == [[0, 0, 0, 0, 1]] * 2


def test_an_unknown_pooling_is_refused():
    with pytest.raises(ValueError, match="pooling"):
        Classifier("loud", 8)


def test_a_small_run_beats_chance():
    metrics = measure_pooling(
        seed=0, task="common", pooling="attention", length=20, steps=60, lr=0.01
    )
    assert metrics["accuracy"] > 0.3
    assert 0 <= metrics["solved_at"] <= 60


def test_stored_runs_keep_the_margins_the_chapter_claims():
    for run in load("pooling")["runs"]:
        setting = dict(run["setting"])
        assert setting.pop("lr") == STUDY.best_rate(**setting)
        if setting["pooling"] == "attention":
            assert run["figures"]["accuracy"] > 0.9


@pytest.mark.parametrize("pooling", POOLINGS)
def test_swapped_weights_matter_to_attention_alone(pooling):
    torch.manual_seed(0)
    model, tokens = Classifier(pooling, 16), marked_batch(4, 10)[0]
    torch.nn.init.normal_(model.query)
    same = torch.allclose(model(tokens), model(tokens, swap=True))
    assert same == (pooling != "attention")
