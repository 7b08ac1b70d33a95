"""Where the computing happens: GPU if there is one, else CPU."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # torch is imported on use, so that `import attnlab` stays light
    import torch


def device() -> torch.device:
    """Return the best device present: cuda, else mps (Apple), else cpu.

    The environment variable `ATTNLAB_DEVICE` overrides the choice, for instance
    `ATTNLAB_DEVICE=cpu` or `ATTNLAB_DEVICE=cuda:1`.

    Raises:
        ValueError: the override names no device kind we know, or one that this
            machine does not have.
    """
    name = os.environ.get("ATTNLAB_DEVICE", "").strip()
    if name:
        return named_device(name)
    return named_device(next(kind for kind, n in _present().items() if n > 0))


def named_device(name: str) -> torch.device:
    """Return the device called `name`, such as "cpu", "mps" or "cuda:1".

    Raises:
        ValueError: there is no such device here.
    """
    import torch

    kind, colon, index = name.partition(":")
    present = _present()
    if kind not in present or (
        colon and not (index.isascii() and index.isdigit() and len(index) < 4)
    ):
        wanted = ", ".join(present)
        raise ValueError(f"unknown device {name!r}: expected one of {wanted}, cuda:1 …")
    if int(index or 0) >= present[kind]:
        here = ", ".join(kind for kind, n in present.items() if n > 0)
        raise ValueError(f"no device {name!r} on this machine, which has: {here}")
    return torch.device(name)


@contextmanager
def use_threads(threads: int) -> Iterator[None]:
    """Let torch use so many threads within, and as many as before afterwards."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _present() -> dict[str, int]:
    """Return how many devices of each kind this machine has, the best kind first."""
    import torch

    return {
        "cuda": torch.cuda.device_count() if torch.cuda.is_available() else 0,
        "mps": int(torch.backends.mps.is_available()),
        "cpu": 1,
    }
