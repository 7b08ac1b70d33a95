"""The options of every experiment's command."""

import pytest

from attnlab.experiments.study import command_line


@pytest.mark.parametrize(
    ("typed", "seeds"),
    [
        ("", [0, 1, 2, 3, 4]),
        ("--seeds 2", [0, 1]),
        ("--seeds 3 4", [3, 4]),
        ("--seed 3", [3]),
    ],
)
def test_seeds_on_the_command_line(typed, seeds):
    assert command_line("A trial.").parse_args(typed.split()).seeds == seeds


@pytest.mark.parametrize("typed", ["--seeds 0", "--seeds -1", "--seeds x", "--seeds"])
def test_bad_seeds_on_the_command_line(typed, capsys):
    with pytest.raises(SystemExit):
        command_line("A trial.").parse_args(typed.split())
    assert "--seeds" in capsys.readouterr().err
