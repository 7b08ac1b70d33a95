"""Training the live models: small here, the same steps as for the real ones."""

import pytest
import torch

from attnlab.saved import load, load_weights
from tools import live_weights


@pytest.fixture
def make_file(monkeypatch, tmp_path):
    """`make_file(name)` trains on very few numbers and returns the file's bytes."""
    monkeypatch.setattr(live_weights, "TRAIN_NUMBERS", 80)
    monkeypatch.setattr(live_weights, "TEST_NUMBERS", 12)
    monkeypatch.setattr(live_weights, "SHORT_REPEATS", 1)
    monkeypatch.setattr(live_weights, "EPOCHS", 1)
    monkeypatch.setattr(live_weights, "TAGGER_EPOCHS", 1)
    monkeypatch.setattr(live_weights, "BOTTLENECK_NUMBERS", 80)
    monkeypatch.setattr(live_weights.bottleneck, "TEST_NUMBERS", 40)
    monkeypatch.setattr(live_weights.bottleneck, "EPOCHS", 1)

    def make_named_file(name):
        live_weights.train_and_write(name, live_weights.recipes()[name], tmp_path)
        return (tmp_path / f"{name}.safetensors").read_bytes()

    return make_named_file


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["en-de-gru-16", "en-de-attentive", "en-ja-location"])
def test_train_and_write_makes_loadable_translators(make_file, tmp_path, name):
    make_file(name)
    model, about = load(tmp_path / f"{name}.safetensors")
    assert ("alignment_error_rate" in about) == (name == "en-ja-location")
    assert model.d_model == about["config"]["d_model"]


def test_make_tagger_stores_accuracy_without_each_head(make_file, tmp_path):
    make_file("places-de-2")
    model, about = load(tmp_path / "places-de-2.safetensors")
    assert [int(digits) for digits in about["exact_match"]] == list(range(1, 13))
    assert len(about["without_head"]) == 2
    silent = torch.tensor([[True] * 4, [True, True, False, True]])
    share = live_weights.read_right(model, about["test_numbers"], "de", silent)
    assert share == about["without_head"][1][2]


def test_read_right_counts_exact_sums():
    model, about = load_weights("places-en-1")
    numbers = about["test_numbers"]
    assert live_weights.read_right(model, numbers, "en") >= 0.98
    silent = torch.zeros(1, 4, dtype=torch.bool)
    alone = live_weights.read_right(model, numbers, "en", silent)
    assert alone < 0.1
    one_by_one = [live_weights.read_right(model, [n], "en", silent) for n in numbers]
    assert sum(one_by_one) == pytest.approx(alone * len(numbers))


def test_live_weights_rejects_unknown_name_before_training(monkeypatch, usage_error):
    monkeypatch.setattr(
        live_weights, "train_and_write", lambda *_: pytest.fail("it trained")
    )
    monkeypatch.setattr("sys.argv", ["train", "en-de-dot", "en-xx-dot"])
    assert "there is no model en-xx-dot" in usage_error(live_weights.main)
