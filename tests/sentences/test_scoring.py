"""Differences of two ways to translate the same sentences."""

import pytest

from attnlab.sentences.scoring import score, score_difference

RIGHT = [
    "我饿了。",
    "车站在哪里？",
    "他不在家。",
    "今天很冷。",
    "我喜欢猫。",
    "你好吗？",
]
WORSE = ["我饿。", "车在哪里？", "他在家。", "今天冷。", "我喜欢狗。", "你好。"]


def test_score_difference_lies_within_its_interval():
    found = score_difference(RIGHT, WORSE, RIGHT, tokenize="zh", resamples=50)
    right, worse = (score(way, RIGHT, tokenize="zh")["bleu"] for way in (RIGHT, WORSE))
    wanted = right["score"] - worse["score"]
    assert found["difference"] == pytest.approx(wanted, abs=0.01)
    assert 0 < found["low"] <= found["difference"] <= found["high"]
    back = score_difference(WORSE, RIGHT, RIGHT, tokenize="zh", resamples=50)
    assert back["difference"] == -found["difference"] and back["high"] < 0


def test_score_difference_of_equal_translations_is_zero():
    found = score_difference(WORSE, WORSE, RIGHT, tokenize="zh", resamples=20)
    assert found == {"difference": 0.0, "low": 0.0, "high": 0.0}


@pytest.mark.parametrize("wrong", [0, 2.5])
def test_score_rejects_bad_resample_count(wrong):
    with pytest.raises((TypeError, ValueError), match="resamples"):
        score_difference(RIGHT, WORSE, RIGHT, tokenize="zh", resamples=wrong)
