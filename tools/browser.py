"""A Chromium that opens the built book: to test it, and to print it.

    python -m tools.browser       # find one and start it; install one if need be

It needs what `requirements.txt` installs.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock
from playwright.sync_api import Browser, BrowserType, Error, sync_playwright

from tools import apt

# The shell has no windows: it opens a page in a third of the time.
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)

# Containers run as root, without a GPU, and with little shared memory. And a word is as
# wide in every browser.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--font-render-hinting=none",
]

# Playwright's driver needs libatomic1, and a page without a font has no letters. Those
# of Liberation are as wide as Arial's, which most readers have.
FONTS = ("fonts-dejavu-core", "fonts-liberation")
PACKAGES = ("chromium-headless-shell", "libatomic1", *FONTS)


# What answers a page's forecasts is unveiled, as by the browser's search.
SHOW_ANSWERS = """() => document.querySelectorAll(".veiled").forEach(
  (veil) => veil.dispatchEvent(new Event("beforematch")))"""


class NoBrowser(RuntimeError):
    """There is no browser, or it does not start."""


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Open a headless Chromium. Playwright allows one at a time in a process.

    Raises `NoBrowser`; `make browser` installs one where it may.
    """
    with ExitStack() as stack:
        try:
            playwright = stack.enter_context(sync_playwright())
        except Exception as error:  # its own are plain ones
            raise NoBrowser(f"Playwright does not start: {error}") from error
        browser = _launch(playwright.chromium)
        yield browser
        browser.close()


def _launch(chromium: BrowserType) -> Browser:
    """Return the first that starts of those on the PATH, and Playwright's own."""
    on_path = find_browsers()
    for path in (*on_path, None):
        with suppress(Error):
            return chromium.launch(executable_path=path, args=FLAGS)
    tried = ", ".join([*on_path, "Playwright's own"])
    raise NoBrowser(f"No browser starts (tried: {tried}).")


def find_browsers() -> list[str]:
    """Paths of every Chromium and Chrome on the PATH."""
    return list(filter(None, map(shutil.which, BROWSERS)))


def install_browser() -> str:
    """Version of the browser that starts, after installing one if need be.

    By apt if it may be, else by Playwright. Processes that do this at the same time
    wait for each other. Raises `NoBrowser`.
    """
    with FileLock(Path(sys.prefix, "browser.lock")):
        try:
            return _version()
        except NoBrowser:
            if not apt.install(*PACKAGES):
                print("Installing Playwright's own Chromium ...", flush=True)
                playwright = [sys.executable, "-m", "playwright", "install", "chromium"]
                subprocess.run(playwright, stderr=subprocess.DEVNULL)
            return _version()


def _version() -> str:
    with open_browser() as browser:
        return browser.version


def main() -> int:
    """Say which browser there is; returns 1, and says what to do, if there is none."""
    try:
        print(f"Pages are opened by Chromium {install_browser()}.")
    except NoBrowser as error:
        print(
            f"{error}\nAsk an administrator to install one. On Debian: "
            f"apt install {' '.join(PACKAGES)}\n"
            "Elsewhere: Chromium or Chrome, so that it is on the PATH."
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
