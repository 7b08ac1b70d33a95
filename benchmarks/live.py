"""How long the live figures take in a browser: a translation, and a move of the hand.

    python -m benchmarks.live

Opens a page in Chromium and prints the median and the slowest of many, in milliseconds:
for each trained model a translation, where the budget is 30 ms for a number and 150 ms
for a sentence of ten words; for each figure what a move of a slider, a point or a
switch costs, layout included, where the budget is a frame, 16 ms; and for the
translator the way from a typed sentence to its translation on the page.
"""

import base64
import os
import platform
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

from attnlab.data import NumberPairs, sample_numbers
from attnlab.live import (
    Bottleneck,
    Cost,
    CutWire,
    Energy,
    Forecast,
    Heads,
    Influence,
    LiveFigure,
    LookUp,
    OneStep,
    Positions,
    Translate,
)
from attnlab.live.bundle import bundle
from attnlab.saved import TRANSLATOR, load_weights, names, read_base64
from tools.browser import open_browser

NUMBERS = 200
MAX_LENGTH = 60
# Of ten words each.
SENTENCES = [
    "I would like to know where the old station is.",
    "She told me that she had never seen the sea.",
    "My father goes to work by bus every single day.",
    "Please tell me what you did after school was over.",
    "There are too many people in this small room tonight.",
]
REPEATS = 40
SEARCHES = {"greedy": 1, "beam of 5": 5}

# The engine has no figure of its own: this is one that hands it to the page.
RUNNER = """
import { beamSearch } from "../../models/search.js";
import { translate } from "../../models/seq2seq.js";
import { makeModel } from "../../models/stored.js";
import { makeTranslator } from "../../models/translator.js";
export function render() {}
const timed = (task) => {
  const before = performance.now();
  const result = task();
  return [performance.now() - before, result];
};
const opened = (file, make) => {
  const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
  return timed(() => make(bytes.buffer));
};
globalThis.benchNumbers = (file, numbers, maxLen) => {
  const [parsed, model] = opened(file, makeModel);
  const times = numbers.map((ids) => timed(() => translate(model, ids, { maxLen }))[0]);
  return { parsed, times };
};
globalThis.benchSentences = (file, sentences, width) => {
  const [parsed, one] = opened(file, (buffer) => makeTranslator(makeModel(buffer)));
  const translated = (text) => beamSearch(one.model, one.read(text).ids, { width });
  const times = sentences.map((text) => timed(() => translated(text))[0]);
  return { parsed, times };
};
"""

# What moves, by name: the figure, and the control under the hand. Of radio buttons the
# first two take turns.
MOVES: dict[str, tuple[LiveFigure, str]] = {
    "bottleneck, digits": (Bottleneck(number=345_678), "input[type=range]"),
    "influence, a word": (Influence(number=345_678), ".aln-matrix [tabindex='0']"),
    "look-up, a key": (LookUp(), ".lu-handle.key"),
    "step, the state": (OneStep(), ".st-handle"),
    "cut the wire, a word": (
        CutWire(number=777_777, score="cosine"),
        "[aria-pressed]",
    ),
    "heads, a switch": (Heads(text="777777777777", layers=2), ".hd-switch input"),
    "positions, base": (Positions(d=128, n=256), "input[type=range]"),
    "cost, a size": (Cost(), "input[type=range]"),
    "energy, a pattern": (Energy(view="plane"), ".en-pattern"),
    "energy, the query": (Energy(view="plane"), ".en-query"),
    "energy, noise": (Energy(), ".en-noise input"),
    "forecast, a curve": (
        Forecast("a", "How many?", x=range(16), answer=[50] * 16),
        "input.fc-handle",
    ),
}
MOVED = 60

# A figure draws when it is told or in the next frame: both count, and the layout.
MOVE = """async ([selector, moved]) => {
  const nodes = document.querySelectorAll(selector);
  const node = nodes[0];
  const nextFrame = window.requestAnimationFrame;
  let spent = 0;
  const timed = (task) => {
    const start = performance.now();
    task();
    document.body.getBoundingClientRect();
    spent += performance.now() - start;
  };
  window.requestAnimationFrame = (draw) => nextFrame((time) => timed(() => draw(time)));
  const move = (odd) => {
    if (node.type === "radio") nodes[odd ? 0 : 1].click();
    else if (node.matches("[type=checkbox], [aria-pressed]")) node.click();
    else if (node.type === "range") {
      node.value = Number(node.value) + (odd ? 1 : -1);
      node.dispatchEvent(new Event("input", { bubbles: true }));
    } else {
      const key = odd ? "ArrowLeft" : "ArrowRight";
      node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    }
  };
  const times = [];
  for (let n = 0; n < moved; n++) {
    spent = 0;
    timed(() => move(n % 2));
    await new Promise((done) => nextFrame(() => nextFrame(done)));
    times.push(spent);
  }
  return times;
}"""

