"""Writers of captions: a small run, what is stored of the large ones, and who won."""

import math

import pytest
import torch

from attnlab.experiments import writers
from attnlab.experiments.writers import KINDS, make_writer, measure_writer
from attnlab.sentences import writer
from attnlab.store import load, select
from tests.test_writer import CAPTIONS


@pytest.fixture
def small_corpus(monkeypatch):
    pairs = [(caption, "") for caption in CAPTIONS]
    monkeypatch.setattr(writer, "multi30k", lambda split: pairs)
    monkeypatch.setattr(writers, "D_MODEL", 8)
    monkeypatch.setattr(writers, "GRU_WIDTH", 6)


@pytest.mark.parametrize("kind", KINDS)
def test_small_run_resumed_from_checkpoint_is_equal(small_corpus, kind, tmp_path):
    setting = {"kind": kind, "lr": 0.01, "epochs": 2, "precision": "float32"}
    first = measure_writer(seed=1, folder=tmp_path, **setting)
    assert len(first["curve"]) == 2
    assert first["valid"] == first["test"]  # they are the same captions here
    assert measure_writer(seed=1, folder=tmp_path, **setting) == first
    other = measure_writer(seed=2, folder=tmp_path, **setting)
    assert other["curve"] != first["curve"]


def test_perplexity_equals_definition(small_corpus):
    """Both ways to it, of a model that knows nothing: the vocabulary's size."""
    tokenizer, splits = writer.load_captions(60)
    captions = splits["valid"]
    model = make_writer("decoder", len(tokenizer))
    for weight in model.parameters():
        torch.nn.init.zeros_(weight)
    found = writer.perplexity(model, captions)
    assert math.isclose(found["per_token"], len(tokenizer), rel_tol=1e-5)
    tokens = sum(len(target) - 1 for _, target in captions.pairs)
    words = sum(len(caption.split()) + 1 for caption in CAPTIONS)
    wanted = len(tokenizer) ** (tokens / words)
    assert math.isclose(found["per_word"], wanted, rel_tol=1e-4)


# What is stored -----------------------------------------------------------------------


def test_packaged_writer_equals_stored_one():
    (run,) = select(load("writers"), kind="decoder")
    about = writer.load_writer().metadata
    assert about["perplexity_as_trained"]["test"] == run["figures"]["test"]
    packed, trained = about["perplexity"]["test"], run["figures"]["test"]
    # 8 bits cost next to nothing.
    assert packed["per_word"] < 1.01 * trained["per_word"]
