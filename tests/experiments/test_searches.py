import pytest

from attnlab.experiments.searches import translate_and_score
from attnlab.sentences.scoring import score
from attnlab.sentences.translator import load_translator

PAIRS = [("Where is the station?", "车站在哪里？"), ("I am hungry.", "我饿了。")]


def test_figures_of_two_sentences():
    figures, answers = translate_and_score(
        load_translator(), PAIRS, width=2, length_penalty=1.0
    )
    assert len(answers) == 2
    length = sum(map(len, answers)) / sum(len(chinese) for _, chinese in PAIRS)
    assert figures["length"] == pytest.approx(length, abs=1e-3)
    assert set(figures) == {"bleu", "chrf", "length", "cpu_seconds"}
    found = score(answers, [chinese for _, chinese in PAIRS], tokenize="zh")
    assert figures["bleu"]["score"] == found["bleu"]["score"]
