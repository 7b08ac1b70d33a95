"""The parts of a recurrent decoder's attention: windows, the choice of a position."""

import math

import pytest
import torch

from attnlab.masks import masked_softmax, padding_mask
from attnlab.recurrent_attention import PredictiveWindow, choose

D_MODEL = 8


@pytest.mark.parametrize("radius", [1, 3])
def test_predictive_window_always_contains_a_real_token(radius):
    window = PredictiveWindow(D_MODEL, radius).double()
    mask = padding_mask(torch.arange(1, 6), 5)
    for pull in (-1e3, -1.0, 0.0, 1.0, 1e3):
        with torch.no_grad():
            window.hidden.weight.fill_(1.0)
            window.out.weight.fill_(pull)
        seen, gain = window(torch.ones(5, 1, D_MODEL).double(), mask, None)
        assert seen.any(-1).all()
        assert (gain[seen] > 0).all()


def test_choose_returns_log_probability_of_choice():
    torch.manual_seed(0)
    probs = torch.randn(1, 1, 4).double().softmax(-1)
    probs[..., 2] = 0
    probs = probs / probs.sum()
    rows = 20_000
    # Half the mass is missing, as after a Gaussian: the draw is from what is left.
    weights = (0.5 * probs).expand(1, rows, 4)
    choice, log_prob, entropy = choose(weights, sample=True)
    assert (choice.sum(-1) == 1).all()
    share = choice.mean(1)[0]
    spread = (probs[0, 0] * (1 - probs[0, 0]) / rows).sqrt()
    assert ((share - probs[0, 0]).abs() <= 5 * spread).all()
    assert share[2] == 0
    torch.testing.assert_close(log_prob.exp(), (choice * probs).sum(-1))
    wanted = -sum(p * math.log(p) for p in probs.flatten().tolist() if p > 0)
    assert entropy[0, 0].item() == pytest.approx(wanted)

    choice, log_prob, _ = choose(weights, sample=False)
    assert (choice.argmax(-1) == probs.argmax()).all()
    torch.testing.assert_close(log_prob.exp(), probs.max().expand(1, rows))


@pytest.mark.parametrize("sample", [True, False])
def test_choose_fully_masked_returns_zeros(sample):
    scores = torch.zeros(1, 2, 3, requires_grad=True)
    mask = torch.tensor([[[False] * 3, [True, True, False]]])
    weights = masked_softmax(scores, mask)
    choice, log_prob, entropy = choose(weights, sample=sample)
    assert choice[0, 0].tolist() == [0, 0, 0]
    assert log_prob[0, 0] == entropy[0, 0] == 0
    (log_prob.sum() + entropy.sum()).backward()
    assert scores.grad.isfinite().all()
    assert scores.grad[0, 0].tolist() == [0, 0, 0]
    assert scores.grad[0, 1].abs().sum() > 0


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        (torch.ones(2, 3, 4).long(), TypeError, "weights must be a floating point"),
        (torch.ones(3, 4), ValueError, r"weights must be .*\(3, 4\)"),
        (torch.ones(2, 3, 0), ValueError, r"weights must be .*\(2, 3, 0\)"),
    ],
)
def test_choose_rejects_bad_weights(weights, error, words):
    with pytest.raises(error, match=words):
        choose(weights, sample=False)
