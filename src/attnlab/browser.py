"""A Chromium that opens the built book: to test it, and to print it.

It needs what `requirements.txt` installs.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Containers run as root, without a GPU, and with little shared memory.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Open a headless Chromium. Playwright allows one at a time in a process."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield browser
        browser.close()


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


def _found() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def _can_apt() -> bool:
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    has_apt = shutil.which("apt-get") is not None
    return is_root and has_apt and Path("/etc/debian_version").exists()
