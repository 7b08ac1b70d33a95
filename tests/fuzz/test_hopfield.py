import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import (
    ODD_NUMBERS,
    REFUSED,
    assert_close,
    attempt,
    bent,
    fuzz,
    sizes,
    tensors,
)

from attnlab.hopfield import (
    energy,
    hebbian_weights,
    retrieve,
    settle,
    spin_energy,
    update,
)


@st.composite
def spins(draw, shape):
    """Spins, or now and then something else."""
    x = draw(tensors(draw(bent(shape))))
    if x.is_floating_point() and draw(st.integers(0, 5)):
        return torch.where(x < 0, -1.0, 1.0).to(x)
    return x


@fuzz(hebbian_weights, spin_energy, settle)
@given(data=st.data(), d=st.integers(1, 6), sweeps=sizes(1, 20))
def test_spins_settle_where_the_energy_is_lower(data, d, sweeps):
    patterns = data.draw(spins((3, d)))
    weights = attempt(hebbian_weights, patterns)
    if weights is REFUSED:
        return
    d = patterns.shape[1]
    assert torch.equal(weights, weights.T) and not weights.diagonal().any()
    states = data.draw(spins((2, d)))
    before = attempt(spin_energy, states, weights)
    rest = attempt(settle, states, weights, sweeps=sweeps)
    if rest is not REFUSED:
        assert (rest.abs() == 1).all() and rest.shape == states.shape
        if states.dtype.itemsize > 2:
            assert (spin_energy(rest, weights) <= before + 1e-4).all()


@fuzz(energy, update, retrieve)
@given(
    data=st.data(),
    beta=st.one_of(st.floats(1e-3, 1e3), ODD_NUMBERS),
    steps=sizes(1, 9),
    tolerance=st.one_of(st.just(1e-6), ODD_NUMBERS),
)
def test_states_fall_and_come_to_rest(data, beta, steps, tolerance):
    patterns = data.draw(tensors(data.draw(bent((3, 2))), most=10.0))
    state = data.draw(tensors(data.draw(bent((2, 2))), patterns.dtype, most=10.0))
    if data.draw(st.integers(0, 5)) == 0:
        state = state.to(data.draw(st.sampled_from([torch.float64, torch.int64])))
    moved = attempt(update, state, patterns, beta)
    high = attempt(energy, state, patterns, beta)
    assert (moved is REFUSED) == (high is REFUSED)
    found = attempt(retrieve, state, patterns, beta, steps=steps, tolerance=tolerance)
    if moved is REFUSED:
        assert found is REFUSED
        return
    assert moved.isfinite().all() or state.dtype.itemsize == 2  # 65504 is soon reached
    if state.dtype == torch.float64 and 1e-3 <= beta <= 1e3:
        weights = (float(beta) * state @ patterns.T).softmax(-1)
        assert_close(moved, weights @ patterns, digits_of=state.dtype)
        assert (energy(moved, patterns, beta) <= high + 1e-6).all()
    if found is not REFUSED:
        rest, made = found
        assert 0 <= made <= steps
        assert rest.isfinite().all() or state.dtype.itemsize == 2
        assert not math.isnan(tolerance)
