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
    if pooling == "last":
        assert weights[:, -1].tolist() == [1, 1, 1]
