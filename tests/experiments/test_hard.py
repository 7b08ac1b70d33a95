import pytest
import torch

from attnlab.data import NumberPairs, collate
from attnlab.experiments.hard import (
    ESTIMATORS,
    LOSSES,
    STUDY,
    UNTAUGHT,
    build,
    gradient_noise,
    measure_hard,
    measure_noise,
)
from attnlab.experiments.scores import within
from attnlab.store import load, select
from attnlab.training import set_seed

NUMBERS = list(range(1_000, 1_064))


def noise_of(estimator):
    set_seed(0)
    return measure_noise(estimator, NumberPairs(NUMBERS), 16)


def test_soft_attention_has_no_noise_and_the_baseline_removes_some():
    soft, hard, bare = map(noise_of, ESTIMATORS)
    assert soft < 1e-6
    assert 0.01 < hard < bare / 2


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


def test_an_unknown_estimator_is_refused():
    with pytest.raises(ValueError, match="estimator"):
        build(NumberPairs([1]), "lucky", 16)


def test_without_a_baseline_it_stays_zero():
    torch.manual_seed(0)
    pairs = NumberPairs(NUMBERS)
    batch = collate([pairs[i] for i in range(8)])
    model = build(pairs, "hard, no baseline", 16).train()
    LOSSES["hard"](model, batch)
    assert model.baseline != 0
    before = LOSSES["hard, no baseline"](model, batch)[0]
    assert torch.isfinite(before)


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


def test_a_run_without_reinforce_has_no_noise_to_tell():
    sizes = {"d_model": 8, "train_numbers": 64, "epochs": 1}
    metrics = measure_hard(seed=0, estimator=UNTAUGHT, **sizes)
    assert set(metrics) == {"valid", "exact_match", "aer", "near_errors", "mass"}


def test_stored_runs_keep_the_margins_the_chapter_claims():
    stored = load("hard")
    soft, hard, bare = (
        [run["figures"] for run in select(stored, estimator=e)] for e in ESTIMATORS
    )
    assert min(len(soft), len(hard), len(bare)) >= 3
    assert min(map(within, soft)) > 0.95
    assert min(run["gradient_noise"] for run in bare) > 2 * max(
        run["gradient_noise"] for run in hard
    )


def test_without_reinforce_no_stored_seed_learns_where_to_look():
    taught = [run["figures"]["aer"] for run in select(load("hard"), estimator="hard")]
    untaught = select(load("hard"), estimator=UNTAUGHT)
    assert {run["seed"] for run in untaught} == set(range(5))
    lr = STUDY.best_rate(estimator=UNTAUGHT)
    assert {run["setting"]["lr"] for run in untaught} == {lr}
    errors = [run["figures"]["aer"] for run in untaught]
    assert max(taught) < 0.5 < 0.75 < min(errors)
