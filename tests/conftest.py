"""What tests of several folders share: one real browser and the built book."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser

from attnlab.browser import open_browser
from attnlab.serve import serving

ROOT = Path(__file__).parents[1]
# The models under test are tiny, and threads that wait for each other on a busy machine
# cost more than they bring. Set before torch is imported, and for what tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A busy machine must not fail a test of what is right, not of how fast it is.
settings.register_profile("quick", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("quick")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a browser or the book, and keep some together.

    `make test` shares tests out among processes. A file's tests share fixtures that
    take long to make. All tests of the built book share the book: built by one process,
    it is not pulled from under another.
    """
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker(pytest.mark.browser)
        if "html" in item.fixturenames:
            item.add_marker(pytest.mark.book)
        of_book = item.get_closest_marker("book") is not None
        group = "book" if of_book else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium. Playwright allows one at a time, so all tests share it."""
    with open_browser() as browser:
        yield browser


def build_book(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build the book in `folder` as `make book` does."""
    jupyter_book = shutil.which("jupyter-book", path=Path(sys.executable).parent)
    return subprocess.run(
        [jupyter_book, "build", ".", "-W", "--keep-going"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )


@pytest.fixture(scope="session")
def html() -> Path:
    """The folder of the built book, brought up to date."""
    result = build_book(ROOT)
    if result.returncode != 0:
        pytest.fail(f"the book does not build:\n{result.stdout[-4000:]}")
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def served(html: Path) -> Iterator[str]:
    """The address of a local server with the built book, under its headers."""
    with serving(html) as address:
        yield address


@pytest.fixture
def build() -> Callable[[Path], subprocess.CompletedProcess[str]]:
    """The function that builds a book in a folder."""
    return build_book
