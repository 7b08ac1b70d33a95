"""The published figure: its shape, a small run, and what looks into a translator."""

import pytest
import torch

from attnlab.data.pairs import Batch
from attnlab.experiments.multi30k import NAME, losses, measure_translator
from attnlab.store import load
from attnlab.transformer import Transformer
from tests.small_translator import load_toy, use_toy_task

TINY = {"max_tokens": 60, "d_model": 8, "heads": 2, "layers": 1, "d_ff": 8, "vocab": 40}
TINY |= {"average": 2, "beam": 2, "device": "cpu", "precision": "float32"}
PUBLISHED_MILLIONS = 2.6  # millions of parameters, as the paper rounds them


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("norm", "init", "last_norm"), [("post", "separate", False), ("pre", "joint", True)]
)
def test_small_run_resumed_from_checkpoint_is_equal(
    norm, init, last_norm, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    use_toy_task(monkeypatch, NAME)
    setting = {"norm": norm, "init": init, "last_norm": last_norm, "steps": 6}
    setting |= {"seed": 3, **TINY}
    figures = measure_translator(**setting)
    wanted = {"norm_first": norm == "pre", "init": init, "last_norm": last_norm}
    assert figures["config"].items() >= wanted.items()
    assert [tuple(one[:2]) for one in figures["examples"]] == load_toy()["test"][:3]
    folder = tmp_path / "checkpoints" / f"multi30k-{norm}-{init}-{last_norm}-6-3"
    assert (folder / "test.txt").exists()
    assert measure_translator(**setting) == figures


def test_losses_are_equal_without_cross_attention():
    model = Transformer(20, 20, 8, 2, 1, 8, dropout=0.0)
    src = torch.tensor([[5, 6, 2], [8, 9, 2]])
    batch = Batch(src, torch.tensor([[1, 7, 2], [1, 9, 2]]))
    own, others = losses(model, batch)
    assert own != others
    for layer in model.decoder.layers:
        torch.nn.init.zeros_(layer.cross_attention.output_layer.weight)
    own, others = losses(model, batch)
    assert own == others


def test_multi30k_stored_result_is_complete():
    for run in load(NAME)["runs"]:
        figures = run["figures"]
        assert round(figures["parameters"] / 1e6, 1) <= PUBLISHED_MILLIONS
        assert figures["decoding"]["width"] == 5
        assert figures["averaged"] == 10
        # What was stopped and went on at its last step has no part of an epoch left.
        last = figures["curve"][-1]["step"]
        assert last <= run["setting"]["steps"] < last + figures["curve"][0]["step"]
        assert figures["config"]["norm_first"] == (run["setting"]["norm"] == "pre")
        assert figures["loss"] < figures["loss_of_others"]
        assert len(figures["alike"]) == figures["config"]["num_layers"] + 1
