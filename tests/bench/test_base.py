"""The benches by their widgets: trained, stopped, compared, saved."""

import json
import threading
import time
from collections import Counter

import pytest
from bs4 import BeautifulSoup

from attnlab import store
from attnlab.bench import AlignmentBench, BottleneckBench
from attnlab.bench.base import TO_RUN
from attnlab.bench.job import running

pytestmark = pytest.mark.slow


def wait(seconds=60):
    """Wait for the training under way, if there is one."""
    job = running()
    if job is not None:
        assert job.join(seconds), "the training does not end"


@pytest.fixture(params=[BottleneckBench, AlignmentBench], ids=["bottleneck", "scores"])
def bench(request, monkeypatch):
    """A bench, with a network and a budget that take a second."""
    monkeypatch.setattr("attnlab.bench.alignment.TRAINED", 320)
    made = request.param()
    made.set(d_model=8, longest=5, epochs=1)
    if isinstance(made, BottleneckBench):
        made.set(train_numbers=320)
    yield made
    made._press_stop()
    wait()


def text(widget):
    return BeautifulSoup(widget.value, "html.parser").get_text(" ")


def train(bench):
    bench._train.click()
    wait()


def shown(bench):
    """The rows of the table under the picture: their names."""
    table = BeautifulSoup(bench._picture.value, "html.parser").table
    return [row.th.get_text() for row in table.tbody("tr")]


def test_a_run_is_measured_and_drawn_beside_the_nearest_stored_one(bench):
    assert len(shown(bench)) == 1  # the stored seeds stand there at once
    train(bench)
    (run,) = bench.runs
    assert not run["stopped"] and run["steps"] == run["total"] > 1
    assert f"Run 1 is done, after {run['seconds']:.0f} s" in text(bench._said)
    stored = store.load(bench.study)["runs"][0]
    assert {"parameters", "exact_match"} <= set(run["figures"])
    assert set(run["figures"]) <= set(stored["figures"])  # more was once stored
    assert shown(bench)[0] == "Run 1" and "5 seeds" in shown(bench)[1]
    assert "differs in width" in text(bench._picture)
    assert bench._bar.layout.visibility == "hidden"


def test_the_same_setting_gives_the_same_figures_as_the_study():
    bench = BottleneckBench()
    bench.set(d_model=8, longest=4, epochs=1, train_numbers=320, cell="lstm")
    train(bench)
    (run,) = bench.runs
    setting = {**run["setting"], "seed": run["seed"]}
    metrics = bench.measure(setting, lambda history, total: False)
    del metrics["seconds"], run["figures"]["seconds"]
    assert json.loads(json.dumps(metrics)) == run["figures"]


def test_stop_keeps_and_measures_what_there_is(bench):
    bench.set(epochs=100)
    bench._train.click()
    job = running()
    while job.steps < 3:
        time.sleep(0.001)
    bench._stop.click()
    asked = job.steps
    wait()
    (run,) = bench.runs
    assert run["stopped"] and asked <= run["steps"] <= asked + 2 < run["total"]
    assert "exact_match" in run["figures"]
    assert "stopped early and measured" in text(bench._said)
    assert shown(bench)[0] == "Run 1 (stopped)"
    assert f"Stopped after {run['steps']} of {run['total']}" in text(bench._picture)


