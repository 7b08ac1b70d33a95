"""Capacities: how they are found, and the stored ones again."""

import pytest
import torch

from attnlab.experiments.hopfield import (
    SIZES,
    capacity,
    draw_spins,
    measure_capacity,
    share_found,
)
from attnlab.store import load, select


def random(seed=0):
    return torch.Generator().manual_seed(seed)


def stored(network, d):
    runs = select(load("hopfield"), network=network, d=d)
    assert [run["seed"] for run in runs] == list(range(5))
    return [run["figures"]["capacity"] for run in runs]


@pytest.mark.parametrize("network", SIZES)
def test_few_patterns_are_all_found_and_too_many_are_not(network):
    d = 128 if network == "classical" else 16
    few, many = (draw_spins(n, d, random()) for n in (4, 4_000))
    assert share_found(network, few, random(1)) == 1.0
    assert share_found(network, many, random(1)) < 0.3


def test_the_capacity_lies_between_the_last_two_numbers_tried():
    found, tried = capacity("modern", 12, random())
    assert tried[-2][0] <= found <= tried[-1][0]
    assert tried[-1][1] < 0.5 and all(share >= 0.5 for _, share in tried[:-1])


@pytest.mark.parametrize(("network", "d"), [("classical", 64), ("modern", 16)])
def test_what_is_stored_is_what_a_run_finds(network, d):
    found = [
        measure_capacity(seed=seed, network=network, d=d)["capacity"]
        for seed in range(5)
    ]
    assert found == pytest.approx(stored(network, d), rel=1e-3)
