"""The files of the trained models: what is written is what is read."""

import json

import pytest
import torch

from attnlab.data import number_vocabulary
from attnlab.live.train import recipes
from attnlab.live.weights import (
    SCORES,
    build_model,
    load_file,
    load_weights,
    names,
    read_bytes,
    save_weights,
)
from attnlab.recurrent import count_parameters

CONFIG = {
    "src_vocab": 7,
    "tgt_vocab": 5,
    "d_model": 4,
    "score": {"name": "additive", "d_query": 4, "d_key": 4, "d_hidden": 3},
    "bidirectional": True,
}


def test_a_model_comes_back_rounded_to_half_precision(tmp_path):
    model = build_model(CONFIG)
    save_weights(tmp_path / "m.safetensors", model, {"config": CONFIG, "note": "ä"})
    loaded, metadata = load_file(tmp_path / "m.safetensors")
    assert metadata == {"config": CONFIG, "note": "ä"}
    assert not loaded.training
    before, after = model.state_dict(), loaded.state_dict()
    assert list(before) == list(after)
    for name in before:
        assert after[name].dtype == torch.float32
        assert torch.equal(after[name], before[name].half().float())


def test_there_is_a_file_for_every_recipe_and_no_other():
    assert names() == sorted(recipes())


@pytest.mark.parametrize("name", names())
def test_a_stored_model_is_what_its_recipe_says(name):
    model, metadata = load_weights(name)
    recipe = recipes()[name]
    longest = recipe.pop("max_digits")
    if name.startswith("places"):
        source = recipe.pop("language")
        assert metadata["language"] == source
    else:
        source, target = "en", recipe.pop("target")
        assert metadata["target"] == target
        assert metadata["tgt_tokens"] == list(number_vocabulary(target).tokens)
    assert metadata["name"] == name
    assert metadata["digits"] == [1, longest]
    assert recipe.items() <= metadata["config"].items()
    assert metadata["src_tokens"] == list(number_vocabulary(source).tokens)
    assert metadata["parameters"] == count_parameters(model)
    assert metadata["command"] == f"python -m attnlab.live.train {name}"
    assert [int(d) for d in metadata["exact_match"]] == list(range(1, longest + 1))


def test_the_alignment_figures_models_are_small():
    for name in names():
        if "gru" not in name:
            assert len(read_bytes(name)) <= 120_000, name


def test_a_name_without_a_file_is_answered_with_those_there_are():
    with pytest.raises(ValueError, match=r"'en-xx-dot'; there are: .*en-de-dot"):
        load_weights("en-xx-dot")
    with pytest.raises(ValueError, match="no weights named"):
        read_bytes("../weights/en-de-dot")
    with pytest.raises(TypeError, match="a string, not None"):
        read_bytes(None)


def test_every_score_has_its_recipe_in_every_language():
    for target in ("de", "fr", "da", "ja"):
        for score in SCORES:
            recipe = recipes()[f"en-{target}-{score}"]
            assert recipe["target"] == target
            assert recipe["score"]["name"] == score


def test_the_header_is_json_that_a_page_can_read():
    data = read_bytes("en-de-attentive")
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    assert header["encoder.embedding.weight"]["dtype"] == "F16"
    assert json.loads(header["__metadata__"]["attnlab"])["source"] == "en"
