"""Files that a reader may break: what was saved comes back through its door, and a file
that was cut, changed or swapped for another is refused by name, or read all the same.
"""

import gzip
import json
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest
import torch
from fuzzing import ODD_TEXT, ODD_THINGS, Rejected, attempt, num_examples
from hypothesis import given
from hypothesis import strategies as st

from attnlab import store
from attnlab.data import corpora
from attnlab.data.text import Subwords
from attnlab.sentences.translator import load_translator, make_tokenizer
from attnlab.training import checkpoints
from tests.small_translator import make_translator

TRANSLATOR = make_translator()
SETTINGS = {"steps": 3, "data": 1, "model": "m", "lr": 0.1}
ERRORS = (ValueError, FileNotFoundError)


class Format(NamedTuple):
    """A kind of file: how one is made in a folder, its door, and what comes back."""

    make: Callable[[Path], Path]
    read: Callable[[Path], object]
    is_right: Callable[[object], bool]


def write_checkpoint(folder: Path) -> Path:
    weights = {"w": torch.arange(3.0)}
    whole = {"settings": SETTINGS, "model": weights, "history": {"epochs": [{}] * 3}}
    checkpoints.save_checkpoint(folder / "model.pt", whole)
    return folder / "model.pt"


@cache
def stored_results() -> bytes:
    """One file for all examples: each run takes its own time, which is stored."""
    with tempfile.TemporaryDirectory() as name:
        folder, runs = Path(name), ([{}], [0])
        store.run(
            "trial", lambda seed: {"x": 0.5}, *runs, progress=False, folder=folder
        )
        return (folder / "trial.json").read_bytes()


def write_results(folder: Path) -> Path:
    return write_bytes(folder / "trial.json", stored_results())


def write_translator(folder: Path) -> Path:
    TRANSLATOR.save(folder / "model.safetensors")
    return folder / "model.safetensors"


def equals_translator(found) -> bool:
    ours = TRANSLATOR.model.output_layer.weight.half().float()
    return torch.equal(found[0].output_layer.weight, ours)


def load_subwords(path: Path) -> Subwords:
    return Subwords(path.read_text(encoding="utf-8", errors="replace"))


def write_tatoeba(folder: Path) -> Path:
    line = b"Hi.\tHi.\tCC-BY 2.0 (France) Attribution: tatoeba.org #1 (a) & #2 (b)\n"
    path = folder / "tatoeba-cmn-eng" / "cmn.txt.gz"
    path.parent.mkdir()
    return write_bytes(path, gzip.compress(9 * line))


def load_tatoeba(path: Path) -> list:
    environment = {"ATTNLAB_DATA": str(path.parents[1])}
    with (
        mock.patch.dict(os.environ, environment),
        mock.patch.object(corpora, "_TATOEBA_MIN_PAIRS", 9),
    ):
        return corpora.tatoeba()


def write_bytes(path: Path, contents: bytes) -> Path:
    path.write_bytes(contents)
    return path


FORMATS = {
    "checkpoint": Format(
        write_checkpoint,
        lambda path: checkpoints.load_checkpoint(path, SETTINGS),
        lambda found: found["model"]["w"].tolist() == [0, 1, 2],
    ),
    "results": Format(
        write_results,
        lambda path: store.load("trial", folder=path.parent),
        lambda found: found["runs"][0]["figures"] == {"x": 0.5},
    ),
    "translator": Format(write_translator, load_translator, equals_translator),
    "subwords": Format(
        lambda folder: write_bytes(
            folder / "subwords.json", TRANSLATOR.src_tokenizer.to_json().encode()
        ),
        load_subwords,
        lambda found: found.encode("the") == TRANSLATOR.src_tokenizer.encode("the"),
    ),
    "corpus": Format(write_tatoeba, load_tatoeba, lambda found: len(found) == 9),
}


@pytest.mark.parametrize("name", FORMATS)
@num_examples()
@given(data=st.data())
def test_fuzz_damaged_file_is_rejected_or_read(name, data):
    form = FORMATS[name]
    with tempfile.TemporaryDirectory() as folder:
        path = form.make(Path(folder))
        whole = path.read_bytes()
        assert form.is_right(form.read(path))
        kind = data.draw(st.sampled_from(["cut", "change", "change", "other", "gone"]))
        broken = bytearray(whole)
        if kind == "cut":
            broken = whole[: data.draw(st.integers(0, len(whole) // 2))]
        elif kind == "other":
            broken = data.draw(st.binary() | ODD_TEXT.map(str.encode))
        elif kind == "change":
            places = st.integers(0, min(2000, len(whole) - 1))
            for place in data.draw(st.lists(places, min_size=1, max_size=3)):
                broken[place] = data.draw(st.integers(0, 255))
        path.unlink() if kind == "gone" else path.write_bytes(broken)
        found = attempt(form.read, path, errors=ERRORS)
        if isinstance(found, Rejected):
            assert kind == "gone" or path.read_bytes() == broken
            assert name == "subwords" or path.stem in found
        else:
            assert kind == "change" or form.is_right(found)


@pytest.mark.parametrize("name", ["results", "subwords"])
@num_examples()
@given(data=st.data())
def test_fuzz_other_json_is_rejected_or_read(name, data):
    form, keys = FORMATS[name], ["name", "runs", "model"]
    contents = data.draw(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(keys), inner)
            ),
            max_leaves=8,
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        path = write_bytes(form.make(Path(folder)), json.dumps(contents).encode())
        found = attempt(form.read, path, errors=ERRORS)
        assert isinstance(found, Rejected | list) or not contents["runs"]


@num_examples()
@given(
    ODD_THINGS
    | st.fixed_dictionaries(
        {"kind": ODD_TEXT | st.sampled_from(["subwords", "characters"])},
        optional={"characters": ODD_THINGS, "definition": ODD_THINGS},
    )
)
def test_fuzz_tokenizer_description_is_built_or_rejected(described):
    found = attempt(make_tokenizer, described)
    assert isinstance(found, Rejected) or found.encode("a b") is not None
