"""Where what is measured goes: not where the chapters read."""

import runpy
import sys

import pytest

from attnlab import store


@pytest.mark.parametrize("name", ["attention", "transformer", "states"])
def test_benchmarks_write_beside_the_build(name, root, monkeypatch):
    folders = []

    def run(name, measure, settings, seeds, *, folder=None, **options):
        folders.append(folder or store.RESULTS)
        return {"name": name, "runs": []}

    monkeypatch.setattr(store, "run", run)
    monkeypatch.setattr(sys, "argv", [name])
    runpy.run_path(str(root / "benchmarks" / f"{name}.py"), run_name="__main__")
    assert [folder.relative_to(root / "_build") for folder in folders]
