import pytest
import torch

from attnlab.experiments.pooling import (
    MARKER,
    POOLINGS,
    Classifier,
    marked_batch,
)


def test_the_label_of_a_marked_row_follows_its_one_marker():
    torch.manual_seed(0)
    tokens, labels = marked_batch(50, 20)
    rows, places = (tokens == MARKER).nonzero(as_tuple=True)
    assert rows.tolist() == list(range(50))
    assert torch.equal(tokens[rows, places + 1], labels)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_weights_sum_to_one(pooling):
    torch.manual_seed(0)
    states = torch.randn(3, 7, 8)
    weights = Classifier(pooling, 8).weights(states)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(3))


def test_last_state_pooling_takes_the_last_state():
    weights = Classifier("last", 8).weights(torch.randn(2, 5, 8))
    assert weights.tolist() == [[0, 0, 0, 0, 1]] * 2


@pytest.mark.parametrize("pooling", POOLINGS)
def test_swapped_weights_matter_to_attention_alone(pooling):
    torch.manual_seed(0)
    model, tokens = Classifier(pooling, 16), marked_batch(4, 10)[0]
    torch.nn.init.normal_(model.query)
    same = torch.allclose(model(tokens), model(tokens, swap=True))
    assert same == (pooling != "attention")
