"""How far a recurrent network remembers: small runs."""

import pytest
import torch

from attnlab.experiments.memory import (
    CELLS,
    FirstDigit,
    begin_keeping,
    gradient_norm,
    measure_memory,
)

pytestmark = pytest.mark.slow


@pytest.mark.weekly
def test_short_rows_teach_what_long_ones_do_not():
    alone, mixed = (
        measure_memory(seed=7, cell="gru", distance=30, mixed=mixed, steps=350)
        for mixed in (False, True)
    )
    assert alone["recall"] < 0.3 and mixed["recall"] > 0.9


def test_gradient_is_that_of_the_first_token_alone():
    torch.manual_seed(0)
    model = FirstDigit("rnn", 8).double()
    for weight in model.rnn.parameters():
        torch.nn.init.zeros_(weight)
    assert gradient_norm(model, distance=3) == 0.0  # nothing flows


@pytest.mark.parametrize("cell", CELLS)
def test_a_network_that_begins_by_keeping_has_a_larger_gradient(cell):
    norms = []
    for keep in (None, 1.0 if cell == "rnn" else 3.0):
        torch.manual_seed(0)
        model = FirstDigit(cell, 32)
        if keep is not None:
            begin_keeping(model, cell, keep)
        norms.append(gradient_norm(model, distance=20))
    assert norms[1] > 100 * norms[0]
