"""Small modules: checks, devices, processes, reports, sources, the ledger, options."""

import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import (
    ODD_TEXT,
    ODD_THINGS,
    REFUSED,
    attempt,
    fuzz,
    ids,
    is_size,
    sizes,
    tensors,
)
from torch import nn

from attnlab import checks, claims, device, source
from attnlab.claims import (
    Claim,
    Source,
    Verdict,
    claim,
    load_claims,
    read_verdicts,
    shown_texts,
)
from attnlab.data import Batch
from attnlab.device import named_device
from attnlab.scores import SCORES
from attnlab.sentences import __main__ as sentences
from attnlab.sentences import recipes
from attnlab.training import __main__ as training
from attnlab.training import distributed


@fuzz(
    checks.check_integer, checks.check_number, checks.check_dropout,
    checks.check_choice, checks.check_floating, checks.check_same_dtype,
    checks.check_ids, checks.check_sizes, checks.check_heads,
)  # fmt: skip
@given(thing=ODD_THINGS, x=tensors(), tokens=ids(5))
def test_checks_pass_or_say_why(thing, x, tokens):
    passed = attempt(checks.check_integer, "n", thing, 1) is None
    assert (attempt(checks.check_sizes, n=1, size=thing) is None) == passed
    assert (attempt(checks.check_heads, 1, thing) is None) == passed
    assert passed == is_size(thing)
    if attempt(checks.check_number, "x", thing) is None:
        assert abs(thing) < float("inf")
    if attempt(checks.check_dropout, thing) is None:
        assert 0 <= thing < 1
    found = attempt(checks.check_choice, "x", thing, ("a", None))
    assert (found is None) == (thing is None or thing == "a")
    for value in (x, thing):
        passed = attempt(checks.check_floating, "x", value) is None
        assert passed == (isinstance(value, torch.Tensor) and x.is_floating_point())
    attempt(checks.check_same_dtype, x=x, y=thing)
    attempt(checks.check_ids, "x", thing, 5)
    attempt(checks.check_ids, "x", tokens, 5)


NAMES = st.one_of(
    ODD_TEXT,
    st.sampled_from(["cpu", "cuda", "mps", "cuda:1", "cpu:0", "cpu:²", " cpu"]),
)


@fuzz(device, named_device)
@given(name=NAMES)
def test_devices_are_known_or_refused(name):
    found = attempt(named_device, name)
    assert found is REFUSED or isinstance(found, torch.device)
    if "\0" not in name and name.isascii():
        with mock.patch.dict(os.environ, {"ATTNLAB_DEVICE": name}):
            found = attempt(device)
        assert found is REFUSED or isinstance(found, torch.device)


ENVIRONMENT = st.one_of(st.sampled_from(["", "0", "1", "2", "-1", "x"]), NAMES)


@fuzz(
    distributed.number_of_processes, distributed.is_first, distributed.own_device,
)  # fmt: skip
@given(value=ENVIRONMENT)
def test_what_torchrun_sets_is_read_or_refused(value):
    if "\0" in value or not value.isascii():
        return
    names = ("WORLD_SIZE", "RANK", "LOCAL_RANK")
    with mock.patch.dict(os.environ, dict.fromkeys(names, value)):
        size = attempt(distributed.number_of_processes)
        assert size is REFUSED or size >= 1
        assert isinstance(distributed.is_first(), bool)
        where = attempt(distributed.own_device, torch.device("cuda"))
        assert where is REFUSED or where.type == "cuda"


@fuzz(distributed.Processes, distributed.join, Batch)
@given(data=st.data(), size=st.integers(1, 4), pieces=st.integers(1, 4))
def test_shares_add_up_to_the_batch(data, size, pieces):
    rows = data.draw(st.integers(1, 6))
    tgt = torch.ones(rows, 3, dtype=torch.long)
    tgt[1:, 2] = 0
    batch = Batch(torch.arange(rows)[:, None], tgt)
    shares = []
    for rank in range(size):
        shares += distributed.Processes(rank, size).share(batch, pieces)
    assert sum(weight for _, weight in shares) == pytest.approx(1)
    seen = torch.cat([piece.src for piece, weight in shares if weight])
    assert sorted(seen[:, 0].tolist()) == list(range(rows))
    alone = distributed.join(torch.device("cpu"))
    assert alone.first and alone.sums(1, 2) == [1, 2] and alone.gather(5) == [5]
    model = nn.Linear(1, 1)
    with alone.alone(model):
        assert alone.wrap(model) is model


@fuzz(claim, read_verdicts, load_claims, Verdict, Claim, Source)
@given(
    id=st.one_of(st.sampled_from(["C01", "C20"]), ODD_TEXT),
    holds=st.one_of(
        st.booleans(), ODD_THINGS, ODD_TEXT, st.sampled_from([np.True_, torch.ones(2)])
    ),
    evidence=st.one_of(st.just("95% of 5"), ODD_TEXT, ODD_THINGS),
    control=st.one_of(st.none(), ODD_TEXT, ODD_THINGS),
)
def test_what_a_claim_prints_is_read_back(id, holds, evidence, control):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        found = attempt(claim, id, holds=holds, evidence=evidence, control=control)
    if found is REFUSED:
        assert printed.getvalue() == ""
        return
    assert id in load_claims()
    (verdict,) = read_verdicts(printed.getvalue().splitlines())
    assert (verdict.id, verdict.evidence) == (id, evidence.strip())
    assert verdict.control == ("" if control is None else control.strip())
    if isinstance(holds, str):
        assert (verdict.kind, verdict.condition) == ("when", holds.strip())
    else:
        assert verdict.kind == ("holds" if holds else "refuted")


