"""Training as its reader sees it: the bar that moves, and Ctrl-C or a notebook's ■."""

import signal
import sys
import threading
from pathlib import Path

from tqdm import tqdm


def progress_bar(total: int, start: int, progress: bool) -> tqdm:
    """Return a bar on stderr that stands at `start`; without progress, none."""
    return tqdm(
        total=total,
        initial=start,
        unit="step",
        disable=not progress,
        file=sys.stderr,
        dynamic_ncols=True,
    )


def show_means(
    bar: tqdm, loss: list[float], accuracy: list[float], epochs: list[dict]
) -> None:
    """Move the bar on; the figures are means over the last steps, easier to read."""
    loss, accuracy = loss[-50:], accuracy[-50:]
    metrics = {
        "loss": f"{sum(loss) / len(loss):.3f}",
        "accuracy": f"{sum(accuracy) / len(accuracy):.1%}",
    }
    if epochs and epochs[-1]["valid"] is not None:
        metrics["valid"] = f"{epochs[-1]['valid']:.3f}"
    bar.set_postfix(metrics, refresh=False)
    bar.update()


# Models, as they print, whose training was stopped in this notebook: see `claim`.
unfinished: set[str] = set()


class Stopped(KeyboardInterrupt):
    """A notebook's ■ has ended a training: what is to run next shall not begin."""

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows: the sentence, not where in `train` it was."""
        return [str(self)]


def stopped_in_notebook(done: int, total: int, path: Path | None) -> Stopped:
    """Return what ends the cell, and says what was kept and how to go on."""
    then = (
        "Run this cell again to train it to its end"
        if path is None
        else f"All of it is saved in {path}: run this cell again and it goes on"
    )
    return Stopped(
        f"Stopped after {done} of {total} steps. The model keeps what it has learned "
        f"so far, which is too little for a verdict. {then}."
    )


def print_stopped(done: int, total: int, path: Path | None) -> None:
    """Say on stderr what happened after a Ctrl-C, and how to go on."""
    then = (
        "nothing was saved, as no checkpoint was named"
        if path is None
        else f"saved to {path}; the same call goes on from there"
    )
    print(f"Stopped by Ctrl-C after {done} of {total} steps: {then}.", file=sys.stderr)


class Interrupt:
    """Within it, a first Ctrl-C only sets `requested`: the step under way is finished.

    An optimizer stopped in the middle of a step would leave weights that no
    uninterrupted training ever has. A second Ctrl-C interrupts as usual. Where Ctrl-C
    is not Python's own (another handler is set, or this is not the main thread, the
    only one that it reaches), it is left alone.
    """

    def __enter__(self) -> "Interrupt":
        self.requested = False
        self.active = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if self.active:
            signal.signal(signal.SIGINT, self._on_ctrl_c)
        return self

    def _on_ctrl_c(self, signum: int, frame: object) -> None:
        self.requested = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def __exit__(self, *exception: object) -> None:
        if self.active:
            signal.signal(signal.SIGINT, signal.default_int_handler)
