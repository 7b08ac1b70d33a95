"""The suite itself: every file's tests are collected, and none is put aside."""

import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.weekly
def test_every_test_file_is_collected(root):
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
