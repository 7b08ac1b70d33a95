"""Fixtures for tests that read or open the built book, page by page."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from playwright.sync_api import Browser, BrowserContext, Page

from tools.authoring import PAGES_OF_A_CHAPTER, page_of
from tools.browser import SHOW_ANSWERS

ROOT = Path(__file__).parents[2]


@cache
def page_names() -> list[str]:
    """Every page of the table of contents, such as `book/01_bottleneck`."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = toc.get("parts", [toc])
    entries = [entry for part in parts for entry in part["chapters"]]
    for entry in list(entries):
        entries += entry.get("sections", [])
    return [toc["root"], *(entry["file"] for entry in entries)]


# Pages of the reference share a template: some of them show what is wrong with it.
REFERENCE_SAMPLE = ("index", "figures", "live")


def page_param(page: str) -> object:
    """A page as a parameter; of the reference only a sample is in `make test`."""
    folder, _, name = page.rpartition("/")
    weekly = folder == "book/reference" and name not in REFERENCE_SAMPLE
    return pytest.param(page, marks=[pytest.mark.weekly] * weekly)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests of a `docname` on every page, of a `chapter` on every notebook.

    Those of a `lecture`, a `lab` or an `evidence` run on every notebook of that kind.
    """
    if "docname" in metafunc.fixturenames:
        metafunc.parametrize("docname", [page_param(page) for page in page_names()])
    chapters = [ROOT / f"{page}.ipynb" for page in page_names()]
    present = [path for path in chapters if path.exists()]
    for name in ("chapter", *PAGES_OF_A_CHAPTER):
        if name in metafunc.fixturenames:
            paths = [p for p in present if name in ("chapter", page_of(p))]
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

    What answers its forecasts is unveiled, as by the browser's search, or `veiled`.
    What else the reader's system asks for, such as `reduced_motion`, goes by name.
    """
    contexts: list[BrowserContext] = []

    def open_page(
        address: str,
        theme: str = "light",
        width: int = 1280,
        veiled: bool = False,
        **asked: object,
    ) -> Visit:
        viewport = {"width": width, "height": 800}
        context = browser.new_context(viewport=viewport, color_scheme=theme, **asked)
        contexts.append(context)
        seen = Visit(context.new_page(), requests=[], errors=[])
        seen.page.on("request", lambda request: seen.requests.append(request.url))
        seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
        seen.page.on(
            "console",
            lambda said: said.type == "error" and seen.errors.append(said.text),
        )
        seen.page.goto(address)
        if not veiled:
            seen.page.evaluate(SHOW_ANSWERS)
        return seen

    yield open_page
    for context in contexts:
        context.close()
