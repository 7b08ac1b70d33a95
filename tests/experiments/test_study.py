"""The options of every experiment's command, and what they make a study do."""

import sys
from functools import partial

import pytest

from attnlab import store
from attnlab.experiments.study import (
    TUNING_SEED,
    Study,
    command_line,
    means_of_tens,
    run_studies,
    solved_at,
)


@pytest.mark.parametrize(
    ("typed", "seeds"),
    [
        ("", [0, 1, 2, 3, 4]),
        ("--seeds 2", [0, 1]),
        ("--seeds 3 4", [3, 4]),
        ("--seed 3", [3]),
    ],
)
def test_command_line_parses_seeds(typed, seeds):
    assert command_line("A trial.").parse_args(typed.split()).seeds == seeds


@pytest.mark.parametrize(
    "typed", ["--seeds 0", "--seeds -1", "--seeds x", "--seeds", "--tune"]
)
def test_command_line_names_bad_options(typed, usage_error):
    """Only what can be tuned has `--tune`."""
    parse_args = command_line("A trial.").parse_args
    assert typed.split()[0] in usage_error(parse_args, typed.split())


def toy_measure(*, seed, width, lr, epochs=9):
    return {"right": -abs(width * lr - 1), "epochs": epochs}


@pytest.fixture
def run_command(tmp_path, monkeypatch):
    """Do what the words of a command line ask of a study; its results."""
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    widths = store.grid(width=[10, 100])
    short = {"epochs": 2}
    best = partial(max, key=lambda run: run["figures"]["right"])
    study = Study("trial", toy_measure, widths, (0.01, 0.1), best, shorter=short)
    plain = Study("trial.plain", lambda seed: {"seed": seed}, [{}])

    def ask(words):
        monkeypatch.setattr(sys, "argv", ["trial", "--quiet", *words.split()])
        run_studies("A trial.", study, plain)
        stored = {
            path.stem: store.load(path.stem)["runs"] for path in tmp_path.iterdir()
        }
        return study, stored

    return ask


def test_study_runs_settings_at_best_tuned_rate(run_command):
    study, stored = run_command("--tune")
    assert stored.keys() == {"trial.tuning"}
    assert {run["seed"] for run in stored["trial.tuning"]} == {TUNING_SEED}
    assert [run["figures"]["epochs"] for run in stored["trial.tuning"]] == [2] * 4
    assert study.best_rate(width=10) == 0.1
    assert study.best_rate(width=100) == 0.01
    _, stored = run_command("--seeds 2")
    assert len(stored["trial.plain"]) == 2
    assert [(run["seed"], run["setting"]) for run in stored["trial"]] == [
        (seed, setting)
        for seed in (0, 1)
        for setting in ({"width": 10, "lr": 0.1}, {"width": 100, "lr": 0.01})
    ]
    assert all(run["figures"]["epochs"] == 9 for run in stored["trial"])


def test_best_rate_of_untuned_setting_raises(run_command):
    with pytest.raises(FileNotFoundError, match="trial --help"):
        run_command("")
    study, _ = run_command("--tune")
    with pytest.raises(ValueError, match="'width': 11"):
        study.best_rate(width=11)


def test_solved_at_counts_steps_in_tens():
    assert means_of_tens([0.0] * 10 + [1.0] * 10 + [0.5]) == [0.0, 1.0, 0.5]
    assert solved_at(means_of_tens([0.0] * 20 + [1.0] * 10)) == 20
    assert solved_at(means_of_tens([0.9] * 30)) is None
    assert solved_at([0.0, 0.9, 0.96, 0.5]) == 20
    assert solved_at([0.5]) is None


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (KeyboardInterrupt(), 130, "finished runs are stored as trial"),
        (FileNotFoundError("no captions"), 2, "error: no captions"),
    ],
)
def test_interrupted_study_reports_and_keeps_finished_runs(
    tmp_path, monkeypatch, capsys, raised, status, said
):
    def failing_measure(*, seed):
        if seed == 1:
            raise raised
        return {"seed": seed}

    monkeypatch.setattr(store, "RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["trial", "--quiet", "--seeds", "3"])
    with pytest.raises(SystemExit) as ended:
        run_studies("A trial.", Study("trial", failing_measure, [{}]))
    assert ended.value.code == status and said in capsys.readouterr().err
    assert [run["seed"] for run in store.load("trial")["runs"]] == [0]
