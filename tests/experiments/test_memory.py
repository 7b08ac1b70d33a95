"""How far a recurrent network remembers: the small run agrees with the stored ones."""

import pytest
import torch

from attnlab.experiments.memory import (
    CELLS,
    STARTS,
    FirstDigit,
    begin_keeping,
    gradient_norm,
    measure_memory,
    recall_share,
)
from attnlab.store import load, select

pytestmark = pytest.mark.slow

SEEDS = range(5)


def stored(**setting):
    runs = select(load("memory"), **setting)
    return [run["figures"] for run in runs]


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("distance", [2, 5, 10, 20, 40])
def test_five_seeds_are_stored(cell, mixed, distance):
    runs = select(load("memory"), cell=cell, mixed=mixed, distance=distance, steps=None)
    assert [run["seed"] for run in runs] == list(SEEDS)


def test_short_rows_teach_what_long_ones_do_not():
    alone, mixed = (
        measure_memory(seed=7, cell="gru", distance=40, mixed=mixed, steps=700)
        for mixed in (False, True)
    )
    assert alone["recall"] < 0.3 and mixed["recall"] > 0.9
    assert (
        max(
            f["recall"]
            for f in stored(cell="gru", distance=40, steps=None, mixed=False)
        )
        < 0.3
    )
    assert min(f["recall"] for f in stored(cell="gru", distance=40, mixed=True)) > 0.9


def test_an_untrained_network_guesses():
    torch.manual_seed(0)
    share = recall_share(FirstDigit("lstm", 16), distance=10)
    assert 0.05 < share < 0.2  # ten digits


def test_gradient_is_that_of_the_first_token_alone():
    torch.manual_seed(0)
    model = FirstDigit("rnn", 8).double()
    for weight in model.rnn.parameters():
        torch.nn.init.zeros_(weight)
    assert gradient_norm(model, distance=3) == 0.0  # nothing flows


def test_an_unknown_cell_is_named():
    with pytest.raises(ValueError, match="'transistor'"):
        FirstDigit("transistor", 8)


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


@pytest.mark.parametrize("setting", STARTS.settings)
def test_five_seeds_of_every_start_are_stored(setting):
    runs = select(load("memory.starts"), **setting)
    assert [run["seed"] for run in runs] == list(SEEDS)
