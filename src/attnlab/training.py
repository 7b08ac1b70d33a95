"""The one training loop of the book: every model of every chapter goes through it.

    history = train(model, pairs, epochs=6, seed=0)
    exact_match(model, held_out_pairs)

`train` minimises a loss `loss(model, batch) -> (loss, accuracy)` with AdamW, gradient
clipping and a learning rate that warms up and then falls. With `checkpoint=` it can be
stopped at any moment and continued later, bit for bit as if it had never stopped.
"""

import io
import math
import os
import random
import signal
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import count, islice
from pathlib import Path
from pickle import UnpicklingError

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from attnlab.data import PAD, Batch, NumberPairs, batches
from attnlab.decoding import greedy
from attnlab.device import device as best_device
from attnlab.device import named_device

Pairs = Sequence[tuple[list[int], list[int]]]  # (src ids, tgt ids), as NumberPairs
Loss = Callable[[nn.Module, Batch], tuple[Tensor, Tensor]]

SCHEDULES = ("cosine", "linear", "inverse_sqrt", "constant")


@dataclass
class History:
    """What happened during training.

    Attributes:
        loss: the loss of every step.
        accuracy: of every step, the share of next tokens the model predicted right.
        epochs: one dict an epoch: `step` (the last), the mean `loss` and
            `accuracy`, and `valid` (exact match on the validation pairs, None without).
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
    """
    inputs, targets = batch.tgt[:, :-1], batch.tgt[:, 1:]
    logits = model(batch.src, inputs)  # (batch, length, vocabulary)
    loss = F.cross_entropy(
        logits.flatten(0, 1),  # (batch * length, vocabulary)
        targets.flatten(),  # (batch * length,)
        ignore_index=PAD,
        label_smoothing=label_smoothing,
    )
    return loss, _token_accuracy(logits, targets)


def reinforce_loss(
    model: nn.Module, batch: Batch, *, entropy_weight: float = 0.01
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
        entropy_weight: λ, what keeps the model trying other positions.

    Returns:
        The loss and the accuracy (share of next tokens predicted right), scalars.
    """
    inputs, targets = batch.tgt[:, :-1], batch.tgt[:, 1:]
    logits, sample_log_prob, entropy = model.forward_sampled(batch.src, inputs)
    log_prob = -F.cross_entropy(
        logits.transpose(1, 2),  # (batch, vocabulary, length)
        targets,
        reduction="none",
    )  # (batch, length)
    real = targets != PAD
    reward = log_prob.detach()
    advantage = reward - model.baseline
    if model.training:
        model.baseline.lerp_(reward[real].mean(), 0.1)
    objective = log_prob + advantage * sample_log_prob + entropy_weight * entropy
    return -objective[real].mean(), _token_accuracy(logits, targets)


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
    by_length = {length: [] for length in sorted(set(pairs.lengths))}
    for length, ok in zip(pairs.lengths, right, strict=True):
        by_length[length].append(ok)
    return {length: sum(oks) / len(oks) for length, oks in by_length.items()}


# Schedule and seed ------------------------------------------------------------------


def learning_rate(
    step: int, total: int, *, peak: float, warmup: int, schedule: str
) -> float:
    """Return the learning rate of a step, `step` counted from 0.

    It rises in a straight line to `peak` over the first `warmup` steps. From there to
    step `total` it falls along a "cosine" to 0, in a straight line to 0 ("linear"),
    as 1 / √step ("inverse_sqrt", Vaswani et al. 2017, eq. 3), or stays ("constant").

    Raises:
        ValueError: an unknown schedule.
    """
    if schedule not in SCHEDULES:
        raise ValueError(f"schedule {schedule!r} is none of {', '.join(SCHEDULES)}")
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
    """Seed every random generator in use: Python's, NumPy's and torch's."""
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
    lr: float = 3e-3,
    schedule: str = "cosine",
    warmup: float = 0.05,
    weight_decay: float = 0.01,
    clip: float = 1.0,
    loss: Loss = cross_entropy_loss,
    valid: Pairs | None = None,
    seed: int = 0,
    checkpoint: str | os.PathLike | None = None,
    checkpoint_every: int = 200,
    resume: bool = True,
    progress: bool = True,
    device: str | torch.device | None = None,
) -> History:
    """Train a model in place; it comes back in eval mode, ready to be asked.

    Args:
        model: moved to `device`; what it must offer depends on `loss` alone.
        pairs: what to learn from.
        epochs: how often to go through all pairs; or give
        steps: how many batches to learn from. One of the two.
        batch_size: pairs in a step.
        lr: the learning rate at its peak, see `learning_rate`.
        schedule: "cosine", "linear", "inverse_sqrt" or "constant".
        warmup: the share of all steps over which the learning rate rises.
        weight_decay: AdamW's (Loshchilov & Hutter 2019).
        clip: gradients whose overall norm is larger are scaled down to it.
        loss: `loss(model, batch) -> (loss, accuracy)`; fix its options with
            `functools.partial`.
        valid: pairs whose exact match is measured after every epoch.
        seed: fixes the order of the data and all randomness from here on. The
            model's first weights were drawn before: call `set_seed` before making it.
        checkpoint: a file to save to every `checkpoint_every` steps, after every
            epoch and on Ctrl-C. The old file stays whole until the new one is.
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
            settings or no checkpoint at all.
        TypeError: epochs, steps or batch_size is no integer.
        FloatingPointError: the loss is not finite any more.
        OSError: the checkpoint cannot be written; the last one is still whole.
    """
    _require_pairs(pairs)
    _require_settings(batch_size, lr, schedule, warmup, clip, checkpoint_every)
    steps_per_epoch = math.ceil(len(pairs) / batch_size)
    total = _total_steps(epochs, steps, steps_per_epoch)
    where = best_device() if device is None else named_device(str(device))
    path = None if checkpoint is None else _checkpoint_path(checkpoint)

    set_seed(seed)
    model.to(where).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr, weight_decay=weight_decay)
    settings = {
        "steps": total,
        "batch_size": batch_size,
        "lr": lr,
        "schedule": schedule,
        "warmup": warmup,
        "weight_decay": weight_decay,
        "clip": clip,
        "seed": seed,
        "loss": _loss_name(loss),
        "data": _fingerprint(pairs),
        "model": repr(model),
    }
    run = _Run(model, optimizer, History(), settings, where)
    if path is not None and resume and path.exists():
        _load(path, run)

    history, start = run.history, len(run.history.loss)
    stream = _batches_from(pairs, batch_size, seed, start, steps_per_epoch)
    with _progress_bar(total, start, progress) as bar, _Interrupt() as interrupt:
        for step in range(start, total):
            clock = time.perf_counter()
            rate = learning_rate(
                step, total, peak=lr, warmup=round(warmup * total), schedule=schedule
            )
            if not _take_step(run, next(stream), loss, rate, clip):
                interrupt.requested = True
                break
            epoch_over = (step + 1) % steps_per_epoch == 0 or step + 1 == total
            if epoch_over:
                _close_epoch(run, step + 1, steps_per_epoch, valid)
            history.seconds += time.perf_counter() - clock
            _show(bar, history)
            if path and (epoch_over or (step + 1) % checkpoint_every == 0):
                _save(path, run)
            if interrupt.requested:
                break
    history.interrupted = len(history.loss) < total
    if history.interrupted:
        _stop_early(path, run)
    model.eval()
    return history


