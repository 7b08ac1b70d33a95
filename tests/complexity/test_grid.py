"""Measuring over a grid: every cell kept, whatever happens."""

import json
import signal
from functools import partial
from unittest.mock import Mock

import pytest
import torch

from attnlab.complexity import (
    LAYERS,
    full_grid,
    measure,
    measure_grid,
    points,
    print_results,
    size_grid,
    small_grid,
)
from attnlab.complexity import __main__ as command
from attnlab.complexity import grid as grid_module
from attnlab.complexity.layers import SelfAttentionType


@pytest.fixture(autouse=True)
def single_timing(monkeypatch):
    """One timing a cell will do."""
    quickly = partial(grid_module.measure_seconds, repeats=1, least=0.0)
    monkeypatch.setattr(grid_module, "measure_seconds", quickly)


TINY_GRID = size_grid(["attention", "gru", "convolution"], [4, 8], [8], ["forward"])


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("phase", ["forward", "training", "generation"])
def test_measure_covers_every_layer_and_phase(name, phase):
    metrics = measure(0, name, 6, 16, phase)
    generating = phase == "generation"
    assert metrics["flops"] == LAYERS[name].flops(6, 16, generating=generating)
    assert metrics["parameters"] == LAYERS[name].parameters(16)
    assert metrics["seconds"]["median"] > 0
    assert metrics["megabytes"] > 0
    assert not metrics["out_of_memory"]


def test_measure_grid_ctrl_c_keeps_results(tmp_path, monkeypatch, capsys):
    calls = []

    def fake_peak_memory(call):
        calls.append(call)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return 1

    monkeypatch.setattr(grid_module, "peak_memory", fake_peak_memory)
    results = measure_grid(TINY_GRID, folder=tmp_path, progress=False)
    assert results["interrupted"]
    assert len(results["runs"]) == 2
    assert "what is measured is kept" in capsys.readouterr().err
    results = measure_grid(TINY_GRID, folder=tmp_path, progress=False)  # goes on
    assert not results["interrupted"]
    assert len(results["runs"]) == len(TINY_GRID)
    assert len(calls) == 3 + 4


def test_measure_records_out_of_memory(tmp_path, monkeypatch, capsys):
    full = Mock(side_effect=torch.OutOfMemoryError("CUDA out of memory"))
    monkeypatch.setattr(SelfAttentionType, "build", full)
    results = measure_grid(TINY_GRID, folder=tmp_path, progress=False)
    assert len(results["runs"]) == len(TINY_GRID)
    for run in results["runs"]:
        out = run["setting"]["layer"] == "attention"
        assert run["figures"]["out_of_memory"] == out
        assert (run["figures"]["seconds"] is None) == out
    assert points(results, layer="attention") == []
    assert [p["n"] for p in points(results, layer="gru")] == [4, 8]
    print_results(results)
    assert capsys.readouterr().out.count("out of memory") == 2


@pytest.mark.parametrize("make", [small_grid, full_grid])
def test_grids_have_distinct_cells_of_every_layer_and_phase(make):
    settings = make(threads=2)
    distinct = {json.dumps(setting, sort_keys=True) for setting in settings}
    assert len(distinct) == len(settings)
    assert {setting["layer"] for setting in settings} == set(LAYERS)
    assert {setting["phase"] for setting in settings} == set(grid_module.PHASES)
    assert {setting["threads"] for setting in settings} == {2}
    for setting in settings:
        layer = LAYERS[setting["layer"]]
        own = {key: setting[key] for key in layer.options if key in setting}
        assert layer.flops(setting["n"], setting["d"], **own) > 0


def test_size_grid_skips_large_cells_and_links_all_positions():
    assert size_grid(["attention"], [10, 100], [8], most_flops=1e4) == [
        {"layer": "attention", "n": 10, "d": 8, "phase": "forward", "threads": 1}
    ]
    assert size_grid(["additive"], [100], [8], most_numbers=1e4) == []
    (dilated,) = size_grid(["dilated"], [64], [8], kernel_size=5)
    assert (dilated["kernel_size"], dilated["num_layers"]) == (5, 3)


def test_complexity_command_measures_stores_and_stops(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "small_grid", lambda threads: TINY_GRID)
    with monkeypatch.context() as patched:
        stopping = Mock(side_effect=KeyboardInterrupt)
        patched.setattr(grid_module, "peak_memory", stopping)
        assert command.main(["--folder", str(tmp_path), "--quiet"]) == 130
    capsys.readouterr()
    assert command.main(["--folder", str(tmp_path), "--name", "mine"]) == 0
    assert capsys.readouterr().out.count("forward") == len(TINY_GRID)
    assert (tmp_path / "mine.json").exists()
    with pytest.raises(SystemExit):
        command.main(["--threads", "0"])
