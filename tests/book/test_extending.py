"""What the page on extending the book tells a reader to do, done."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import jupytext
import nbformat
import pytest
import torch
from accessibility import violations

from tools.authoring import run_chapter

pytestmark = pytest.mark.book


@pytest.fixture(scope="module")
def text(root):
    return (root / "book" / "extending.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cells(text):
    return re.findall(r"```\{code-cell\} ipython3\n(.*?)```", text, re.DOTALL)


@pytest.fixture(scope="module")
def run(cells):
    """What the cells have defined, with all that they printed as `printed`."""
    names, printed = {}, io.StringIO()
    with redirect_stdout(printed):
        for cell in cells:
            exec(cell, names)
    return names | {"printed": printed.getvalue()}


@pytest.mark.weekly
def test_the_score_is_right_and_learns(run):
    assert "one entry as by hand: True" in run["printed"]
    right = re.search(r"exactly right: (\d+)%", run["printed"])[1]
    assert int(right) > 50
    score = run["DistanceScore"]()
    query, key = torch.randn(1, 3, 4), torch.randn(1, 5, 4)
    wanted = -(query[:, :, None] - key[:, None]).square().sum(-1)
    torch.testing.assert_close(score(query, key), wanted, rtol=1e-4, atol=1e-5)


def test_the_figure_computes_a_softmax_by_keyboard_and_axe_finds_nothing_serious(
    run, visit, tmp_path
):
    figure = run["Sharpness"](temperature=0.5)
    file = tmp_path / "figure.html"
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>x</title>'
    file.write_text(f"{head}<main><h1>x</h1>{figure._repr_html_()}", encoding="utf-8")
    seen = visit(file.as_uri(), width=360)
    said = seen.page.locator('[role="status"]')
    slider = seen.page.get_by_label("Temperature, in tenths")
    slider.focus()
    for tenths in (5, 6):
        weights = torch.softmax(torch.tensor([1.0, 2.0, 3.0]) * 10 / tenths, 0)
        for weight in weights.tolist():
            assert f"{weight:.3f}" in said.inner_text()
        seen.page.keyboard.press("ArrowRight")
    assert seen.errors == []
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations(seen.page) == []


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
def test_the_study_can_be_put_into_the_package(text, cells, package):
    module = next(cell for cell in cells if "def measure_peaks" in cell)
    foot = re.search(r"   (if __name__.*\n) {3}( +run_studies.*\n)", text)
    imports = "import torch\nfrom attnlab.experiments.study import run_studies\n"
    source = (
        f'"""How large is the largest weight?"""\n{imports}{module}{foot[1]}{foot[2]}'
    )
    folder = package / "experiments"
    (folder / "peaks.py").write_text(source)
    run_python(package, "-m", "attnlab.experiments.peaks", "--seeds", "2", "--quiet")
    stored = json.loads((folder / "results" / "peaks.json").read_text(encoding="utf-8"))
    assert len(stored["runs"]) == 2 * 8
    bench = re.search(r"```python\n(from attnlab.bench import.*?)```", text, re.DOTALL)
    press = """
from attnlab.bench.job import running
bench = PeaksBench()
bench.set(width=64, seeds="5-6")
bench._train.click()
if running():
    assert running().join(60)
print([(run["seed"], run["setting"]) for run in bench.runs])"""
    made = run_python(package, "-c", bench[1] + press)
    setting = {"scaled": False, "width": 64}
    assert made.strip() == str([(5, setting), (6, setting)])


def test_the_figure_can_be_put_into_the_package(cells, package):
    live = package / "live"
    script = next(cell for cell in cells if "export function render" in cell)
    source = re.search(r'write_text\("""\n(.*?)"""', script, re.DOTALL)[1]
    folder = live / "js" / "figures" / "sharpness"
    folder.mkdir()
    (folder / "sharpness.js").write_text(source)
    module = next(cell for cell in cells if "class Sharpness" in cell)
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
def test_the_chapter_becomes_a_notebook_that_keeps_the_rules(text, tmp_path):
    chapter = re.search(r"```python\n(# %% \[markdown\]\n.*?)```", text, re.DOTALL)[1]
    path = tmp_path / "11_temperature.ipynb"
    jupytext.write(jupytext.reads(chapter, fmt="py:percent"), path)
    assert run_chapter(path, "https://example.org/book") == []
    notebook = nbformat.read(path, as_version=4)
    pictures = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/svg+xml" in output.get("data", {})
    ]
    assert len(pictures) == 1
