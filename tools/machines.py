"""Run chapters and tests as other machines would: `make machines`.

Each run plays one machine: torch's kernels for some processor, a number of threads, and
initial weights moved by a rounding error's worth (see `moved_weights.py`). A run
executes one chapter under strict nbval, or the package's tests. Nothing that is
compared may differ on any machine; what does is a defect of a claim, a cell or a test.

    python -m tools.machines                          every chapter, on 36 machines
    python -m tools.machines 02_alignment --moved 0   one chapter, six machines
    python -m tools.machines tests --threads 1        the package's tests

What each failed run printed is kept in `_build/machines/`.
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "_build" / "machines"
CHAPTERS = [path.stem for path in sorted((ROOT / "book").glob("[0-9]*.ipynb"))]

# What torch, oneDNN and MKL take for the processor. Without the last, products of
# matrices come out the same to the bit. "own" is the best that is really there.
KERNELS = {
    "own": {},
    "avx2": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_CBWR": "AVX2",
    },
    "default": {
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "MKL_CBWR": "COMPATIBLE",
    },
}

# Tests that compute. Those of the book and the page run the chapters again.
TESTS = ["tests", "-m", "not book and not browser", "--numprocesses=0"]
NBVAL = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=1800"]


class Run(NamedTuple):
    """One chapter (or "tests") on one machine; `moved` 0 leaves weights as they are."""

    what: str
    kernels: str
    threads: int
    moved: int

    def __str__(self) -> str:
        return f"{self.what}-{self.kernels}-{self.threads}-{self.moved}"


def pytest_command(run: Run) -> list[str]:
    """Return the pytest command of a run."""
    plugin = ["-p", "moved_weights"] if run.what == "tests" else []
    wanted = TESTS if run.what == "tests" else [*NBVAL, f"book/{run.what}.ipynb"]
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return [*pytest, "--color=no", "--tb=short", *plugin, *wanted]


def pytest_environment(run: Run, ipython: Path) -> dict[str, str]:
    """Return the environment in which pytest and its kernels play a machine."""
    return {
        **os.environ,
        **KERNELS[run.kernels],
        "OMP_NUM_THREADS": str(run.threads),
        "HELD_THREADS": "" if run.what == "tests" else str(run.threads),
        "MOVED_WEIGHTS": str(run.moved or ""),
        "IPYTHONDIR": str(ipython),
        "OMP_WAIT_POLICY": "PASSIVE",  # several runs share the cores
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), str(ROOT / "src")]),
    }


def make_ipython_folder() -> Path:
    """A profile whose kernels load `moved_weights` before a chapter's first cell."""
    folder = LOGS / "ipython"
    startup = folder / "profile_default" / "startup"
    startup.mkdir(parents=True, exist_ok=True)
    # Of another name than the module, or it would import itself.
    (startup / "start.py").write_text("import moved_weights\n")
    return folder


def execute(run: Run, ipython: Path) -> bool:
    """Do one run and say how it went; True when nothing differed."""
    log = LOGS / f"{run}.txt"
    result = subprocess.run(
        pytest_command(run),
        cwd=ROOT,
        env=pytest_environment(run, ipython),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    log.write_text(result.stdout, encoding="utf-8")
    last = result.stdout.strip().splitlines()[-1]
    print(f"{run}: {last}", flush=True)
    if result.returncode == 0:
        log.unlink()
    return result.returncode == 0


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status, 1 when anything differed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "what", nargs="*", metavar="CHAPTER", help="chapters, or `tests`; default: all"
    )
    parser.add_argument("--kernels", nargs="+", choices=KERNELS, default=list(KERNELS))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument(
        "--moved",
        nargs="+",
        type=int,
        default=[0, 1, 2, 3, 4, 5],
        help="seeds of the moves; 0 leaves the weights as they are",
    )
    options = parser.parse_args(arguments)
    known = [*CHAPTERS, "tests"]
    if unknown := [name for name in options.what if name not in known]:
        parser.error(f"no chapter {unknown[0]!r}; there are: {', '.join(known)}")
    ipython = make_ipython_folder()
    machines = product(options.moved, options.kernels, options.threads)
    runs = [
        Run(what, kernels, threads, moved)
        for moved, kernels, threads in machines
        for what in options.what or CHAPTERS
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        same = list(pool.map(execute, runs, [ipython] * len(runs)))
    print(f"{len(same)} runs, {same.count(False)} with a difference")
    return int(not all(same))


if __name__ == "__main__":
    sys.exit(main())
