"""Where the browser comes from, when it is there and when it is not."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from tools import browser
from tools.browser import BROWSERS, NoBrowser, find_browsers, install_browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="the programs are scripts"),
]

# Takes its time, as apt does, then Chromium is there.
APT_GET = """#!/bin/sh
cd "${0%/*}"
echo "$2" >> log
/bin/sleep 0.5
if [ "$2" = install ]; then echo > chromium; /bin/chmod 755 chromium; fi
"""
# The machine below, in a process of its own.
INSTALL = """
import os
from test_browser import open_what_is_there
from tools import browser
os.geteuid = lambda: 0
browser.open_browser = open_what_is_there
print(browser.install_browser())
"""
# An installation that mends nothing.
STILL_BROKEN = """
import sys
from tools import apt, browser
apt.install = lambda *packages: True
sys.exit(browser.main())
"""


def put(folder, name, script="#!/bin/sh\nexit 1\n"):
    (folder / name).write_text(script)
    (folder / name).chmod(0o755)


@contextmanager
def open_what_is_there():
    """In the place of `open_browser`: any program of the right name will do."""
    if not find_browsers():
        raise NoBrowser("there is none")
    yield SimpleNamespace(version="1.0")


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """One without any program, where we are root; returns the folder for programs."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(browser, "open_browser", open_what_is_there)
    return tmp_path


def test_the_one_on_the_path_is_taken_and_nothing_installed(machine):
    assert find_browsers() == []
    put(machine, "apt-get", APT_GET)
    put(machine, "google-chrome")
    assert find_browsers() == [str(machine / "google-chrome")]
    assert install_browser() == "1.0"
    assert not (machine / "log").exists()


@pytest.mark.weekly
def test_processes_that_miss_it_at_the_same_time_install_it_once(machine):
    put(machine, "apt-get", APT_GET)
    command = [sys.executable, "-c", INSTALL]
    here = Path(__file__).parent
    both = [
        subprocess.Popen(
            command,
            cwd=here,
            env=os.environ | {"PYTHONPATH": str(here.parents[1])},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in both:
        out, err = process.communicate()
        assert (out.splitlines()[-1:], err) == (["1.0"], "")
    assert (machine / "log").read_text().split() == ["update", "install"]


def test_where_apt_may_not_playwright_installs_its_own(machine, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    put(machine, "apt-get", APT_GET)
    ran = []

    def run(command, **options):
        ran.append(command[1:])
        put(machine, "chromium")

    monkeypatch.setattr(browser.subprocess, "run", run)
    assert install_browser() == "1.0"
    assert ran == [["-m", "playwright", "install", "chromium"]]
    assert not (machine / "log").exists()


def test_a_browser_that_does_not_start_is_told_without_a_traceback(tmp_path):
    put(tmp_path, "chromium")
    command = [sys.executable, "-c", STILL_BROKEN]
    nowhere = {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}
    done = subprocess.run(command, env=nowhere, capture_output=True, text=True)
    assert done.returncode == 1
    assert "No browser starts" in done.stdout
    assert "apt install chromium" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.weekly
def test_a_broken_one_is_passed_over_for_one_that_starts(
    tmp_path, monkeypatch, browser
):
    for real in find_browsers()[:1]:  # else it is Playwright's own
        put(tmp_path, "google-chrome", f'#!/bin/sh\nexec "{real}" "$@"\n')
    put(tmp_path, BROWSERS[0])
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    command = [sys.executable, "-m", "tools.browser"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"Pages are opened by Chromium {browser.version}.\n"
