"""Chapter 5's experiment: its tasks, its schemes, and a small run."""

from functools import partial

import pytest
import torch
from torch import nn

from attnlab.attention import window_mask
from attnlab.data import PAD
from attnlab.data.places import PlacePairs
from attnlab.experiments.positions import (
    CURES,
    FIRST_IDEAS,
    LEARNED_START,
    TASKS,
    TIMES,
    RandomStart,
    answers,
    build,
    digit_pairs,
    kinds_of_error,
    least_loss,
    make_data,
    mean_loss,
    measure_positions,
    right_by_quarter,
    seeing_only,
)
from attnlab.positions import POSITIONS, SinusoidalPositions
from attnlab.training import tagging_accuracy

pytestmark = pytest.mark.slow


class Oracle(nn.Module):
    """Says the right class of every token but the last `wrong` of each sequence."""

    def __init__(self, pairs, wrong=0):
        super().__init__()
        self.known = {tuple(src): tgt for src, tgt in pairs}
        self.wrong = wrong
        self.weight = nn.Parameter(torch.zeros(1))  # says on which device the model is

    def forward(self, tokens):
        logits = torch.zeros(*tokens.shape, 20)
        for row, sequence in zip(logits, tokens.tolist(), strict=True):
            source = tuple(token for token in sequence if token != PAD)
            for position, answer in enumerate(self.known[source]):
                miss = position >= len(source) - self.wrong
                row[position, 19 if miss else answer] = 1.0
        return logits


@pytest.mark.weekly
def test_a_small_run_learns_and_fails_beyond_its_length():
    small = measure_positions(
        seed=7, task="previous", scheme="sinusoidal", lr=0.003, steps=600
    )
    assert small["right"][1] > 0.9 and small["right"][4] < 0.7


@pytest.mark.parametrize("task", TASKS)
def test_tests_are_up_to_four_times_as_long_and_training_knows_none_of_them(task):
    pairs, tests = make_data(task)
    longest = {k: max(len(src) for src, _ in test) for k, test in tests.items()}
    assert list(tests) == list(TIMES)
    assert max(len(src) for src, _ in pairs) < longest[2] < longest[4]
    if task == "places":
        known = {number for group in pairs.numbers for number in group}
        assert known.isdisjoint(n for group in tests[4].numbers for n in group)


@pytest.mark.parametrize("scheme", [*POSITIONS, *FIRST_IDEAS, *CURES, LEARNED_START])
def test_every_scheme_builds_and_answers(scheme):
    torch.manual_seed(0)
    pairs = digit_pairs("previous", (5, 9), 4, seed=0)
    model = build("previous", scheme, max_length=40)
    assert [len(row) for row in answers(model, pairs)] == [len(s) for s, _ in pairs]


def test_a_rate_is_chosen_by_the_loss_and_not_by_what_is_beyond():
    def run(lr, loss, right):
        figures = {"loss": loss, "right": {"1": 1.0, "4": right}}
        return {"setting": {"task": "previous", "lr": lr}, "figures": figures}

    runs = [run(0.001, 0.02, 0.9), run(0.01, 0.01, 0.2), run(0.03, 0.001, 0.95)]
    assert least_loss(runs)["setting"]["lr"] == 0.01  # 0.03 is unsteady


def test_the_mean_loss_is_that_of_the_tokens_that_have_an_answer():
    pairs = digit_pairs("previous", (5, 9), 30, seed=0)
    torch.manual_seed(0)
    model = build("previous", "rotary", max_length=40)
    losses = []
    for source, target in pairs:
        with torch.no_grad():
            logits = model(torch.tensor([source]))[0].log_softmax(dim=-1)
        losses += [-logits[i, c].item() for i, c in enumerate(target) if c != PAD]
    assert mean_loss(model, pairs) == pytest.approx(sum(losses) / len(losses), rel=1e-4)


def test_a_random_start_is_random_in_training_alone():
    torch.manual_seed(0)
    x, positions = torch.zeros(1, 3, 8), SinusoidalPositions(8)
    random_start = RandomStart(positions, max_length=50)
    starts = {tuple(random_start(x)[0, 0].tolist()) for _ in range(20)}
    assert len(starts) > 5
    assert torch.equal(random_start.eval()(x), positions(x))


def test_a_learned_table_that_starts_at_random_trains_its_late_rows():
    torch.manual_seed(0)
    model = build("previous", LEARNED_START, max_length=40)
    table = model.positions.positions.table
    for _ in range(50):
        model(torch.arange(3, 13)[None]).sum().backward()
    assert table.grad.shape == (40, 64)
    assert table.grad[30:].abs().max() > 0


def test_right_by_quarter_agrees_with_the_accuracy():
    pairs = digit_pairs("reverse", (14, 14), 30, seed=0)  # 16 tokens: 4 a quarter
    assert right_by_quarter(Oracle(pairs), pairs) == [1.0, 1.0, 1.0, 1.0]
    half_blind = Oracle(pairs, wrong=8)
    assert right_by_quarter(half_blind, pairs) == [1.0, 1.0, 0.0, 0.0]
    assert tagging_accuracy(half_blind, pairs)[0] == 0.5


def test_kinds_of_error_name_the_power_that_is_off():
    pairs = PlacePairs([300_002], per_sequence=1)  # three hundred thousand and two
    oracle = Oracle(pairs)
    assert sum(kinds_of_error(oracle, pairs).values()) == 0
    right = list(oracle.known[tuple(pairs.src[0])])
    for off, kind in ((-3, "thousand"), (-2, "hundred"), (-5, "both"), (-4, "other")):
        oracle.known[tuple(pairs.src[0])] = [right[0] + off, *right[1:]]
        assert kinds_of_error(oracle, pairs)[kind] == 1.0


def test_a_window_hides_what_is_outside_and_only_for_a_while():
    torch.manual_seed(0)
    model = build("previous", "none", max_length=40)
    tokens = torch.arange(3, 13)[None]  # (1, 10)
    changed = tokens.clone()
    changed[0, 9] = 3
    with seeing_only(model, partial(window_mask, radius=2)):
        before, after = model(tokens), model(changed)
    torch.testing.assert_close(before[0, :7], after[0, :7])
    assert not torch.allclose(before[0, 7:], after[0, 7:])
    assert not torch.allclose(model(tokens)[0, :7], model(changed)[0, :7])
