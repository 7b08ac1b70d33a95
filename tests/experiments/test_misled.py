"""The rivals of *old items mislead*: the data, what is made noise, what is stored."""

import random

from attnlab.data import PAD
from attnlab.experiments.misled import (
    far_questions,
    items_before,
    make_kept,
    make_pairs,
    without_items,
)
from attnlab.experiments.recall import (
    DIGITS,
    FIRST_ITEM,
    FIRST_NOISE,
    FIRST_QUESTION,
    LETTERS,
)
from attnlab.experiments.windows import make_latest


def items_of_letters(tokens, letters):
    return items_before(tokens, len(tokens), letters)


def test_make_kept_differs_from_latest_only_in_digits():
    (kept, answered), (latest, _) = (
        make(random.Random(3), 256) for make in (make_kept, make_latest)
    )
    for one, other in zip(kept, latest, strict=True):
        assert (one >= FIRST_ITEM) == (other >= FIRST_ITEM)
        assert one == other or one >= FIRST_ITEM
    for letter in range(LETTERS):
        digits = {kept[i] for i in items_of_letters(kept, {letter})}
        assert len(digits) == 1
        (item,) = digits
        asked = [i for i, t in enumerate(kept) if t == FIRST_QUESTION + letter]
        assert {answered[i] for i in asked} == {1 + (item - FIRST_ITEM) % DIGITS}
    assert len({latest[i] for i in items_of_letters(latest, {0})}) > 1
    assert answered.count(PAD) > 0


def test_without_items_replaces_only_older_items_of_the_letters():
    question = max(far_questions(make_pairs("latest", 5, 1)), key=lambda q: q.latest)
    letter = question.tokens[-1] - FIRST_QUESTION
    cleaned = without_items(question, {letter}, 0)
    changed = [i for i, t in enumerate(cleaned) if t != question.tokens[i]]
    assert changed == items_before(question.tokens, question.latest, {letter})
    assert all(FIRST_NOISE <= cleaned[i] < FIRST_ITEM for i in changed)
