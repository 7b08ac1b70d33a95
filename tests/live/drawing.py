"""How the tests of the live figures open a page, and what they measure there."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from attnlab.live.base import LiveFigure
from attnlab.live.bundle import JS

CONTENT_TYPES = {".js": "text/javascript", ".html": "text/html"}
ORIGIN = "http://attnlab.test"
TIMEOUT_MS = 60_000  # milliseconds: a busy machine is slow, which is no fault of a page

# The font of a figure is the reader's own; most have letters as wide as Arial's.
USUAL_FONT = "Arial"


# What a page still waits for, but for what it does in the end, as to forget a file.
PENDING_TIMERS = """
  window.timers = new Set();
  const { setTimeout: start, clearTimeout: stop } = window;
  window.setTimeout = (run, pause = 0, ...given) => {
    const timer = start(() => {
      timers.delete(timer);
      run(...given);
    }, pause);
    if (pause < 1000) timers.add(timer);
    return timer;
  };
  window.clearTimeout = (timer) => {
    timers.delete(timer);
    stop(timer);
  };
"""


def first_every_day(rows: list, first: int = 1) -> list:
    """Parameters of which `make test` takes the first ones, and `make test-all` all."""
    several = [row if isinstance(row, tuple) else (row,) for row in rows]
    rest = [pytest.param(*row, marks=pytest.mark.weekly) for row in several[first:]]
    return [*rows[:first], *rest]


@contextmanager
def fail_on_page_errors(page: Page) -> Iterator[Page]:
    """Close a page in the end, and fail if a script raised in it or logged an error."""
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console", lambda said: errors.append(said.text) if said.type == "error" else 0
    )
    yield page
    page.close()
    assert errors == []


def figure_opener(page: Page, folder: Path, weight_scripts: list[Path]):
    """A function that shows figures in a page, from a file in a folder, and returns it.

    There is no kernel. The weights that are to be asked for lie where the built book
    has them. Figures come without their tours, as they were made and with all their
    controls, unless the page is to be `guided`.
    """

    page.add_init_script(PENDING_TIMERS)

    def open_page(
        *figures,
        width: int = 1280,
        dark: bool = False,
        font: str = USUAL_FONT,
        guided: bool = False,
    ):
        scripts = folder / "_static/attnlab-weights"
        scripts.mkdir(parents=True, exist_ok=True)
        for script in weight_scripts:
            if not (scripts / script.name).exists():
                os.link(script, scripts / script.name)
        html = "".join(
            figure._repr_html_() if guided else _without_tour(figure)
            for figure in figures
        )
        theme, ink, ground = ("light", "#222", "#fff")
        if dark:
            theme, ink, ground = ("dark", "#ddd", "#14181e")
        path = folder / "page.html"
        path.write_text(
            f'<!doctype html><html lang="en" data-theme="{theme}">'
            '<meta charset="utf-8"><title>Figures</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<style>body {{ margin: 16px; color: {ink}; background: {ground}; "
            f"font-family: {font}, sans-serif }}</style><body>"
            f"<main><h1>Figures</h1>{html}</main></body></html>",
            encoding="utf-8",
        )
        page.set_default_timeout(TIMEOUT_MS)
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(path.as_uri())
        page.wait_for_selector(".attnlab-body > *", state="attached")
        return page

    return open_page


def _without_tour(figure: LiveFigure) -> str:
    if not getattr(figure, "tour", ()):
        return figure._repr_html_()
    frame = figure._frame
    figure._frame = {name: value for name, value in frame.items() if name != "tour"}
    html = figure._repr_html_()
    figure._frame = frame
    return html


def module_importer(page: Page):
    """A function that imports modules in this page, which becomes an empty one."""

    def answer(route):
        path = JS / route.request.url.removeprefix(ORIGIN).strip("/")
        if path.is_file():
            route.fulfill(path=path, content_type=CONTENT_TYPES[path.suffix])
        else:
            route.fulfill(body="<!doctype html>", content_type="text/html")

    def load(*names: str) -> None:
        for name in names:
            page.evaluate(
                "async (url) => { Object.assign(window, await import(url)); }",
                f"{ORIGIN}/{name}",
            )

    if not page.url.startswith(ORIGIN):
        page.route(f"{ORIGIN}/**", answer)
        page.goto(f"{ORIGIN}/index.html")
    return load


def evaluate_large(place: Page | Locator, function: str, argument: Any = None) -> Any:
    """What `evaluate` gives, in one piece: Playwright walks through lists, and slowly.

    Of a locator, the function has the element first.
    """
    given, element = ("text", "") if isinstance(place, Page) else ("e, text", "e, ")
    code = f"""async ({given}) =>
      JSON.stringify(await ({function})({element}JSON.parse(text)))"""
    return json.loads(place.evaluate(code, json.dumps(argument)))


def wait_until_drawn(page: Page) -> None:
    """Wait until what was done before is drawn, however busy the machine.

    Figures draw in the frame after a change, or after a new width was seen; what takes
    them longer is `aria-busy` meanwhile.
    """
    page.evaluate(
        """async () => {
            const frame = () => new Promise((done) => requestAnimationFrame(done));
            for (let passed = 0; passed < 3; passed++) await frame();
            while (document.querySelector("[aria-busy=true]")) await frame();
            await frame();
            await new Promise((done) => setTimeout(done));
        }"""
    )


def reload(page: Page) -> None:
    """Load a page anew, with all that it has kept in the browser.

    Chromium on a busy machine shows, once in a hundred times, what was kept a moment
    before to the visit after the next alone, or to none.
    """
    kept = page.evaluate("({ ...localStorage })")
    for _ in range(5):
        page.reload()
        if page.evaluate("({ ...localStorage })") == kept:
            return
        page.evaluate(
            "(kept) => (localStorage.clear(), Object.assign(localStorage, kept))", kept
        )
    pytest.fail("the page keeps something else whenever it is loaded")


def wait_until_spoken(page: Page) -> None:
    """Wait until all is drawn and said: after quick changes, figures speak late."""
    wait_until_drawn(page)
    page.wait_for_function("timers.size === 0")


# The book's text column on a screen of 1280 × 800.
COLUMN_WIDTH = 688


ARIAL_ALPHABET_WIDTH = 1273  # pixels, at 100 a line


def skip_without_usual_font(page: Page) -> None:
    """Skip a test of sizes where the machine has no letters as wide as Arial's."""
    alphabet = page.evaluate(
        """() => {
          const pen = document.createElement("canvas").getContext("2d");
          pen.font = `100px ${getComputedStyle(document.body).fontFamily}`;
          return pen.measureText("abcdefghijklmnopqrstuvwxyz").width;
        }"""
    )
    if abs(alphabet / ARIAL_ALPHABET_WIDTH - 1) > 0.02:
        pytest.skip("no letters as wide as Arial's; on Debian: fonts-liberation")


def set_book_width(page: Page) -> None:
    """Give the figures the width that they have in the book at 1280."""
    skip_without_usual_font(page)
    page.locator("main").evaluate(f"main => main.style.width = '{COLUMN_WIDTH}px'")
    wait_until_drawn(page)
