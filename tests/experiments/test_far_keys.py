"""Far keys: the masks, and what positions measured."""

import pytest
import torch

from attnlab.experiments.far_keys import (
    KNOWN,
    MASKS,
    NEAR,
    SCHEMES,
    far_mask,
    multiply_scores,
)
from attnlab.experiments.positions import STUDY as POSITIONS
from attnlab.experiments.positions import TASKS, build, digit_pairs
from attnlab.store import load, metrics, select

LENGTH = 66  # BOS, 64 digits, EOS


def test_far_mask_hides_as_many_near_keys_beyond_training():
    assert TASKS["previous"]["longest"] + 1 == KNOWN
    for mask in MASKS.values():  # the token itself and the one before are always seen
        assert mask(LENGTH).diagonal().all() and mask(LENGTH).diagonal(-1).all()
    seen = far_mask(LENGTH)
    assert (seen.sum(dim=1) == 2 * NEAR + 1).all()
    distances = (torch.arange(LENGTH) - torch.arange(LENGTH)[:, None]).abs()
    others = distances[seen & (distances > 1)]
    assert others.min() > KNOWN and len(others) >= (2 * NEAR - 1) * LENGTH


@pytest.mark.parametrize("scheme", ["sinusoidal", "rotary", "alibi"])
def test_scores_times_multiplies_every_score(scheme):
    torch.manual_seed(0)
    model = build("previous", scheme, max_length=40)
    tokens = torch.tensor([digit_pairs("previous", (9, 9), 1, seed=0)[0][0]])
    with torch.no_grad():
        plain = model.attention(tokens).log()
        with multiply_scores(model, 1.5):
            sharper = model.attention(tokens).log()
        assert torch.allclose(model.attention(tokens).log(), plain)
    wanted = (1.5 * plain).log_softmax(dim=-1)
    torch.testing.assert_close(sharper, wanted, rtol=1e-4, atol=1e-4)


def test_far_keys_baseline_equals_positions_study():
    for scheme in SCHEMES:
        runs = select(load("positions"), task="previous", scheme=scheme, steps=None)
        lr = POSITIONS.best_rate(task="previous", scheme=scheme)
        again = metrics("far_keys", scheme=scheme, lr=lr)
        for run, after in zip(runs, again, strict=True):
            before = run["figures"]
            assert after["near"] == pytest.approx(before["windowed"]["4"], abs=0.02)
            assert after["right"]["4"] == pytest.approx(before["right"]["4"], abs=0.02)
