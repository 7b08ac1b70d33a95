"""What the page on extending the book tells a reader to do, done."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jupytext
import pytest
import torch

from tools.authoring import run_chapter

pytestmark = pytest.mark.book


@pytest.fixture(scope="module")
def text(root):
    return (root / "book" / "extending.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def code_cells(text):
    return re.findall(r"```\{code-cell\} ipython3\n(.*?)```", text, re.DOTALL)


def test_extending_score_is_negative_squared_distance(code_cells):
    names = {}
    exec(next(cell for cell in code_cells if "class DistanceScore" in cell), names)
    score = names["DistanceScore"]()
    query, key = torch.randn(1, 3, 4), torch.randn(1, 5, 4)
    wanted = -(query[:, :, None] - key[:, None]).square().sum(-1)
    torch.testing.assert_close(score(query, key), wanted, rtol=1e-4, atol=1e-5)


@pytest.fixture
def package(root, tmp_path):
    """A copy of the package, to put something into it."""
    compiled = shutil.ignore_patterns("__pycache__")  # others may be writing there
    copy = tmp_path / "attnlab"
    return Path(shutil.copytree(root / "src" / "attnlab", copy, ignore=compiled))


def run_python(package, *arguments):
    """What Python prints, with the copy in the place of the package."""
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.weekly
def test_extending_study_runs_as_module_and_on_bench(text, code_cells, package):
    module = next(cell for cell in code_cells if "def measure_peaks" in cell)
    foot = re.search(r"   (if __name__.*\n) {3}( +run_studies.*\n)", text)
    imports = "import torch\nfrom attnlab.experiments.study import run_studies\n"
    source = f'"""Largest weights."""\n{imports}{module}{foot[1]}{foot[2]}'
    folder = package / "experiments"
    (folder / "peaks.py").write_text(source)
    run_python(package, "-m", "attnlab.experiments.peaks", "--seeds", "2", "--quiet")
    stored = json.loads((folder / "results" / "peaks.json").read_text(encoding="utf-8"))
    assert len(stored["runs"]) == 2 * 8
    bench = re.search(r"```python\n(from attnlab.bench import.*?)```", text, re.DOTALL)
    press = """
from attnlab.bench.job import running_job
bench = PeaksBench()
bench.set(width=64, seeds="5-6")
bench._train.click()
if running_job():
    assert running_job().join(60)
print([(run["seed"], run["setting"]) for run in bench.runs])"""
    made = run_python(package, "-c", bench[1] + press)
    setting = {"scaled": False, "width": 64}
    assert made.strip() == str([(5, setting), (6, setting)])


def test_extending_figure_works_inside_the_package(code_cells, package):
    live = package / "live"
    script = next(cell for cell in code_cells if "export function render" in cell)
    source = re.search(r'write_text\("""\n(.*?)"""', script, re.DOTALL)[1]
    folder = live / "js" / "figures" / "sharpness"
    folder.mkdir()
    (folder / "sharpness.js").write_text(source)
    module = next(cell for cell in code_cells if "class Sharpness" in cell)
    module = module.split("\n\n\nSharpness(")[0].replace("    script = script\n", "")
    (live / "sharpness.py").write_text(module)
    init = (live / "__init__.py").read_text()
    init = init.replace(
        "_HOMES = {", '_HOMES = {"Sharpness": "attnlab.live.sharpness",'
    )
    (live / "__init__.py").write_text(init)
    code = "from attnlab.live import Sharpness; print(Sharpness()._repr_html_())"
    made = run_python(package, "-c", code)
    assert 'data-figure="sharpness"' in made
    assert "Temperature, in tenths" in made


@pytest.mark.weekly
def test_extending_text_chapter_becomes_valid_notebook(text, tmp_path):
    chapter = re.search(r"```python\n(# %% \[markdown\]\n.*?)```", text, re.DOTALL)[1]
    path = tmp_path / "11_temperature.ipynb"
    jupytext.write(jupytext.reads(chapter, fmt="py:percent"), path)
    assert run_chapter(path, "https://example.org/book") == []
    assert path.read_text(encoding="utf-8").count('"image/svg+xml"') == 1
