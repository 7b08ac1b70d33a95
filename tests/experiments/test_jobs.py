import pytest
import torch

from attnlab.data import NumberPairs, collate
from attnlab.experiments.harness import load, select
from attnlab.experiments.jobs import (
    measure_jobs,
    share_right,
    sharpness,
    silence_each,
    silence_kinds,
    train_translator,
)
from attnlab.training import exact_match


@pytest.fixture(scope="module")
def trained():
    return train_translator(seed=0, steps=200, train_numbers=4_000)


def batch_of(numbers):
    pairs = NumberPairs(numbers)
    return collate([pairs[i] for i in range(len(pairs))])


def test_one_pass_marks_as_writing_does(trained):
    model, held_out = trained
    numbers = held_out[:100]
    written = exact_match(model, NumberPairs(numbers))
    assert 0 < written < 1  # half trained: both kinds of answers occur
    assert share_right(model, batch_of(numbers)) == pytest.approx(written)


def test_silence_does_harm_and_is_lifted_again(trained):
    model, held_out = trained
    batch = batch_of(held_out[:60])
    before = share_right(model, batch)
    removed, without = silence_each(model, batch), silence_kinds(model, batch)
    assert share_right(model, batch) == before
    assert [len(row) for row in removed["cross"]] == [4, 4]
    assert without["cross"] < before
    assert min(min(row) for rows in removed.values() for row in rows) < before


def test_sharpness_leaves_padding_out():
    weights = torch.tensor([[[[[0.9, 0.1], [0.5, 0.5]]]]])  # (1, 1, 1, 2, 2)
    asks = torch.tensor([[True, False]])
    assert sharpness(weights, asks) == [[pytest.approx(0.9)]]


def test_a_small_run_has_the_stored_ones_figures():
    figures = measure_jobs(seed=0, steps=5, train_numbers=400)
    stored = select(load("jobs"))
    assert len(stored) >= 5
    for run in stored:
        assert run["figures"].keys() == figures.keys()
        assert run["figures"]["exact"] > 0.95
        assert run["figures"]["without"]["cross"] < 0.05
