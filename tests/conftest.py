"""What tests of several folders share: one real browser and the built book."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import settings
from playwright.sync_api import Browser
from xdist.scheduler import LoadScopeScheduling

from tools.browser import open_browser

ROOT = Path(__file__).parents[1]
# A page in a test's name: [book/01_bottleneck], [light-book/index], [01_bottleneck].
PAGE_IN_TEST_NAME = re.compile(r"\[(?:.*-)?(?:book/)?(\d\d_\w+|(?<=book/)[\w/]+)")
# The models under test are tiny, and threads that wait for each other on a busy machine
# cost more than they bring: here, and in what tests start. torch reads it when it is
# imported: within functions here, since who hands out the tests need not wait for it.
NUM_THREADS = int(os.environ.setdefault("OMP_NUM_THREADS", "1"))

# A busy machine must not fail a test of what is right, not of how fast it is; and the
# gate must fail for a change alone, so it tries the same examples every time.
settings.register_profile("quick", deadline=None, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("quick")


class FileAndPageScheduler(LoadScopeScheduling):
    """Hands tests to several processes, group by group, in their order.

    A file's tests stay together, since they share fixtures that take long to make, and
    so do a notebook's cells, since they share a kernel. Those of a page of the book are
    a group, whatever their files: it is parsed once.
    """

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        page = PAGE_IN_TEST_NAME.search(test)
        of_page = page and file.startswith("tests/book/")
        return page[1] if of_page else f"{file} {page[1] if page else ''}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Group by file and page where `--dist loadscope` asks for groups."""
    if config.getoption("dist") == "loadscope":
        return FileAndPageScheduler(config, log)
    return None


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Mark the tests that need a browser or the book, and put them in order.

    The first has the book built, in a minute. Chapters under nbval come next, which
    take longest, then what needs no book, and the book's pages last.
    """
    chapters = [item for item in items if item.path.suffix == ".ipynb"]
    tests = [item for item in items if item.path.suffix != ".ipynb"]
    for item in tests:
        if "browser" in item.fixturenames:
            item.add_marker(pytest.mark.browser)
        if "html" in item.fixturenames:
            item.add_marker(pytest.mark.book)
    tests.sort(key=lambda item: "html" in item.fixturenames)
    built = [item for item in tests if "html" in item.fixturenames][:1]
    items[:] = [*built, *chapters, *(item for item in tests if item not in built)]


@pytest.fixture(autouse=True)
def restore_threads() -> Iterator[None]:
    """No test leaves torch more threads: all after it would wait for each other."""
    import torch

    yield
    assert torch.get_num_threads() == NUM_THREADS


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
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built book, brought up to date by whoever comes first."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # of all processes
    said = shared / "book.txt"
    with FileLock(shared / "book.lock"):
        if not said.exists():
            result = build_book(ROOT)
            failed = result.returncode != 0
            said.write_text(result.stdout if failed else "", encoding="utf-8")
    if complaint := said.read_text(encoding="utf-8"):
        pytest.fail(f"the book does not build:\n{complaint[-4000:]}")
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def served(html: Path) -> Iterator[str]:
    """The address of a local server with the built book."""
    from tools.serve import serving

    with serving(html) as address:
        yield address


@pytest.fixture
def usage_error(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Call a command that refuses what it is given; return what it says then."""

    def call_command(command: Callable, *given: object) -> str:
        with pytest.raises(SystemExit) as ended:
            command(*given)
        said = capsys.readouterr().err
        assert ended.value.code == 2 and "Traceback" not in said
        return said

    return call_command


@pytest.fixture
def build() -> Callable[[Path], subprocess.CompletedProcess[str]]:
    """The function that builds a book in a folder."""
    return build_book