@dataclass
class _Run:
    """All that a step changes, and what a checkpoint must match."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    history: History
    settings: dict
    device: torch.device


def _take_step(run: _Run, batch: Batch, loss: Loss, rate: float, clip: float) -> bool:
    """Learn from one batch; False if a KeyboardInterrupt undid the step."""
    before = _rng_state(run.device)
    try:
        run.optimizer.zero_grad()
        value, accuracy = loss(run.model, batch.to(run.device))
        value.backward()
    except KeyboardInterrupt:  # no weight has moved yet
        _set_rng_state(before, run.device)
        return False
    if not torch.isfinite(value):
        raise FloatingPointError(
            f"the loss is {value.item()} at step {len(run.history.loss)}: "
            "try a smaller lr"
        )
    nn.utils.clip_grad_norm_(run.model.parameters(), clip)
    for group in run.optimizer.param_groups:
        group["lr"] = rate
    run.optimizer.step()
    run.history.loss.append(value.item())
    run.history.accuracy.append(accuracy.item())
    return True


def _close_epoch(
    run: _Run, step: int, steps_per_epoch: int, valid: Pairs | None
) -> None:
    """Write the epoch that ends with `step` into the history."""
    length = step % steps_per_epoch or steps_per_epoch
    loss, accuracy = run.history.loss[-length:], run.history.accuracy[-length:]
    run.history.epochs.append(
        {
            "step": step,
            "loss": sum(loss) / length,
            "accuracy": sum(accuracy) / length,
            "valid": None if valid is None else exact_match(run.model, valid),
        }
    )


def _batches_from(
    pairs: Pairs, batch_size: int, seed: int, step: int, steps_per_epoch: int
) -> Iterator[Batch]:
    """Yield the batches of one epoch after another, beginning with that of `step`.

    The order of an epoch follows from the seed and the epoch's number alone, so that
    a resumed training finds its place without having seen what came before.
    """
    first_epoch, skip = divmod(step, steps_per_epoch)
    for epoch in count(first_epoch):
        # 1000: the epochs of two seeds must not share their orders.
        yield from islice(batches(pairs, batch_size, seed * 1000 + epoch), skip, None)
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
        figures["valid"] = f"{history.epochs[-1]['valid']:.1%}"
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
        _save(path, run)
    done, total = len(run.history.loss), run.settings["steps"]
    then = (
        "nothing was saved, as no checkpoint was named"
        if path is None
        else f"saved to {path}; the same call goes on from there"
    )
    print(f"Stopped by Ctrl-C after {done} of {total} steps: {then}.", file=sys.stderr)


def _save(path: Path, run: _Run) -> None:
    """Write the checkpoint beside its place, then move it there in one step."""
    contents = io.BytesIO()
    torch.save(
        {
            "settings": run.settings,
            "model": run.model.state_dict(),
            "optimizer": run.optimizer.state_dict(),
            "rng": _rng_state(run.device),
            "history": asdict(run.history),
        },
        contents,
    )
    write_atomically(path, contents.getvalue())


def write_atomically(path: Path, contents: bytes) -> None:
    """Replace a file's contents so that it is always whole: the old or the new.

    Raises:
        OSError: the disk is full or the folder closed; the old file is untouched.
    """
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with open(unfinished, "wb") as file:
            file.write(contents)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as e:
        what = f"cannot write {path}, which is as it was: {e.strerror or e}"
        raise OSError(e.errno, what) from e
    finally:
        unfinished.unlink(missing_ok=True)


def _load(path: Path, run: _Run) -> None:
    """Put the run back to where it was when the checkpoint was saved."""
    try:
        saved = torch.load(path, map_location="cpu", weights_only=True)
        settings = saved["settings"]
    except (OSError, RuntimeError, KeyError, TypeError, EOFError, UnpicklingError) as e:
        raise ValueError(
            f"{path} is no whole checkpoint of train(): remove it, or pass resume=False"
        ) from e
    if settings != run.settings:
        raise ValueError(
            f"{path} belongs to another training "
            f"({_differences(settings, run.settings)}): "
            "name another checkpoint, or pass resume=False to overwrite it"
        )
    run.model.load_state_dict(saved["model"])
    run.optimizer.load_state_dict(saved["optimizer"])
    run.history = History(**saved["history"])
    _set_rng_state(saved["rng"], run.device)


def _differences(saved: dict, wanted: dict) -> str:
    """Say which settings differ; the long ones by name only."""
    parts = []
    for name, value in wanted.items():
        if saved.get(name) == value:
            continue
        if name in ("data", "model"):
            parts.append(f"its {name} is not this {name}")
        else:
            parts.append(f"{name} was {saved.get(name)!r}, now {value!r}")
    return ", ".join(parts)


def _rng_state(where: torch.device) -> dict[str, Tensor]:
    """torch's random state: on the CPU, and on the device in use if it is another."""
    state = {"cpu": torch.get_rng_state()}
    if where.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(where)
    if where.type == "mps":
        state["mps"] = torch.mps.get_rng_state()
    return state


