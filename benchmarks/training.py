"""How long a step of training takes in the page, in PyTorch and by jax-js.

    python -m benchmarks.training

The same model, with as many tokens a step and each on one thread, taking turns: in
Chromium by the page's own `live/js/learn`, in PyTorch, and in Chromium again by
`@jax-js/jax` in WebAssembly, which has no more than one thread where a page is not
isolated from others. jax-js comes from npm, in the version below; without npm or a
network it is left out. The budget is three times PyTorch's, and less than jax-js's.
"""

import shutil
import statistics
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from playwright.sync_api import Page, Route
from torch.nn import functional as F

from attnlab.live import Train
from attnlab.recurrent import count_parameters
from attnlab.tagger import Tagger
from benchmarks.live import module_address, report
from tools.browser import open_browser

JAX_JS = "@jax-js/jax@0.1.25"
ORIGIN = "http://bench.test"  # no such place: the page's requests are answered here

# Two layers, 104,448 parameters and some for words and answers, 1,025 tokens a step.
TOKENS, BATCH, WORDS, CLASSES = 25, 41, 53, 11
SIZES = {"layers": 2, "heads": 4, "width": 64, "inner": 256}
ROUNDS, STEPS = 10, 8

RUNNER = """
import { Training } from "../../learn/training.js";
export function render() {}
globalThis.benchTraining = (settings) => {
  const training = new Training(settings);
  globalThis.benchSteps = (count) =>
    Array.from({ length: count }, () => {
      const before = performance.now();
      training.step();
      return performance.now() - before;
    });
  return training.model.parameters.count();
};
"""
BEGIN_JAX = """async (sizes) => {
  const [jax, bench] = await Promise.all([import("/index.js"), import("/jax_step.js")]);
  const step = await bench.jaxStep(jax, sizes);
  globalThis.jaxSteps = async (count) => {
    const times = [];
    for (let i = 0; i < count; i++) {
      const before = performance.now();
      await step();
      times.push(performance.now() - before);
    }
    return times;
  };
  return bench.parametersOf(jax, sizes);
}"""

# The parameters of a contender, and what takes so many steps and returns their times.
Contender = tuple[int, Callable[[int], list[float]]]


def main() -> None:
    """Print milliseconds a step, and how many times the others' the page's are."""
    torch.set_num_threads(1)
    with open_browser() as browser, tempfile.TemporaryDirectory() as folder:
        contenders = {
            "page": in_page(browser.new_page()),
            "PyTorch": in_torch(),
        }
        if jax := fetch_jax(Path(folder)):
            contenders["jax-js"] = in_jax(browser.new_page(), jax)
        times: dict[str, list[float]] = {name: [] for name in contenders}
        for _ in range(1 + ROUNDS):  # the first to warm up
            for name, (_, steps) in contenders.items():
                times[name] += steps(STEPS)
    print(f"milliseconds\n{'a step of training':28} {'median':>8} {'slowest':>8}")
    for name, (count, _) in contenders.items():
        report(f"{name}, {count:,} parameters", times[name][STEPS:])
    medians = {name: statistics.median(all_[STEPS:]) for name, all_ in times.items()}
    for name in [*contenders][1:]:
        ratio = medians["page"] / medians[name]
        print(f"the page takes {ratio:.2f} times as long as {name}")


def in_page(page: Page) -> Contender:
    """Return the page's own training, of the reader that looks up letters."""
    page.evaluate("(code) => import(code)", module_address(RUNNER))
    task = Train(task="recall", model="reader", positions="none", **SIZES)
    settings = {**task.state(), "batch": BATCH, "steps": 10_000}
    count = page.evaluate("(settings) => benchTraining(settings)", settings)
    return count, lambda steps: page.evaluate("(count) => benchSteps(count)", steps)


def in_torch() -> Contender:
    """Return the package's model, on random tokens."""
    model = Tagger(
        WORDS,
        CLASSES,
        SIZES["width"],
        num_layers=SIZES["layers"],
        num_heads=SIZES["heads"],
        d_ff=SIZES["inner"],
        positions="none",
    )
    optimizer = torch.optim.AdamW(model.parameters())
    tokens = torch.randint(3, WORDS, (BATCH, TOKENS))
    labels = torch.randint(1, CLASSES, (BATCH, TOKENS))

    def step() -> float:
        before = time.perf_counter()
        optimizer.zero_grad()
        F.cross_entropy(model(tokens).flatten(0, 1), labels.flatten()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return 1000 * (time.perf_counter() - before)

    return count_parameters(model), lambda steps: [step() for _ in range(steps)]


def in_jax(page: Page, modules: Path) -> Contender:
    """Return the same by jax-js, on random tokens; see `jax_step.js`."""

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(f"{ORIGIN}/")
        path = modules / name
        if name == "jax_step.js":
            path = Path(__file__).with_name(name)
        if path.suffix == ".js":
            route.fulfill(path=path, content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html>", content_type="text/html")

    page.route(f"{ORIGIN}/**", answer)
    page.goto(f"{ORIGIN}/page")
    sizes = {**SIZES, "batch": BATCH, "tokens": TOKENS}
    count = page.evaluate(BEGIN_JAX, {**sizes, "words": WORDS, "classes": CLASSES})
    return count, lambda steps: page.evaluate("(count) => jaxSteps(count)", steps)


def fetch_jax(folder: Path) -> Path | None:
    """Return the folder with the modules of jax-js, or say why there is none."""
    npm = shutil.which("npm")
    if npm is None:
        print(f"{JAX_JS} is left out: npm, which fetches it, is not installed.")
        return None
    command = [npm, "pack", JAX_JS, "--pack-destination", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{JAX_JS} is left out: npm could not fetch it. Is there a network?")
        return None
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder / "package" / "dist"


if __name__ == "__main__":
    main()
