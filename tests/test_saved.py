"""The files of the trained models: what is written is what is read."""

import json

import pytest
import torch
from safetensors import safe_open

from attnlab.data import number_vocabulary
from attnlab.live.publishedheads import MAPS
from attnlab.recurrent import count_parameters
from attnlab.saved import (
    TRANSLATOR,
    WRITER,
    build_model,
    load,
    load_weights,
    names,
    path_of,
    read_bytes,
    save,
    to_eight_bits,
)
from attnlab.sentences.translator import load_translator
from tools.live_weights import SEED, recipes

CONFIG = {
    "src_vocab": 7,
    "tgt_vocab": 5,
    "d_model": 4,
    "score": {"name": "additive", "d_query": 4, "d_key": 4, "d_hidden": 3},
    "bidirectional": True,
}


def test_load_returns_model_of_stored_kind(tmp_path):
    path = tmp_path / "m.safetensors"
    save(path, build_model("Seq2Seq", CONFIG), {"config": CONFIG, "note": "ä"})
    with safe_open(path, framework="pt") as file:
        header = json.loads(file.metadata()["attnlab"])
    assert header == {"config": CONFIG, "note": "ä", "kind": "Seq2Seq"}
    loaded, metadata = load(path)
    assert metadata == {"config": CONFIG, "note": "ä"} and not loaded.training
    with pytest.raises(ValueError, match=r"kind of model must be one of .* 'Linear'"):
        save(path, torch.nn.Linear(1, 1), {})
    with pytest.raises(ValueError, match=r"kind of model must be one of .* 'CNN'"):
        build_model("CNN", CONFIG)
    with pytest.raises(ValueError, match="bits must be one of 8, 16, 32, got 4"):
        save(path, build_model("Seq2Seq", CONFIG), {}, bits=4)


def test_saved_files_equal_recipes():
    assert names() == sorted([*recipes(), TRANSLATOR, WRITER, MAPS])


# Those of the machine: `tests/tools/test_machine.py`.
MEASURED_BY_LENGTH = [
    name for name, recipe in recipes().items() if "part" not in recipe
]


@pytest.mark.parametrize("name", MEASURED_BY_LENGTH)
def test_saved_model_has_recipe_settings(name):
    model, metadata = load_weights(name)
    recipe = recipes()[name]
    longest, seed = recipe.pop("max_digits"), recipe.pop("seed", SEED)
    source, target = recipe.pop("language", "en"), recipe.pop("target", "de")
    if "attention" in recipe:  # of chapter 1's experiment
        assert bool(metadata["config"]["score"]) == recipe.pop("attention")
    assert recipe.items() <= metadata["config"].items()
    assert metadata["seed"] == seed and metadata["digits"] == [1, longest]
    assert metadata["src_tokens"] == list(number_vocabulary(source).tokens)
    if not name.startswith("places"):
        assert metadata["tgt_tokens"] == list(number_vocabulary(target).tokens)
    assert metadata["parameters"] == count_parameters(model)
    assert metadata["command"].split()[-1] == name


def test_load_unknown_name_lists_known_names():
    with pytest.raises(ValueError, match=r"'en-xx-dot'; there are: .*en-de-dot"):
        load_weights("en-xx-dot")
    with pytest.raises(ValueError, match="no weights named"):
        read_bytes("../weights/en-de-dot")
    with pytest.raises(TypeError, match="a string, not None"):
        read_bytes(None)


# Eight bits --------------------------------------------------------------------------


def test_rounded_rows_are_multiples_of_largest_127th():
    matrix = torch.tensor([[1.27, -0.634, 0.004], [0.0, 0.0, 0.0], [-3e-6, 1e-6, 0.0]])
    multiples, scales = to_eight_bits(matrix)
    assert multiples.dtype == torch.int8
    assert multiples.tolist() == [[127, -63, 0], [0, 0, 0], [-127, 42, 0]]
    assert scales.tolist() == pytest.approx([0.01, 0.0, 3e-6 / 127])


@pytest.mark.parametrize("tied", [False, True, "all"])
@pytest.mark.parametrize("bits", [8, 16, 32])
def test_save_and_load_transformer_round_trip(tmp_path, tied, bits):
    config = {"src_vocab": 9, "tgt_vocab": 9, "d_model": 8, "num_heads": 2}
    config |= {"num_layers": 1, "d_ff": 12, "tie_embeddings": tied}
    torch.manual_seed(0)
    model = build_model("Transformer", config)
    path = tmp_path / "m.safetensors"
    save(path, model, {"config": config}, bits=bits)
    loaded, metadata = load(path)
    assert metadata == {"config": config}
    assert loaded.output_layer.weight is loaded.tgt_embedding.weight or not tied
    for name, tensor in model.state_dict().items():
        before, after = tensor, loaded.state_dict()[name]
        if bits == 8 and tensor.dim() == 2:
            multiples, scales = to_eight_bits(before)
            assert torch.equal(after, multiples * scales[:, None])
        elif bits == 32:
            assert torch.equal(after, before)
        else:
            assert torch.equal(after, before.half().float())


# The translator ----------------------------------------------------------------------


def test_stored_translator_is_small_with_provenance():
    in_the_page = 4 * len(read_bytes(TRANSLATOR)) / 3  # as base64
    assert in_the_page <= 3_000_000
    about = load_translator().metadata
    assert about.keys() >= {"parameters", "command", "seed", "machine", "versions"}
    assert "tatoeba.org, CC BY 2.0 FR" in about["data"]
    for split in ("valid", "test"):
        for metric, value in about["scores"][split].items():
            trained = about["scores_as_trained"][split][metric]
            assert abs(value["score"] - trained["score"]) <= trained["interval"]


def test_load_translator_rejects_model_without_tokenizers():
    with pytest.raises(ValueError, match=r"places-en-1\S* is no translator .*token"):
        load_translator(path_of("places-en-1"))
