import pytest
import torch

from attnlab.data import NumberPairs, collate
from attnlab.experiments.hard import (
    LOSSES,
    UNTAUGHT,
    build,
    gradient_noise,
)

NUMBERS = list(range(1_000, 1_064))


def test_noise_is_that_of_a_known_distribution():
    class Noisy(torch.nn.Module):
        """The gradient of its only weight is 1 ± 1, each as likely: noise 1."""

        def __init__(self):
            super().__init__()
            self.decoder = torch.nn.Module()
            self.decoder.attention = torch.nn.Module()
            self.decoder.attention.score = torch.nn.Linear(1, 1, bias=False)

    model = Noisy()

    def loss(model, batch):
        weight = model.decoder.attention.score.weight.sum()
        return weight * (2 * torch.randint(2, ()).float()), torch.zeros(())

    torch.manual_seed(0)
    batch = collate([([3, 2], [1, 3, 2])])
    assert gradient_noise(model, loss, batch, draws=2_000) == pytest.approx(1, abs=0.1)


def test_without_reinforce_no_gradient_reaches_the_score():
    torch.manual_seed(0)
    pairs = NumberPairs(NUMBERS)
    batch = collate([pairs[i] for i in range(8)])
    for estimator, reached in ((UNTAUGHT, False), ("hard", True)):
        model = build(pairs, estimator, 16).train()
        LOSSES[estimator](model, batch)[0].backward()
        score = list(model.decoder.attention.score.parameters())
        assert score
        assert all((weight.grad is not None) is reached for weight in score)
        assert model.decoder.readout.weight.grad.abs().max() > 0
