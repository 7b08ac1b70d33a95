"""Packages of Debian, on a machine whose `apt-get` is a script of ours."""

import os
import subprocess
import sys

import pytest

from tools import apt

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no apt on Windows")

LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7"
# Notes how it is called; complains as long as there are complaints, one line a call.
APT_GET = """#!/bin/sh
cd "${0%/*}"
echo "$*" >> log
touch complaints
read -r complaint < complaints || exit 0
sed -i.old 1d complaints
echo "$complaint" >&2
exit 100
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Where we are root; returns the folder of its `apt-get`."""
    (tmp_path / "apt-get").write_text(APT_GET)
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(apt.os, "geteuid", lambda: 0)
    monkeypatch.setattr(apt.time, "sleep", lambda seconds: None)
    return tmp_path


def calls(machine):
    """What apt was asked to do, in order."""
    lines = (machine / "log").read_text().splitlines()
    return [" ".join(word for word in line.split() if word[0] != "-") for line in lines]


def test_lists_are_fetched_and_packages_installed(machine, capfd):
    assert apt.install("one", "two")
    assert calls(machine) == ["update", "install one two"]
    assert capfd.readouterr().err == ""


def test_another_apt_is_waited_for(machine, capfd):
    (machine / "complaints").write_text(f"{LOCKED}\n" * 3)
    assert apt.install("one")
    assert calls(machine) == [*["update"] * 4, "install one"]
    said = capfd.readouterr()
    assert said.out.count("Another apt is at work") == 1
    assert said.err == ""


def test_but_not_for_ever(machine, monkeypatch, capfd):
    monkeypatch.setattr(apt, "WAIT", 4 * apt.PAUSE)
    (machine / "complaints").write_text(f"{LOCKED}\n" * 9)
    assert not apt.install("one")
    assert LOCKED in capfd.readouterr().err


def test_what_is_wrong_is_said_at_once(machine, capfd):
    (machine / "complaints").write_text("W: no network\nE: Unable to locate package\n")
    assert not apt.install("one")
    assert calls(machine) == ["update", "install one"]
    assert capfd.readouterr().err == "W: no network\nE: Unable to locate package\n"


def test_who_is_not_root_installs_nothing(machine, monkeypatch):
    monkeypatch.setattr(apt.os, "geteuid", lambda: 1000)
    assert not apt.install("one")
    assert not (machine / "log").exists()


def test_it_runs_before_any_package_is_there(tmp_path):
    command = [sys.executable, "-I", "-S", apt.__file__, "python3-venv"]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True)
    assert (done.returncode, done.stderr) == (1, b"")
