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
import os
import random
import signal
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from tqdm import tqdm

from attnlab.checks import check_ids, check_integer, check_number
from attnlab.data import PAD, Batch, NumberPairs, batches, collate
from attnlab.data.pairs import Pairs, plan_batches
from attnlab.decoding import evaluating, greedy
from attnlab.device import device as best_device
from attnlab.device import named_device
from attnlab.training.checkpoints import (
    checkpoint_path,
    epoch_path,
    load_checkpoint,
    random_state,
    save_checkpoint,
    set_random_state,
)
from attnlab.training.distributed import Processes, join, own_device

Loss = Callable[[nn.Module, Batch], tuple[Tensor, Tensor]]

SCHEDULES = ("cosine", "linear", "inverse_sqrt", "constant")
PRECISIONS = ("float32", "bfloat16")


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
        interrupted: True if Ctrl-C ended the training early.
    """

    loss: list[float] = field(default_factory=list)
    accuracy: list[float] = field(default_factory=list)
    epochs: list[dict] = field(default_factory=list)
    seconds: float = field(default=0.0, compare=False)
    interrupted: bool = False


# Losses -----------------------------------------------------------------------------


def cross_entropy_loss(
    model: nn.Module, batch: Batch, *, label_smoothing: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Teacher forcing: predict each target token from the true tokens before it.

    −log P(y_t | y_<t, x), the mean over the real target tokens; padding counts
    neither in the sum nor in the number it is divided by.

    Args:
        model: maps src (B, L_s) and tgt (B, L_t) to logits (B, L_t, vocabulary).
        batch: `src` and `tgt`; each row of `tgt` is BOS, tokens, EOS, padding.
        label_smoothing: the share of the target's probability spread over the whole
            vocabulary (Szegedy et al. 2016, section 7).

    Returns:
        The loss and the accuracy (share of next tokens predicted right), scalars.

    Raises:
        TypeError, ValueError: what the model does not take, no target tokens, or a
            label smoothing outside [0, 1].
    """
    check_number("label_smoothing", label_smoothing)
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"label_smoothing must lie in [0, 1], got {label_smoothing}")
    inputs, targets = _inputs_and_targets(batch)
    logits = _at_least_float32(model(batch.src, inputs))  # (batch, length, vocabulary)
    check_ids("tgt", targets, logits.shape[-1])
    loss = F.cross_entropy(
        logits.flatten(0, 1),  # (batch * length, vocabulary)
        targets.flatten().long(),  # (batch * length,)
        ignore_index=PAD,
        label_smoothing=label_smoothing,
    )
    return loss, _token_accuracy(logits, targets)


def reinforce_loss(
    model: Any, batch: Batch, *, entropy_weight: float = 0.01
) -> tuple[Tensor, Tensor]:
    """The loss of hard attention: cross-entropy, and REINFORCE for what was sampled.

    Which source position to look at is sampled, and no gradient flows through a
    sample. Instead, the log-probability of the sampled position is raised if it made
    the true token more probable than usual and lowered if less (Xu et al. 2015,
    eq. 12):

        log p(y_t) + (log p(y_t) − b) · log p(position_t) + λ · entropy

    is maximised. b, the moving average of log p(y_t), is the baseline: it changes no
    expected gradient and makes it much less noisy. It lives in the model as the
    buffer `baseline`, so that a checkpoint keeps it. The reward is that of the token
    read at this step; what a sample does to later ones (with input feeding) it
    leaves out.

    Args:
        model: a `Seq2Seq(hard=True)`: `model.forward_sampled(src, tgt)` returns
            logits (B, L_t, vocabulary), the samples' log-probabilities (B, L_t) and
            the entropies of what they were drawn from (B, L_t).
        batch: `src` and `tgt`, as for `cross_entropy_loss`.
        entropy_weight: λ, what keeps the model trying other positions; in [0, 1].

    Returns:
        The loss and the accuracy (share of next tokens predicted right), scalars.

    Raises:
        TypeError, ValueError: what the model does not take, no target tokens, or a
            weight outside [0, 1].
    """
    check_number("entropy_weight", entropy_weight)
    if not 0 <= entropy_weight <= 1:
        raise ValueError(f"entropy_weight must lie in [0, 1], got {entropy_weight}")
    inputs, targets = _inputs_and_targets(batch)
    logits, sample_log_prob, entropy = model.forward_sampled(batch.src, inputs)
    check_ids("tgt", targets, logits.shape[-1])
    log_prob = -F.cross_entropy(
        logits.transpose(1, 2),  # (batch, vocabulary, length)
        targets.long(),
        reduction="none",
    )  # (batch, length)
    real = targets != PAD
    reward = log_prob.detach()
    advantage = reward - model.baseline
    if model.training:
        model.baseline.lerp_(reward[real].mean(), 0.1)
    objective = log_prob + advantage * sample_log_prob + entropy_weight * entropy
    return -objective[real].mean(), _token_accuracy(logits, targets)


