"""Far keys: the masks, and what positions measured."""

import pytest
import torch

from attnlab.experiments.far_keys import (
    KNOWN,
    MASKS,
    NEAR,
    SCHEMES,
    far_mask,
    measure_far_keys,
)
from attnlab.experiments.positions import TASKS
from attnlab.store import load, select

N = 66  # BOS, 64 digits, EOS


def test_every_mask_shows_a_token_itself_and_the_one_before():
    for mask in MASKS.values():
        seen = mask(N)
        assert seen.shape == (N, N) and seen.dtype == torch.bool
        assert seen.diagonal().all() and seen.diagonal(-1).all()


def test_far_keys_are_as_many_as_near_ones_and_farther_than_any_in_training():
    assert TASKS["previous"]["longest"] + 1 == KNOWN
    seen = far_mask(N)
    assert (seen.sum(dim=1) == 2 * NEAR + 1).all()
    distances = (torch.arange(N) - torch.arange(N)[:, None]).abs()
    others = distances[seen & (distances > 1)]
    assert others.min() > KNOWN and len(others) >= (2 * NEAR - 1) * N
    assert torch.equal(seen, far_mask(N))


def test_more_keys_are_all_at_known_distances():
    distances = (torch.arange(N) - torch.arange(N)[:, None]).abs()
    assert distances[MASKS["more"](N)].max() == KNOWN
    assert MASKS["more"](N).sum(dim=1).max() == 2 * KNOWN + 1


def stored(scheme, name):
    runs = select(load("far_keys"), scheme=scheme)
    assert len({run["seed"] for run in runs}) == len(runs) == 5
    return [run["figures"][name] for run in runs]


def test_all_keys_are_what_positions_measured():
    for scheme in SCHEMES:
        runs = select(load("positions"), task="previous", scheme=scheme, steps=None)
        measured = [run["figures"]["right"]["4"] for run in runs]
        assert stored(scheme, "all") == pytest.approx(measured, abs=0.01)


@pytest.mark.slow
def test_a_run_of_one_seed():
    metrics = measure_far_keys(seed=0, scheme="rotary", lr=0.01)
    assert metrics["more"] > metrics["far"] and metrics["near"] > metrics["all"]
