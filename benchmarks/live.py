"""How long a live model takes to translate a number in a browser.

    python benchmarks/live.py

Opens a page in Chromium, gives it the trained weights, and prints for each model the
median and the slowest of many translations, in milliseconds. The budget is 30 ms; 16 ms
is one frame.
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
from attnlab.live.weights import load_weights, names, read_base64

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NUMBERS = 200
MAX_LENGTH = 60

# The engine has no figure of its own: this is one that hands it to the page.
RUNNER = """
import { makeModel, translate } from "./seq2seq.js";
export function renderBench() {}
globalThis.bench = (file, sentences, maxLen) => {
  const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
  const start = performance.now();
  const model = makeModel(bytes.buffer);
  const parsed = performance.now() - start;
  const times = sentences.map((ids) => {
    const before = performance.now();
    translate(model, ids, { maxLen });
    return performance.now() - before;
  });
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
        print(f"{NUMBERS} numbers of six digits; milliseconds")
        print(f"{'model':20} {'read file':>10} {'median':>8} {'slowest':>8}")
        page = browser.new_page()
        page.evaluate("(code) => import(code)", _as_data_url(_engine()))
        for name in names():
            _, metadata = load_weights(name)
            numbers = sample_numbers(NUMBERS, 6, seed=0)
            pairs = NumberPairs(numbers, "en", metadata["target"])
            result = page.evaluate(
                "(arguments) => bench(...arguments)",
                [read_base64(name), pairs.src, MAX_LENGTH],
            )
            times = result["times"]
            print(
                f"{name:20} {result['parsed']:10.1f} "
                f"{statistics.median(times):8.2f} {max(times):8.2f}"
            )
        browser.close()


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
