import pytest

from attnlab.experiments.searches import SETTINGS, translate_and_score
from attnlab.sentences.scoring import score
from attnlab.sentences.translator import load_translator
from attnlab.store import load, select

PAIRS = [("Where is the station?", "车站在哪里？"), ("I am hungry.", "我饿了。")]


def test_figures_of_two_sentences():
    metrics, answers = translate_and_score(
        load_translator(), PAIRS, width=2, length_penalty=1.0
    )
    assert len(answers) == 2
    length = sum(map(len, answers)) / sum(len(chinese) for _, chinese in PAIRS)
    assert metrics["length"] == pytest.approx(length, abs=1e-3)
    assert set(metrics) == {"bleu", "chrf", "length", "cpu_seconds"}
    found = score(answers, [chinese for _, chinese in PAIRS], tokenize="zh")
    assert metrics["bleu"]["score"] == found["bleu"]["score"]


def test_what_is_stored():
    stored = load("searches")
    found = {}
    for setting in SETTINGS:
        (run,) = select(stored, **setting)
        found[tuple(setting.values())] = run["figures"]
    # Without the penalty, wider beams find more probable and shorter translations.
    assert found[20, 0.0]["length"] < found[5, 0.0]["length"] < found[1, 0.0]["length"]
    assert all(len(example) == 4 for example in found[5, 1.0]["examples"])
    assert all("CC-BY" in example[-1] for example in found[5, 1.0]["examples"])
