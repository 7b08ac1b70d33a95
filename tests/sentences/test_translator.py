import pytest
import torch

from attnlab.layers import FeedForward
from attnlab.sentences.recipes import set_inner_dropout
from attnlab.sentences.scoring import score
from attnlab.sentences.translator import load_translator
from attnlab.transformer import Transformer
from tests.small_translator import CHINESE, ENGLISH, make_translator


@pytest.mark.parametrize(
    ("tie", "characters"), [(False, True), (True, True), ("all", False)]
)
def test_translator_save_and_load_round_trip(tmp_path, tie, characters):
    translator = make_translator(tie, characters)
    path = tmp_path / "model.safetensors"
    translator.save(path)
    again = load_translator(path)
    assert not again.model.training
    assert again.metadata == translator.metadata
    assert again.src_tokenizer.tokens == translator.src_tokenizer.tokens
    assert again.tgt_tokenizer.tokens == translator.tgt_tokenizer.tokens
    rounded = {n: v.half().float() for n, v in translator.model.state_dict().items()}
    for name, value in again.model.state_dict().items():
        assert torch.equal(value, rounded[name]), name
    translator.model.load_state_dict(rounded)
    assert again.translate(ENGLISH) == translator.translate(ENGLISH)


@pytest.mark.parametrize("contents", [b"", b"nonsense", b"\x02\0\0\0\0\0\0\0{}"])
def test_load_translator_rejects_other_file(tmp_path, contents):
    path = tmp_path / "model.safetensors"
    with pytest.raises(ValueError, match="is no translator"):
        load_translator(path)
    path.write_bytes(contents)
    with pytest.raises(ValueError, match="is no translator"):
        load_translator(path)


def test_translate_keeps_order_across_batches():
    translator = make_translator()
    sentences = [*ENGLISH, "dog", "the mat"]
    alone = [translator.translate([sentence])[0] for sentence in sentences]
    assert len(set(alone)) > 1
    for batch_size in (2, 100):
        together = translator.translate(sentences, batch_size=batch_size)
        assert together == alone


def test_set_inner_dropout_changes_only_inner_dropout():
    model = Transformer(9, 9, 8, 2, 1, 8, dropout=0.3)
    set_inner_dropout(model, 0.0)
    layer = model.decoder.layers[0]
    assert layer.self_attention.dropout == layer.cross_attention.dropout == 0.0
    inner = [m.dropout.p for m in model.modules() if isinstance(m, FeedForward)]
    assert inner == [0.0, 0.0]
    assert model.dropout.p == layer.dropout.p == 0.3
    # What is left to chance is on the embeddings and the sublayers' changes.
    ids = torch.tensor([[4, 5, 6]])
    assert not torch.equal(model(ids, ids), model(ids, ids))


# Scores


def test_score_is_100_if_perfect_and_0_if_unrelated():
    perfect = score(CHINESE, CHINESE, tokenize="zh", resamples=0)
    wrong = score(["。", "!", "?"], ["猫坐", "在垫", "狗跑"], tokenize="zh")
    for name in ("bleu", "chrf"):
        assert perfect[name]["score"] == 100 and wrong[name]["score"] == 0
    assert "tok:zh" in perfect["bleu"]["signature"]


def test_score_interval_shrinks_with_more_sentences():
    answers = [CHINESE[0], "猫", CHINESE[2]]
    few, many = (
        score(answers * n, CHINESE * n, tokenize="zh")["bleu"] for n in (5, 80)
    )
    assert 0 < many["interval"] < few["interval"] / 2


def test_score_rejects_missing_references():
    with pytest.raises(ValueError, match="2 translations for 1 references"):
        score(["a", "b"], ["a"], tokenize="none")
    with pytest.raises(ValueError, match="0 translations for 0"):
        score([], [], tokenize="none")
