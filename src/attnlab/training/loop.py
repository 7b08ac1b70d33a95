"""The one training loop of the book: every model of every chapter goes through it.

    history = train(model, pairs, epochs=6, seed=0)
    exact_match(model, held_out_pairs)

`train` minimises a loss `loss(model, batch) -> (loss, accuracy)` with AdamW, gradient
clipping and a learning rate that warms up and then falls. With `checkpoint=` it can be
stopped at any moment and continued later, bit for bit as if it had never stopped. What
larger trainings need beside: batches by tokens, gradient accumulation, bfloat16, the
mean of the last weights (`training.checkpoints`), and several processes that share the
work (`training.distributed`).
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from attnlab.data import Batch
from attnlab.data.pairs import Pairs
from attnlab.device import device as best_device
from attnlab.device import named_device
from attnlab.notebook import ipython_shell
from attnlab.training.checkpoints import (
    checkpoint_path,
    epoch_path,
    load_checkpoint,
    random_state,
    save_checkpoint,
    set_random_state,
)
from attnlab.training.distributed import Processes, join_processes, own_device
from attnlab.training.evaluation import exact_match, require_pairs
from attnlab.training.losses import Loss, cross_entropy_loss
from attnlab.training.settings import Plan, Settings, make_plan, set_seed
from attnlab.training.terminal import (
    Interrupt,
    print_stopped,
    progress_bar,
    show_means,
    stopped_in_notebook,
    unfinished,
)


@dataclass
class History:
    """What happened during training.

    Attributes:
        loss: the loss of every step.
        accuracy: of every step, the share of next tokens the model predicted right.
        epochs: one dict an epoch: `step` (the last), the mean `loss` and
            `accuracy`, and `valid` (exact match, or what else `measure` is, on the
            validation pairs; None without).
        seconds: time spent in all, evaluation included, summed over resumptions.
        interrupted: True if Ctrl-C, or `progress`, ended the training early.
    """

    loss: list[float] = field(default_factory=list)
    accuracy: list[float] = field(default_factory=list)
    epochs: list[dict] = field(default_factory=list)
    seconds: float = field(default=0.0, compare=False)
    interrupted: bool = False


Progress = Callable[[History, int], object]


def train(
    model: nn.Module,
    pairs: Pairs,
    *,
    loss: Loss = cross_entropy_loss,
    valid: Pairs | None = None,
    measure: Callable[[nn.Module, Pairs], float] = exact_match,
    resume: bool = True,
    progress: bool | Progress = True,
    device: str | torch.device | None = None,
    **settings: Any,
) -> History:
    """Train a model in place; it comes back in eval mode, ready to be asked.

    Started by `torchrun`, all processes share the work of this one training.

    Args:
        model: trained on `device`, then put back where it was, so that tensors that
            lie there can be handed to it; what it must offer depends on `loss` alone.
        pairs: what to learn from.
        loss: `loss(model, batch) -> (loss, accuracy)`; fix its options with
            `functools.partial`. With `accumulate` or several processes it must be a
            mean over the target tokens after BOS, and call nothing but `model(...)`.
        valid: pairs that are measured after every epoch.
        measure: `measure(model, valid)`, for instance `mean_loss`.
        resume: go on from `checkpoint` if the file is there, bit for bit as if the
            training had never stopped (on a GPU, as far as its kernels repeat
            themselves). False: start anew and overwrite it.
        progress: show a bar on stderr with loss, accuracy and the time left. Or a
            function: after every step it gets the history and how many steps there
            are to be, and ends the training by returning True.
        device: "cpu", "cuda" …; None takes `attnlab.device()`.
        settings: `epochs` or `steps`, `lr`, `seed`, `checkpoint` and whatever else
            `attnlab.training.Settings` has, which says what each means.

    Returns:
        The history, from the first step on, also when resumed. Ctrl-C ends the
        training after the step under way: saves, says so, and returns what there is.

    Raises:
        KeyboardInterrupt: in a notebook, in place of that: what follows shall not run.
        ValueError: a setting out of range, no pairs, a checkpoint made with other
            settings, no checkpoint at all, or one that not all processes can read.
        TypeError: epochs, steps, batch_size or max_tokens is no integer.
        FloatingPointError: the loss is not finite any more.
        OSError: the checkpoint cannot be written; the last one is still whole.
    """
    require_pairs(pairs)
    plan = make_plan(pairs, Settings(**settings))
    where = own_device(best_device() if device is None else named_device(str(device)))
    path = None
    if plan.settings.checkpoint is not None:
        path = checkpoint_path(plan.settings.checkpoint)
    home = next(model.parameters()).device
    run = _start_run(model, plan, loss, where, path, resume)
    try:
        _take_steps(run, valid, measure, progress)
    finally:
        model.to(home).eval()
    return run.history


# Start ------------------------------------------------------------------------------


@dataclass
class _Run:
    """All that a step changes, and what a checkpoint must match."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    history: History
    plan: Plan
    loss: Loss
    identity: dict
    path: Path | None
    device: torch.device
    processes: Processes

    def save(self) -> None:
        """Write the checkpoint, if there is to be one; all processes must come here."""
        if self.path is None:
            return
        states = self.processes.gather(random_state(self.device))
        if self.processes.first:
            contents = {
                "settings": self.identity,
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "random": states,
                "history": asdict(self.history),
            }
            save_checkpoint(self.path, contents)

    def load(self, path: Path) -> None:
        """Put the run back to where it was when the checkpoint was saved."""
        saved = load_checkpoint(path, self.identity)
        self.model.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.history = History(**saved["history"])
        rank = self.processes.rank
        if rank < len(saved["random"]):  # it was saved by as many processes, or more
            set_random_state(saved["random"][rank], self.device)

    def require_one_start(self) -> None:
        """Refuse to begin at different steps, as when only some see the checkpoint."""
        steps = self.processes.gather(len(self.history.loss))
        if len(set(steps)) > 1:
            raise ValueError(
                f"the processes would go on from steps {steps}: {self.path} must lie "
                "where all of them can read it"
            )

    def keep_epoch(self, path: Path, keep: int) -> None:
        """Write the weights after this epoch, and remove those of `keep` epochs ago."""
        if self.processes.first:
            epoch = len(self.history.epochs)
            save_checkpoint(epoch_path(path, epoch), self.model.state_dict())
            epoch_path(path, epoch - keep).unlink(missing_ok=True)


