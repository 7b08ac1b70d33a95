"""Capacities: how they are found, and the stored ones again."""

import pytest
import torch

from attnlab.experiments.hopfield import (
    SIZES,
    capacity,
    draw_spins,
    measure_capacity,
    share_found,
    turn_some,
)
from attnlab.store import load, select


def random(seed=0):
    return torch.Generator().manual_seed(seed)


def stored(network, d):
    runs = select(load("hopfield"), network=network, d=d)
    assert [run["seed"] for run in runs] == list(range(5))
    return [run["figures"]["capacity"] for run in runs]


def test_one_spin_in_eight_is_turned_in_every_row():
    spins = draw_spins(50, 32, random())
    turned = turn_some(spins, random(1))
    assert ((spins != turned).sum(dim=1) == 4).all()
    assert set(turned.unique().tolist()) == {-1.0, 1.0}


@pytest.mark.parametrize("network", SIZES)
def test_few_patterns_are_all_found_and_too_many_are_not(network):
    d = 128 if network == "classical" else 16
    few, many = (draw_spins(n, d, random()) for n in (4, 4_000))
    assert share_found(network, few, random(1)) == 1.0
    assert share_found(network, many, random(1)) < 0.3


def test_a_warm_memory_finds_fewer():
    patterns = draw_spins(200, 16, random())
    warm, cold = (
        share_found("modern", patterns, random(1), beta) for beta in (0.05, 1.0)
    )
    assert warm < 0.2 < cold


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


def test_the_more_is_spoilt_the_less_is_held():
    held = [
        measure_capacity(seed=0, network="modern", d=16, one_in=one_in)["capacity"]
        for one_in in (4, 8, 16)
    ]
    assert held == sorted(held) and held[0] < held[-1] / 2


def test_a_memory_that_never_fills_is_given_up_at_the_most(monkeypatch):
    monkeypatch.setattr("attnlab.experiments.hopfield.MOST", 300)
    assert measure_capacity(seed=0, network="modern", d=64)["capacity"] == 300
