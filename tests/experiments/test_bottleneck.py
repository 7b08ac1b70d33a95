"""The bottleneck experiment: its parts, and a small run beside the stored ones."""

import pytest
import torch

from attnlab.data import NumberPairs, batches
from attnlab.experiments.bottleneck import context_gradient, plain_model

pytestmark = pytest.mark.slow

PAIRS = NumberPairs([7, 45, 318], "en", "de")


def test_context_gradient_equals_norm_of_jacobian():
    torch.manual_seed(0)
    model = plain_model(PAIRS, 6).double()
    (batch,) = batches(NumberPairs([318]), 1)
    embedded = model.encoder.embedding(batch.src).detach()

    def context(embedded):
        states, _ = model.encoder.rnn(embedded)
        return states[0, -1]

    jacobian = torch.autograd.functional.jacobian(context, embedded)[:, 0]
    expected = jacobian.square().sum(dim=(0, 2)).sqrt()  # (length,)
    torch.testing.assert_close(context_gradient(model, batch.src)[0], expected)
