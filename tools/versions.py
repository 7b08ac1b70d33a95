"""Run the package's tests with other versions than the pinned ones: `make versions`.

    python -m tools.versions oldest    the oldest that pyproject.toml allows
    python -m tools.versions newest    the newest there are, whatever it allows

Each gets an environment in `_build/versions/`, of the Python that runs this file. What
the tests themselves need comes in versions no newer than those of `requirements.txt`.
"""

import argparse
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]

# The package's tests alone: the book is built with the pinned versions only.
TESTS = ["tests", "--ignore=tests/book", "-m", "not book and not browser"]
TOOLS = [
    "axe-playwright-python",
    "beautifulsoup4",
    "hypothesis",
    "ipykernel",
    "jupytext",
    "myst-nb",
    "nbclient",
    "nbconvert",
    "nbformat",
    "nbval",
    "num2words",
    "packaging",
    "pillow",
    "playwright",
    "pytest",
    "pytest-xdist",
    "setuptools",
    "Sphinx",
    "syrupy",
    "wheel",
]


def dependencies(which: str) -> list[str]:
    """Return the package's own dependencies, as pip is to install them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    ranges = project["project"]["dependencies"] + extras["sentences"]
    if which == "oldest":
        return [re.sub(r">=([\w.]+).*", r"==\1", each) for each in ranges]
    return [re.split(r"[^\w-]", each)[0] for each in ranges]


def tools() -> list[str]:
    """`TOOLS`, none newer than `requirements.txt` pins it."""
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return [p.replace("==", "<=") for p in pins if p.split("==")[0] in TOOLS]


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns pytest's exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("which", choices=["oldest", "newest"])
    which = parser.parse_args(arguments).which
    python_version = "{}.{}".format(*sys.version_info)
    folder = ROOT / "_build" / "versions" / f"{which}-{python_version}"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    subprocess.run([*pip, *dependencies(which), *tools()], check=True)
    subprocess.run([*pip, "--no-deps", "--editable", ROOT], check=True)
    pytest: list[str | Path] = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    several = ["--numprocesses", "auto", "--maxprocesses", "4", "--dist", "loadfile"]
    return subprocess.run([*pytest, *several, *TESTS], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
