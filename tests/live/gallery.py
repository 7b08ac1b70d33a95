"""All live figures in one page, and what each of them shows in each of its states."""

import base64
import difflib
import io
import os
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from drawing import evaluate_large, fail_on_page_errors
from live_figures import late_script
from playwright.sync_api import Browser, Locator, Page
from scripts import SCRIPTS

from attnlab import live
from attnlab.live.base import LiveFigure
from attnlab.live.page import late_weight_names, program, style, without_program
from tools.browser import open_browser

ROOT = Path(__file__).parents[2]
FONT_FILE = ROOT / "book/_static/fonts/source-serif-normal.woff2"
SNAPSHOT_SCRIPT = Path(__file__).with_name("snapshot.js").read_text(encoding="utf-8")
EXERCISES = ("1.8", "2.1", "3.9", "4.10", "7.8")  # one for each kind of answer
QUESTIONS = [("no positions", {"positions": "none"}), ("two heads", {"heads": 2})]
DARK_STATE = "in the dark"
IDLE = 2, 400  # the margin of the page: a pointer left over a figure points at a part
LASTING_PREFIX = "then: "  # what such a state leaves behind stays
MOST = 16  # uses one after the other, on a page of each width
# Of the others nothing is laid out meanwhile, and nothing at all is painted, which
# would take most of the time: what is told is computed.
SHOW_ALONE = """(figure, alone) => {
  figure.parentElement.style.opacity = alone ? "0" : "";
  for (const other of figure.parentElement.children)
    if (other !== figure) other.style.contentVisibility = alone ? "hidden" : "";
}"""
State = tuple[str, list[str]]  # what was done, and the lines that describe the figure

# Every pause ends at once, and random numbers are the same in every run. A pause of
# more than five seconds is no part of what is seen.
SHORT_TIMERS = """
  globalThis.waiting = new Set();
  globalThis.realTimeout = window.setTimeout;
  const { clearTimeout: stop, setInterval: repeat } = window;
  window.setTimeout = (run, pause = 0, ...given) => {
    if (pause > 5000) return realTimeout(run, pause, ...given);
    const timer = realTimeout(() => {
      waiting.delete(timer);
      run(...given);
    }, 0);
    waiting.add(timer);
    return timer;
  };
  window.clearTimeout = (timer) => {
    waiting.delete(timer);
    stop(timer);
  };
  window.setInterval = (run) => repeat(run, 0);
  globalThis.realFrame = window.requestAnimationFrame;
  window.requestAnimationFrame = (draw) => {
    const frame = realFrame((now) => {
      waiting.delete(`frame ${frame}`);
      draw(now);
    });
    waiting.add(`frame ${frame}`);
    return frame;
  };
  // What is loaded late is marked when it has come, or has failed to.
  for (const end of ["load", "error"]) {
    document.addEventListener(end, ({ target }) => (target.dataset.came = end), true);
  }
  // The true one answers some frames later.
  const clipboard = { writeText: () => Promise.resolve() };
  Object.defineProperty(navigator, "clipboard", { value: clipboard });
  let drawn = 0;
  Math.random = () => (drawn = (drawn * 16807 + 11) % 2147483647) / 2147483647;
  // What a figure draws must not hang on the figures that were walked before it.
  globalThis.restartRandom = () => (drawn = 0);
"""


@cache
def all_figures() -> dict[str, LiveFigure]:
    """Return one figure of every kind, by the name of its snapshot."""
    classes = [getattr(live, name) for name in live.__all__]
    kinds = {one.figure: one for one in classes if getattr(one, "figure", None)}
    del kinds["forecast"], kinds["exercise"], kinds["train"]
    return {name: kind() for name, kind in kinds.items()} | {
        "train": live.Train(task="reverse", width=16, steps=20, questions=QUESTIONS),
        **{f"exercise-{number}": live.Exercise(number) for number in EXERCISES},
        "forecast-choice": live.Forecast(
            "c01-which", "Which?", choices=["one", "two"], answer="two", because="Two."
        ),
        "forecast-number": live.Forecast(
            "c01-bits", "How many?", scale=(0, 64), unit="bits", answer=13.9, close=5
        ),
        "forecast-curve": live.Forecast(
            "c01-curve",
            "How many are right?",
            x=[2, 4, 6, 8, 10],
            xlabel="digits",
            ylabel="exactly right (%)",
            answer=[100, 98, 90, 40, 0],
            unit="%",
            close=10,
        ),
    }


