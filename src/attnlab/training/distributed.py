"""Several processes that train one model, each with its share of every batch.

    torchrun --nproc-per-node 2 -m attnlab.sentences multi30k

starts two processes on this machine. Each holds the whole model, computes the gradient
on its share, and takes the step along the mean of all gradients, so that all models
stay the same. The batch of a step is the same as in one process: how many processes
there are changes the speed, and the losses only by rounding and by what dropout drops.

Processes on CPUs talk by gloo, on GPUs, one to each process, by nccl.
"""

import atexit
import os
import warnings
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from attnlab.data import PAD, Batch


@dataclass(frozen=True)
class Processes:
    """Who trains together.

    Attributes:
        rank: this process's number, from 0; number 0 alone writes and prints.
        size: how many there are.
    """

    rank: int = 0
    size: int = 1

    @property
    def first(self) -> bool:
        """Is this the process that writes and prints?"""
        return self.rank == 0

    def wrap(self, model: nn.Module) -> nn.Module:
        """Let the model's backward pass take the mean gradient of all processes.

        All models are first made equal to that of process 0.
        """
        if self.size == 1:
            return model
        with warnings.catch_warnings():  # newer versions of torch rename the argument
            warnings.simplefilter("ignore", FutureWarning)
            return DistributedDataParallel(model, broadcast_buffers=False)

    def alone(self, model: Any) -> AbstractContextManager:
        """Within it, gradients add up in this process and are not yet exchanged."""
        return nullcontext() if self.size == 1 else model.no_sync()

    def sums(self, *values: float) -> list[float]:
        """Return, for each value, the sum over all processes."""
        if self.size == 1:
            return list(values)
        total = torch.tensor(
            values, dtype=torch.float64, device=_communication_device()
        )
        dist.all_reduce(total)
        return total.tolist()

    def gather(self, value: object) -> list:
        """Return the values of all processes, in their order."""
        if self.size == 1:
            return [value]
        values = [None] * self.size
        dist.all_gather_object(values, value)
        return values

    def share(self, batch: Batch, pieces: int = 1) -> list[tuple[Batch, float]]:
        """Cut this process's share of a batch into pieces.

        Args:
            batch: the whole batch, the same in every process.
            pieces: into how many; each needs memory for itself alone.

        Returns:
            Pieces with their weights: the share of the batch's target tokens (BOS
            left out) that they hold. A sum over all processes' pieces of weight ×
            mean over the piece is the mean over the batch.
        """
        parts = self.size * pieces
        if parts == 1:
            return [(batch, 1.0)]
        targets = (batch.tgt[:, 1:] != PAD).sum(1)  # (batch,), tokens of each sentence
        shares = []
        for part in range(self.rank * pieces, (self.rank + 1) * pieces):
            rows = torch.arange(len(targets))[part::parts]
            weight = (targets[rows].sum() / targets.sum()).item()
            if len(rows) == 0:  # fewer sentences than parts: all take their step
                rows, weight = torch.tensor([0]), 0.0
            shares.append((Batch(batch.src[rows], batch.tgt[rows]), weight))
        return shares


def join_processes(where: torch.device) -> Processes:
    """Join the processes that `torchrun` started; without it there is this one alone.

    Args:
        where: the device that this process computes on.
    """
    size = number_of_processes()
    if size == 1:
        return Processes()
    if not dist.is_initialized():
        if where.type == "cuda":
            torch.cuda.set_device(where)
        dist.init_process_group("nccl" if where.type == "cuda" else "gloo")
        atexit.register(dist.destroy_process_group)
    return Processes(dist.get_rank(), size)


def number_of_processes() -> int:
    """Return how many `torchrun` started; 1 without it.

    Raises:
        ValueError: what it should have set is no number.
    """
    return _from_torchrun("WORLD_SIZE", least=1) if "WORLD_SIZE" in os.environ else 1


def is_first() -> bool:
    """Is this the process that prints? Also known before the processes have joined."""
    return os.environ.get("RANK", "0") == "0"


def own_device(where: torch.device) -> torch.device:
    """Return the GPU of this process: each has the one of its own number.

    Raises:
        ValueError: what `torchrun` should have set is no number.
    """
    if where.type == "cuda" and where.index is None and "LOCAL_RANK" in os.environ:
        return torch.device("cuda", _from_torchrun("LOCAL_RANK", least=0))
    return where


def _from_torchrun(name: str, least: int) -> int:
    text = os.environ[name]
    if not (text.isascii() and text.isdigit() and least <= int(text[:9]) < 10**6):
        raise ValueError(f"{name} must be a number from {least} on, got {text!r}")
    return int(text)


def _communication_device() -> str:
    """nccl sends what lies on a GPU, gloo what lies on the CPU."""
    return "cuda" if dist.get_backend() == "nccl" else "cpu"
