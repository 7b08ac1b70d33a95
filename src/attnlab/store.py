"""Run a function over a grid of settings and seeds, and keep every run's metrics.

    def measure(seed, d_model, score):
        ...
        return {"exact": 0.98}

    run("scores", measure, grid(d_model=[64, 128], score=["dot", "general"]), range(5))

Each finished run is written to `results/scores.json` at once, so that a stopped
experiment goes on where it was, and several processes may share the work: start one
with `--seeds 0 1 2` and another with `--seeds 3 4`.

A file is named after the module that makes it: `scores`, and `scores.tuning` for a part
of its own. What `benchmarks` measure begins with `benchmarks.`, and what
`attnlab.complexity` does with `complexity`.
"""

import json
import os
import platform
import shlex
import signal
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock
from tqdm import tqdm

from attnlab.device import device
from attnlab.files import write_atomically

RESULTS = Path(__file__).parent / "experiments" / "results"


def grid(**choices: list) -> list[dict]:
    """Return one setting for every combination of the choices given.

    `grid(a=[1, 2], b=["x"])` is `[{"a": 1, "b": "x"}, {"a": 2, "b": "x"}]`.
    """
    return [
        dict(zip(choices, values, strict=True)) for values in product(*choices.values())
    ]


def run(
    name: str,
    function: Callable[..., dict],
    settings: Iterable[dict],
    seeds: Iterable[int],
    *,
    redo: bool = False,
    progress: bool = True,
    folder: str | os.PathLike | None = None,
) -> dict:
    """Call `function(seed=seed, **setting)` for every setting and seed not yet stored.

    Args:
        name: of the module, and of its file: "scores" or, with a part, "scores.tuning".
        function: returns the run's metrics, a dict that JSON can hold.
        settings: what to vary, one dict of keyword arguments each; see `grid`.
        seeds: every setting is run with each of them.
        redo: run again what is stored already.
        progress: show a bar on stderr.
        folder: where the file lies; None is the package's `results`.

    Returns:
        All that is stored under that name, as `load` does.

    Raises:
        KeyboardInterrupt: on Ctrl-C. The run under way is dropped, the others are
            stored.
        TypeError: a setting or the metrics hold what JSON cannot keep.
        ValueError: NaN or infinity among them, a name that is not made of identifiers
            and dots, or a file that is broken.
    """
    path = _path(name, folder)
    settings = [_to_plain(setting) for setting in settings]
    wanted = [(setting, seed) for seed in seeds for setting in settings]
    with tqdm(wanted, desc=name, unit="run", disable=not progress) as bar:
        for setting, seed in bar:
            bar.set_postfix({**setting, "seed": seed})
            if not redo and _index_of_run(_read(path, name), setting, seed) is not None:
                continue  # stored before, or by another process meanwhile
            clock = time.perf_counter()
            with _exit_on_ctrl_c():
                metrics = _to_plain(function(seed=seed, **setting))
            seconds = round(time.perf_counter() - clock, 2)
            _store(path, name, record(setting, seed, metrics, seconds))
    return _read(path, name)


def load(name: str, *, folder: str | os.PathLike | None = None) -> dict:
    """Return a stored experiment: `{"name": …, "runs": [run, …]}`.

    Each run has `setting`, `seed`, its metrics as `figures`, and how it came about:
    `seconds`, `command`, `versions`, `machine` and `date`; `corrected` says what was
    worked out again later, from the setting alone.

    Raises:
        FileNotFoundError: nothing is stored under that name.
        ValueError: the file is broken, or the name is not made of identifiers and dots.
    """
    path = _path(name, folder)
    if not path.exists():
        raise FileNotFoundError(
            f"no stored result {path.name!r}: make it with `{_command_for(name)}`"
        )
    return _read(path, name)


def select(results: dict, **setting: object) -> list[dict]:
    """Return the stored runs whose setting has these values, lowest seed first.

    `select(load("scores"), score="dot")` gives that score's runs, one a seed.
    """
    chosen = [
        run
        for run in results["runs"]
        if all(run["setting"].get(key) == value for key, value in setting.items())
    ]
    return sorted(chosen, key=lambda run: run["seed"])


