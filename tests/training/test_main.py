import os
import re
import signal
import subprocess
import sys

import pytest

from attnlab.training import __main__ as command
from attnlab.training.__main__ import main

pytestmark = pytest.mark.slow

TINY_OPTIONS = ["--digits", "1", "2", "--train", "60", "--test", "20", "--d-model", "8"]
TINY_OPTIONS += ["--epochs", "2", "--batch-size", "16", "--device", "cpu", "--quiet"]


def table_rows(output):
    """The printed accuracy by length, as {digits: share}."""
    rows = re.findall(r"^ +(\d+) +([\d.]+)%$", output, re.MULTILINE)
    return {int(digits): float(share) / 100 for digits, share in rows}


@pytest.mark.weekly
def test_training_command_trains_prints_saves_and_resumes(tmp_path, capsys):
    path = tmp_path / "tiny.pt"
    command = [*TINY_OPTIONS, "--checkpoint", str(path)]
    first = subprocess.run(
        [sys.executable, "-m", "attnlab.training", *command],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert first.returncode == 0, first.stderr
    assert set(table_rows(first.stdout)) == {1, 2}
    assert first.stderr == ""
    written = path.read_bytes()
    assert main(command) == 0
    assert capsys.readouterr().out == first.stdout
    assert path.read_bytes() == written


@pytest.mark.parametrize(
    "options",
    [
        "--score none --context state --cell lstm",
        "--score none --context input --cell rnn --reverse-source",
        "--score additive --style bahdanau --bidirectional --source de --target fr",
        "--score general --input-feeding --dropout 0.1",
        "--score location --window local-p --radius 1",
        "--score cosine --hard --schedule linear --warmup 0.2 --clip 5 --lr 0.01",
    ],
)
def test_training_command_trains_every_kind_of_model(options, capsys):
    assert main([*TINY_OPTIONS, "--epochs", "1", *options.split()]) == 0
    assert set(table_rows(capsys.readouterr().out)) == {1, 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--device abacus", "unknown device 'abacus'"),
        ("--lr -1", "lr must be above 0"),
        ("--score none --hard", "score"),
        ("--target xx", "invalid choice: 'xx'"),
        ("--digits 3 2", "digits"),
        ("--d-model 0", "--d-model: must be at least 1, got 0"),
        ("--lr 1e30", "try a smaller lr"),
        ("--checkpoint .", "is a folder"),
    ],
)
def test_command_bad_options_exit_with_status_2(options, message, usage_error):
    assert message in usage_error(main, [*TINY_OPTIONS, *options.split()])


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a single process")
@pytest.mark.parametrize("where", ["NumberPairs", "cross_entropy_loss"])
def test_training_command_ctrl_c_prints_no_verdict(monkeypatch, capsys, where):
    original = getattr(command, where)

    def interrupted_training(*arguments, **options):
        signal.raise_signal(signal.SIGINT)
        return original(*arguments, **options)

    monkeypatch.setattr(command, where, interrupted_training)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # may be ignored
    try:
        status = main(TINY_OPTIONS)
    except SystemExit as ended:
        status = ended.code
    signal.signal(signal.SIGINT, before)
    shown = capsys.readouterr()
    assert status == 130 and shown.out == "" and "Stopped by Ctrl-C" in shown.err
