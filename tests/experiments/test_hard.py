import pytest
import torch

from attnlab.data import PAD, NumberPairs, collate
from attnlab.experiments.hard import (
    DRAWS,
    ESTIMATORS,
    LOSSES,
    NO_SCORE_GRADIENT,
    build,
    exact_loss,
    gradient_noise,
    measure_noise,
    straight_through,
)
from attnlab.training import set_seed

NUMBERS = list(range(1_000, 1_064))


def measure_noise_of(estimator):
    set_seed(0)
    return measure_noise(estimator, NumberPairs(NUMBERS), 16)


def test_gradient_noise_is_zero_for_soft_and_lower_with_baseline():
    soft, hard, bare = map(measure_noise_of, ESTIMATORS)
    assert soft < 1e-6
    assert 0.01 < hard < bare / 2


def test_gradient_noise_equals_known_variance():
    class NoisyModel(torch.nn.Module):
        """The gradient of its only weight is 1 ± 1, each as likely: noise 1."""

        def __init__(self):
            super().__init__()
            self.decoder = torch.nn.Module()
            self.decoder.attention = torch.nn.Module()
            self.decoder.attention.score = torch.nn.Linear(1, 1, bias=False)

    model = NoisyModel()

    def loss(model, batch):
        weight = model.decoder.attention.score.weight.sum()
        return weight * (2 * torch.randint(2, ()).float()), torch.zeros(())

    torch.manual_seed(0)
    batch = collate([([3, 2], [1, 3, 2])])
    assert gradient_noise(model, loss, batch, draws=2_000) == pytest.approx(1, abs=0.1)


def test_hard_attention_without_reinforce_has_no_score_gradient():
    torch.manual_seed(0)
    pairs = NumberPairs(NUMBERS)
    batch = collate([pairs[i] for i in range(8)])
    for estimator in LOSSES:
        reached = estimator != NO_SCORE_GRADIENT
        model = build(pairs, estimator, 16).train()
        LOSSES[estimator](model, batch)[0].backward()
        score = list(model.decoder.attention.score.parameters())
        assert score
        assert all((weight.grad is not None) is reached for weight in score)
        assert model.decoder.readout.weight.grad.abs().max() > 0


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_straight_through_draw_is_one_visible_word(draw):
    torch.manual_seed(0)
    scores = torch.randn(50, 3, 5, requires_grad=True)
    hidden = torch.arange(5) == 4
    drawn = draw(scores.masked_fill(hidden, -torch.inf).softmax(dim=-1))
    torch.testing.assert_close(drawn.detach().max(dim=-1).values, torch.ones(50, 3))
    torch.testing.assert_close(drawn.detach().sum(dim=-1), torch.ones(50, 3))
    assert len(set(drawn[:, 0].argmax(dim=-1).tolist())) == 4
    assert not drawn[..., 4].any()
    (drawn * torch.randn(5)).sum().backward()
    assert scores.grad.isfinite().all() and scores.grad.abs().max() > 0.1


def test_straight_through_gradient_equals_soft_gradient():
    torch.manual_seed(0)
    scores, values = torch.randn(2, 3, 5, requires_grad=True), torch.randn(5)
    weights = scores.softmax(dim=-1)
    (soft,) = torch.autograd.grad((weights * values).sum(), scores, retain_graph=True)
    passed = (straight_through(weights) * values).sum()
    torch.testing.assert_close(torch.autograd.grad(passed, scores)[0], soft)


def test_exact_loss_sums_over_visible_words():
    torch.manual_seed(0)
    pairs = NumberPairs([1_023, 7, 19])  # of several lengths: padding
    batch = collate([pairs[i] for i in range(3)])
    model = build(pairs, "exact sum", 16).eval()
    soft = build(pairs, "soft", 16).eval()
    soft.load_state_dict(model.state_dict(), strict=False)
    inputs, targets = batch.tgt[:, :-1], batch.tgt[:, 1:]
    weights, encoded = soft.attention(batch.src, inputs), model.encode(batch.src)
    expected = 0
    for place in range(batch.src.shape[1]):
        here = (torch.arange(batch.src.shape[1]) == place).expand_as(encoded.mask)
        logits = model.decoder(inputs, encoded._replace(mask=here)).logits
        true = logits.softmax(dim=-1).gather(2, targets[..., None])[..., 0]
        expected = expected + weights[..., place] * true
    real = targets != PAD
    loss, _ = exact_loss(model, batch)
    torch.testing.assert_close(loss, -expected[real].log().mean())
