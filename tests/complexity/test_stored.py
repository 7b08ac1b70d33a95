"""The stored grid: one machine, no sweeps among its cells, crossings that are there."""

import pytest

from attnlab.complexity.stored import (
    curves,
    grid_machine,
    grid_points,
    load_grid,
    slower_from,
)


def test_all_cells_are_of_the_machine_that_is_named():
    machines = {run["machine"]["cpu"] for run in load_grid()["runs"]}
    threads = {run["setting"]["threads"] for run in load_grid()["runs"]}
    assert {f"{machine}, one thread" for machine in machines} == {grid_machine()}
    assert threads == {1}


def test_a_layer_has_one_cell_for_each_size():
    for layer in ("attention", "banded", "convolution", "multi_head"):
        cells = [(p["n"], p["d"]) for p in grid_points(layer)]
        assert len(cells) == len(set(cells)) > 20


@pytest.mark.parametrize("d", [64, 256])
def test_beyond_a_crossing_the_first_is_slower_and_before_it_faster(d):
    found, said = slower_from("multi_head", "gru_fused", d)
    assert found.low <= found.value <= found.high
    assert said.startswith(f"{float(f'{found.value:.2g}'):,.0f} (")
    both = curves("multi_head", "gru_fused", d)
    beyond = [ours["seconds"] > theirs["seconds"] for n, ours, theirs in both]
    assert beyond == [n > found.value for n, _, _ in both]


def test_without_a_crossing_it_says_who_is_ahead():
    assert slower_from("attention_fused", "gru", 1024) == (None, "beyond 1,024")
    assert slower_from("multi_head", "rnn_fused", 1024) == (None, "always slower")
