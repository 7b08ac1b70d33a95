"""What the figure of a published model's heads shows is what that model does."""

import pytest
from safetensors.torch import load

from attnlab.live.publishedheads import HEADS, LAYERS, SENTENCES, stored_maps
from attnlab.pretrained import SHA256, SentenceEncoder, files_here
from tools import published_maps


def test_published_maps_file_names_model_and_error():
    about, maps = stored_maps()
    assert about["model"]["sha256"] == SHA256["model.safetensors"]
    assert about["sentences"] == published_maps.SENTENCES
    assert len(maps) == SENTENCES and 0 < about["gap"] < 1e-5
    assert min(about["mistakes"].values()) > 10 * about["gap"]
    for tokens, weights in zip(about["tokens"], maps, strict=True):
        assert weights.shape == (LAYERS, HEADS, len(tokens), len(tokens))


@pytest.mark.skipif(files_here() is None, reason="all-MiniLM-L6-v2 is not here")
def test_published_maps_equal_model():
    stored = load(published_maps.PATH.read_bytes())
    found, _ = published_maps.attention_maps(SentenceEncoder.load())
    assert found.keys() == stored.keys()
    for name, maps in found.items():
        off = (maps.int() - stored[name].int()).abs().max()
        assert off <= 1  # rounded elsewhere