def _start_run(
    model: nn.Module,
    plan: Plan,
    loss: Loss,
    where: torch.device,
    path: Path | None,
    resume: bool,
) -> _Run:
    """Begin, or go on from the checkpoint if it is there."""
    settings = plan.settings
    set_seed(settings.seed)  # refuses what is no seed, before anything has changed
    model.to(where).train()
    optimizer = torch.optim.AdamW(
        model.parameters(),
        settings.lr,
        betas=settings.betas,
        weight_decay=settings.weight_decay,
        fused=where.type in ("cpu", "cuda"),  # one call a step, not one a parameter
    )
    identity = settings.identity(plan.total, loss, plan.pairs, model)
    processes = join_processes(where)
    run = _Run(
        model, optimizer, History(), plan, loss, identity, path, where, processes
    )
    if not processes.first:  # every process drops other units
        torch.manual_seed(settings.seed * 1000 + processes.rank)
    if path is not None and resume and path.exists():
        run.load(path)
    run.require_one_start()
    return run


# Loop -------------------------------------------------------------------------------


def _take_steps(
    run: _Run,
    valid: Pairs | None,
    measure: Callable[[nn.Module, Pairs], float],
    progress: bool | Progress,
) -> None:
    """Take all steps that are left, unless Ctrl-C or `progress` comes between."""
    plan, history, path = run.plan, run.history, run.path
    settings = plan.settings
    together = run.processes.wrap(run.model)
    start = len(history.loss)
    stream = plan.batches_from(start)
    watch = progress if callable(progress) else None
    shown = bool(progress) and watch is None and run.processes.first
    with progress_bar(plan.total, start, shown) as bar, Interrupt() as stop:
        for step in range(start, plan.total):
            clock = time.perf_counter()
            rate = plan.learning_rate(step)
            pieces = run.processes.share(next(stream), settings.accumulate)
            _take_step(run, together, pieces, rate)
            epoch_over = plan.ends_epoch(step + 1)
            if epoch_over:
                _close_epoch(run, valid, measure)
            history.seconds += time.perf_counter() - clock
            show_means(bar, history.loss, history.accuracy, history.epochs)
            if path and epoch_over and settings.keep_last_epochs:
                run.keep_epoch(path, settings.keep_last_epochs)
            if epoch_over or (step + 1) % settings.checkpoint_every == 0:
                run.save()
            stopped = stop.requested or bool(watch and watch(history, plan.total))
            if run.processes.sums(stopped)[0]:  # in any process
                break
    history.interrupted = len(history.loss) < plan.total
    if history.interrupted:
        run.save()
        if stop.requested and ipython_shell() is not None:
            unfinished.add(run.identity["model"])
            raise stopped_in_notebook(len(history.loss), plan.total, path)
        if watch is None and run.processes.first:
            print_stopped(len(history.loss), plan.total, path)
    else:
        unfinished.discard(run.identity["model"])


