import pytest
import torch

from attnlab.experiments.pooling import POOLINGS, Classifier


@pytest.mark.parametrize("pooling", POOLINGS)
def test_pooling_weights_sum_to_one(pooling):
    torch.manual_seed(0)
    states = torch.randn(3, 7, 8)
    weights = Classifier(pooling, 8).weights(states)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(3))
    if pooling == "last":
        assert weights[:, -1].tolist() == [1, 1, 1]
