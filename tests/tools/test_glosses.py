"""The dictionary of glosses: what the pairs say, and nothing where they say nothing."""

import random

import pytest

from tools.glosses import RARE, glosses

NOUNS = {"cat": "猫", "table": "桌子", "flower": "花"}
VERBS = {"sees": "看见", "likes": "喜欢"}


@pytest.fixture(scope="module")
def found() -> dict[str, str]:
    draw = random.Random(1)
    pairs = [("the owl", "鸮")] * (RARE - 1)
    for _ in range(400):
        (one, own), (other, its) = draw.choices(list(NOUNS.items()), k=2)
        verb, written = draw.choice(list(VERBS.items()))
        pairs.append((f"The {one} {verb} the {other}.", f"{own}{written}了{its}。"))
    return glosses(pairs)


def test_glosses_find_and_pair_words(found):
    assert {found[word] for word in ("猫", "花")} == {"cat", "flower"}
    for english, word in (NOUNS | VERBS).items():
        assert found[word] == english, word


def test_glosses_leave_out_words_of_every_sentence_and_rare_ones(found):
    assert "鸮" not in found and "。" not in found
    assert found.get("了") in (None, "the")  # both stand in every sentence
