import json
import math
import tempfile
from pathlib import Path

import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import ODD_NUMBERS, ODD_TEXT, ODD_THINGS, REFUSED, attempt, fuzz, sizes

from attnlab import saved
from attnlab.data.text import Characters, Subwords
from attnlab.layers import FeedForward
from attnlab.sentences.recipes import caption_words, set_inner_dropout
from attnlab.sentences.scoring import score, score_by_length
from attnlab.sentences.translate import main, translate_text
from attnlab.sentences.translator import (
    Translator,
    load_translator,
    make_tokenizer,
)
from attnlab.transformer import Transformer

SUBWORDS = Subwords.train(["the cat sat on the mat"], 30)
CHARACTERS = Characters("abc猫")
CONFIG = {
    "src_vocab": len(SUBWORDS), "tgt_vocab": len(CHARACTERS), "d_model": 4,
    "num_heads": 2, "num_layers": 1, "d_ff": 4, "tie_embeddings": True,
}  # fmt: skip
torch.manual_seed(0)
TRANSLATOR = Translator(
    Transformer(**CONFIG).eval(), SUBWORDS, CHARACTERS, {"config": CONFIG}
)


@fuzz(Translator)
@given(
    sentences=st.lists(st.one_of(ODD_TEXT, ODD_THINGS), max_size=3),
    width=sizes(1, 3),
    penalty=st.one_of(st.just(1.0), ODD_NUMBERS),
    max_len=sizes(1, 5),
    size=sizes(1, 3),
)
def test_any_sentences_are_translated_or_refused(
    sentences, width, penalty, max_len, size
):
    sentences = [one[:40] if isinstance(one, str) else one for one in sentences]
    found = attempt(
        TRANSLATOR.translate,
        sentences,
        width=width,
        length_penalty=penalty,
        max_len=max_len,
        batch_size=size,
    )
    if found is not REFUSED:
        assert len(found) == len(sentences)
        assert all(isinstance(one, str) for one in found)
        if sentences:  # a batch changes nothing
            alone = TRANSLATOR.translate(
                sentences[:1], width=width, length_penalty=penalty, max_len=max_len
            )
            assert alone == found[:1]


@fuzz(translate_text)
@given(text=ODD_TEXT, task=st.sampled_from(["multi30k", "tatoeba", "numbers"]))
def test_a_text_has_as_many_lines_when_translated(text, task):
    text = text[:60]
    translator = TRANSLATOR._replace(metadata={"task": task})
    found = attempt(translate_text, translator, text, width=1)
    assert (found is REFUSED) == (task == "numbers")
    if found is not REFUSED:
        assert found.count("\n") == text.removesuffix("\n").count("\n") + 1


@fuzz(main)
@given(contents=st.binary(max_size=40), beam=ODD_TEXT, penalty=ODD_TEXT)
def test_any_file_is_translated_or_refused(contents, beam, penalty):
    with tempfile.TemporaryDirectory() as folder:
        source, model, answer = (Path(folder, name) for name in ("in", "model", "out"))
        source.write_bytes(contents)
        TRANSLATOR._replace(metadata={"config": CONFIG, "task": "tatoeba"}).save(model)
        arguments = [str(source), "--model", str(model), "--output", str(answer)]
        try:
            status = main([*arguments, f"--beam={beam}", f"--length-penalty={penalty}"])
        except SystemExit as refused:
            status = refused.code
        assert status == (0 if answer.exists() else 2)


@fuzz(caption_words)
@given(caption=ODD_TEXT)
def test_captions_are_cut_by_single_spaces(caption):
    words = caption_words(caption)
    assert words == " ".join(words.split())
    assert bool(words) == bool(caption.split())


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """The bytes of a file, or the same with some cut off or changed."""
    if draw(st.integers(0, 3)) == 0:
        return whole[: draw(st.integers(0, len(whole)))]
    broken = bytearray(whole)
    for place in draw(st.lists(st.integers(0, min(2000, len(whole) - 1)), max_size=3)):
        broken[place] = draw(st.integers(0, 255))
    return bytes(broken)


@fuzz(load_translator, Translator, saved.load)
@given(data=st.data(), which=st.integers(0, 1))
def test_a_broken_file_is_no_translator(data, which):
    load = (load_translator, saved.load)[which]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.safetensors")
        TRANSLATOR.save(path)
        whole = path.read_bytes()
        path.write_bytes(data.draw(damaged(whole)))
        found = attempt(load, path)
        if path.read_bytes() == whole:
            assert found is not REFUSED
            model = found[0]
            ours = TRANSLATOR.model.output_layer.weight.half().float()
            assert torch.equal(model.output_layer.weight, ours)


@fuzz(make_tokenizer)
@given(
    described=st.one_of(
        st.fixed_dictionaries(
            {"kind": st.one_of(st.sampled_from(["subwords", "characters"]), ODD_TEXT)},
            optional={
                "characters": st.one_of(ODD_TEXT, ODD_THINGS),
                "definition": st.one_of(
                    ODD_THINGS, st.just(json.loads(SUBWORDS.to_json()))
                ),
            },
        ),
        ODD_THINGS,
    )
)
def test_described_tokenizers_are_made_or_refused(described):
    found = attempt(make_tokenizer, described)
    assert found is REFUSED or found.encode("a b") is not None


LINES = st.lists(ODD_TEXT.map(lambda text: text[:50]), max_size=3)


@fuzz(score, score_by_length, share=0.3)
@given(
    hypotheses=LINES,
    references=LINES,
    same=st.booleans(),
    tokenize=st.one_of(st.sampled_from(["none", "13a", "zh", "char"]), ODD_TEXT),
    resamples=st.one_of(st.just(0), st.just(3), sizes(0, 3)),
    lengths=st.lists(sizes(0, 9), max_size=3),
    bounds=st.lists(sizes(1, 9), max_size=3),
)
def test_scores_lie_between_0_and_100(
    hypotheses, references, same, tokenize, resamples, lengths, bounds
):
    references = hypotheses if same else references
    found = attempt(
        score, hypotheses, references, tokenize=tokenize, resamples=resamples
    )
    if found is not REFUSED:
        for value in found.values():
            assert 0 <= value["score"] <= 100.01
            interval = value.get("interval")
            assert interval is None or not math.isnan(interval)
    parts = attempt(
        score_by_length, hypotheses, references, lengths, bounds, tokenize=tokenize
    )
    if parts is not REFUSED:
        assert sum(part["sentences"] for part in parts) == len(hypotheses)


@fuzz(set_inner_dropout)
@given(ODD_NUMBERS)
def test_inner_dropout_is_a_probability(dropout):
    model = Transformer(4, 4, 4, 2, 1, 4, dropout=0.25)
    found = attempt(set_inner_dropout, model, dropout)
    inside = {m.dropout.p for m in model.modules() if isinstance(m, FeedForward)}
    assert inside == ({0.25} if found is REFUSED else {dropout})
    assert found is REFUSED or 0 <= dropout < 1