@fuzz(read_verdicts, shown_texts)
@given(st.lists(ODD_TEXT, max_size=3))
def test_other_lines_are_no_verdicts(lines):
    outputs = [{"data": {"text/plain": line}} for line in lines]
    assert shown_texts({"outputs": outputs}) == lines
    assert all(isinstance(one, Verdict) for one in read_verdicts(lines))


THINGS = [len, print, device, Verdict, nn.Linear, claims, torch.tensor, lambda: 0, 3.5]


@fuzz(source.show_source)
@given(st.one_of(st.sampled_from(THINGS), ODD_THINGS))
def test_sources_are_shown_or_refused(thing):
    with contextlib.redirect_stdout(io.StringIO()):
        found = attempt(source.show_source, thing)
    if thing in (device, Verdict, nn.Linear, claims):
        assert found is None


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["cells", "outputs", "name", "text", "stdout"]), inner
        ),
    ),
    max_leaves=8,
)


@fuzz(claims.stored_verdicts)
@given(
    contents=st.one_of(JSON.map(json.dumps), ODD_TEXT, st.just(None)),
    line=st.one_of(st.just("C01 holds: yes"), ODD_TEXT),
)
def test_a_broken_chapter_is_named(contents, line):
    if contents is None:
        output = {"name": "stdout", "text": [line]}
        contents = json.dumps({"cells": [{"outputs": [output]}]})
    with tempfile.TemporaryDirectory() as folder:
        errors = (ValueError, FileNotFoundError)
        assert attempt(claims.stored_verdicts, folder, errors=errors) is REFUSED
        Path(folder, "01_x.ipynb").write_text(contents, encoding="utf-8")
        found = attempt(claims.stored_verdicts, folder, errors=errors)
        if found is not REFUSED:
            assert all(isinstance(one, Verdict) for one in found)


# Command lines ----------------------------------------------------------------------


OPTIONS = [
    "--epochs",
    "--steps",
    "--lr",
    "--digits",
    "--train",
    "--test",
    "--target",
    "--hard",
    "--score",
    "--warmup",
    "--d-model",
    "--batch-size",
    "--beam",
    "--tie",
    "--quiet",
]
WORDS = st.lists(
    st.one_of(st.sampled_from(OPTIONS), st.sampled_from(["0", "-1", "x"]), ODD_TEXT),
    max_size=4,
)


def exit_status(call, *arguments) -> int | None:
    """Of a command that ends at once; what it says goes nowhere."""
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            call(*arguments)
        except SystemExit as stop:
            assert stop.code == 0 or said.getvalue()
            return stop.code
    return None


@fuzz(training.make_parser, sentences.make_parser)
@given(words=WORDS)
def test_options_are_read_or_refused(words):
    with contextlib.redirect_stdout(io.StringIO()):
        for parser in (training.make_parser(), sentences.make_parser("tatoeba")):
            assert exit_status(parser.parse_args, words) in (None, 0, 2)


@fuzz(training.main, sentences.main)
@given(wrong=st.sampled_from(["--lr", "--epochs", "--nonsense"]), value=ODD_TEXT)
def test_commands_end_with_a_message(wrong, value):
    try:
        float(value)
    except ValueError:
        pass
    else:
        return
    assert exit_status(training.main, [wrong, value]) == 2
    assert exit_status(sentences.main, ["tatoeba", wrong, value]) == 2


@fuzz(training.make_model)
@given(name=st.sampled_from([training.NO_SCORE, *SCORES]), d=st.integers(1, 4))
def test_models_by_their_score(name, d):
    args = training.make_parser().parse_args(["--score", name, "--d-model", str(d)])
    pairs = mock.Mock(src_vocab=range(5), tgt_vocab=range(4))
    assert training.make_model(args, pairs, 5).d_model == d


@fuzz(recipes.make_model, recipes.Task, recipes.Recipe)
@given(
    d_model=st.integers(-1, 8), heads=st.integers(-1, 4), vocab=sizes(1, 5),
    tie=st.sampled_from(["none", "target", "all"]),
)  # fmt: skip
def test_models_by_options(d_model, heads, vocab, tie):
    words = ["--d-model", d_model, "--heads", heads, "--tie", tie, "--layers", 1]
    parser = sentences.make_parser("multi30k")
    recipe = recipes.Recipe(**vars(parser.parse_args(list(map(str, words)))))
    found = attempt(recipes.make_model, recipe, vocab, vocab)
    fits = d_model > 0 and heads > 0 and d_model % heads == 0 and is_size(vocab)
    if found is not REFUSED:
        assert fits and found[0].d_model == d_model
    elif fits:
        assert d_model % 2  # sinusoids come in pairs


TEXTS = st.lists(st.tuples(ODD_TEXT, ODD_TEXT), max_size=3)


@fuzz(recipes.joint_subwords, recipes.subwords_and_characters)
@given(texts=TEXTS, size=sizes(5, 40))
def test_tokenizers_of_any_texts(texts, size):
    for learn in (recipes.joint_subwords, recipes.subwords_and_characters):
        found = attempt(learn, texts, size)
        if found is not REFUSED:
            for tokenizer, text in zip(found, texts[0], strict=True):
                assert all(0 <= i < len(tokenizer) for i in tokenizer.encode(text))


@fuzz(recipes.load_multi30k, recipes.load_tatoeba)
@given(st.binary())
def test_broken_sentences_are_refused(contents):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("multi30k/train.lc.norm.tok.en.gz", "tatoeba-cmn-eng/cmn.txt.gz"):
            path = Path(folder, name)
            path.parent.mkdir()
            path.write_bytes(contents)
        with mock.patch.dict(os.environ, {"ATTNLAB_DATA": folder}):
            errors = (ValueError, FileNotFoundError)
            for load in (recipes.load_multi30k, recipes.load_tatoeba):
                assert attempt(load, errors=errors) is REFUSED
