"""Five seeds of the page's own training, for the page to show beside the reader's.

    python -m tools.train_runs     # writes live/train_runs.json, in some minutes

They run in a browser, in the worker that the page starts. The same settings give the
same digits everywhere: a test runs one of them again and compares exactly.
"""

import json
from pathlib import Path

from playwright.sync_api import Page

from attnlab.live.page import WORKER_NAME, late_bytes
from attnlab.live.train import RUNS, Train
from tools.browser import open_browser

SEEDS = range(5)
PLACES = {
    "task": "places",
    "language": "en",
    "model": "reader",
    "layers": 2,
    "heads": 1,
    "inner": 0,
}
RECALL = {
    "task": "recall2",
    "model": "reader",
    "inner": 0,
    "positions": "rotary",
    "rate": 0.01,
}
VARIANTS: dict[str, dict] = {
    "as it stands": {},
    "without positions": {"positions": "none"},
    # Of chapter 5, lab 2, lectures 3 and 4, and chapter 7.
    "learned positions": {"positions": "learned"},
    "rotary positions": {"positions": "rotary"},
    "ALiBi": {"positions": "alibi"},
    "a GRU": {"model": "gru"},
    "a decoder alone": {"model": "decoder"},
    "places": PLACES,
    "places, without positions": {**PLACES, "positions": "none"},
    "places, one layer, one head": {**PLACES, "layers": 1},
    "places, one layer, two heads": {**PLACES, "layers": 1, "heads": 2},
    "places, one layer, four heads": {**PLACES, "layers": 1, "heads": 4},
    "recall, one layer": {**RECALL, "layers": 1},
    "recall, two layers": {**RECALL, "layers": 2},
    "four layers": {"layers": 4},
    "four layers, no warm-up": {"layers": 4, "warmup": 0.0},
    "four layers, no warm-up, pre-norm": {"layers": 4, "warmup": 0.0, "norm": "pre"},
}
RUN = """([program, settings]) => new Promise((done, fail) => {
  const url = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  const worker = new Worker(url);
  const points = [];
  worker.onmessage = ({ data }) => {
    points.push(...(data.points ?? []));
    if (data.told === "begun") worker.postMessage({ say: "go" });
    if (data.told === "over") done(points);
    if (data.message) fail(new Error(data.message));
    if (data.told === "over") worker.terminate();
  };
  worker.postMessage({ say: "begin", settings });
})"""


def run(page: Page, **traits: object) -> list[dict]:
    """The curve of a figure with these traits: `step`, `loss`, `right`, `exact`, …"""
    program = late_bytes(WORKER_NAME).decode()
    return page.evaluate(RUN, [program, Train(**traits).state()])


def settings_of(traits: dict) -> dict:
    """All that tells a run from others, but for its seed and pairs of one's own."""
    state = Train(**traits).state()
    apart = ("seed", "pairs", "units", "questions")
    return {k: v for k, v in state.items() if k not in apart}


def measure() -> dict:
    """For each variant the steps, and each seed's loss, share right, least error."""
    results: dict[str, dict] = {}
    with open_browser() as browser:
        page = browser.new_page()
        for name, traits in VARIANTS.items():
            curves = [run(page, **traits, seed=seed) for seed in SEEDS]
            results[name] = {
                "traits": settings_of(traits),
                "steps": [point["step"] for point in curves[0]],
                "loss": [[round(p["loss"], 4) for p in curve] for curve in curves],
                "exact": [[p["exact"] for p in curve] for curve in curves],
                "error": [[_least(p["error"]) for p in curve] for curve in curves],
            }
    return results


def _least(errors: list[list[float]] | None) -> float | None:
    """Return the alignment error of the best head, if there is a known alignment."""
    return None if errors is None else round(min(min(row) for row in errors), 4)


def write(path: Path) -> None:
    command = "python -m tools.train_runs"
    path.write_text(
        json.dumps({"command": command, **measure()}) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    write(RUNS)
