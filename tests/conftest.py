"""What tests of several folders share: the repository's root and one real browser."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the repository."""
    return ROOT


def _found() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def _can_apt() -> bool:
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return is_root and shutil.which("apt-get") and Path("/etc/debian_version").exists()


def find_browser() -> str | None:
    """Path of a Chromium, installed if need be; `None` means Playwright's own.

    Looks on the PATH, then asks apt if it may, else Playwright's installer.
    """
    if _found() is None and _can_apt():
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], check=False)
    if _found() is None:
        playwright = [sys.executable, "-m", "playwright"]
        subprocess.run([*playwright, "install", "chromium"], check=True)
    return _found()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium. Playwright allows one at a time, so all tests share it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()
