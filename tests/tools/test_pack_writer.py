"""`python -m tools.pack_writer`, small: a training's folder becomes a page's files."""

import json

import pytest

from attnlab.saved import to_eight_bits
from attnlab.sentences import writer
from attnlab.sentences.writer import load_writer
from tests.test_writer import CAPTIONS, TINY
from tools import pack_writer


def test_pack_writer_stores_rounded_writer_with_perplexity(tmp_path, monkeypatch):
    pairs = [(caption, "") for caption in CAPTIONS]
    monkeypatch.setattr(writer, "multi30k", lambda split: pairs)
    trained = tmp_path / "trained"
    assert writer.main(["train", *TINY, "--folder", str(trained)]) == 0
    path = pack_writer.pack_writer(trained, tmp_path)
    before, after = load_writer(trained / "writer.safetensors"), load_writer(path)
    multiples, scales = to_eight_bits(before.model.embedding.weight.detach())
    assert (after.model.embedding.weight == multiples * scales[:, None]).all()
    about = after.metadata
    assert about["perplexity_as_trained"] == before.metadata["perplexity"]
    _, splits = writer.load_captions(60)
    for split, value in about["perplexity"].items():
        wanted = writer.perplexity(after.model, splits[split])
        assert value == pytest.approx(wanted)
    for name in ("command", "seed", "machine", "versions", "parameters", "data"):
        assert about[name] == before.metadata[name]
    # Beside it lies what the figure shows at first.
    stored = json.loads((tmp_path / "writer-en.json").read_text(encoding="utf-8"))
    assert len(stored["names"]) == pack_writer.BARS
    assert stored["logits"] == sorted(stored["logits"], reverse=True)
    # All but PAD, BOS and what is unknown may be drawn.
    size = len(after.tokenizer)
    assert len(stored["logits"]) == stored["vocab_size"] - 3 == size - 3
