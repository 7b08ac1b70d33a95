"""Fixtures for tests that read or open the built book, page by page."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from playwright.sync_api import Browser, BrowserContext, Page

ROOT = Path(__file__).parents[2]


def pages() -> list[str]:
    """Every page of the table of contents, such as `book/01_bottleneck`."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = toc.get("parts", [toc])
    entries = [entry["file"] for part in parts for entry in part["chapters"]]
    return [toc["root"], *entries]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests of a `docname` on every page, of a `chapter` on every notebook."""
    if "docname" in metafunc.fixturenames:
        metafunc.parametrize("docname", pages())
    if "chapter" in metafunc.fixturenames:
        chapters = [ROOT / f"{page}.ipynb" for page in pages()]
        present = [path for path in chapters if path.exists()]
        metafunc.parametrize("chapter", present, ids=[path.stem for path in present])


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


SCROLL_THROUGH = """async () => {
  for (let y = 0; y < document.body.scrollHeight; y += innerHeight) {
    scrollTo({ top: y, behavior: "instant" });
    await new Promise((done) => setTimeout(done, 50));
  }
  await window.MathJax?.startup?.promise;
}"""


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Open an address and read the page to its end: `visit(address, theme, width)`."""
    contexts: list[BrowserContext] = []

    def open_page(address: str, theme: str = "light", width: int = 1280) -> Visit:
        viewport = {"width": width, "height": 800}
        context = browser.new_context(viewport=viewport, color_scheme=theme)
        contexts.append(context)
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
        page.evaluate(SCROLL_THROUGH)
        return Visit(page, requests, errors)

    yield open_page
    for context in contexts:
        context.close()
