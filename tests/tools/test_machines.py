"""Other machines, played: what must come out differently does, and nothing else."""

import subprocess
import sys

import nbformat
import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tools import machines
from tools.machines import Run, execute, make_ipython_folder, pytest_environment
from tools.moved_weights import RELATIVE_CHANGE, perturb

FRAGILE_CELL = """\
import torch
torch.manual_seed(0)
print(torch.nn.Linear(3, 2).weight.sum().item())"""
STEADY_CELL = """\
import torch
torch.set_num_threads(7)
print(torch.backends.cpu.get_cpu_capability(), torch.get_num_threads())"""

PLAYED_RUN = Run("tiny", "default", 2, 0)


def test_move_changes_weights_by_rounding_error_per_seed():
    torch.manual_seed(0)
    weights = torch.randn(40, 30)
    moved, again, other = weights.clone(), weights.clone(), weights.clone()
    state = torch.get_rng_state()
    perturb(moved, 1)
    perturb(again, 1)
    perturb(other, 2)
    assert torch.equal(torch.get_rng_state(), state)
    by = (moved / weights - 1).abs()
    assert by.min() > 0.5 * RELATIVE_CHANGE and by.max() < 1.5 * RELATIVE_CHANGE
    assert torch.equal(moved, again)
    assert (moved != other).float().mean() > 0.25


@pytest.fixture
def small_book(tmp_path, monkeypatch):
    """A book of one chapter, which prints a weight, and what machine it runs on."""
    (tmp_path / "book").mkdir()
    told = subprocess.run(
        [sys.executable, "-c", FRAGILE_CELL],
        env=pytest_environment(PLAYED_RUN, tmp_path),
        capture_output=True,
        text=True,
    )
    cells = []
    for source, text in ((FRAGILE_CELL, told.stdout), (STEADY_CELL, "DEFAULT 2\n")):
        printed = new_output("stream", name="stdout", text=text)
        cells.append(new_code_cell(source, outputs=[printed], execution_count=1))
    nbformat.write(new_notebook(cells=cells), tmp_path / "book" / "tiny.ipynb")
    monkeypatch.setattr(machines, "ROOT", tmp_path)
    monkeypatch.setattr(machines, "LOGS", tmp_path / "logs")
    return tmp_path


@pytest.mark.weekly
@pytest.mark.slow
def test_machines_command_finds_rounding_dependent_line(small_book):
    """On a machine with the kernels and the threads that were asked for."""
    ipython = make_ipython_folder()
    assert execute(PLAYED_RUN, ipython)
    assert not execute(PLAYED_RUN._replace(moved=1), ipython)
    (log,) = (small_book / "logs").glob("*.txt")
    assert log.name == "tiny-default-2-1.txt"
    assert "1 failed, 1 passed" in log.read_text(encoding="utf-8")


@pytest.mark.parametrize(("differing", "status"), [([], 0), (["tests"], 1)])
def test_machines_command_fails_when_one_run_differs(
    differing, status, monkeypatch, capsys
):
    monkeypatch.setattr(machines, "execute", lambda run, _: run.what not in differing)
    few = ["--kernels", "default", "--threads", "1", "--moved", "0"]
    assert machines.main(["01_bottleneck", "tests", *few]) == status
    assert f"2 runs, {status} with a difference" in capsys.readouterr().out
