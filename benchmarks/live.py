"""How long a live model takes to translate a number or a sentence in a browser.

    python benchmarks/live.py

Opens a page in Chromium, gives it the trained weights, and prints for each model the
median and the slowest of many translations, in milliseconds. The budget is 30 ms for a
number and 150 ms for a sentence of ten words; 16 ms is one frame.
"""

import base64
import os
import platform
import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from attnlab.data import NumberPairs, sample_numbers
from attnlab.live.bundle import bundle
from attnlab.live.weights import TRANSLATOR, load_weights, names, read_base64

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
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
import { beamSearch, greedySearch } from "./search.js";
import { makeModel, translate } from "./seq2seq.js";
import { makeTranslator } from "./translator.js";
export function renderBench() {}
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
  const search = width === 1 ? greedySearch : beamSearch;
  const translated = (text) => search(one.model, one.read(text).ids, { width });
  const times = sentences.map((text) => timed(() => translated(text))[0]);
  return { parsed, times };
};
"""


def main() -> None:
    """Print the table."""
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-gpu"]
        )
        print(
            f"Chromium {browser.version}, {platform.machine()}, {os.cpu_count()} CPUs"
        )
        print("milliseconds")
        print(f"{'model':28} {'read file':>10} {'median':>8} {'slowest':>8}")
        page = browser.new_page()
        page.evaluate("(code) => import(code)", _as_data_url(_engine()))
        for name in names():
            if not name.startswith("en-"):
                continue  # a tagger; the figure's own tests time it
            _, metadata = load_weights(name)
            numbers = sample_numbers(NUMBERS, 6, seed=0)
            pairs = NumberPairs(numbers, "en", metadata["target"])
            result = page.evaluate(
                "(arguments) => benchNumbers(...arguments)",
                [read_base64(name), pairs.src, MAX_LENGTH],
            )
            _report(name, result)
        for search, width in SEARCHES.items():
            result = page.evaluate(
                "(arguments) => benchSentences(...arguments)",
                [read_base64(TRANSLATOR), SENTENCES * REPEATS, width],
            )
            _report(f"{TRANSLATOR}, {search}", result)
        browser.close()


def _report(name: str, result: dict) -> None:
    times = result["times"]
    print(
        f"{name:28} {result['parsed']:10.1f} "
        f"{statistics.median(times):8.2f} {max(times):8.2f}"
    )


def _engine() -> str:
    """The engine and the runner as one module."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.js"
        path.write_text(RUNNER, encoding="utf-8")
        return bundle(path, "renderBench")


def _as_data_url(code: str) -> str:
    return "data:text/javascript;base64," + base64.b64encode(code.encode()).decode()


if __name__ == "__main__":
    main()
