"""How far a recurrent network remembers: its gradients."""

import pytest
import torch

from attnlab.experiments.memory import CELLS, FirstDigit, gradient_norm, open_keep_gates

pytestmark = pytest.mark.slow


def test_gradient_norm_is_zero_with_closed_gate():
    model = FirstDigit("rnn", 8).double()
    torch.nn.init.zeros_(model.rnn.weight_hh_l0)
    assert gradient_norm(model, distance=3) == 0.0
    assert gradient_norm(model, distance=0) > 0.0


@pytest.mark.parametrize("cell", CELLS)
def test_begin_keeping_raises_gradient_norm(cell):
    norms = []
    for keep in (None, 1.0 if cell == "rnn" else 3.0):
        torch.manual_seed(0)
        model = FirstDigit(cell, 32)
        if keep is not None:
            open_keep_gates(model, cell, keep)
        norms.append(gradient_norm(model, distance=20))
    assert norms[1] > 100 * norms[0]
