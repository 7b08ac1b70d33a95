"""Far keys: the masks, and what positions measured."""

import pytest
import torch

from attnlab.experiments.far_keys import (
    KNOWN,
    MASKS,
    NEAR,
    SCHEMES,
    far_mask,
    scores_times,
)
from attnlab.experiments.positions import STUDY as POSITIONS
from attnlab.experiments.positions import TASKS, build, digit_pairs
from attnlab.store import load, metrics, select

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


@pytest.mark.parametrize("scheme", ["sinusoidal", "rotary", "alibi"])
def test_sharper_scores_are_every_score_times_the_factor(scheme):
    torch.manual_seed(0)
    model = build("previous", scheme, max_length=40)
    tokens = torch.tensor([digit_pairs("previous", (9, 9), 1, seed=0)[0][0]])
    with torch.no_grad():
        plain = model.attention(tokens).log()
        with scores_times(model, 1.5):
            sharper = model.attention(tokens).log()
        assert torch.allclose(model.attention(tokens).log(), plain)
    wanted = (1.5 * plain).log_softmax(dim=-1)
    torch.testing.assert_close(sharper, wanted, rtol=1e-4, atol=1e-4)


def test_all_keys_are_what_positions_measured():
    for scheme in SCHEMES:
        runs = select(load("positions"), task="previous", scheme=scheme, steps=None)
        lr = POSITIONS.best_rate(task="previous", scheme=scheme)
        again = metrics("far_keys", scheme=scheme, lr=lr)
        assert len(again) == 5
        measured = [run["figures"] for run in runs]
        assert [run["near"] for run in again] == pytest.approx(
            [run["windowed"]["4"] for run in measured], abs=0.02
        )
        assert [run["right"]["4"] for run in again] == pytest.approx(
            [run["right"]["4"] for run in measured], abs=0.02
        )
