"""What all commands share: how they end, and numbers within bounds."""

import argparse
import os
import subprocess
import sys

import pytest

from attnlab.commands import Help, integer, user_errors


def test_help_states_option_defaults():
    parser = argparse.ArgumentParser(formatter_class=Help)
    parser.add_argument("--width", type=integer(1, 9), default=3, help="of the beam")
    parser.add_argument("--file", help="to read")
    parser.add_argument("--quiet", action="store_true", help="no bar")
    shown = parser.format_help()
    assert "of the beam (default: 3)" in shown
    assert "None" not in shown and "False" not in shown


@pytest.mark.parametrize("typed", ["0", "10", "x"])
def test_integer_option_rejects_out_of_bounds(typed):
    assert integer(1, 9)("1") == 1 and integer(1, 9)("9") == 9
    with pytest.raises(argparse.ArgumentTypeError, match=f"got '?{typed}"):
        integer(1, 9)(typed)


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (KeyboardInterrupt(), 130, "Stopped by Ctrl-C: all is kept."),
        (ValueError("no such word"), 2, "error: no such word"),
        (
            FileNotFoundError(2, "No such file", "a.txt"),
            2,
            "error: No such file: a.txt",
        ),
        (FloatingPointError("the loss is nan"), 2, "error: the loss is nan"),
    ],
)
def test_user_error_ends_command_with_message(raised, status, said, capsys):
    with pytest.raises(SystemExit) as ended, user_errors("all is kept"):
        raise raised
    assert ended.value.code == status
    assert capsys.readouterr().err.strip() == said


def test_user_errors_lets_programming_errors_through():
    with pytest.raises(TypeError), user_errors():
        raise TypeError
    with pytest.raises(ValueError), user_errors(wrong=(OSError,)):
        raise ValueError


@pytest.mark.skipif(os.name == "nt", reason="pipes break otherwise")
def test_command_with_closed_pipe_exits_quietly():
    code = (
        "from attnlab.commands import user_errors\n"
        "with user_errors():\n print('a\\n' * 10**6)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"a\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
