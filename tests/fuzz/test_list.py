"""Whether every public function and class of the package has a fuzz test."""

import runpy
from pathlib import Path

from fuzzing import LEFT_OUT, public_names

FOLDER = Path(__file__).parent


def fuzzed() -> set[str]:
    """What the tests in this folder say that they cover."""
    found = set()
    for path in FOLDER.rglob("test_*.py"):
        if path != Path(__file__):
            for value in runpy.run_path(str(path)).values():
                found.update(getattr(value, "fuzzes", ()))
    return found


def left_out(name: str) -> bool:
    return name in LEFT_OUT or name.rpartition(".")[0] in LEFT_OUT


def test_every_public_function_and_class_is_fuzzed():
    missing = {name for name in public_names() if not left_out(name)} - fuzzed()
    assert not missing, f"write a fuzz test of {', '.join(sorted(missing))}"


def test_what_is_left_out_is_there_and_not_fuzzed():
    names = set(public_names())
    modules = {name.rpartition(".")[0] for name in names}
    assert set(LEFT_OUT) <= names | modules
    assert not {name for name in fuzzed() if left_out(name)}
