"""Transformer and GRU on real sentences: sizes, the watch, the curves, margins."""

import pytest
import torch

from attnlab.data.text import Characters, Subwords, TextPairs
from attnlab.experiments import rivals
from attnlab.experiments.rivals import (
    KINDS,
    RATES,
    VARIANTS,
    Watch,
    best_setting,
    build,
    in_equal_seconds,
    measure_rival,
    measure_speed,
    value_at,
)
from attnlab.experiments.study import TUNING_SEED
from attnlab.recurrent import count_parameters
from attnlab.store import load, select
from attnlab.training import mean_loss, set_seed

SIZES = 2000, 2239  # of the vocabularies that the stored runs had
TEXTS = [
    ("the cat sat", "猫坐着"),
    ("the dog ran", "狗跑了"),
    ("a cat ran", "一只猫跑了"),
    ("a dog sat", "一只狗坐着"),
]


@pytest.fixture
def few_texts(monkeypatch):
    source = Subwords.train((english for english, _ in TEXTS), 40)
    target = Characters.train(chinese for _, chinese in TEXTS)
    pairs = TextPairs(TEXTS * 5, source, target)
    found = {"train": pairs, "valid": pairs, "test": pairs}
    monkeypatch.setattr(rivals, "load_texts", lambda: found)
    return found


def test_contenders_have_nearly_the_same_number_of_parameters():
    with torch.device("meta"):  # only to count
        sizes = [count_parameters(build(variant, *SIZES)) for variant in VARIANTS]
    assert max(sizes) / min(sizes) < 1.02


def test_an_unknown_variant_is_named():
    with pytest.raises(ValueError, match="'lstm'"):
        build("lstm", 10, 10)


def test_the_watch_leaves_its_own_work_out(few_texts):
    set_seed(0)
    pairs = few_texts["train"]
    model = build("gru, general", len(pairs.src_vocab), len(pairs.tgt_vocab))
    watch = Watch(sentences=4)
    loss = watch(model, few_texts["valid"])
    start = watch.start
    watch(model, few_texts["valid"])
    assert watch.rows[0]["loss"] == pytest.approx(loss, abs=1e-3)
    assert loss == pytest.approx(mean_loss(model, few_texts["valid"]))
    assert watch.start > start
    # Between the two calls nothing was trained.
    assert watch.rows[1]["seconds"] - watch.rows[0]["seconds"] < 0.05


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_short_run_has_a_curve_and_learns(few_texts, variant):
    metrics = measure_rival(seed=0, variant=variant, lr=1e-2, steps=12, sentences=4)
    curve = metrics["curve"]
    assert [row["step"] for row in curve] == list(range(1, 13))  # one batch an epoch
    assert curve[-1]["loss"] < curve[0]["loss"]
    assert curve[-1]["seconds"] > curve[0]["seconds"]
    assert metrics["test"].keys() == {"loss", "bleu", "chrf"}


def test_steps_are_timed(few_texts):
    milliseconds = measure_speed(seed=0, steps=3)
    assert milliseconds.keys() == set(VARIANTS)
    assert min(milliseconds.values()) > 0


def test_a_curve_is_read_between_its_points():
    curve = [
        {"step": 10, "seconds": 1.0, "loss": 4.0},
        {"step": 20, "seconds": 3.0, "loss": 2.0},
        {"step": 30, "seconds": 5.0, "loss": 1.0},
    ]
    assert value_at(curve, 2.0, along="seconds", what="loss") == 3.0
    assert value_at(curve, 30, along="step", what="loss") == 1.0
    with pytest.raises(ValueError, match="not within 10 … 30"):
        value_at(curve, 31, along="step", what="loss")


def test_the_best_of_each_kind_is_stored_with_three_seeds():
    tuned = load("rivals.tuning")["runs"]
    assert len(tuned) == len(VARIANTS) * len(RATES)
    assert {run["seed"] for run in tuned} == {TUNING_SEED}
    for kind in KINDS:
        runs = select(load("rivals"), steps=None, **best_setting(kind))
        assert [run["seed"] for run in runs] == [0, 1, 2]


def test_stored_runs_keep_the_margins_the_chapter_claims():
    def metrics(kind):
        runs = select(load("rivals"), steps=None, **best_setting(kind))
        return [run["figures"] for run in runs]

    def tests(kind, metric):
        return [found["test"][metric] for found in metrics(kind)]

    def loss_after(kind, seconds):
        variant = best_setting(kind)["variant"]
        curves = [in_equal_seconds(variant, one["curve"]) for one in metrics(kind)]
        return [value_at(c, seconds, along="seconds", what="loss") for c in curves]

    for metric in ("bleu", "chrf"):  # after as many steps
        assert min(tests("transformer", metric)) > max(tests("gru", metric)) + 1
        assert min(tests("attention alone", metric)) > max(tests("transformer", metric))
    for other in ("transformer", "transformer ×4"):
        assert max(tests("attention alone", "loss")) < min(tests(other, "loss")) - 0.01
    for seconds in (50, 80, 110):  # of one core
        best = min(loss_after("gru", seconds))
        assert max(loss_after("transformer", seconds)) < best - 0.05
        assert max(loss_after("attention alone", seconds)) < best - 0.1