def _at_least_float32(x: Tensor) -> Tensor:
    """Widen half precision, in which the largest of many logits is found slowly."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _inputs_and_targets(batch: Batch) -> tuple[Tensor, Tensor]:
    """Cut targets into what a decoder reads and what it is to say after each."""
    tgt = batch.tgt
    if tgt.dim() != 2 or not (tgt[:, 1:] != PAD).any():
        raise ValueError(
            "tgt must be (batch, length), with BOS and a token that is not PAD behind "
            f"it, got {tuple(tgt.shape)}"
        )
    return tgt[:, :-1], tgt[:, 1:]


def _token_accuracy(logits: Tensor, targets: Tensor) -> Tensor:
    real = targets != PAD
    return (logits.detach().argmax(-1) == targets)[real].float().mean()


# Evaluation -------------------------------------------------------------------------


def exact_matches(
    model: nn.Module, pairs: Pairs, *, batch_size: int = 256
) -> list[bool]:
    """For each pair: is the greedy translation right in every token, EOS included?

    Runs on the model's device and leaves its train or eval mode as it was.

    Raises:
        ValueError: `pairs` is empty.
    """
    _require_pairs(pairs)
    where = next(model.parameters()).device
    right = []
    for batch in batches(pairs, batch_size, bucket=False):
        src, targets = batch.src.to(where), batch.tgt[:, 1:].to(where)
        # Longer than the batch's longest target would be wrong anyway.
        answer = greedy(model, src, targets.shape[1])
        answer = F.pad(answer, (0, targets.shape[1] - answer.shape[1]), value=PAD)
        right += (answer == targets).all(dim=1).tolist()
    return right


def exact_match(model: nn.Module, pairs: Pairs, *, batch_size: int = 256) -> float:
    """Return the share of pairs that the model translates without a single error."""
    right = exact_matches(model, pairs, batch_size=batch_size)
    return sum(right) / len(right)


def exact_match_by_length(
    model: nn.Module, pairs: NumberPairs, *, batch_size: int = 256
) -> dict[int, float]:
    """Return `{length: exact match}`; a number's length is its count of digits."""
    right = exact_matches(model, pairs, batch_size=batch_size)
    by_length: dict[int, list[bool]] = {
        length: [] for length in sorted(set(pairs.lengths))
    }
    for length, ok in zip(pairs.lengths, right, strict=True):
        by_length[length].append(ok)
    return {length: sum(oks) / len(oks) for length, oks in by_length.items()}


def mean_loss(
    model: nn.Module,
    pairs: Pairs,
    *,
    loss: Loss = cross_entropy_loss,
    max_tokens: int = 4096,
) -> float:
    """Return the loss of all pairs, the mean over their target tokens.

    Runs on the model's device and leaves its train or eval mode as it was.

    Raises:
        ValueError: `pairs` is empty.
    """
    _require_pairs(pairs)
    where = next(model.parameters()).device
    total, tokens = 0.0, 0
    with evaluating(model):
        for batch in batches(pairs, max_tokens=max_tokens, seed=0):
            count = int((batch.tgt[:, 1:] != PAD).sum())
            total += loss(model, batch.to(where))[0].item() * count
            tokens += count
    return total / tokens


# Schedule and seed ------------------------------------------------------------------