def write_page(folder: Path, figures: list[LiveFigure]) -> Path:
    """Write a page with these figures and what they may ask for; return its path.

    Its letters are the book's own, so that they are as wide on every machine.
    """
    scripts = folder / "_static/attnlab-weights"
    scripts.mkdir(parents=True, exist_ok=True)
    for name in late_weight_names():
        (scripts / f"{name}.js").write_text(late_script(name), encoding="utf-8")
    kinds = list({figure.figure: figure.page_kind() for figure in figures}.values())
    shown = "".join(without_program(figure._repr_html_()) for figure in figures)
    font = base64.b64encode(FONT_FILE.read_bytes()).decode()
    path = folder / "gallery.html"
    path.write_text(
        '<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8">'
        "<style>@font-face { font-family: Own; src: "
        f"url(data:font/woff2;base64,{font}) }}"
        " body { margin: 16px; color: #222; background: #fff; font-family: Own }"
        " [data-theme=dark] body { color: #ddd; background: #14181e }"
        f"</style>{style(kinds)}<body><main>{shown}</main>{program(kinds)}</html>",
        encoding="utf-8",
    )
    return path


@contextmanager
def open_gallery(
    browser: Browser, folder: Path, figures: list[LiveFigure]
) -> Iterator[Page]:
    """Open these figures in one page; fails if a script of theirs does."""
    with fail_on_page_errors(
        browser.new_page(viewport={"width": 1280, "height": 800})
    ) as page:
        page.add_init_script(SHORT_TIMERS)
        page.goto(write_page(folder, figures).as_uri())
        page.evaluate(SNAPSHOT_SCRIPT)
        yield page


def visit_states(
    page: Page, place: int, name: str, until: str | None = None
) -> list[State]:
    """Return what a figure shows in all its states, or up to the one of this name.

    As it opens, in the dark, on a phone; at each stop of its tour; after `SCRIPTS`, and
    keys; after each control was used once, and with others changed before it.
    """
    found = []
    figure = page.locator("main > figure").nth(place)
    figure.evaluate(SHOW_ALONE, True)
    for state in _visit_until(page, figure, name, until):
        found.append(state)
        if state[0] == until:
            break
    figure.evaluate(SHOW_ALONE, False)
    return found


def _visit_until(
    page: Page, figure: Locator, name: str, until: str | None
) -> Iterator[State]:
    page.mouse.move(*IDLE)
    page.evaluate("restartRandom()")
    yield "as it opens", _lines_at_rest(page, figure)
    yield DARK_STATE, _lines_at_rest(page, figure, theme="dark")
    yield "390 pixels wide", _lines_at_rest(page, figure, width=390)
    _lines_at_rest(page, figure)
    yield from _states(figure, until, "tour")
    for what, act in SCRIPTS.get(name, {}).items():
        act(figure)
        yield f"{LASTING_PREFIX}{what}", _lines_at_rest(page, figure)
        page.mouse.move(*IDLE)
    for use in ("passMouse", "useKeys", "tapParts"):
        yield from _states(figure, until, use, LASTING_PREFIX)
    yield from _states(figure, until, "walk")
    for width in (390, 1280):
        if name != "train":  # that would train for minutes
            yield from _states(
                figure, until, "mix", LASTING_PREFIX, seed=width, most=MOST
            )
        yield f"{width} pixels wide again", _lines_at_rest(page, figure, width=width)
    yield from _states(figure, until, "startAgain", LASTING_PREFIX)


