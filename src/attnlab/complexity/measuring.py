"""Seconds and bytes of a call, measured with care.

Time comes from `torch.utils.benchmark`, which warms up, sets the threads and waits for
a GPU to finish; every figure is a median with its quartiles. Memory comes from the
profiler's allocation events and is the same on every run.
"""

import gc
import json
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.benchmark import Timer

from attnlab.checks import check_integer
from attnlab.device import device, use_threads

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# Time -------------------------------------------------------------------------------


def measure_seconds(
    call: Callable[[], object],
    *,
    threads: int = 1,
    repeats: int = 5,
    least: float = 0.05,
    most: float = 10.0,
) -> dict[str, float | int]:
    """Time a call.

    A first call warms up and says how long one takes; `Timer.blocked_autorange` does
    the rest, with as many calls a block as make the clock's own error small.

    Args:
        call: what to time, without arguments.
        threads: how many threads torch may use meanwhile (CPU only).
        repeats: how many timed calls to aim at.
        least, most: seconds to spend on them. `most` wins over `repeats`; a single call
            may take longer.

    Returns:
        "median", "low" and "high" (the quartiles), in seconds a call, and "blocks", how
        many timings they summarise.

    Raises:
        TypeError, ValueError: threads or repeats that are no integer of at least 1.
    """
    check_integer("threads", threads, 1)
    check_integer("repeats", repeats, 1)
    timer = Timer("call()", globals={"call": call}, num_threads=threads)
    with use_threads(threads):
        first = time_once(call)
    spend = min(max(least, repeats * first), most)
    times = timer.blocked_autorange(min_run_time=spend).times
    return {**quartiles(times), "blocks": len(times)}


def time_once(call: Callable[[], object]) -> float:
    """Return the seconds that one call takes, a GPU's work included."""
    synchronise()
    start = time.perf_counter()
    call()
    synchronise()
    return time.perf_counter() - start


def measure_in_turn(
    calls: dict[str, Callable[[], object]], rounds: int
) -> dict[str, dict]:
    """Time several calls, round after round, so that disturbances meet all alike.

    Args:
        calls: what to time, by name.
        rounds: how often each gets its turn, after one turn that does not count.

    Returns:
        By name: "seconds", its quartiles (see `quartiles`), and "ratio", those of its
        time over that of the first call in the same round.

    Raises:
        TypeError, ValueError: rounds that are no integer of at least 1.
    """
    check_integer("rounds", rounds, 1)
    for call in calls.values():  # the first call of a kernel is slow
        call()
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            seconds[name].append(time_once(call))
    reference = next(iter(seconds.values()))
    metrics = {}
    for name, times in seconds.items():
        ratios = [one / other for one, other in zip(times, reference, strict=True)]
        metrics[name] = {"seconds": quartiles(times), "ratio": quartiles(ratios)}
    return metrics


def synchronise() -> None:
    """Wait until the device has done all it was asked to."""
    if device().type == "cuda":
        torch.cuda.synchronize()
    elif device().type == "mps":
        torch.mps.synchronize()


def quartiles(values: list[float]) -> dict[str, float]:
    """Return {"median": …, "low": …, "high": …}: the median and both quartiles.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("there are no values to summarise")
    if len(values) == 1:
        return dict.fromkeys(("median", "low", "high"), values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"median": median, "low": low, "high": high}


# Memory -----------------------------------------------------------------------------


def peak_memory(call: Callable[[], object]) -> int:
    """Return the most bytes that a call holds at once, of those it allocates itself.

    What it leaves behind counts (its output, gradients), what it was given does not.
    What libraries under torch allocate by themselves is not seen. On a GPU it is
    `max_memory_allocated`.
    """
    call()  # gradients of others' calls are gone, its own are renewed
    with _garbage_collection_off():
        if device().type == "cuda":
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
            call()
            return torch.cuda.max_memory_allocated() - before
        os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler is talkative
        activities = [ProfilerActivity.CPU]
        with warnings.catch_warnings():
            # Of several cycles torch 2.11 would keep the last; there is only one.
            warnings.filterwarnings("ignore", "Warning: Profiler clears events")
            with profile(activities=activities, profile_memory=True) as profiler:
                call()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trace.json")
        profiler.export_chrome_trace(str(path))
        events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    events = [event["args"] for event in events if event.get("name") == "[memory]"]
    return _peak_bytes(sorted(events, key=lambda event: event["Ev Idx"]))


def _peak_bytes(events: list[dict]) -> int:
    """Most bytes at once in blocks that were allocated within, in order of time.

    The profiler also reports the freeing of some older blocks: those are passed over.
    """
    blocks: dict[int, int] = {}  # bytes by address
    now = highest = 0
    for event in events:
        address, size = event["Addr"], event["Bytes"]
        if size > 0:
            blocks[address] = size
            now += size
        else:
            now -= blocks.pop(address, 0)
        highest = max(highest, now)
    return highest


@contextmanager
def _garbage_collection_off() -> Iterator[None]:
    """Let nothing that others left behind be freed within."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def is_out_of_memory(error: BaseException) -> bool:
    """Say whether an error means that memory ran out: CPU's has no class of its own."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(
        words in str(error) for words in ("can't allocate memory", "not enough memory")
    )


@contextmanager
def memory_limit() -> Iterator[None]:
    """Let allocations fail within, where Linux would kill the process later.

    Linux hands out more memory than there is, and ends whoever then uses it. Here a
    process may grow by no more than what is free now. Elsewhere this does nothing, nor
    with a GPU, whose driver reserves addresses beyond all memory.
    """
    free = _free_memory()
    if free is None or resource is None or device().type != "cpu":
        yield
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + free
    before = resource.getrlimit(resource.RLIMIT_AS)
    hard = before[1]
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _free_memory() -> int | None:
    """Bytes that Linux could still give, None elsewhere."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    fields = dict(line.split(":", 1) for line in lines)
    return int(fields["MemAvailable"].split()[0]) * 1024
