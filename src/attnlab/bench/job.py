"""Trainings in a thread: watched and stopped from a notebook that stays alive."""

import ctypes
import threading
import time
from collections.abc import Callable

from attnlab.training import History

MIN_REPORT_INTERVAL = 0.2  # seconds between two reports, which each redraw a page

_starting = threading.Lock()
_running: "Job | None" = None


class JobStopped(Exception):
    """A job was stopped before there was anything to keep."""


class Job:
    """Work that is done in a thread, one at a time in a notebook.

    Args:
        work: called with the job; hands `follow` to each training as its `progress`.
        report: called now and then with the job, as training goes on.
        done: called in the end with the error, or None if there was none.

    Attributes:
        steps, total: how many steps are taken, and how many there are to be.
        losses: of every step.
        seconds: since the first step, which had to warm up.
        asked: whether somebody has asked to stop.
        stopped: whether the training was ended early.
    """

    def __init__(
        self,
        work: Callable[["Job"], object],
        report: Callable[["Job"], object],
        done: Callable[[Exception | None], object],
    ) -> None:
        self._work, self._report, self._done = work, report, done
        self.asked = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.begin()

    def begin(self) -> None:
        """Forget the last training: another one is to begin."""
        self.steps = self.total = 0
        self.losses: list[float] = []
        self.seconds = 0.0
        self.stopped = False
        self._began = self._reported = 0.0

    @property
    def seconds_left(self) -> float:
        """Seconds that the rest of the steps take at this pace; needs two steps."""
        return self.seconds / (self.steps - 1) * (self.total - self.steps)

    def start(self) -> bool:
        """Begin; False, and nothing is done, if another job has not ended yet."""
        global _running
        with _starting:
            if _running is not None:
                return False
            _running = self
        self._thread.start()
        return True

    def stop(self) -> None:
        """End the training after the step under way; at once if there was none yet.

        An exception that is set from outside arrives at the thread's next line.
        """
        self.asked = True
        if self.steps == 0 and self._thread.is_alive():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(JobStopped)
            )

    def join(self, seconds: float | None = None) -> bool:
        """Wait until the job has ended; False if it has not by then."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def follow(self, history: History, total: int) -> bool:
        """Take note of a step; True ends the training. See `train`'s `progress`."""
        now = time.monotonic()
        if self.steps == 0:
            self._began = now
        self.seconds = now - self._began
        self.steps, self.total, self.losses = len(history.loss), total, history.loss
        self.stopped = self.asked and self.steps < total
        if (
            self.stopped
            or self.steps == total
            or now > self._reported + MIN_REPORT_INTERVAL
        ):
            self._reported = now
            self._report(self)
        return self.stopped

    def _run(self) -> None:
        global _running
        error = None
        try:
            self._work(self)
        except Exception as raised:  # shown by `done`, whatever it is
            error = raised
        try:
            self._done(error)
        finally:
            _running = None


def running_job() -> Job | None:
    """Return the job of this notebook that has not ended yet."""
    return _running