def _states(
    figure: Locator, until: str | None, use: str, prefix: str = "", **options: int
) -> Iterator[State]:
    wanted = until and until.removeprefix(prefix)
    given = {"use": use, "until": wanted, **options}
    found = evaluate_large(figure, "(figure, given) => states(figure, given)", given)
    yield from ((prefix + what, lines) for what, lines in found)


def _lines_at_rest(
    page: Page, figure: Locator, width: int = 1280, theme: str = "light"
) -> list[str]:
    page.set_viewport_size({"width": width, "height": 800})
    return evaluate_large(figure, "(figure, theme) => atRest(figure, theme)", theme)


COLOUR = re.compile(r"#[0-9a-f]{6}\b(?:/[\d.]+)?")


def dark_colour_changes(light: list[str], dark: list[str]) -> list[str]:
    """Return which colours of the light became which in the dark, and how often.

    What else differs follows line by line: in the dark nothing else should.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    for one, other in zip(light, dark, strict=False):
        pairs.update(zip(COLOUR.findall(one), COLOUR.findall(other), strict=False))
    told = [f"{a} → {b} × {n}" for (a, b), n in sorted(pairs.items())]
    plain = [[COLOUR.sub("", line) for line in lines] for lines in (light, dark)]
    return told + diff_lines(*plain)


def diff_lines(old: list[str], new: list[str]) -> list[str]:
    found = difflib.unified_diff(old, new, n=0, lineterm="")
    return [line for line in found if line[:3] not in ("---", "+++", "@@ ")]


def describe_states(states: list[State]) -> str:
    """Return the first state in full, and of each other what is new against it.

    What a pressed button leaves behind stays: the states after it are held against it.
    """
    (name, base), *others = states
    told = [f"# {name}", *base]
    for name, lines in others:
        told += ["", f"# {name}"]
        dark = name == DARK_STATE
        told += dark_colour_changes(base, lines) if dark else diff_lines(base, lines)
        if name.endswith("pressed") or name.startswith(LASTING_PREFIX):
            base = lines
    return "\n".join(told) + "\n"


def first_changed_state(approved: str, found: str) -> str:
    """Return the name of the first state in which two descriptions differ."""
    old, new = (text.split("\n# ") for text in (approved, found))
    pairs = zip_longest(new, old[: len(new)])
    changed = next((one for one, other in pairs if one != other), new[-1])
    return changed.partition("\n")[0].removeprefix("# ")


def save_before_and_after(
    name: str, state: str, approved_in: Path, folder: Path
) -> None:
    """Leave pictures of a figure in a folder: as it was approved, and as it is now.

    The first is drawn by the sources of the commit that last changed this snapshot.
    """
    git = ["git", "-C", str(ROOT)]
    log = [*git, "log", "-1", "--format=%H", "--", str(approved_in)]
    commit = subprocess.check_output(log, text=True).strip()
    archive = subprocess.check_output([*git, "archive", commit, "src", "book/_ext"])
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder / "approved", filter="data")
    for sources, picture in ((folder / "approved", "before.png"), (ROOT, "now.png")):
        paths = [str(sources / "src"), str(sources / "book/_ext"), *sys.path]
        subprocess.run(
            [sys.executable, __file__, name, state, str(folder / picture)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            check=False,  # older sources may not start; the difference still is said
        )


def main() -> None:
    """Take a picture: `gallery.py NAME STATE PATH`."""
    name, state, path = sys.argv[1:]
    with (
        TemporaryDirectory() as folder,
        open_browser() as browser,
        open_gallery(browser, Path(folder), [all_figures()[name]]) as page,
    ):
        visit_states(page, 0, name, state)
        page.locator("main > figure").screenshot(path=path)


if __name__ == "__main__":
    main()
