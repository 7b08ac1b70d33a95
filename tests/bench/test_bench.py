"""The benches by their widgets: trained, stopped, compared, saved."""

import base64
import json
import threading
import time
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup

from attnlab import store
from attnlab.bench import BottleneckBench
from attnlab.bench.bench import RUN_ADVICE
from attnlab.bench.job import running_job
from attnlab.bench.pictures import style_of_run

pytestmark = pytest.mark.slow


def wait_for_training(seconds=60):
    """Wait for the training under way, if there is one."""
    job = running_job()
    if job is not None:
        assert job.join(seconds), "the training does not end"


@pytest.fixture(autouse=True)
def stop_running_job():
    """No test leaves a training to the next."""
    yield
    if job := running_job():
        job.stop()
    wait_for_training()


@pytest.fixture
def bench():
    """A bench, with a network and a budget that take a second."""
    made = BottleneckBench()
    made.set(d_model=8, longest=5, epochs=1, train_numbers=320)
    return made


def text(widget):
    return BeautifulSoup(widget.value, "html.parser").get_text(" ")


def press_train(bench):
    bench._train.click()
    wait_for_training()


def table_names(bench):
    """The rows of the table under the picture: their names."""
    table = BeautifulSoup(bench.results.picture.value, "html.parser").table
    return [row.th.get_text() for row in table.tbody("tr")]


def test_bench_draws_run_beside_nearest_stored_setting(bench):
    assert len(table_names(bench)) == 1  # the stored seeds stand there at once
    press_train(bench)
    (run,) = bench.runs
    assert not run["stopped"] and run["steps"] == run["total"] > 1
    assert f"Run 1 is done, after {run['seconds']:.0f} s" in text(bench.results.status)
    stored = store.load(bench.study.name)["runs"][0]
    assert {"parameters", "exact_match"} <= set(run["figures"])
    assert set(run["figures"]) <= set(stored["figures"])  # more was once stored
    assert table_names(bench)[0] == "Run 1" and "5 seeds" in table_names(bench)[1]
    assert "differs in width" in text(bench.results.picture)
    assert bench.results.bar.layout.visibility == "hidden"
    assert len(run["losses"]) == -(-run["steps"] // 10)
    assert f"run 1: {run['losses'][-1]:.3f}" in bench.results.picture.value


def test_bench_stop_keeps_and_measures_partial_run(bench):
    bench.set(epochs=100)
    bench._train.click()
    job = running_job()
    while job.steps < 3:
        time.sleep(0.001)
    bench._stop.click()
    asked = job.steps
    wait_for_training()
    (run,) = bench.runs
    assert run["stopped"] and asked <= run["steps"] <= asked + 2 < run["total"]
    assert "exact_match" in run["figures"]
    assert "stopped early and measured" in text(bench.results.status)
    how = f"Run 1 (stopped after {run['steps']} of {run['total']} steps)"
    assert table_names(bench)[0] == how and how in text(bench.results.picture)


def test_bench_stop_while_data_is_made_ends_job(bench, monkeypatch):
    begun = threading.Event()

    def endless_measure(**setting):
        begun.set()
        while True:
            time.sleep(0.001)

    monkeypatch.setattr(bench, "study", replace(bench.study, measure=endless_measure))
    bench._train.click()
    job = running_job()
    assert begun.wait(30)
    bench._stop.click()
    assert job.join(5)
    assert bench.runs == [] and "nothing was trained" in text(bench.results.status)


@pytest.mark.weekly
def test_bench_several_seeds_are_drawn_downloaded_and_saved(
    bench, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    bench.set(seeds="5-6")
    press_train(bench)
    assert [run["seed"] for run in bench.runs] == [5, 6]
    assert table_names(bench)[:2] == ["Run 1", "Run 2"]
    colours = [style_of_run(run)["color"] for run in bench.runs]
    assert len(set(colours)) == 2
    older = tmp_path / f"{bench.study.name}-runs.json"
    older.write_text("older")
    for _ in "ab":
        bench.results.keep.click()
    path = tmp_path / f"{bench.study.name}-runs2.json"
    assert str(path) in text(bench.results.saved) and older.read_text() == "older"
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert saved == {
        "study": bench.study.name,
        "runs": json.loads(json.dumps(bench.runs)),
    }
    link = BeautifulSoup(bench.results.download.value, "html.parser").a
    assert json.loads(base64.b64decode(link["href"].split("base64,")[1])) == saved
    bench.results.chosen.value = (1,)
    assert table_names(bench)[0] == "Run 1" and "Run 2" not in table_names(bench)
    bench.results.remove.click()
    assert [run["number"] for run in bench.runs] == [2] == [*bench.results.chosen.value]
    assert table_names(bench)[0] == "Run 2"
    press_train(bench)
    assert [run["number"] for run in bench.runs] == [2, 3, 4]
    assert style_of_run(bench.runs[0])["color"] == colours[1]


NO_SETTINGS = [
    ({"epochs": 0}, "Epochs is a whole number from 1 to 100, not 0"),
    ({"d_model": 3.5}, "Width is a whole number from 4 to 256; “3.5” is none"),
    ({"d_model": "<b>8"}, "“<b>8” is none"),
    ({"epochs": 5, "seeds": "x"}, "Seeds are whole numbers"),
    ({"longest": 4, "train_numbers": 50_000}, "8000"),
    ({"bidirectional": True, "d_model": 9}, "d_model"),
]


def test_bench_rejects_bad_setting_before_training(bench):
    for values, words in NO_SETTINGS:
        bench._reset.click()
        bench.set(**values)
        press_train(bench)
        assert bench.runs == [], values
        assert words in text(bench._problem)
    bench.set(bidirectional=False, d_model=8, epochs=1, train_numbers=320)
    press_train(bench)
    assert text(bench._problem) == "" and len(bench.runs) == 1


def test_bench_shows_error_and_stays_usable(bench, monkeypatch):
    def failing_measure(**setting):
        raise RuntimeError("no <memory> left")

    with monkeypatch.context() as patched:
        patched.setattr(bench, "study", replace(bench.study, measure=failing_measure))
        press_train(bench)
    assert "This failed: RuntimeError: no <memory> left" in text(bench.results.status)
    assert "in failing_measure" in text(bench.results.status) and bench.runs == []
    press_train(bench)
    assert len(bench.runs) == 1


def test_bench_names_unknown_field_or_choice():
    bench = BottleneckBench()
    with pytest.raises(ValueError, match="no field 'depth'; there are attention"):
        bench.set(depth=2)
    with pytest.raises(ValueError, match=r"Cell has no choice .*'tree'"):
        bench.set(cell="tree")


def test_bench_without_kernel_shows_stored_runs(bench):
    data = bench._repr_mimebundle_()
    view = data["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"] == bench.model_id
    page = BeautifulSoup(data["text/html"], "html.parser")
    assert page.find(["input", "button", "script"]) is None
    assert RUN_ADVICE in page.get_text() and RUN_ADVICE in data["text/plain"]
    again = type(bench)()._repr_mimebundle_()
    assert data["text/html"] == again["text/html"]
    assert data["text/plain"] == again["text/plain"]
    rows = page.table.tbody("tr")
    assert len(rows) == len(bench.stored.groups) > 5
