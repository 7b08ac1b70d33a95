"""The published figure: its shape, a small run, and what looks into a translator."""

import pytest
import torch

from attnlab.data.pairs import Batch
from attnlab.experiments.multi30k import (
    NAME,
    losses,
    measure_translator,
    words_alike,
)
from attnlab.recurrent import count_parameters
from attnlab.sentences import recipes
from attnlab.sentences.recipes import TASKS, Task, make_model
from attnlab.store import load
from attnlab.transformer import Transformer

TINY = {"max_tokens": 60, "d_model": 8, "heads": 2, "layers": 1, "d_ff": 8, "vocab": 40}
TINY |= {"average": 2, "beam": 2, "device": "cpu", "precision": "float32"}
WORDS = ("a", "dog", "cat", "runs", "sits", "here", "there", "now")


def load_toy():
    sentences = [" ".join(WORDS[k % 8] for k in range(i, i + 4)) for i in range(24)]
    pairs = [(one, one) for one in sentences]
    return {"train": pairs[:16], "valid": pairs[16:20], "test": pairs[20:]}


PUBLISHED = 2.6  # millions of parameters, as the paper rounds them


def test_the_model_is_no_larger_than_the_published_one():
    with torch.device("meta"):  # only to count
        model, config = make_model(TASKS[NAME].options, 10_000, 10_000)
    assert round(count_parameters(model) / 1e6, 1) <= PUBLISHED
    wanted = {"d_model": 128, "num_layers": 4, "d_ff": 256, "num_heads": 4}
    assert config.items() >= wanted.items()


@pytest.mark.parametrize(
    ("norm", "init", "last_norm"), [("post", "separate", False), ("pre", "joint", True)]
)
def test_a_small_run_and_the_same_again_from_its_checkpoint(
    norm, init, last_norm, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    joint, options = recipes.joint_subwords, TASKS[NAME].options
    toy = Task(("aa", "bb"), load_toy, joint, "none", options)
    monkeypatch.setitem(recipes.TASKS, NAME, toy)
    setting = {"norm": norm, "init": init, "last_norm": last_norm, "steps": 6}
    setting |= {"seed": 3, **TINY}
    metrics = measure_translator(**setting)
    assert metrics["curve"][-1]["step"] == 6
    assert metrics["averaged"] == 2
    wanted = {"norm_first": norm == "pre", "init": init, "last_norm": last_norm}
    assert metrics["config"].items() >= wanted.items()
    assert {"bleu", "chrf"} <= metrics["scores"]["test"].keys()
    assert len(metrics["alike"]) == 2
    assert [tuple(one[:2]) for one in metrics["examples"]] == load_toy()["test"][:3]
    folder = tmp_path / "checkpoints" / f"multi30k-{norm}-{init}-{last_norm}-6-3"
    assert (folder / "test.txt").exists()
    assert measure_translator(**setting) == metrics


def test_alike_is_the_cosine_between_different_real_words():
    model = Transformer(20, 20, 8, 2, 1, 8, dropout=0.0)
    src = torch.tensor([[5, 6, 7, 2], [8, 2, 0, 0]])
    with torch.no_grad():
        x = model._embed(model.src_embedding, src, 0)
    cosines = [
        torch.cosine_similarity(x[row, i], x[row, j], dim=0).item()
        for row, length in ((0, 4), (1, 2))
        for i in range(length)
        for j in range(length)
        if i != j
    ]
    found = words_alike(model, src)
    assert found[0] == pytest.approx(sum(cosines) / len(cosines), abs=1e-4)


def test_who_does_not_read_loses_nothing_by_another_source():
    model = Transformer(20, 20, 8, 2, 1, 8, dropout=0.0)
    src = torch.tensor([[5, 6, 2], [8, 9, 2]])
    batch = Batch(src, torch.tensor([[1, 7, 2], [1, 9, 2]]))
    own, others = losses(model, batch)
    assert own != others
    for layer in model.decoder.layers:
        torch.nn.init.zeros_(layer.cross_attention.output_layer.weight)
    own, others = losses(model, batch)
    assert own == others


def test_what_is_stored_is_of_that_shape_and_whole():
    for run in load(NAME)["runs"]:
        metrics = run["figures"]
        assert round(metrics["parameters"] / 1e6, 1) <= PUBLISHED
        assert metrics["decoding"]["width"] == 5
        assert metrics["averaged"] == 10
        # What was stopped and went on at its last step has no part of an epoch left.
        last = metrics["curve"][-1]["step"]
        assert last <= run["setting"]["steps"] < last + metrics["curve"][0]["step"]
        assert metrics["config"]["norm_first"] == (run["setting"]["norm"] == "pre")
        assert metrics["loss"] < metrics["loss_of_others"]
        assert len(metrics["alike"]) == metrics["config"]["num_layers"] + 1


def test_larger_first_weights_collapse_the_encoder_by_post_norm_whatever_the_norms():
    last = {}  # how alike words are after the last layer
    for run in load(NAME)["runs"]:
        setting = run["setting"]
        kind = setting["norm"], setting["init"], setting["last_norm"]
        last.setdefault(kind, []).append(run["figures"]["alike"][-1])
    for last_norm in (True, False):
        assert min(last["post", "separate", last_norm]) > 0.95
        assert max(last["post", "joint", last_norm]) < 0.3
    assert max(last["pre", "separate", True]) < 0.3
