"""Recall over a distance: the data, the contenders, and the stored margins."""

import random

import pytest
import torch

from attnlab.data import PAD
from attnlab.experiments.recall import (
    CHANCE,
    DIGITS,
    FIRST_ITEM,
    FIRST_NOISE,
    FIRST_QUESTION,
    LENGTH,
    LETTERS,
    PARAMETERS,
    STUDY,
    UP_TO,
    VARIANTS,
    build,
    distances,
    make_pairs,
    make_sequence,
    measure_recall,
    reach,
    right_by_distance,
)
from attnlab.experiments.study import TUNING_SEED
from attnlab.recurrent import count_parameters
from attnlab.store import load, select

pytestmark = pytest.mark.slow


def stored(variant, items):
    runs = select(load("recall"), variant=variant, items=items)
    assert [run["seed"] for run in runs] == list(range(5))
    return [run["figures"]["right"] for run in runs]


@pytest.mark.parametrize("items", [1, 2, LETTERS])
def test_every_answer_is_the_digit_of_the_letter_asked_for(items):
    tokens, classes = make_sequence(random.Random(0), items)
    assert len(tokens) == len(classes) == LENGTH
    digits = dict(divmod(token - FIRST_ITEM, DIGITS) for token in tokens[:items])
    assert len(digits) == items
    asked = 0
    for token, answer in zip(tokens, classes, strict=True):
        if FIRST_QUESTION <= token < FIRST_NOISE:
            assert answer == 1 + digits[token - FIRST_QUESTION]
            asked += 1
        else:
            assert answer == PAD
    assert asked > 40


def test_distance_is_counted_from_the_item():
    b, c = FIRST_ITEM + DIGITS, FIRST_ITEM + 2 * DIGITS + 7
    ask_b, ask_c = FIRST_QUESTION + 1, FIRST_QUESTION + 2
    assert distances([b, c, ask_b, FIRST_NOISE, ask_c]) == [0, 0, 2, 0, 3]


def test_questions_come_at_every_distance():
    found = {d for tokens, _ in make_pairs(50, 0, 1) for d in distances(tokens)}
    assert found == set(range(LENGTH))


def test_mixed_lengths_are_short_and_long():
    lengths = [len(tokens) for tokens, _ in make_pairs(500, 0, 1, mixed=True)]
    assert min(lengths) == 8 and max(lengths) > 120
    assert 0.4 < sum(n < 32 for n in lengths) / 500 < 0.6  # half of a logarithmic scale


def test_a_wrong_number_of_items_is_named():
    with pytest.raises(ValueError, match="got 5"):
        make_sequence(random.Random(0), 5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_contenders_have_nearly_the_same_number_of_parameters(variant):
    assert abs(count_parameters(build(variant)) / PARAMETERS - 1) < 0.03


def test_an_unknown_variant_is_named():
    with pytest.raises(ValueError, match="'lstm'"):
        build("lstm")


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_model_sees_as_far_back_as_its_reach_and_never_ahead(variant):
    torch.manual_seed(0)
    model = build(variant).double()
    caught = []

    def keep(layer, inputs, output):
        output.retain_grad()
        caught.append(output)

    model.embedding.register_forward_hook(keep)
    tokens = torch.tensor([make_sequence(random.Random(0), 1)[0]])
    place = 100
    model(tokens)[0, place].sum().backward()
    seen = caught[0].grad[0].abs().sum(dim=-1).nonzero().flatten()
    assert seen.max() == place
    assert seen.min() == max(0, place - reach(variant))


def test_right_is_counted_by_distance():
    pairs = make_pairs(20, 0, 1)

    class Forgets(torch.nn.Module):
        """Right as long as the item is at most 8 positions away."""

        def forward(self, tokens):
            logits = torch.zeros(*tokens.shape, 1 + DIGITS)
            for row, sequence in enumerate(tokens.tolist()):
                digit = (sequence[0] - FIRST_ITEM) % DIGITS
                logits[row, :9, 1 + digit] = 1.0
                logits[row, 9:, PAD] = 1.0
            return logits

    right = right_by_distance(Forgets(), pairs)
    assert right == {most: float(most <= 8) for most in UP_TO}


def test_a_short_run_shows_the_reach():
    attention, cnn = (
        measure_recall(
            seed=9,
            variant=variant,
            items=1,
            lr=0.01,
            steps=120,
            train_sequences=2_000,
            test_sequences=40,
        )["right"]
        for variant in ("attention", "cnn, 4 layers")
    )
    assert attention[127] > 0.9
    assert cnn[127] < 0.25


def test_stored_runs_keep_the_margins_the_chapter_claims():
    for items in (1, LETTERS):
        assert min(right["127"] for right in stored("attention", items)) > 0.95
    assert min(right["127"] for right in stored("gru", 1)) > 0.95
    assert min(right["8"] for right in stored("cnn, 4 layers", 1)) > 0.9
    assert min(right["16"] for right in stored("cnn, 16 layers", 1)) > 0.9
    for variant in ("cnn, 4 layers", "cnn, 16 layers"):
        for items in (1, LETTERS):
            for right in stored(variant, items):
                beyond = [right[str(m)] for m in UP_TO if m > reach(variant)]
                assert max(beyond) < 2 * CHANCE


def test_stored_runs_used_the_rate_that_won_on_the_tuning_seed():
    for run in load("recall")["runs"]:
        setting = dict(run["setting"])
        assert setting.pop("lr") == STUDY.best_rate(**setting)
        assert run["seed"] != TUNING_SEED
