"""The suite itself: every file's tests are collected, and none is put aside."""

import ast
import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow
WITH_FUZZ = "--hypothesis-profile=quick"  # with what only `make fuzz` runs


def test_every_file_has_tests_that_are_collected(root):
    said = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-qq", WITH_FUZZ],
        cwd=root,
        env=os.environ | {"PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    ).stdout
    lines = re.findall(r"^(tests/\S+): (\d+)$", said, re.MULTILINE)
    there = {
        path.relative_to(root).as_posix() for path in root.glob("tests/**/test_*.py")
    }
    assert {file for file, count in lines if int(count) > 0} == there, said[-2000:]
    assert "deselected" not in said


def put_aside(tree):
    """The lines that skip tests, or let them fail, on every machine."""
    found = []
    for call in ast.walk(tree):
        if not isinstance(call, ast.Attribute):
            continue
        if ast.unparse(call) in ("pytest.mark.skip", "pytest.mark.xfail"):
            found.append(call.lineno)
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("skipif"):
            (condition,) = call.args
            found += [call.lineno] * isinstance(condition, ast.Constant)
    return found


def test_no_test_is_put_aside_on_every_machine(root):
    found = {
        f"{path.relative_to(root)}:{line}"
        for path in root.glob("tests/**/*.py")
        for line in put_aside(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set()
    for line in ("pytest.mark.skip(reason='x')", "pytest.mark.skipif(True)"):
        assert put_aside(ast.parse(line)) == [1]
