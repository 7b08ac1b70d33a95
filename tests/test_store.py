import os
import re
import signal
import socket
import subprocess
import sys
from importlib.util import find_spec

import pytest

from attnlab.store import RESULTS, grid, load, machine, run, versions
from attnlab.training.terminal import Interrupt

pytestmark = pytest.mark.slow


def counting_experiment(calls):
    """An experiment that notes its calls and returns figures made from them."""

    def record_call(seed, width, kind="a"):
        calls.append((seed, width, kind))
        return {"score": seed + width / 10, "by_length": {1: 0.5, 2: 0.25}}

    return record_call


def run_quietly(folder, function, settings, seeds, **options):
    return run(
        "trial", function, settings, seeds, folder=folder, progress=False, **options
    )


def test_run_stores_every_setting_and_seed(tmp_path):
    calls = []
    settings = (setting for setting in grid(width=[1, 2], kind=["a", "b"]))
    results = run_quietly(tmp_path, counting_experiment(calls), settings, range(3))
    assert len(calls) == len(set(calls)) == 12
    assert results == load("trial", folder=tmp_path)
    assert len(results["runs"]) == 12
    for one in results["runs"]:
        expected = one["seed"] + one["setting"]["width"] / 10
        assert one["figures"]["score"] == expected
        assert one["figures"]["by_length"] == {"1": 0.5, "2": 0.25}


def test_run_skips_stored_runs_unless_fresh(tmp_path):
    calls = []
    run_quietly(tmp_path, counting_experiment(calls), grid(width=[1]), [0, 1])
    run_quietly(tmp_path, counting_experiment(calls), grid(width=[1, 2]), [0, 1])
    assert len(calls) == 4
    results = run_quietly(
        tmp_path, counting_experiment(calls), grid(width=[1]), [0], redo=True
    )
    assert len(calls) == 5
    assert len(results["runs"]) == 4


def test_run_skips_setting_that_json_stores_in_another_form(tmp_path):
    calls = []
    for _ in range(2):  # the tuple is stored as a list
        settings = [{"width": 1, "kind": ("a", "b")}]
        run_quietly(tmp_path, counting_experiment(calls), settings, [0])
    assert len(calls) == 1


def test_store_contains_no_machine_path_or_name(tmp_path):
    run_quietly(tmp_path, counting_experiment([]), grid(width=[1]), [0])
    text = (tmp_path / "trial.json").read_text()
    (one,) = load("trial", folder=tmp_path)["runs"]
    assert one["versions"] == versions() and one["machine"] == machine()
    for told in (str(tmp_path), os.getcwd(), sys.prefix, socket.gethostname()):
        assert told not in text


@pytest.mark.weekly
def test_command_is_stored_without_paths(tmp_path):
    (tmp_path / "trial.py").write_text(
        "from attnlab.store import command\nprint(command())\n"
    )
    words = ["-m", "trial", "--seeds", "2", "--out", str(tmp_path / "x y.json")]
    options = {"capture_output": True, "text": True, "check": True}
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, **options)
    assert done.stdout.strip() == "python -m trial --seeds 2 --out 'x y.json'"


def test_store_rejects_bad_names_and_values(tmp_path):
    with pytest.raises(ValueError, match="identifier"):
        run("../escape", counting_experiment([]), [{}], [0], folder=tmp_path)
    with pytest.raises(TypeError):
        run_quietly(tmp_path, lambda seed: {"made": object()}, [{}], [0])
    with pytest.raises(ValueError):
        run_quietly(tmp_path, lambda seed: {"loss": float("nan")}, [{}], [0])


STORED_NAMES = sorted(path.stem for path in RESULTS.glob("*.json"))


@pytest.mark.parametrize("name", STORED_NAMES)
def test_load_missing_result_names_existing_command(name, tmp_path):
    with pytest.raises(FileNotFoundError) as missing:
        load(name, folder=tmp_path)
    (command,) = re.findall("`python -m (.*)`", str(missing.value))
    module, *options = command.split()
    found = find_spec(module)
    if found.submodule_search_locations:
        found = find_spec(f"{module}.__main__")
    assert found is not None and options in ([], ["--help"])


def test_stored_results_have_all_fields():
    for name in STORED_NAMES:
        results = load(name)
        assert results["name"] == name
        fields = {"setting", "seed", "figures", "seconds", "command", "versions"}
        for one in results["runs"]:
            assert fields | {"machine", "date"} == set(one) - {"corrected"}


@pytest.mark.weekly
def test_store_concurrent_processes_lose_no_run(tmp_path):
    program = """
import sys
from attnlab.store import run
first = int(sys.argv[1])
run("shared", lambda seed, width: {"sum": seed + width},
    [{"width": w} for w in range(10)], [first, first + 1], folder=sys.argv[2],
    progress=False)
"""
    both = [
        subprocess.Popen([sys.executable, "-c", program, first, str(tmp_path)])
        for first in ("0", "2")
    ]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    runs = load("shared", folder=tmp_path)["runs"]
    assert sorted((one["seed"], one["setting"]["width"]) for one in runs) == [
        (seed, width) for seed in range(4) for width in range(10)
    ]
    assert all(
        one["figures"]["sum"] == one["seed"] + one["setting"]["width"] for one in runs
    )
    assert [path.name for path in tmp_path.iterdir()] == ["shared.json"]


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a single process")
def test_run_ctrl_c_stores_no_partial_run(tmp_path):
    def record_call(seed):
        with Interrupt():  # by which `train` ends early, and returns
            if seed == 1:
                signal.raise_signal(signal.SIGINT)
        return {"seed": seed}

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        run_quietly(tmp_path, record_call, [{}], range(3))
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler
    stored = load("trial", folder=tmp_path)["runs"]
    assert [one["seed"] for one in stored] == [0]