def learning_rate(
    step: int, total: int, *, peak: float, warmup: int, schedule: str
) -> float:
    """Return the learning rate of a step, `step` counted from 0.

    It rises in a straight line to `peak` over the first `warmup` steps. From there to
    step `total` it falls along a "cosine" to 0, in a straight line to 0 ("linear"),
    as 1 / √step ("inverse_sqrt", Vaswani et al. 2017, eq. 3), or stays ("constant").

    Raises:
        TypeError: a number of steps is no integer, or the peak no number.
        ValueError: an unknown schedule, a step beyond `total`, or a peak of 0 or less.
    """
    if schedule not in SCHEDULES:
        raise ValueError(f"schedule {schedule!r} is none of {', '.join(SCHEDULES)}")
    for name, number in (("step", step), ("total", total), ("warmup", warmup)):
        check_integer(name, number, 0)
    check_number("peak", peak, above=0)
    if step > total:
        raise ValueError(f"step {step} lies beyond the last, {total}")
    if step < warmup:
        return peak * (step + 1) / warmup
    done = (step - warmup) / max(1, total - warmup)
    if schedule == "cosine":
        return peak * (1 + math.cos(math.pi * done)) / 2
    if schedule == "linear":
        return peak * (1 - done)
    if schedule == "inverse_sqrt":
        return peak * math.sqrt(max(1, warmup) / (step + 1))
    return peak


def set_seed(seed: int) -> None:
    """Seed every random generator in use: Python's, NumPy's and torch's.

    Raises:
        TypeError, ValueError: the seed is no integer from 0 to 2³² − 1.
    """
    check_integer("seed", seed, 0)
    if seed >= 2**32:
        raise ValueError(f"seed must be below 2**32, got {seed}")
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


# The loop ---------------------------------------------------------------------------


