"""Training the live models: small here, the same steps as for the real ones."""

import pytest
import torch

from attnlab.saved import load, load_weights
from tools import live_weights


@pytest.fixture
def small(monkeypatch):
    """So few numbers that training takes no time."""
    monkeypatch.setattr(live_weights, "TRAIN_NUMBERS", 80)
    monkeypatch.setattr(live_weights, "TEST_NUMBERS", 12)
    monkeypatch.setattr(live_weights, "SHORT_REPEATS", 1)
    monkeypatch.setattr(live_weights, "EPOCHS", 1)
    monkeypatch.setattr(live_weights, "TAGGER_EPOCHS", 1)
    monkeypatch.setattr(live_weights, "BOTTLENECK_NUMBERS", 80)
    monkeypatch.setattr(live_weights.bottleneck, "TEST_NUMBERS", 40)
    monkeypatch.setattr(live_weights.bottleneck, "EPOCHS", 1)


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["en-de-gru-16", "en-de-attentive", "en-ja-location"])
def test_what_is_written_is_what_was_measured(small, tmp_path, name):
    metadata = live_weights.make(name, live_weights.recipes()[name], tmp_path)
    model, stored = load(tmp_path / f"{name}.safetensors")
    assert stored["exact_match"] == {
        str(digits): share for digits, share in metadata["exact_match"].items()
    }
    assert ("alignment_error_rate" in stored) == (name == "en-ja-location")
    assert model.d_model == stored["config"]["d_model"]


def test_a_tagger_is_written_with_what_its_heads_do(small, tmp_path):
    metadata = live_weights.make(
        "places-de-2", live_weights.recipes()["places-de-2"], tmp_path
    )
    model, stored = load(tmp_path / "places-de-2.safetensors")
    assert stored["config"] == metadata["config"]
    assert [int(digits) for digits in stored["exact_match"]] == list(range(1, 13))
    numbers = stored["test_numbers"]
    assert live_weights.read_right(model, numbers, "de") <= 1
    assert len(stored["without_head"]) == 2
    silent = torch.tensor([[True] * 4, [True, True, False, True]])
    share = live_weights.read_right(model, numbers, "de", silent)
    assert share == stored["without_head"][1][2]


def test_reading_right_is_adding_up_to_the_number():
    model, about = load_weights("places-en-1")
    numbers = about["test_numbers"]
    assert live_weights.read_right(model, numbers, "en") >= 0.98
    silent = torch.zeros(1, 4, dtype=torch.bool)
    alone = live_weights.read_right(model, numbers, "en", silent)
    assert alone < 0.1
    one_by_one = [live_weights.read_right(model, [n], "en", silent) for n in numbers]
    assert sum(one_by_one) == pytest.approx(alone * len(numbers))


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["en-fr-general", "places-en-1"])
def test_the_same_seed_gives_the_same_file(small, tmp_path, name):
    files = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        live_weights.make(name, live_weights.recipes()[name], folder)
        files.append((folder / f"{name}.safetensors").read_bytes())
    assert files[0] == files[1]


@pytest.mark.weekly
def test_seeds_differ_in_their_training_not_in_their_numbers(small, tmp_path):
    found = [
        live_weights.make(name, live_weights.recipes()[name], tmp_path)
        for name in ("en-de-dot", "en-de-dot-2")
    ]
    assert [metadata["seed"] for metadata in found] == [0, 2]
    assert found[0]["config"] == found[1]["config"]
    models = [load(tmp_path / f"{about['name']}.safetensors")[0] for about in found]
    assert not torch.equal(*(m.decoder.readout.weight for m in models))


def test_an_unknown_name_is_refused_before_anything_is_trained(monkeypatch, capsys):
    monkeypatch.setattr(live_weights, "make", lambda *_: pytest.fail("it trained"))
    monkeypatch.setattr("sys.argv", ["train", "en-de-dot", "en-xx-dot"])
    with pytest.raises(SystemExit):
        live_weights.main()
    assert "there is no model en-xx-dot" in capsys.readouterr().err
