"""Trainings in a thread: one at a time, followed, stopped, and never silent."""

import threading

from attnlab.bench.job import Job, running_job
from attnlab.training import History


def test_job_start_while_another_runs_raises():
    gate = threading.Event()
    first = Job(lambda job: gate.wait(30), print, lambda error: None)
    assert first.start() and running_job() is first
    assert not Job(print, print, print).start()
    assert not first.join(0.01)
    gate.set()
    assert first.join(30) and running_job() is None


def test_job_passes_any_error_to_done():
    ended = []
    for number, raised in enumerate((ValueError("a"), MemoryError(), None)):

        def work(job, raised=raised):
            if raised is not None:
                raise raised

        job = Job(work, print, ended.append)
        assert job.start() and job.join(30)
        assert ended[number] is raised


def test_job_follow_reports_progress_and_stops_on_request():
    reports = []
    job = Job(print, lambda job: reports.append(job.steps), print)
    history = History()
    for loss in (4.0, 2.0):
        history.loss.append(loss)
        assert not job.follow(history, 5)
    assert (job.steps, job.total, job.losses) == (2, 5, [4.0, 2.0])
    assert job.seconds_left >= 0 and reports[0] == 1
    job.stop()
    history.loss.append(1.0)
    assert job.follow(history, 5) and job.stopped and reports[-1] == 3