def train(
    model: nn.Module,
    pairs: Pairs,
    *,
    epochs: int | None = None,
    steps: int | None = None,
    batch_size: int = 64,
    max_tokens: int | None = None,
    accumulate: int = 1,
    lr: float = 3e-3,
    schedule: str = "cosine",
    warmup: float = 0.05,
    betas: tuple[float, float] = (0.9, 0.999),
    weight_decay: float = 0.01,
    clip: float = 1.0,
    precision: str = "float32",
    loss: Loss = cross_entropy_loss,
    valid: Pairs | None = None,
    measure: Callable[[nn.Module, Pairs], float] = exact_match,
    seed: int = 0,
    checkpoint: str | os.PathLike | None = None,
    checkpoint_every: int = 200,
    keep: int = 0,
    resume: bool = True,
    progress: bool = True,
    device: str | torch.device | None = None,
) -> History:
    """Train a model in place; it comes back in eval mode, ready to be asked.

    Started by `torchrun`, all processes share the work of this one training.

    Args:
        model: trained on `device`, then put back where it was, so that tensors that
            lie there can be handed to it; what it must offer depends on `loss` alone.
        pairs: what to learn from.
        epochs: how often to go through all pairs; or give
        steps: how many batches to learn from. One of the two.
        batch_size: pairs in a step.
        max_tokens: instead, as many pairs of similar length as have at most so many
            tokens on either side, padding included.
        accumulate: in how many pieces a batch goes through the model, which needs less
            memory and takes the same step: gradients add up before it is taken.
        lr: the learning rate at its peak, see `learning_rate`.
        schedule: "cosine", "linear", "inverse_sqrt" or "constant".
        warmup: the share of all steps over which the learning rate rises.
        betas: how much of the past AdamW's means of gradients and of their squares
            keep from step to step (Kingma & Ba 2015, algorithm 1).
        weight_decay: AdamW's (Loshchilov & Hutter 2019); with 0 it is Adam.
        clip: gradients whose overall norm is larger are scaled down to it.
        precision: "bfloat16" computes products in 16 bits where that is harmless
            (`torch.autocast`); weights and sums stay float32.
        loss: `loss(model, batch) -> (loss, accuracy)`; fix its options with
            `functools.partial`. With `accumulate` or several processes it must be a
            mean over the target tokens after BOS, and call nothing but `model(...)`.
        valid: pairs that are measured after every epoch.
        measure: `measure(model, valid)`, for instance `mean_loss`.
        seed: fixes the order of the data and all randomness from here on. The
            model's first weights were drawn before: call `set_seed` before making it.
        checkpoint: a file to save to every `checkpoint_every` steps, after every
            epoch and on Ctrl-C. The old file stays whole until the new one is.
        keep: how many of the last epochs' weights to keep beside the checkpoint, for
            `attnlab.training.checkpoints.average_checkpoints`.
        resume: go on from `checkpoint` if the file is there, bit for bit as if the
            training had never stopped (on a GPU, as far as its kernels repeat
            themselves). False: start anew and overwrite it.
        progress: show a bar on stderr with loss, accuracy and the time left.
        device: "cpu", "cuda" …; None takes `attnlab.device()`.

    Returns:
        The history, from the first step on, also when resumed. Ctrl-C ends the
        training after the step under way: saves, says so, and returns what there is.

    Raises:
        ValueError: a setting out of range, no pairs, a checkpoint made with other
            settings, no checkpoint at all, or one that not all processes can read.
        TypeError: epochs, steps, batch_size or max_tokens is no integer.
        FloatingPointError: the loss is not finite any more.
        OSError: the checkpoint cannot be written; the last one is still whole.
    """
    _require_pairs(pairs)
    _require_settings(
        schedule,
        warmup,
        precision,
        keep,
        checkpoint,
        batch_size=batch_size,
        lr=lr,
        clip=clip,
        accumulate=accumulate,
        checkpoint_every=checkpoint_every,
    )
    check_integer("checkpoint_every", checkpoint_every, 1)
    check_number("weight_decay", weight_decay)
    if weight_decay < 0:
        raise ValueError(f"weight_decay must not be negative, got {weight_decay}")
    size = batch_size if max_tokens is None else None
    order = partial(plan_batches, pairs, size, max_tokens=max_tokens)
    steps_per_epoch = len(order(seed=0))  # the same for every seed
    total = _total_steps(epochs, steps, steps_per_epoch)
    where = best_device() if device is None else named_device(str(device))
    where = own_device(where)
    path = None if checkpoint is None else checkpoint_path(checkpoint)

    home = next(model.parameters()).device
    set_seed(seed)  # refuses what is no seed, before anything has changed
    model.to(where).train()
    optimizer = torch.optim.AdamW(
        model.parameters(),
        lr,
        betas=betas,
        weight_decay=weight_decay,
        fused=where.type in ("cpu", "cuda"),  # one call a step, not one a parameter
    )
    settings = {
        "steps": total,
        "batch_size": size,
        "max_tokens": max_tokens,
        "lr": lr,
        "schedule": schedule,
        "warmup": warmup,
        "betas": tuple(betas),
        "weight_decay": weight_decay,
        "clip": clip,
        "precision": precision,
        "seed": seed,
        "loss": _loss_name(loss),
        "data": _fingerprint(pairs),
        "model": repr(model),
    }
    run = _Run(model, optimizer, History(), settings, where, join(where))
    run.start_randomness(seed)
    if path is not None and resume and path.exists():
        run.load(path)
    run.require_one_start(path)
    together = run.processes.wrap(model)

    history, start = run.history, len(run.history.loss)
    stream = _batches_from(pairs, order, seed, start, steps_per_epoch)
    first = run.processes.first
    with _progress_bar(total, start, progress and first) as bar, _Interrupt() as stop:
        for step in range(start, total):
            clock = time.perf_counter()
            rate = learning_rate(
                step, total, peak=lr, warmup=round(warmup * total), schedule=schedule
            )
            pieces = run.processes.share(next(stream), accumulate)
            if not _take_step(run, together, pieces, loss, rate):
                stop.requested = True
                break
            epoch_over = (step + 1) % steps_per_epoch == 0 or step + 1 == total
            if epoch_over:
                _close_epoch(run, step + 1, steps_per_epoch, valid, measure)
            history.seconds += time.perf_counter() - clock
            _show(bar, history)
            if path and epoch_over and keep:
                run.keep_epoch(path, keep)
            if path and (epoch_over or (step + 1) % checkpoint_every == 0):
                run.save(path)
            if run.processes.sums(stop.requested)[0]:  # in any process
                break
    history.interrupted = len(history.loss) < total
    if history.interrupted:
        _stop_early(path, run)
    model.to(home).eval()
    return history


