"""Fixtures for tests that read or open the built book, page by page."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from playwright.sync_api import Browser, BrowserContext, Page

from tools.authoring import is_lab
from tools.browser import UNVEIL

ROOT = Path(__file__).parents[2]


def pages() -> list[str]:
    """Every page of the table of contents, such as `book/01_bottleneck`."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = toc.get("parts", [toc])
    entries = [entry for part in parts for entry in part["chapters"]]
    for entry in list(entries):
        entries += entry.get("sections", [])
    return [toc["root"], *(entry["file"] for entry in entries)]


# Pages of the reference share a template: some of them show what is wrong with it.
SAMPLE = ("index", "figures", "live")


def in_ring(page: str) -> object:
    """A page as a parameter; of the reference only a sample is in `make test`."""
    folder, _, name = page.rpartition("/")
    weekly = folder == "book/reference" and name not in SAMPLE
    return pytest.param(page, marks=[pytest.mark.weekly] * weekly)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests of a `docname` on every page, of a `chapter` on every notebook.

    Those of a `lecture` run on every notebook that has a lab beside it, those of a
    `lab` on every lab.
    """
    if "docname" in metafunc.fixturenames:
        metafunc.parametrize("docname", [in_ring(page) for page in pages()])
    chapters = [ROOT / f"{page}.ipynb" for page in pages()]
    present = [path for path in chapters if path.exists()]
    labs = [path for path in present if is_lab(path)]
    of = {lab.stem[:2] for lab in labs}
    lectures = [p for p in present if p.stem[:2] in of and p not in labs]
    for name, paths in (("chapter", present), ("lecture", lectures), ("lab", labs)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, paths, ids=[path.stem for path in paths])


@pytest.fixture(params=["file", "http"])
def site(request: pytest.FixtureRequest, html: Path) -> str:
    """Where the book is: once as a folder of files, once on a server."""
    if request.param == "file":
        return html.as_uri()
    return request.getfixturevalue("served")


class Visit(NamedTuple):
    """An open page, with what it asked for and what it complained of meanwhile."""

    page: Page
    requests: list[str]
    errors: list[str]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Open an address, to use the page: `visit(address, theme, width)`.

    What else the reader's system asks for, such as `reduced_motion`, goes by name.
    """
    contexts: list[BrowserContext] = []

    def open_page(
        address: str, theme: str = "light", width: int = 1280, **asked: object
    ) -> Visit:
        seen = _open(browser, address, theme, width, **asked)
        contexts.append(seen.page.context)
        return seen

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def look(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """As `visit`, for tests that look and do not disturb each other.

    They share a page: to open a chapter and to start its figures takes seconds.
    """
    opened: dict[tuple[str, str, int], Visit] = {}

    def close() -> None:
        for seen in opened.values():
            seen.page.context.close()
        opened.clear()

    def open_page(address: str, theme: str = "light", width: int = 1280) -> Visit:
        if (address, theme, width) not in opened:
            if any(Path(key[0]).name != Path(address).name for key in opened):
                close()  # the tests have gone on to another page of the book
            opened[address, theme, width] = _open(browser, address, theme, width)
        return opened[address, theme, width]

    yield open_page
    close()


def _open(
    browser: Browser,
    address: str,
    theme: str,
    width: int,
    veiled: bool = False,
    **asked: object,
) -> Visit:
    """Open a page, what answers its forecasts unveiled as by the browser's search."""
    viewport = {"width": width, "height": 800}
    context = browser.new_context(viewport=viewport, color_scheme=theme, **asked)
    page = context.new_page()
    requests: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console",
        lambda message: message.type == "error" and errors.append(message.text),
    )
    page.goto(address)
    if not veiled:
        page.evaluate(UNVEIL)
    return Visit(page, requests, errors)
