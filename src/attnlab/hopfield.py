"""Associative memories: spins that fall into what is stored.

A memory holds N patterns of d numbers. A state that resembles one of them is moved,
step by step, to where an *energy* is lower, and comes to rest at a pattern, or between
several.

- The classical network (Hopfield 1982): states and patterns are spins, −1 or 1, and the
  energy is that of an Ising magnet.
- The modern network (Ramsauer et al. 2020): states and patterns are any real numbers.
  Its update is softmax attention, with the patterns as keys and as values.

Patterns are (N, d), states (…, d).
"""

import math

import torch
from torch import Tensor

from attnlab.checks import (
    check_floating,
    check_integer,
    check_number,
    check_same_dtype,
)

MAX_BETA = 1e6  # beyond it, and under its inverse, energies overflow

# The classical network ---------------------------------------------------------------


def hebbian_weights(patterns: Tensor) -> Tensor:
    """Return how strongly each two spins are tied: W = Σ p pᵀ / d, diagonal 0.

    Hopfield (1982), equation 2, divided by the number of spins.

    Args:
        patterns: (N, d), spins −1 or 1.

    Returns:
        (d, d), symmetric.

    Raises:
        TypeError, ValueError: no patterns of spins.
    """
    _check_patterns(patterns)
    _check_spins("patterns", patterns)
    weights = patterns.T @ patterns / patterns.shape[1]  # (d, d)
    return weights.fill_diagonal_(0.0)


def settle(spins: Tensor, weights: Tensor, *, sweeps: int = 20) -> Tensor:
    """Let every spin in turn follow the pull of the others, until none wants to turn.

    A spin without any pull stays as it is. Hopfield (1982), equation 1, with the spins
    taken in order.

    Args:
        spins: (…, d), −1 or 1; not changed.
        weights: (d, d), symmetric with diagonal 0, so that no turn raises the energy.
        sweeps: how often to go through all spins at most.

    Returns:
        (…, d), spins −1 or 1.

    Raises:
        TypeError, ValueError: no spins, weights of another shape, or sweeps < 1.
    """
    _check_weights(spins, weights)
    _check_spins("spins", spins)
    check_integer("sweeps", sweeps, 1)
    spins = spins.clone()
    for _ in range(sweeps):
        before = spins.clone()
        for i in range(len(weights)):
            pull = spins @ weights[i]  # (…)
            spins[..., i] = torch.where(pull == 0, spins[..., i], pull.sign())
        if torch.equal(spins, before):
            break
    return spins


# The modern network ------------------------------------------------------------------


def energy(state: Tensor, patterns: Tensor, beta: float) -> Tensor:
    """Return E(ξ) = −lse(β, X ξ) + ½ ξᵀξ + log(N)/β + ½ M² of each state.

    lse(β, z) = log(Σ exp(β z))/β, and M is the length of the longest pattern. The two
    last terms are constants, which keep E from 0 to 2 M² inside the patterns' reach
    (Ramsauer et al. 2020, equation 2).

    Args:
        state: (…, d), any real numbers.
        patterns: (N, d).
        beta: the inverse temperature, over 0.

    Returns:
        (…).

    Raises:
        TypeError: the state or the patterns are not floating point tensors.
        ValueError: widths that differ, no patterns, or beta that is not over 0.
    """
    _check(state, patterns, beta)
    count, longest = len(patterns), patterns.norm(dim=-1).max()
    lse = (beta * state @ patterns.T).logsumexp(dim=-1) / beta  # (…)
    constant = math.log(count) / beta + 0.5 * longest**2
    return -lse + 0.5 * (state**2).sum(dim=-1) + constant


def update(state: Tensor, patterns: Tensor, beta: float) -> Tensor:
    """Return ξ' = softmax(β ξ Xᵀ) X: attention of the state to the patterns.

    The energy falls by ½ |ξ' − ξ|² at least (Ramsauer et al. 2020, equation 3 and
    theorem 1). Arguments and errors as for `energy`.

    Returns:
        (…, d), a weighted mean of the patterns.
    """
    _check(state, patterns, beta)
    weights = (beta * state @ patterns.T).softmax(dim=-1)  # (…, N)
    return weights @ patterns


def retrieve(
    state: Tensor,
    patterns: Tensor,
    beta: float,
    *,
    steps: int = 100,
    tolerance: float = 1e-6,
) -> tuple[Tensor, int]:
    """Update until no number moves by more than the tolerance.

    Returns:
        The last states (…, d), and how many updates were made, `steps` at most.

    Raises:
        TypeError, ValueError: as `energy`; steps < 1, or a tolerance that is no number.
    """
    _check(state, patterns, beta)
    check_integer("steps", steps, 1)
    check_number("tolerance", tolerance)
    made = 0
    moved = float("inf")
    while made < steps and moved > tolerance and state.numel():
        last, state = state, update(state, patterns, beta)
        moved = (state - last).abs().max().item()
        made += 1
    return state, made


def _check(state: Tensor, patterns: Tensor, beta: float) -> None:
    _check_patterns(patterns)
    check_same_dtype(state=state, patterns=patterns)
    if state.dim() == 0 or state.shape[-1] != patterns.shape[1]:
        raise ValueError(
            f"state must be (…, {patterns.shape[1]}) like the patterns, "
            f"got {tuple(state.shape)}"
        )
    check_number("beta", beta, above=0)
    if not 1 / MAX_BETA <= beta <= MAX_BETA:
        raise ValueError(f"beta must lie in 10⁻⁶ … 10⁶, got {beta}")


def _check_patterns(patterns: Tensor) -> None:
    check_floating("patterns", patterns)
    if patterns.dim() != 2 or patterns.numel() == 0:
        raise ValueError(f"patterns must be (N, d), got {tuple(patterns.shape)}")


def _check_weights(spins: Tensor, weights: Tensor) -> None:
    check_same_dtype(spins=spins, weights=weights)
    if spins.dim() == 0:
        raise ValueError("spins must be (…, d), got a single number")
    d = spins.shape[-1]
    if weights.shape != (d, d):
        raise ValueError(f"weights must be ({d}, {d}), got {tuple(weights.shape)}")


def _check_spins(name: str, spins: Tensor) -> None:
    if not (spins.abs() == 1).all():
        raise ValueError(f"{name} must be spins, −1 or 1, got other numbers")
