"""`python -m tools.pack`, small: a training's folder becomes a page's file."""

import json

import pytest

from attnlab.data.text import Subwords
from attnlab.saved import load, to_eight_bits
from attnlab.sentences.__main__ import main as train_main
from tests.small_translator import TINY, load_toy, use_toy_task
from tools import pack


@pytest.mark.weekly
def test_pack_translator_stores_rounded_model_with_scores(tmp_path, monkeypatch):
    use_toy_task(monkeypatch, "tatoeba")
    trained = tmp_path / "trained"
    assert train_main(["tatoeba", *TINY, "--folder", str(trained)]) == 0
    path = pack.pack_translator(trained, tmp_path)
    before, _ = load(trained / "model.safetensors")
    after, about = load(path)
    result = json.loads((trained / "result.json").read_text())
    for name, tensor in after.state_dict().items():
        expected = before.state_dict()[name]
        if tensor.dim() == 2:
            multiples, scales = to_eight_bits(expected)
            expected = multiples * scales[:, None]
        assert (tensor == expected).all()
    assert about["scores_as_trained"] == result["scores"]
    for name in ("command", "seed", "machine", "versions", "parameters", "decoding"):
        assert about[name] == result[name]
    tokenizer = Subwords(json.dumps(about["src_tokenizer"]["definition"]))
    lengths = [len(tokenizer.encode(source)) for source, _ in load_toy()["train"]]
    assert about["longest_source"] == max(lengths)
    assert about["train_pairs"] == 30
    assert about["scores"].keys() == {"valid", "test"}


def test_pack_translator_rejects_unfinished_training(
    tmp_path, monkeypatch, usage_error
):
    monkeypatch.setattr("sys.argv", ["pack", str(tmp_path)])
    assert "has the training ended?" in usage_error(pack.main)