def _set_rng_state(state: dict[str, Tensor], where: torch.device) -> None:
    torch.set_rng_state(state["cpu"])
    if where.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"], where)
    if where.type == "mps" and "mps" in state:
        torch.mps.set_rng_state(state["mps"])


# Checks at the door -----------------------------------------------------------------


def _require_pairs(pairs: Pairs) -> None:
    if len(pairs) == 0:
        raise ValueError("no pairs given: expected at least one")


def _require_settings(
    batch_size: int,
    lr: float,
    schedule: str,
    warmup: float,
    clip: float,
    checkpoint_every: int,
) -> None:
    if schedule not in SCHEDULES:
        raise ValueError(f"schedule {schedule!r} is none of {', '.join(SCHEDULES)}")
    if not 0 <= warmup <= 1:
        raise ValueError(f"warmup is a share of all steps, 0 to 1; got {warmup}")
    positive = {
        "batch_size": batch_size,
        "lr": lr,
        "clip": clip,
        "checkpoint_every": checkpoint_every,
    }
    for name, value in positive.items():
        if not value > 0:
            raise ValueError(f"{name} must be above 0, got {value}")


def _total_steps(epochs: int | None, steps: int | None, steps_per_epoch: int) -> int:
    if (epochs is None) == (steps is None):
        raise ValueError(f"give epochs or steps, one of them; got {epochs=}, {steps=}")
    if not isinstance(steps if epochs is None else epochs, int):
        raise TypeError(f"epochs or steps must be an int, got {epochs=}, {steps=}")
    total = steps if epochs is None else epochs * steps_per_epoch
    if total < 1:
        raise ValueError(f"epochs or steps must be at least 1, got {epochs or steps}")
    return total


def _checkpoint_path(checkpoint: str | os.PathLike) -> Path:
    path = Path(checkpoint)
    if path.is_dir():
        raise ValueError(f"checkpoint {path} is a folder: expected the name of a file")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _loss_name(loss: Loss) -> str:
    """Name a loss so that the same one has the same name in the next process."""
    if isinstance(loss, partial):
        return f"{_loss_name(loss.func)}{loss.args}{loss.keywords}"
    return getattr(loss, "__name__", type(loss).__name__)


def _fingerprint(pairs: Pairs) -> int:
    """A number that other pairs, or the same in another order, will not have."""
    return zlib.crc32(repr([pairs[i] for i in range(len(pairs))]).encode())
