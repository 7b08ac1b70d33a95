import pytest

from attnlab.experiments.searches import compare_without_longest, translate_and_score
from attnlab.sentences.scoring import score, score_difference
from attnlab.sentences.translator import load_translator

PAIRS = [("Where is the station?", "车站在哪里？"), ("I am hungry.", "我饿了。")]


def test_translate_and_score_two_sentences():
    figures, answers = translate_and_score(
        load_translator(), PAIRS, width=2, length_penalty=1.0
    )
    assert len(answers) == 2
    length = sum(map(len, answers)) / sum(len(chinese) for _, chinese in PAIRS)
    assert figures["length"] == pytest.approx(length, abs=1e-3)
    assert set(figures) == {"bleu", "chrf", "length", "cpu_seconds"}
    found = score(answers, [chinese for _, chinese in PAIRS], tokenize="zh")
    assert figures["bleu"]["score"] == found["bleu"]["score"]


def test_compare_but_one_leaves_out_longest_translation():
    people = ["我饿了。", "车站在哪里？", "猫在桌子下面。"]
    greedy = ["我饿了。", "车站" * 30, "猫在桌子下。"]
    beam = ["我饿。", "车站在哪里？", "猫在桌子下面。"]
    found = compare_without_longest(beam, greedy, people)
    assert found["characters"] == [60, 6]
    rest = [beam[::2], greedy[::2], people[::2]]
    assert found["beyond_greedy"] == score_difference(*rest, tokenize="zh")
    assert found["length"] == pytest.approx(10 / 11, abs=1e-4)
    assert "beyond_greedy" not in compare_without_longest(greedy, greedy, people)
