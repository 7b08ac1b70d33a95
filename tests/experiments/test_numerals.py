"""Transformer and GRU on numerals: what is counted, the sizes, the stored margins."""

import pytest
import torch

from attnlab.data import NumberPairs, collate
from attnlab.experiments.numerals import (
    RATES,
    STUDY,
    VARIANTS,
    build,
    by_tens,
    learn_numerals,
    measure_numerals,
    measure_speed,
    numeral_loss,
    seconds_per_step,
)
from attnlab.experiments.study import TUNING_SEED
from attnlab.recurrent import count_parameters
from attnlab.store import load, select
from attnlab.training import cross_entropy_loss, exact_match, set_seed


def stored(variant):
    runs = select(load("numerals"), variant=variant)
    assert [run["seed"] for run in runs] == list(range(5))
    return [run["figures"] for run in runs]


def test_contenders_have_the_same_number_of_parameters():
    sizes = [count_parameters(build(variant)) for variant in VARIANTS]
    assert max(sizes) / min(sizes) < 1.01


def test_an_unknown_variant_is_named():
    with pytest.raises(ValueError, match="'lstm'"):
        build("lstm")


def test_what_is_right_in_one_pass_is_right_in_greedy_search():
    set_seed(0)
    model = build("transformer, post-norm")
    learn_numerals(model, list(range(20)) * 80, lr=1e-2, seed=0, steps=45)
    tests = NumberPairs(list(range(25)))
    batch = collate([tests[i] for i in range(len(tests))])
    loss, share = numeral_loss(model, batch)
    assert 0.2 < share < 1  # or this shows nothing
    assert share.item() == pytest.approx(exact_match(model, tests))
    torch.testing.assert_close(loss, cross_entropy_loss(model, batch)[0])


def test_curves_are_means_of_ten_steps():
    assert by_tens([0.0] * 10 + [1.0] * 10 + [0.5]) == [0.0, 1.0, 0.5]


def test_a_short_run_has_all_figures_and_learns():
    metrics = measure_numerals(
        seed=9, variant="gru", lr=1e-2, steps=60, test_numbers=60
    )
    assert metrics["loss"][-1] < metrics["loss"][0] / 2
    assert len(metrics["curve"]) == 6
    assert metrics["cpu_seconds"] > 0
    assert 0 <= metrics["exact"] <= 1


def test_a_dearer_step_is_told_from_a_cheaper_one():
    class Slow(torch.nn.Module):
        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, src, tgt):
            for _ in range(5):
                logits = self.model(src, tgt)
            return logits

    pairs = NumberPairs(list(range(100, 200)))
    models = {"slow": Slow(build("gru")), "gru": build("gru")}
    batch = collate([pairs[i] for i in range(100)])
    seconds = seconds_per_step(models, [batch] * 6)
    assert seconds["slow"] > 1.3 * seconds["gru"] > 0
    assert measure_speed(seed=0, steps=3).keys() == set(VARIANTS)


def test_stored_runs_used_the_rate_that_won_on_the_tuning_seed():
    for run in load("numerals")["runs"]:
        setting = dict(run["setting"])
        assert setting.pop("lr") == STUDY.best_rate(**setting)
        assert run["seed"] != TUNING_SEED
    tuned = load("numerals.tuning")["runs"]
    assert len(tuned) == len(VARIANTS) * len(RATES)
    assert {run["seed"] for run in tuned} == {TUNING_SEED}


def test_stored_runs_keep_the_margins_the_chapter_claims():
    transformers = stored("transformer, post-norm") + stored("transformer, pre-norm")
    grus = stored("gru") + stored("gru, additive")
    assert min(metrics["exact"] for metrics in transformers + grus) > 0.98
    # At equal parameters the GRU learns numerals in fewer steps …
    slowest = max(metrics["solved_at"] for metrics in grus)
    assert slowest < 0.7 * min(metrics["solved_at"] for metrics in transformers)
    # … and none of them says a longer number than it was trained on.
    for metrics in transformers + grus:
        assert metrics["exact_match"]["10"] == metrics["exact_match"]["11"] == 0
