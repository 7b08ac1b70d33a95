"""The suite itself: every file's tests are collected, and none is put aside."""

import ast
import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.weekly
def test_every_file_has_tests_that_are_collected(root):
    said = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-qq"],
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
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("skip", "xfail"):
            found += [node.lineno] * (ast.unparse(node.value) == "pytest.mark")
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "skipif":
            (condition,) = node.args
            found += [node.lineno] * isinstance(condition, ast.Constant)
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
