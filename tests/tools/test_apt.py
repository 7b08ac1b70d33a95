"""Packages of Debian, on a machine whose `apt-get` is a script of ours."""

import os
import subprocess
import sys

import pytest

from tools import apt

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no apt on Windows")

LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7\n"
OFFLINE_OUTPUT, UNKNOWN_PACKAGE_OUTPUT = (
    "W: no network\n",
    "E: Unable to locate package\n",
)
# Notes how it is called; complains as long as there are complaints, one line a call.
FAKE_APT_GET = """#!/bin/sh
cd "${0%/*}"
echo "$*" >> log
touch complaints
read -r complaint < complaints || exit 0
sed -i.old 1d complaints
echo "$complaint" >&2
exit 100
"""


@pytest.fixture
def fake_machine(tmp_path, monkeypatch):
    """Where we are root; returns the folder of its `apt-get`."""
    (tmp_path / "apt-get").write_text(FAKE_APT_GET)
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(apt.os, "geteuid", lambda: 0)
    monkeypatch.setattr(apt.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(apt, "MAX_WAIT_SECONDS", 4 * apt.RETRY_SECONDS)
    return tmp_path


@pytest.mark.parametrize(
    ("complaints", "updates", "installs", "said"),
    [
        ("", 1, True, ""),
        (LOCKED * 3, 4, True, ""),
        (LOCKED * 8, 4, False, LOCKED * 2),
        (OFFLINE_OUTPUT, 1, True, OFFLINE_OUTPUT),
        (
            OFFLINE_OUTPUT + UNKNOWN_PACKAGE_OUTPUT,
            1,
            False,
            OFFLINE_OUTPUT + UNKNOWN_PACKAGE_OUTPUT,
        ),
    ],
)
def test_install_waits_for_lock_and_raises_errors(
    fake_machine, capfd, complaints, updates, installs, said
):
    (fake_machine / "complaints").write_text(complaints)
    assert apt.install("one", "two") == installs
    calls = (fake_machine / "log").read_text().splitlines()
    words = [[word for word in call.split() if word[0] != "-"] for call in calls]
    assert words[:updates] == [["update"]] * updates
    assert words[updates] == ["install", "one", "two"]
    shown = capfd.readouterr()
    assert shown.err == said
    assert ("Another apt is at work" in shown.out) == (LOCKED in complaints)


def test_apt_command_needs_no_installed_package(tmp_path):
    command = [sys.executable, "-I", "-S", apt.__file__, "python3-venv"]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True)
    assert (done.returncode, done.stderr) == (1, b"")
