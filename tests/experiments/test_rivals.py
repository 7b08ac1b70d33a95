"""Transformer and GRU on real sentences: sizes, the watch, the curves."""

import pytest
import torch

from attnlab.data.text import Characters, Subwords, TextPairs
from attnlab.experiments import rivals
from attnlab.experiments.rivals import (
    PARTS,
    VARIANTS,
    at_rest,
    build,
    measure_rest,
    measure_rival,
)
from attnlab.recurrent import count_parameters

VOCABULARY_SIZES = 2000, 2239  # of the vocabularies that the stored runs had
TEXTS = [
    ("the cat sat", "猫坐着"),
    ("the dog ran", "狗跑了"),
    ("a cat ran", "一只猫跑了"),
    ("a dog sat", "一只狗坐着"),
]


@pytest.fixture
def use_few_texts(monkeypatch):
    source = Subwords.train((english for english, _ in TEXTS), 40)
    target = Characters.train(chinese for _, chinese in TEXTS)
    pairs = TextPairs(TEXTS * 5, source, target)
    found = {"train": pairs, "valid": pairs, "test": pairs}
    monkeypatch.setattr(rivals, "load_texts", lambda: found)
    return found


def test_rival_feed_forward_variants_keep_width():
    whole, without, linear = (
        build(name, *VOCABULARY_SIZES).eval()
        for name in ("transformer, pre-norm", *PARTS)
    )
    assert whole.d_model == without.d_model == linear.d_model
    assert count_parameters(linear) == count_parameters(whole)
    assert count_parameters(without) < count_parameters(whole)
    x = torch.randn(2, 3, whole.d_model)
    straight = linear.encoder.layers[0].feed_forward
    origin = straight(torch.zeros_like(x))
    torch.testing.assert_close(straight(-x) - origin, origin - straight(x))
    assert (without.encoder.layers[0].feed_forward(x) == 0).all()


@pytest.mark.weekly
@pytest.mark.parametrize("variant", VARIANTS + PARTS)
def test_rival_short_run_records_curve_and_learns(use_few_texts, variant):
    figures = measure_rival(seed=0, variant=variant, lr=1e-2, steps=12, sentences=4)
    curve = figures["curve"]
    assert [row["step"] for row in curve] == list(range(1, 13))  # one batch an epoch
    assert curve[-1]["loss"] < curve[0]["loss"]
    assert curve[-1]["seconds"] > curve[0]["seconds"]
    assert figures["test"].keys() == {"loss", "bleu", "chrf"}


@pytest.mark.parametrize(
    ("lately", "rests"),
    [
        ([2.0, 1.995, 2.1, 2.1, 2.1], True),
        ([2.0, 1.98, 2.1, 2.1, 2.1], False),
        ([2.1, 2.1, 2.1, 2.1, 1.9], False),
        ([1.9, 1.9, 1.9, 1.9], False),  # too few epochs to tell
    ],
)
def test_at_rest_asks_what_five_epochs_gained(lately, rests):
    start = [3.0, 2.0] if len(lately) == 5 else []
    assert at_rest(start + lately) is rests


@pytest.mark.weekly
def test_measure_rest_stops_early_and_repeats(use_few_texts, tmp_path, monkeypatch):
    monkeypatch.setattr(rivals, "WARMUP", 6)
    setting = {"seed": 0, "variant": VARIANTS[0], "lr": 1e-2, "steps": 60}
    found = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        found.append(measure_rest(**setting))
    assert found[0] == found[1]
    assert found[0]["rests"] == (len(found[0]["curve"]) < 60)