@dataclass
class _Run:
    """All that a step changes, and what a checkpoint must match."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    history: History
    settings: dict
    device: torch.device
    processes: Processes

    def start_randomness(self, seed: int) -> None:
        """Let every process drop other units than the first, whose seed is `seed`."""
        if not self.processes.first:
            torch.manual_seed(seed * 1000 + self.processes.rank)

    def save(self, path: Path) -> None:
        """Write the checkpoint; all processes must come here."""
        states = self.processes.gather(random_state(self.device))
        if self.processes.first:
            contents = {
                "settings": self.settings,
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "random": states,
                "history": asdict(self.history),
            }
            save_checkpoint(path, contents)

    def load(self, path: Path) -> None:
        """Put the run back to where it was when the checkpoint was saved."""
        saved = load_checkpoint(path, self.settings)
        self.model.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.history = History(**saved["history"])
        rank = self.processes.rank
        if rank < len(saved["random"]):  # it was saved by as many processes, or more
            set_random_state(saved["random"][rank], self.device)

    def require_one_start(self, path: Path | None) -> None:
        """Refuse to begin at different steps, as when only some see the checkpoint."""
        steps = self.processes.gather(len(self.history.loss))
        if len(set(steps)) > 1:
            raise ValueError(
                f"the processes would go on from steps {steps}: {path} must lie where "
                "all of them can read it"
            )

    def keep_epoch(self, path: Path, keep: int) -> None:
        """Write the weights after this epoch, and remove those of `keep` epochs ago."""
        if self.processes.first:
            epoch = len(self.history.epochs)
            save_checkpoint(epoch_path(path, epoch), self.model.state_dict())
            epoch_path(path, epoch - keep).unlink(missing_ok=True)


def _take_step(
    run: _Run,
    model: nn.Module,
    pieces: list[tuple[Batch, float]],
    loss: Loss,
    rate: float,
) -> bool:
    """Learn from one batch, in weighted pieces; False if Ctrl-C undid the step.

    `model` is the run's, or what all processes have in its place.
    """
    processes, settings = run.processes, run.settings
    before = random_state(run.device)
    value = accuracy = 0.0
    try:
        run.optimizer.zero_grad()
        for number, (piece, weight) in enumerate(pieces, start=1):
            last = number == len(pieces)
            with nullcontext() if last else processes.alone(model):
                with _products_in(settings["precision"], run.device):
                    its_loss, its_accuracy = loss(model, piece.to(run.device))
                # Processes take the mean of their gradients; here a sum is wanted.
                (its_loss * (weight * processes.size)).backward()
            value += weight * its_loss.item()
            accuracy += weight * its_accuracy.item()
    except KeyboardInterrupt:  # no weight has moved yet
        if processes.size > 1:  # the others wait for this one's gradients
            raise
        set_random_state(before, run.device)
        return False
    value, accuracy = processes.sums(value, accuracy)
    if not math.isfinite(value):
        raise FloatingPointError(
            f"the loss is {value} at step {len(run.history.loss)}: try a smaller lr"
        )
    nn.utils.clip_grad_norm_(run.model.parameters(), settings["clip"])
    for group in run.optimizer.param_groups:
        group["lr"] = rate
    run.optimizer.step()
    run.history.loss.append(value)
    run.history.accuracy.append(accuracy)
    return True


@contextmanager
def _products_in(precision: str, where: torch.device) -> Iterator[None]:
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
    step: int,
    steps_per_epoch: int,
    valid: Pairs | None,
    measure: Callable[[nn.Module, Pairs], float],
) -> None:
    """Write the epoch that ends with `step` into the history."""
    length = step % steps_per_epoch or steps_per_epoch
    loss, accuracy = run.history.loss[-length:], run.history.accuracy[-length:]
    run.history.epochs.append(
        {
            "step": step,
            "loss": sum(loss) / length,
            "accuracy": sum(accuracy) / length,
            "valid": None if valid is None else measure(run.model, valid),
        }
    )


def _batches_from(
    pairs: Pairs,
    order: Callable[..., list[list[int]]],
    seed: int,
    step: int,
    steps_per_epoch: int,
) -> Iterator[Batch]:
    """Yield the batches of one epoch after another, beginning with that of `step`.

    The order of an epoch follows from the seed and the epoch's number alone, so that
    a resumed training finds its place without having seen what came before.
    """
    first_epoch, skip = divmod(step, steps_per_epoch)
    for epoch in count(first_epoch):
        # 1000: the epochs of two seeds must not share their orders.
        for chunk in order(seed=seed * 1000 + epoch)[skip:]:
            yield collate([pairs[i] for i in chunk])
        skip = 0


def _progress_bar(total: int, start: int, progress: bool) -> tqdm:
    return tqdm(
        total=total,
        initial=start,
        unit="step",
        disable=not progress,
        file=sys.stderr,
        dynamic_ncols=True,
    )


def _show(bar: tqdm, history: History) -> None:
    """Move the bar on; the figures are means over the last steps, easier to read."""
    loss, accuracy = history.loss[-50:], history.accuracy[-50:]
    figures = {
        "loss": f"{sum(loss) / len(loss):.3f}",
        "accuracy": f"{sum(accuracy) / len(accuracy):.1%}",
    }
    if history.epochs and history.epochs[-1]["valid"] is not None:
        figures["valid"] = f"{history.epochs[-1]['valid']:.3f}"
    bar.set_postfix(figures, refresh=False)
    bar.update()


# Stopping and going on --------------------------------------------------------------


class _Interrupt:
    """Within it, a first Ctrl-C only sets `requested`: the step under way is finished.

    An optimizer stopped in the middle of a step would leave weights that no
    uninterrupted training ever has. A second Ctrl-C interrupts as usual. Where Ctrl-C
    is not Python's own (another handler is set, or this is not the main thread, the
    only one that it reaches), it is left alone.
    """

    def __enter__(self) -> "_Interrupt":
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


def _stop_early(path: Path | None, run: _Run) -> None:
    """Save, and say what happened and how to go on."""
    if path is not None:
        run.save(path)
    done, total = len(run.history.loss), run.settings["steps"]
    then = (
        "nothing was saved, as no checkpoint was named"
        if path is None
        else f"saved to {path}; the same call goes on from there"
    )
    if run.processes.first:
        print(
            f"Stopped by Ctrl-C after {done} of {total} steps: {then}.", file=sys.stderr
        )


# Checks at the door -----------------------------------------------------------------


def _require_pairs(pairs: Pairs) -> None:
    if len(pairs) == 0:
        raise ValueError("no pairs given: expected at least one")


def _require_settings(
    schedule: str,
    warmup: float,
    precision: str,
    keep: int,
    checkpoint: str | os.PathLike | None,
    accumulate: int,
    **positive: float,
) -> None:
    if schedule not in SCHEDULES:
        raise ValueError(f"schedule {schedule!r} is none of {', '.join(SCHEDULES)}")
    check_number("warmup", warmup)
    if not 0 <= warmup <= 1:
        raise ValueError(f"warmup is a share of all steps, 0 to 1; got {warmup}")
    if precision not in PRECISIONS:
        raise ValueError(f"precision {precision!r} is none of {', '.join(PRECISIONS)}")
    check_integer("keep", keep, 0)
    if keep and checkpoint is None:
        raise ValueError("keep needs a checkpoint, beside which to keep the weights")
    for name, value in {**positive, "accumulate": accumulate}.items():
        if value != math.inf or name != "clip":  # without a limit nothing is clipped
            check_number(name, value, above=0)
    check_integer("accumulate", accumulate, 1)


def _total_steps(epochs: int | None, steps: int | None, steps_per_epoch: int) -> int:
    if (epochs is None) == (steps is None):
        raise ValueError(f"give epochs or steps, one of them; got {epochs=}, {steps=}")
    given, worth = (steps, 1) if epochs is None else (epochs, steps_per_epoch)
    if isinstance(given, bool) or not isinstance(given, int):
        raise TypeError(f"epochs or steps must be an int, got {epochs=}, {steps=}")
    total = given * worth
    if total < 1:
        raise ValueError(f"epochs or steps must be at least 1, got {epochs or steps}")
    return total


def _loss_name(loss: Loss) -> str:
    """Name a loss so that the same one has the same name in the next process."""
    if isinstance(loss, partial):
        return f"{_loss_name(loss.func)}{loss.args}{loss.keywords}"
    return getattr(loss, "__name__", type(loss).__name__)


def _fingerprint(pairs: Pairs) -> int:
    """A number that other pairs, or the same in another order, will not have."""
    return zlib.crc32(repr([pairs[i] for i in range(len(pairs))]).encode())
