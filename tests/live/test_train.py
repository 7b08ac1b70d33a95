"""Training the live models: small here, the same steps as for the real ones."""

import pytest

from attnlab.live import train
from attnlab.live.weights import load_file


@pytest.fixture
def small(monkeypatch):
    """So few numbers that training takes no time."""
    monkeypatch.setattr(train, "TRAIN_NUMBERS", 80)
    monkeypatch.setattr(train, "TEST_NUMBERS", 12)
    monkeypatch.setattr(train, "SHORT_REPEATS", 1)
    monkeypatch.setattr(train, "EPOCHS", 1)


@pytest.mark.parametrize("name", ["en-de-gru-16", "en-ja-location"])
def test_what_is_written_is_what_was_measured(small, tmp_path, name):
    metadata = train.make(name, train.recipes()[name], tmp_path)
    model, stored = load_file(tmp_path / f"{name}.safetensors")
    assert stored["exact_match"] == {
        str(digits): share for digits, share in metadata["exact_match"].items()
    }
    assert ("alignment_error_rate" in stored) == (name == "en-ja-location")
    assert model.d_model == stored["config"]["d_model"]


def test_the_same_seed_gives_the_same_file(small, tmp_path):
    name = "en-fr-general"
    files = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        train.make(name, train.recipes()[name], folder)
        files.append((folder / f"{name}.safetensors").read_bytes())
    assert files[0] == files[1]


def test_an_unknown_name_is_refused_before_anything_is_trained(monkeypatch, capsys):
    monkeypatch.setattr(train, "make", lambda *_: pytest.fail("it trained"))
    monkeypatch.setattr("sys.argv", ["train", "en-de-dot", "en-xx-dot"])
    with pytest.raises(SystemExit):
        train.main()
    assert "there is no model en-xx-dot" in capsys.readouterr().err


def test_without_names_all_are_trained(monkeypatch):
    trained = []
    monkeypatch.setattr(train, "make", lambda name, recipe: trained.append(name))
    monkeypatch.setattr("sys.argv", ["train"])
    train.main()
    assert trained == list(train.recipes())
    assert len(trained) == 4 + 1 + 4 * 6
