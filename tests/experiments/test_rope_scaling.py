"""Scaled rotary hands: their speeds by the papers' formulas."""

import math
from copy import deepcopy

import pytest
import torch

from attnlab.experiments import far_keys, rope_scaling
from attnlab.experiments.positions import (
    FIRST_DIGIT,
    STUDY,
    TASKS,
    digit_pairs,
    train_scheme,
)
from attnlab.experiments.rope_scaling import (
    LLAMA_RAMP,
    RAMPS,
    SCHEMES,
    RotaryAtSpeeds,
    best_ramp,
    larger_base,
    measure_scaling,
    offsets,
    scaled_speeds,
    yarn_speeds,
)
from attnlab.positions import RotaryPositions, frequencies
from attnlab.store import load, metrics, select


def test_interpolated_speeds_equal_divided_positions():
    x = torch.randn(1, 16).expand(33, 16)  # one word at every place
    slow = scaled_speeds("interpolated", 16, 4, length=18)(x)
    torch.testing.assert_close(slow[::4], RotaryPositions(16)(x[:9]))


def test_larger_base_keeps_fastest_and_divides_slowest_frequency():
    for d, factor in ((16, 4), (64, 2), (128, 8)):
        ratio = frequencies(d) / larger_base(d, factor)
        assert ratio[0] == 1
        assert ratio[-1].item() == pytest.approx(factor, rel=1e-12)
        assert (ratio.diff() > 0).all()


def test_yarn_speeds_interpolate_between_fast_and_slow():
    omega, scaled_omega = frequencies(128), yarn_speeds(128, 16, 4096)
    turns = 4096 * omega / (2 * math.pi)
    slow, fast = LLAMA_RAMP
    stays, divided = turns >= fast, turns <= slow
    between = ~(stays | divided)
    assert stays.any() and divided.any() and between.any()
    assert torch.equal(scaled_omega[stays], omega[stays])
    assert torch.equal(scaled_omega[divided], omega[divided] / 16)
    share = (turns[between] - slow) / (fast - slow)
    wanted = omega[between] * (share + (1 - share) / 16)
    torch.testing.assert_close(scaled_omega[between], wanted)


def test_yarn_temperature_multiplies_every_score():
    q, k = torch.randn(2, 20, 16, dtype=torch.float64)
    yarn = scaled_speeds("YaRN", 16, 4, length=18)
    plain = RotaryAtSpeeds(yarn_speeds(16, 4, 18))
    scores = plain(q) @ plain(k).T
    torch.testing.assert_close(
        yarn(q) @ yarn(k).T, scores * (0.1 * math.log(4) + 1) ** 2
    )


@pytest.mark.parametrize(
    ("task", "choose", "places_after"),
    [
        ("previous", lambda digits: digits.roll(1, dims=1), 0),
        ("previous", lambda digits: digits.roll(3, dims=1), -2),
        ("reverse", lambda digits: digits.flip(1), 0),
        ("reverse", lambda digits: digits.flip(1).roll(1, dims=1), 1),
    ],
)
def test_offsets_count_places_from_right_digit(task, choose, places_after, monkeypatch):
    pairs = digit_pairs(task, (64, 64), 20, seed=0)
    digits = torch.tensor([src for src, _ in pairs]) - FIRST_DIGIT + 1
    said = choose(digits).tolist()
    monkeypatch.setattr(rope_scaling, "answers", lambda model, pairs: said)
    shares = offsets(None, task, pairs)
    assert shares.pop(places_after) == 1
    assert len(shares) == 8 and max(shares.values()) < 0.15


def test_rope_scaling_stored_runs_use_tuned_settings():
    for task in TASKS:
        lr, ramp = STUDY.best_rate(task=task, scheme="rotary"), list(best_ramp(task))
        for run in select(load("rope_scaling"), task=task):
            assert run["setting"] == {"task": task, "lr": lr, "ramp": ramp}
        (tuning,) = select(load("rope_scaling.tuning"), task=task, lr=lr)
        assert tuning["figures"]["ramps"] == [list(ramp) for ramp in RAMPS]


def test_rope_scaling_baseline_equals_positions_study():
    for task in TASKS:
        key = "numbers" if task == "places" else "right"
        runs = metrics("positions", task=task, scheme="rotary", steps=None)
        again = metrics("rope_scaling", task=task)
        for before, after in zip(runs, again, strict=True):
            found = after["as trained"]["right"]
            assert found == pytest.approx(before[key], abs=0.02)


@pytest.mark.weekly
@pytest.mark.slow
def test_rope_scaling_and_far_keys_run_with_one_seed(monkeypatch):
    """Both train the same model and ask it something else."""
    options = {"seed": 0, "lr": 0.01}
    trained = train_scheme(task="previous", scheme="rotary", **options)
    for module in (far_keys, rope_scaling):
        monkeypatch.setattr(module, "train_scheme", lambda **_: deepcopy(trained))
    seen = far_keys.measure_far_keys(scheme="rotary", **options)
    assert seen["more"] > seen["far"] and seen["near"] > seen["right"][4]
    found = measure_scaling(task="previous", ramp=(0.5, 2), **options)
    assert list(found) == list(SCHEMES)
    plain, slowed = found["as trained"], found["interpolated"]
    assert plain["near"] > plain["far"] and slowed["far"] > slowed["near"]
    assert {scheme["right"][1] for scheme in found.values()} == {plain["short"]}