def metrics(results: dict | str, **setting: object) -> list[dict]:
    """Return the metrics alone of what `select` chooses, one dict a seed.

    Args:
        results: from `load`, or the name to load.
        setting: as for `select`.
    """
    results = load(results) if isinstance(results, str) else results
    return [run["figures"] for run in select(results, **setting)]


# The file ---------------------------------------------------------------------------


def _path(name: str, folder: str | os.PathLike | None) -> Path:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(
            f"an experiment's name must be an identifier, or several with dots between "
            f"them, got {name!r}"
        )
    return Path(RESULTS if folder is None else folder) / f"{name}.json"


def _command_for(name: str) -> str:
    """Return the command that makes that result, or tells how to make such a part."""
    module, *parts = name.split(".")
    if module == "benchmarks":
        return f"python -m {name}"
    package = "attnlab" if module == "complexity" else "attnlab.experiments"
    return f"python -m {package}.{module}{' --help' if parts else ''}"


def _read(path: Path, name: str) -> dict:
    if not path.exists():
        return {"name": name, "runs": []}
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
        if all("figures" in run and _run_key(run) for run in results["runs"]):
            return results
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} holds no results: {error!r}") from error
    raise ValueError(f"{path} holds no results: a run without figures")


def _store(path: Path, name: str, record: dict) -> None:
    """Add a run to the file as it is by now: another process may have added its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    mark = zlib.crc32(str(path.resolve()).encode())
    with FileLock(Path(tempfile.gettempdir()) / f"attnlab-{name}-{mark}.lock"):
        results = _read(path, name)
        old = _index_of_run(results, record["setting"], record["seed"])
        if old is None:
            results["runs"].append(record)
        else:
            results["runs"][old] = record
        write_atomically(path, _as_text(results).encode())


def _as_text(results: dict) -> str:
    """JSON with one run a line, so that a diff shows which runs changed."""
    runs = ",\n".join(json.dumps(run, ensure_ascii=False) for run in results["runs"])
    return f'{{"name": {json.dumps(results["name"])}, "runs": [\n{runs}\n]}}\n'


def _index_of_run(results: dict, setting: dict, seed: int) -> int | None:
    for index, run in enumerate(results["runs"]):
        if _run_key(run) == (seed, setting):
            return index
    return None


def _run_key(run: dict) -> tuple[int, dict]:
    """Return what no two runs of a file share."""
    return run["seed"], run["setting"]


def _to_plain(value: dict) -> dict:
    """The dict as it comes back from the file (tuples are lists, keys are text)."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise type(error)(f"JSON cannot keep {value!r}: {error}") from error


def record(setting: dict, seed: int, metrics: dict, seconds: float) -> dict:
    """Return a run as it is stored: what came of a setting and a seed, and how."""
    return {
        "setting": setting,
        "seed": seed,
        "figures": metrics,
        "seconds": seconds,
        "command": command(),
        "versions": versions(),
        "machine": machine(),
        "date": datetime.now(UTC).date().isoformat(),
    }


# How a result came about ------------------------------------------------------------


def command() -> str:
    """Return the command line of this process, without this machine's paths."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    module = getattr(spec, "name", None)
    if module and module.startswith("ipykernel"):
        return "in a notebook"
    if module:
        words = ["-m", module.removesuffix(".__main__")]
    else:
        words = [Path(sys.argv[0]).name]
    for word in sys.argv[1:]:
        words.append(Path(word).name if Path(word).is_absolute() else word)
    return shlex.join(["python", *words])


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that metrics depend on."""
    found = {"python": platform.python_version(), "torch": torch.__version__}
    for package in ("attnlab", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # the package is used from a folder of sources
            continue
    return found


def machine() -> dict[str, Any]:
    """Return what the metrics were measured on: processor, cores, threads, system."""
    described: dict[str, Any] = {
        "cpu": _cpu_model(),
        "cores": os.cpu_count() or 1,
        "threads": torch.get_num_threads(),
        "device": device().type,
        "system": platform.system(),
    }
    if described["device"] == "cuda":
        described["gpu"] = torch.cuda.get_device_name()
    return described


def _cpu_model() -> str:
    try:  # Linux
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


@contextmanager
def _exit_on_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end the whole experiment.

    With Python's own handler, `train` would return a half-trained model, whose metrics
    must not be stored as if they were whole; another handler it leaves alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _interrupt(signum: int, frame: object) -> None:
    raise KeyboardInterrupt
