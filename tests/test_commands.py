"""What all commands share: how they end, and numbers within bounds."""

import argparse
import os
import subprocess
import sys

import pytest

from attnlab.commands import Help, plainly, whole


def parser():
    made = argparse.ArgumentParser(formatter_class=Help)
    made.add_argument("--width", type=whole(1, 9), default=3, help="of the beam")
    made.add_argument("--file", help="to read")
    made.add_argument("--quiet", action="store_true", help="no bar")
    return made


def test_help_says_the_defaults_that_there_are():
    shown = parser().format_help()
    assert "of the beam (default: 3)" in shown
    assert "None" not in shown and "False" not in shown


@pytest.mark.parametrize(
    ("typed", "said"),
    [("0", "at least 1, got 0"), ("10", "at most 9, got 10"), ("x", "got 'x'")],
)
def test_a_number_out_of_bounds_is_said_with_the_option_that_was_typed(
    typed, said, capsys
):
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(["--width", typed])
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert "argument --width" in shown and said in shown
    assert parser().parse_args(["--width", "9"]).width == 9


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
def test_a_command_ends_with_a_sentence(raised, status, said, capsys):
    with pytest.raises(SystemExit) as ended, plainly("all is kept"):
        raise raised
    assert ended.value.code == status
    assert capsys.readouterr().err.strip() == said


def test_a_mistake_of_the_program_s_own_is_not_hidden():
    with pytest.raises(TypeError), plainly():
        raise TypeError
    with pytest.raises(ValueError), plainly(wrong=(OSError,)):
        raise ValueError


@pytest.mark.skipif(os.name == "nt", reason="pipes break otherwise")
def test_who_stops_reading_is_not_complained_to():
    code = (
        "from attnlab.commands import plainly\nwith plainly():\n print('a\\n' * 10**6)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"a\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
