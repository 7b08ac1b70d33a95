import contextlib
import io
import json
import math
import sys
import tempfile
from pathlib import Path
from unittest import mock

import torch
from fuzzing import ODD_TEXT, ODD_THINGS, REFUSED, attempt, fuzz
from hypothesis import given
from hypothesis import strategies as st

from attnlab import store
from attnlab.experiments.study import (
    Study,
    command_line,
    fit,
    run_studies,
    solved_at,
    tens,
)
from attnlab.store import (
    command,
    grid,
    load,
    machine,
    metrics,
    run,
    select,
    versions,
)

JSON = st.one_of(
    st.integers(), st.booleans(), ODD_TEXT, st.lists(st.integers(), max_size=2)
)
SETTINGS = st.dictionaries(st.sampled_from(["d", "score"]), JSON, max_size=2)


@fuzz(grid)
@given(st.dictionaries(st.sampled_from("abc"), st.lists(JSON, max_size=3)))
def test_a_grid_has_every_combination(choices):
    settings = grid(**choices)
    assert len(settings) == math.prod(map(len, choices.values()))
    assert all(setting.keys() == choices.keys() for setting in settings)


@fuzz(run, load, select, metrics, command, versions, machine, share=0.5)
@given(
    name=st.one_of(st.just("trial"), ODD_TEXT),
    settings=st.lists(SETTINGS, max_size=3),
    seeds=st.lists(st.integers(0, 3), max_size=2),
    measured=st.one_of(
        st.just({"x": 0.5}), st.dictionaries(st.text(), ODD_THINGS, max_size=2)
    ),
)
def test_runs_are_kept_and_found_again(name, settings, seeds, measured):
    calls = []

    def function(seed, **setting):
        calls.append((seed, setting))
        return measured

    with tempfile.TemporaryDirectory() as folder:
        options = {"progress": False, "folder": folder}
        found = attempt(run, name, function, settings, seeds, **options)
        if found is REFUSED:
            assert not list(Path(folder).rglob("*.json"))
            return
        assert len(found["runs"]) == len(calls)
        if calls:
            assert load(name, folder=folder) == found
        for setting in settings:
            chosen = select(found, **setting)
            assert len(metrics(found, **setting)) == len(chosen)
            assert {one["seed"] for one in chosen} >= set(seeds)
        again = run(name, function, settings, seeds, **options)
        assert again == found and len(again["runs"]) == len(calls)


@fuzz(load, run)
@given(st.one_of(ODD_TEXT, JSON.map(json.dumps), st.just('{"name": "a", "runs": [1]}')))
def test_a_broken_result_is_named_and_kept(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trial.json")
        path.write_bytes(text.encode())
        errors = (ValueError, FileNotFoundError)
        assert attempt(load, "trial", folder=folder, errors=errors) is REFUSED
        attempt(load, "other", folder=folder, errors=errors)

        def function(seed):
            return {}

        options = {"progress": False, "folder": folder}
        assert attempt(run, "trial", function, [{}], [0], **options) is REFUSED
        assert path.read_bytes() == text.encode()


WORDS = st.lists(
    st.one_of(
        st.sampled_from(
            ["--seeds", "--seed", "--redo", "--quiet", "--tune", "0", "-1", "3"]
        ),
        ODD_TEXT,
    ),
    max_size=4,
)


@fuzz(command_line)
@given(WORDS)
def test_options_are_seeds_or_a_message(words):
    with contextlib.redirect_stderr(io.StringIO()) as wrong:
        try:
            args = command_line("d").parse_args(words)
        except SystemExit as stop:
            assert stop.code == 0 or wrong.getvalue()
            return
    assert args.seeds and all(seed >= 0 for seed in args.seeds)


@fuzz(Study, run_studies, share=0.5)
@given(
    words=WORDS,
    settings=st.lists(SETTINGS, max_size=2),
    rates=st.lists(st.floats(0, 1), max_size=2, unique=True),
)
def test_a_study_runs_at_a_rate_it_has_tried(words, settings, rates):
    def measure(seed, **setting):
        return {"right": setting.get("lr")}

    def first(runs):
        return runs[0]

    study = Study("trial", measure, settings, rates, first)
    with tempfile.TemporaryDirectory() as folder:
        with (
            mock.patch.object(store, "RESULTS", folder),
            mock.patch.object(sys, "argv", ["trial", "--quiet", *words]),
            contextlib.redirect_stderr(io.StringIO()) as wrong,
            contextlib.redirect_stdout(io.StringIO()),
        ):
            try:
                done = attempt(run_studies, "d", study, errors=(FileNotFoundError,))
            except SystemExit as stop:
                assert stop.code == 0 or wrong.getvalue()
                return
        if done is REFUSED:
            assert rates and settings and "--tune" not in words
        for path in Path(folder).glob("*.json"):
            for one in load(path.stem, folder=folder)["runs"]:
                assert ("lr" in one["setting"]) == bool(rates)


@fuzz(fit)
@given(steps=st.integers(0, 3), lr=st.floats(0, 1))
def test_a_model_learns_as_many_steps_as_it_is_told(steps, lr):
    model, drawn = torch.nn.Linear(2, 1), []

    def draw_loss():
        drawn.append(1)
        return model(torch.ones(1, 2)).square().mean()

    fit(model, draw_loss, steps=steps, lr=lr)
    assert len(drawn) == steps


@fuzz(tens, solved_at)
@given(st.lists(st.floats(0, 1), max_size=40), st.floats(0, 1))
def test_a_curve_is_solved_in_one_of_its_tens(values, level):
    curve = tens(values)
    assert len(curve) == -(-len(values) // 10)
    step = solved_at(curve, level)
    assert (step is None) == (max(curve, default=-1) < level)
    assert step is None or curve[step // 10] >= level