TYPED = 8

# The translation is there when the sentence's pieces are others.
TYPE = """async (sentences) => {
  const box = document.querySelector("[data-figure=translate] input[type=text]");
  const firstPiece = () => document.querySelector("[data-figure=translate] .tr-piece");
  const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
  const times = [];
  for (const sentence of sentences) {
    await nextFrame();
    const before = firstPiece();
    const start = performance.now();
    box.value = sentence;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    box.dispatchEvent(new Event("change", { bubbles: true }));
    while (firstPiece() === before) await nextFrame();
    document.body.getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
}"""


def main() -> None:
    """Print the tables."""
    with open_browser() as browser:
        print(
            f"Chromium {browser.version}, {platform.machine()}, {os.cpu_count()} CPUs"
        )
        print("milliseconds")
        print(f"{'translation':28} {'median':>8} {'slowest':>8} {'read file':>10}")
        time_translations(browser.new_page())
        with tempfile.TemporaryDirectory() as folder:
            print(f"\n{'a move':28} {'median':>8} {'slowest':>8}")
            time_moves(browser, Path(folder))
            print(f"\n{'a typed sentence':28} {'median':>8} {'slowest':>8}")
            time_sentences(browser, Path(folder))


def time_translations(page: Page) -> None:
    """Print the milliseconds each model takes to read its file, and to translate."""
    page.evaluate("(code) => import(code)", module_address(RUNNER))
    for name in names():
        if not name.startswith("en-"):
            continue  # a tagger: the figure of heads moves it
        _, metadata = load_weights(name)
        numbers = sample_numbers(NUMBERS, 6, seed=0)
        pairs = NumberPairs(numbers, "en", metadata["target"])
        result = page.evaluate(
            "(arguments) => benchNumbers(...arguments)",
            [read_base64(name), pairs.src, MAX_LENGTH],
        )
        report(name, result["times"], f" {result['parsed']:10.1f}")
    for search, width in SEARCHES.items():
        result = page.evaluate(
            "(arguments) => benchSentences(...arguments)",
            [read_base64(TRANSLATOR), SENTENCES * REPEATS, width],
        )
        report(f"{TRANSLATOR}, {search}", result["times"], f" {result['parsed']:10.1f}")


def time_moves(browser: Browser, folder: Path) -> None:
    """Print the milliseconds each figure takes to answer a move."""
    for name, (figure, selector) in MOVES.items():
        page = _open(browser, figure, folder)
        page.wait_for_selector(selector, state="attached")
        report(name, page.evaluate(MOVE, [selector, MOVED]))
        page.close()


def time_sentences(browser: Browser, folder: Path) -> None:
    """Print the milliseconds the figure takes to translate typed text and draw it."""
    for search, width in SEARCHES.items():
        page = _open(browser, Translate(width=width), folder)
        page.get_by_role("button", name="Load the model").first.click()
        page.wait_for_selector(".tr-load[hidden]", state="attached")
        report(search, page.evaluate(TYPE, SENTENCES * TYPED))
        page.close()


def _open(browser: Browser, figure: LiveFigure, folder: Path) -> Page:
    """Open the figure as a page of the built book, with the weights beside it."""
    weights = folder / "_static" / "attnlab-weights"
    if not weights.exists():
        weights.mkdir(parents=True)
        for name in names():
            script = f'attnlabWeights("{name}", "{read_base64(name)}");'
            (weights / f"{name}.js").write_text(script)
    file = folder / "page.html"
    html = f'<!doctype html><meta charset="utf-8">{figure._repr_html_()}'
    file.write_text(html, encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    return page


def report(name: str, times: list[float], more: str = "") -> None:
    """Print the median and the slowest of some times, in milliseconds."""
    print(f"{name:28} {statistics.median(times):8.2f} {max(times):8.2f}{more}")


def module_address(runner: str) -> str:
    """Return where a page can import a runner from, with all that it imports."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.js"
        path.write_text(runner, encoding="utf-8")
        code = bundle({"bench": path})
    return "data:text/javascript;base64," + base64.b64encode(code.encode()).decode()


if __name__ == "__main__":
    main()
