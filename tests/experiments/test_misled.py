"""The rivals of *old items mislead*: the data, what is made noise, what is stored."""

import random

import pytest
import torch

from attnlab.data import PAD
from attnlab.experiments.misled import (
    FARTHEST,
    NEAREST,
    answers,
    blame,
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
from attnlab.store import metrics


class Parrot(torch.nn.Module):
    """Answers with the digit of the first, or of the last, item of the letter."""

    def __init__(self, place):
        super().__init__()
        self.place = place

    def forward(self, src):
        logits = torch.zeros(*src.shape, 1 + DIGITS)
        for row, tokens in enumerate(src.tolist()):
            end = len(tokens) - tokens[::-1].index(next(t for t in tokens[::-1] if t))
            letter = tokens[end - 1] - FIRST_QUESTION
            items = items_before(tokens, end, {letter})
            digit = (tokens[items[self.place]] - FIRST_ITEM) % DIGITS
            logits[row, end - 1, 1 + digit] = 1.0
        return logits


def letters_of(tokens, letters):
    return items_before(tokens, len(tokens), letters)


def test_kept_differs_from_latest_in_the_digits_alone():
    (kept, answered), (latest, _) = (
        make(random.Random(3), 256) for make in (make_kept, make_latest)
    )
    for one, other in zip(kept, latest, strict=True):
        assert (one >= FIRST_ITEM) == (other >= FIRST_ITEM)
        assert one == other or one >= FIRST_ITEM
    for letter in range(LETTERS):
        digits = {kept[i] for i in letters_of(kept, {letter})}
        assert len(digits) == 1
        (item,) = digits
        asked = [i for i, t in enumerate(kept) if t == FIRST_QUESTION + letter]
        assert {answered[i] for i in asked} == {1 + (item - FIRST_ITEM) % DIGITS}
    assert len({latest[i] for i in letters_of(latest, {0})}) > 1
    assert answered.count(PAD) > 0


def test_questions_end_where_they_are_asked_and_know_what_came_before():
    for question in far_questions(make_pairs("latest", 20, 0)):
        place = len(question.tokens) - 1
        letter = question.tokens[-1] - FIRST_QUESTION
        item = question.tokens[question.latest]
        assert NEAREST <= place - question.latest <= FARTHEST
        assert question.answer == 1 + (item - FIRST_ITEM) % DIGITS
        assert question.answer not in question.before
        between = question.tokens[question.latest + 1 :]
        assert not letters_of(between, {letter})
    assert all(not q.before for q in far_questions(make_pairs("kept", 20, 0)))


def test_noise_takes_the_place_of_older_items_of_these_letters_and_of_nothing_else():
    question = max(far_questions(make_pairs("latest", 5, 1)), key=lambda q: q.latest)
    letter = question.tokens[-1] - FIRST_QUESTION
    cleaned = without_items(question, {letter}, 0)
    changed = [i for i, t in enumerate(cleaned) if t != question.tokens[i]]
    assert changed == items_before(question.tokens, question.latest, {letter})
    assert all(FIRST_NOISE <= cleaned[i] < FIRST_ITEM for i in changed)


def test_who_says_the_last_item_is_right_and_who_says_the_first_is_misled():
    pairs = make_pairs("latest", 30, 2)
    asked = far_questions(pairs)
    said = answers(Parrot(-1), [question.tokens for question in asked])
    assert said.tolist() == [question.answer for question in asked]
    found = blame(Parrot(0), pairs)
    assert found["as_it_is"] < 0.5 and found["name_old"] == 1.0 > found["by_chance"]
    assert found["without_old"] == 1.0 and found["without_others"] < 0.5


def test_an_unknown_task_is_named():
    with pytest.raises(ValueError, match="'near'"):
        make_pairs("near", 1, 0)


@pytest.mark.parametrize("seed", [0, 1])
def test_stored_old_items_mislead_and_time_mends_it(seed):
    def stored(task, variant, steps):
        return metrics("misled", task=task, variant=variant, steps=steps)[seed]

    short, long = (stored("latest", "full", steps) for steps in (600, 2_400))
    assert short["name_old"] > short["by_chance"] + 0.1
    assert short["without_old"] > short["without_others"] + 0.05
    assert long["as_it_is"] > 0.95 > 0.85 > short["as_it_is"]
    early = [
        stored("kept", variant, 100)["as_it_is"] for variant in ("full", "window 64")
    ]
    assert early[1] < early[0] < 0.9
