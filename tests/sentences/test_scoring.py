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


def test_the_difference_is_that_of_the_scores_and_lies_between_its_bounds():
    found = score_difference(RIGHT, WORSE, RIGHT, tokenize="zh", resamples=50)
    right, worse = (score(way, RIGHT, tokenize="zh")["bleu"] for way in (RIGHT, WORSE))
    wanted = right["score"] - worse["score"]
    assert found["difference"] == pytest.approx(wanted, abs=0.01)
    assert 0 < found["low"] <= found["difference"] <= found["high"]
    back = score_difference(WORSE, RIGHT, RIGHT, tokenize="zh", resamples=50)
    assert back["difference"] == -found["difference"] and back["high"] < 0


def test_a_way_beside_itself_does_not_differ_however_hard_the_sentences():
    found = score_difference(WORSE, WORSE, RIGHT, tokenize="zh", resamples=20)
    assert found == {"difference": 0.0, "low": 0.0, "high": 0.0}


@pytest.mark.parametrize("wrong", [0, 2.5])
def test_resamples_are_counted(wrong):
    with pytest.raises((TypeError, ValueError), match="resamples"):
        score_difference(RIGHT, WORSE, RIGHT, tokenize="zh", resamples=wrong)
