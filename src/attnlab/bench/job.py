"""One training in a thread: watched and stopped from a notebook that stays alive."""

import threading
import time
from collections.abc import Callable
from itertools import pairwise
from statistics import median

from torch import nn

from attnlab.data import NumberPairs
from attnlab.training import History, train

MOST_OFTEN = 0.2  # seconds between two reports, which each redraw a page

_starting = threading.Lock()
_running: "Job | None" = None


class Job:
    """Work that is done in a thread, one at a time in a notebook.

    Args:
        work: called with the job; hands `follow` to the training as its `progress`.
        report: called now and then with the job, as training goes on.
        done: called in the end with the error, or None if there was none.

    Attributes:
        steps, total: how many steps are taken, and how many there are to be.
        loss: the mean of the last steps.
        seconds_left: how long the rest of the steps will take at this pace.
        stopped: whether the training was ended early.
    """

    def __init__(
        self,
        work: Callable[["Job"], object],
        report: Callable[["Job"], object],
        done: Callable[[Exception | None], object],
    ) -> None:
        self.steps = self.total = 0
        self.loss = self.seconds_left = float("nan")
        self.stopped = False
        self._work, self._report, self._done = work, report, done
        self._asked = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._began = self._reported = 0.0

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
        """Ask the training to end after the step under way."""
        self._asked.set()

    def join(self, seconds: float | None = None) -> bool:
        """Wait until the job has ended; False if it has not by then."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def follow(self, history: History, total: int) -> bool:
        """Take note of a step; True ends the training. See `train`'s `progress`."""
        now = time.monotonic()
        if self.steps == 0:
            self._began = now
        self.steps, self.total = len(history.loss), total
        last = history.loss[-50:]
        self.loss = sum(last) / len(last)
        if self.steps > 1:  # the first had to warm up
            pace = (now - self._began) / (self.steps - 1)
            self.seconds_left = pace * (total - self.steps)
        self.stopped = self._asked.is_set() and self.steps < total
        if self.stopped or self.steps == total or now > self._reported + MOST_OFTEN:
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


def running() -> Job | None:
    """Return the job of this notebook that has not ended yet."""
    return _running


def seconds_a_step(model: nn.Module, pairs: NumberPairs) -> float:
    """Return how long a step of training takes here, by taking a few.

    The model learns from them: hand over one that is not needed any more.
    """
    clock: list[float] = []

    def note(history: History, total: int) -> None:
        clock.append(time.perf_counter())

    train(model, pairs, steps=8, progress=note)
    paces = [after - before for before, after in pairwise(clock)]
    return median(paces[-5:])  # the first have to warm up