def _take_step(
    run: _Run,
    model: nn.Module,
    pieces: list[tuple[Batch, float]],
    rate: float,
) -> None:
    """Learn from one batch, in weighted pieces.

    `model` is the run's, or what all processes have in its place.
    """
    processes, settings = run.processes, run.plan.settings
    value = accuracy = 0.0
    run.optimizer.zero_grad()
    for number, (piece, weight) in enumerate(pieces, start=1):
        last = number == len(pieces)
        with nullcontext() if last else processes.alone(model):
            with _autocast(settings.precision, run.device):
                its_loss, its_accuracy = run.loss(model, piece.to(run.device))
            # Processes take the mean of their gradients; here a sum is wanted.
            (its_loss * (weight * processes.size)).backward()
        value += weight * its_loss.item()
        accuracy += weight * its_accuracy.item()
    value, accuracy = processes.sums(value, accuracy)
    if not math.isfinite(value):
        raise FloatingPointError(
            f"the loss is {value} at step {len(run.history.loss)}: try a smaller lr"
        )
    nn.utils.clip_grad_norm_(run.model.parameters(), settings.clip)
    for group in run.optimizer.param_groups:
        group["lr"] = rate
    run.optimizer.step()
    run.history.loss.append(value)
    run.history.accuracy.append(accuracy)


@contextmanager
def _autocast(precision: str, where: torch.device) -> Iterator[None]:
    """Within it, products are computed in that precision."""
    if precision == "float32":
        yield
        return
    with ExitStack() as stack:
        stack.enter_context(torch.autocast(where.type, torch.bfloat16))
        if where.type == "cpu":  # the fused kernel is slow there, backwards
            stack.enter_context(sdpa_kernel(SDPBackend.MATH))
        yield


def _close_epoch(
    run: _Run,
    valid: Pairs | None,
    measure: Callable[[nn.Module, Pairs], float],
) -> None:
    """Write the epoch that ends with the last step into the history."""
    step = len(run.history.loss)
    length = step % run.plan.steps_per_epoch or run.plan.steps_per_epoch
    loss, accuracy = run.history.loss[-length:], run.history.accuracy[-length:]
    run.history.epochs.append(
        {
            "step": step,
            "loss": sum(loss) / length,
            "accuracy": sum(accuracy) / length,
            "valid": None if valid is None else measure(run.model, valid),
        }
    )
