"""Where the browser comes from, when it is there and when it is not."""

import os
import subprocess
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from tools import browser
from tools.browser import BROWSERS, NoBrowser, find_browsers, install_browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="the programs are scripts"),
]


def write_program(folder, name, script="#!/bin/sh\nexit 1\n"):
    (folder / name).write_text(script)
    (folder / name).chmod(0o755)


@contextmanager
def open_found_browser():
    """In the place of `open_browser`: any program of the right name will do."""
    if not find_browsers():
        raise NoBrowser("there is none")
    yield SimpleNamespace(version="1.0")


def test_install_browser_uses_playwright_without_apt(tmp_path, monkeypatch):
    ran = []

    def run_playwright(command, **options):
        ran.append(command[1:])
        write_program(tmp_path, "chromium")

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(browser, "open_browser", open_found_browser)
    monkeypatch.setattr(browser.apt, "install", lambda *packages: False)
    monkeypatch.setattr(browser.subprocess, "run", run_playwright)
    for _ in range(2):
        assert install_browser() == "1.0"
    assert ran == [["-m", "playwright", "install", "chromium"]]


@pytest.mark.weekly
def test_open_browser_skips_broken_browser(tmp_path, monkeypatch, browser):
    for real in find_browsers()[:1]:  # else it is Playwright's own
        write_program(tmp_path, "google-chrome", f'#!/bin/sh\nexec "{real}" "$@"\n')
    write_program(tmp_path, BROWSERS[0])
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    command = [sys.executable, "-m", "tools.browser"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"Pages are opened by Chromium {browser.version}.\n"