def test_two_runs_are_compared_and_saved(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bench._save.click()
    assert "no run to save" in text(bench._saved)
    train(bench)
    bench.set(seed=6)
    train(bench)
    assert shown(bench)[:2] == ["Run 2", "Run 1"]
    bench._second.value = -1
    assert shown(bench)[:1] == ["Run 2"] and "Run 1" not in shown(bench)
    bench._first.value = 0
    assert shown(bench)[0] == "Run 1"
    older = tmp_path / f"{bench.study}-runs.json"
    older.write_text("older")
    for _ in "ab":
        bench._save.click()
    path = tmp_path / f"{bench.study}-runs2.json"
    assert str(path) in text(bench._saved) and older.read_text() == "older"
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert saved == {"study": bench.study, "runs": bench.runs}
    assert [run["seed"] for run in saved["runs"]] == [5, 6]


def test_a_file_that_cannot_be_written_is_said(bench, tmp_path, monkeypatch):
    train(bench)
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    bench._save.click()
    assert "cannot write" in text(bench._saved) or "No such" in text(bench._saved)


@pytest.mark.parametrize(
    "values, words",
    [
        ({"epochs": 0}, "Epochs is a whole number from 1 to 100, not 0"),
        ({"d_model": 3.5}, "Width is a whole number from 4 to 256; “3.5” is none"),
        ({"d_model": ""}, "“” is none"),
        ({"d_model": "<b>8"}, "“<b>8” is none"),
        ({"longest": 12}, "Most digits is a whole number from 4 to 10, not 12"),
        ({"epochs": -1, "seed": "x"}, "Seed is a whole number"),
        ({"longest": 4, "train_numbers": 50_000}, "only 8000"),
        ({"direction": "both", "d_model": 9}, "Width must be even"),
    ],
)
def test_what_is_no_setting_is_answered_before_training(values, words):
    bench = BottleneckBench()
    bench.set(**values)
    bench._train.click()
    assert running() is None and bench.runs == []
    assert words in text(bench._problem)
    bench.set(d_model=8, longest=4, epochs=1, train_numbers=320, seed=1)
    train(bench)
    assert text(bench._problem) == "" and len(bench.runs) == 1


def test_hours_are_refused_with_the_estimate(bench, monkeypatch):
    monkeypatch.setattr("attnlab.bench.base.seconds_a_step", lambda *batch: 2_000.0)
    train(bench)
    assert bench.runs == [] and "Nothing was trained" in text(bench._said)
    assert " h " in text(bench._problem) and "30 min" in text(bench._problem)


def test_an_error_is_shown_and_the_bench_goes_on(bench, monkeypatch):
    def broken(setting, progress):
        raise RuntimeError("no <memory> left")

    with monkeypatch.context() as patched:
        patched.setattr(bench, "measure", broken)
        train(bench)
    assert "This failed: RuntimeError: no <memory> left" in text(bench._said)
    assert "in broken" in text(bench._said) and bench.runs == []
    train(bench)
    assert len(bench.runs) == 1


def test_of_presses_at_once_one_trains():
    benches = [BottleneckBench() for _ in range(4)]
    for bench in benches:
        bench.set(d_model=8, longest=4, train_numbers=320)
    together = threading.Barrier(8)

    def press(bench):
        together.wait()
        bench._train.click()

    threads = [threading.Thread(target=press, args=[b]) for b in benches * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert running() is not None
    benches[0]._stop.click()  # whichever trains
    wait()
    assert sum(len(bench.runs) for bench in benches) == 1
    said = Counter("under way" in text(bench._problem) for bench in benches)
    assert said[True] >= 3


def test_stop_without_a_training_says_so(bench):
    bench._stop.click()
    assert "Nothing is being trained" in text(bench._problem)


def test_a_field_or_choice_that_is_not_there_is_named():
    bench = BottleneckBench()
    with pytest.raises(ValueError, match="no field 'depth'; there are attention"):
        bench.set(depth=2)
    with pytest.raises(ValueError, match="Cell has no choice 'tree'"):
        bench.set(cell="tree")


def test_without_a_kernel_the_stored_runs_stand_there(bench):
    data = bench._repr_mimebundle_()
    view = data["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"] == bench.model_id
    page = BeautifulSoup(data["text/html"], "html.parser")
    assert page.find(["input", "button", "script"]) is None
    assert TO_RUN in page.get_text() and TO_RUN in data["text/plain"]
    again = type(bench)()._repr_mimebundle_()
    assert data["text/html"] == again["text/html"]
    assert data["text/plain"] == again["text/plain"]
    rows = page.table.tbody("tr")
    assert len(rows) == len(bench.stored.groups) > 5
