"""Five seeds of the page's own training, for the page to show beside the reader's.

    python -m tools.train_runs         # writes live/train_runs.json, in some minutes
    python -m tools.train_runs looks   # writes live/train_looks.json, in one

The looks are what seed 0 says to one unseen example, and where it attends, at each
point of its curve: a figure opens with them. Both run in a browser, in the worker that
the page starts. The same settings give the same digits everywhere: a test runs one of
them again and compares exactly.
"""

import base64
import json
import sys

from playwright.sync_api import Page

from attnlab.live.page import WORKER_NAME, late_weight_bytes
from attnlab.live.train import LOOKS, RUNS, Train
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
# With these settings a figure of the book opens.
SHOWN = ["as it stands", "without positions", "places"]
SHOWN += ["places, one layer, one head", "four layers, no warm-up"]
MAX_WORDS = 6  # of the example that is shown

RUN_TRAINING = """([program, settings]) => new Promise((done, fail) => {
  const url = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  const worker = new Worker(url);
  const points = [];
  let examples;
  worker.onmessage = ({ data }) => {
    examples ??= data.examples;
    for (const point of data.points ?? []) {
      const looks = point.looks.map(({ answer, maps }) => [answer, [...(maps ?? [])]]);
      points.push({ ...point, looks });
    }
    if (data.told === "begun") worker.postMessage({ say: "go" });
    if (data.told === "over") done([examples, points]);
    if (data.message) fail(new Error(data.message));
    if (data.told === "over") worker.terminate();
  };
  worker.postMessage({ say: "begin", settings });
})"""


def run(page: Page, **traits: object) -> tuple[list[dict], list[dict]]:
    """Train with these traits: the examples, and the points of learn/worker.js."""
    program = late_weight_bytes(WORKER_NAME).decode()
    return page.evaluate(RUN_TRAINING, [program, Train(**traits).state()])


def settings_of(traits: dict) -> dict:
    """All that tells a run from others, but for its seed and pairs of one's own."""
    state = Train(**traits).state()
    apart = ("seed", "pairs", "units", "questions", "at_step")
    return {k: v for k, v in state.items() if k not in apart}


def measure_training(page: Page) -> dict:
    """For each variant the steps, and each seed's loss, share right, least error."""
    results: dict[str, dict] = {}
    for name, traits in VARIANTS.items():
        curves = [run(page, **traits, seed=seed)[1] for seed in SEEDS]
        results[name] = {
            "traits": settings_of(traits),
            "steps": [point["step"] for point in curves[0]],
            "loss": [[round(p["loss"], 4) for p in curve] for curve in curves],
            "exact": [[p["exact"] for p in curve] for curve in curves],
            "error": [
                [_best_head_error(p["error"]) for p in curve] for curve in curves
            ],
        }
    return results


def _best_head_error(errors: list[list[float]] | None) -> float | None:
    """Return the alignment error of the best head, if there is a known alignment."""
    return None if errors is None else round(min(min(row) for row in errors), 4)


def record_attention(page: Page) -> dict:
    """For each variant shown an example, and by point what is said and one head's map.

    The head is the one with the least error in the end or, if none is known, the first.
    """
    results: dict[str, dict] = {}
    for name in SHOWN:
        examples, points = run(page, **VARIANTS[name])
        lengths = [max(len(one["source"]), len(one["target"])) for one in examples]
        which = next(i for i, length in enumerate(lengths) if length <= MAX_WORDS)
        errors = points[-1]["error"] or [[0.0]]
        places = [(i, j) for i, row in enumerate(errors) for j in range(len(row))]
        layer, head = min(places, key=lambda place: errors[place[0]][place[1]])
        said = [point["looks"][which] for point in points]
        size = len(examples[which]["target"]) * (len(examples[which]["source"]) + 1)
        begin = (layer * len(errors[0]) + head) * size
        results[name] = {
            "example": examples[which],
            "head": [layer, head],
            "answers": [answer for answer, _ in said],
            "maps": [_base64(weights[begin : begin + size]) for _, weights in said],
        }
    return results


def _base64(weights: list[int]) -> str:
    return base64.b64encode(bytes(weights)).decode()


FILES = {"runs": (RUNS, measure_training), "looks": (LOOKS, record_attention)}


def write_runs(name: str) -> None:
    """Measure what one of the `FILES` holds, and write it."""
    path, measured = FILES[name]
    with open_browser() as browser:
        found = measured(browser.new_page())
    command = f"python -m tools.train_runs {name}"
    text = json.dumps({"command": command, **found}, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or FILES:
        write_runs(name)
