"""Both memories: their energies fall, and the modern one's update is attention."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention import scaled_dot_product_attention
from attnlab.hopfield import (
    energy,
    hebbian_weights,
    retrieve,
    settle,
    update,
)

DOUBLE = torch.float64


def randn(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=DOUBLE)


def spins(*shape, seed=0):
    return randn(*shape, seed=seed).sign()


def test_hebbian_weights_equal_outer_products_without_diagonal():
    patterns = spins(3, 8)
    wanted = sum(torch.outer(p, p) for p in patterns) / 8
    wanted.fill_diagonal_(0)
    assert torch.allclose(hebbian_weights(patterns), wanted)


def test_settle_lowers_energy_and_ends_at_fixed_point():
    # 32 spins: sums of n / 32 are exact, so no pull is 0 and yet not 0 by rounding.
    weights = hebbian_weights(spins(12, 32))
    start = spins(200, 32, seed=1)
    end = settle(start, weights)
    assert not torch.equal(start, end)  # what is given stays
    before, after = (-0.5 * (s @ weights * s).sum(dim=-1) for s in (start, end))
    assert (after <= before + 1e-12).all()
    assert torch.equal(settle(end, weights), end)
    pull = end @ weights
    assert (pull * end >= 0).all()


@given(
    d=st.integers(1, 8),
    count=st.integers(1, 10),
    beta=st.floats(0.05, 30),
    seed=st.integers(0, 10_000),
)
@settings(max_examples=60, deadline=None)
def test_update_lowers_energy_by_half_squared_step(d, count, beta, seed):
    patterns, state = randn(count, d, seed=seed), 2 * randn(50, d, seed=seed + 1)
    after = update(state, patterns, beta)
    fall = energy(state, patterns, beta) - energy(after, patterns, beta)
    assert (fall >= 0.5 * (after - state).square().sum(dim=-1) - 1e-9).all()


def test_update_equals_attention_over_patterns():
    patterns, state = randn(6, 4), randn(3, 4, seed=1)
    output, _ = scaled_dot_product_attention(state, patterns, patterns)
    assert torch.allclose(update(state, patterns, 1 / math.sqrt(4)), output)


def test_energy_equals_its_formula():
    patterns, states, beta = randn(6, 4), randn(3, 4, seed=1), 2.5
    longest = max(p.dot(p) for p in patterns)
    for state, found in zip(states, energy(states, patterns, beta), strict=True):
        lse = sum((beta * p.dot(state)).exp() for p in patterns).log() / beta
        wanted = -lse + state.dot(state) / 2 + math.log(6) / beta + longest / 2
        torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: update(torch.ones(4).long(), randn(6, 4), 1.0), "state .* floating"),
        (
            lambda: update(randn(4), torch.ones(6, 4).long(), 1.0),
            "patterns .* floating",
        ),
        (lambda: update(randn(3), randn(6, 4), 1.0), r"\(…, 4\)"),
        (lambda: update(randn(4), randn(6, 4), 0.0), "beta must be above 0"),
        (lambda: energy(randn(4), randn(6, 4), math.nan), "beta must be above 0"),
        (lambda: update(randn(4), randn(6, 4), 0.9e-6), "beta must lie in"),
        (lambda: update(randn(4), randn(6, 4), 1.1e6), "beta must lie in"),
        (lambda: hebbian_weights(randn(3, 8)), "spins, −1 or 1"),
        (lambda: settle(randn(8), spins(8, 8)), "spins, −1 or 1"),
        (lambda: settle(spins(8), spins(7, 7)), r"\(8, 8\), got \(7, 7\)"),
        (lambda: settle(spins(8), spins(8, 8), sweeps=0), "sweeps must be"),
        (lambda: retrieve(randn(4), randn(6, 4), 1.0, steps=0), "steps must be"),
        (lambda: retrieve(randn(4), randn(6, 4), 1.0, tolerance=math.nan), "tolerance"),
    ],
)
def test_hopfield_functions_reject_bad_input(call, said):
    with pytest.raises((TypeError, ValueError), match=said):
        call()
