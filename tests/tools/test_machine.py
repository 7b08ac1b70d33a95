"""A machine without a part: the part is gone, and what is stored of it is so."""

import pytest
import torch

from attnlab.data import NumberPairs, number_tokens
from attnlab.live.machine import MAX_WORDS, MAX_WRITTEN, PARTS
from attnlab.saved import load, load_weights
from attnlab.training import exact_match
from tools import live_weights, machine
from tools.machine import (
    remove_part,
    share_right,
    train_and_test_numbers,
    train_machine,
)


def test_train_and_test_numbers_hold_out_short_ones():
    lessons, exam = train_and_test_numbers()
    assert not set(lessons) & set(exam)
    assert min(exam) >= 100
    longest = max(len(number_tokens(n, "en")) for n in {*lessons, *exam})
    assert longest == MAX_WORDS
    assert max(len(number_tokens(n, "de")) for n in {*lessons, *exam}) < MAX_WRITTEN


def test_write_words_equals_greedy_search():
    model, _ = load_weights("machine")
    numbers = train_and_test_numbers()[1][:40]
    assert share_right(model, numbers) == pytest.approx(
        exact_match(model, NumberPairs(numbers))
    )


@pytest.mark.parametrize("part", PARTS)
def test_stored_machine_accuracy_equals_its_metadata(part):
    name = "machine" if part == "nothing" else f"machine-no-{part}"
    model, about = load_weights(name)
    state = model.state_dict()
    remove_part(model, part).load_state_dict(state, strict=False)
    assert len(about["right"]) == len(machine.SEEDS)
    right = share_right(model, train_and_test_numbers()[1])
    assert right == pytest.approx(about["right"][0], abs=0.01)


def test_train_machine_equals_recipe(monkeypatch, tmp_path):
    monkeypatch.setattr(machine, "SEEDS", range(2))
    monkeypatch.setattr(machine, "RATES", (1e-3, 1e-2))
    recipe = live_weights.recipes()["machine-no-sums"] | {"steps": 3}
    about = live_weights.train_and_write("machine-no-sums", recipe, tmp_path)
    assert len(about["right"]) == len(about["tried"]) == 2
    model, _ = load(tmp_path / "machine-no-sums.safetensors")
    begun = train_machine("sums", 0.0, 0, steps=0)
    assert not torch.equal(model.output_layer.weight, begun.output_layer.weight)
