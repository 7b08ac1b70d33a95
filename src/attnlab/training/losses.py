"""Losses: what `train` minimises, `loss(model, batch) -> (loss, accuracy)`."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.checks import check_all, check_ids, check_number, check_vocabulary
from attnlab.data import PAD, Batch

Loss = Callable[[nn.Module, Batch], tuple[Tensor, Tensor]]


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
    _check_classes(targets, logits)
    loss = F.cross_entropy(
        logits.flatten(0, 1),  # (batch * length, vocabulary)
        targets.flatten().long(),  # (batch * length,)
        ignore_index=PAD,
        label_smoothing=label_smoothing,
    )
    return loss, _token_accuracy(logits, targets)


def next_token_loss(model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor]:
    """Predict each token of `batch.tgt` from those before it; there is no source.

    What `cross_entropy_loss` is to a translator this is to a language model.

    Args:
        model: maps tokens (B, n) to logits (B, n, vocabulary).
        batch: `tgt`, each row BOS, tokens, EOS, padding.

    Returns:
        The loss and the accuracy (share of next tokens predicted right), scalars.

    Raises:
        TypeError, ValueError: what the model does not take, or no tokens to predict.
    """
    inputs, targets = _inputs_and_targets(batch)
    logits = _at_least_float32(model(inputs))  # (batch, length, vocabulary)
    _check_classes(targets, logits)
    loss = F.cross_entropy(
        logits.flatten(0, 1),  # (batch * length, vocabulary)
        targets.flatten().long(),
        ignore_index=PAD,
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
    _check_classes(targets, logits)
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


def tagging_loss(model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor]:
    """Return the mean of −log P(class) over all real tokens, for `train(…, loss=…)`.

    Args:
        model: maps src (B, n) to logits (B, n, classes).
        batch: `src`, and in `tgt` the class of every token, PAD where none is wanted.

    Returns:
        The loss and the accuracy (share of tokens told right), scalars.

    Raises:
        TypeError, ValueError: what the model does not take, classes that it does not
            have, or not one wanted.
    """
    logits = model(batch.src)  # (batch, n, classes)
    _check_classes(batch.tgt, logits)
    wanted = batch.tgt != PAD
    message = (
        f"tgt must have classes for src {tuple(batch.src.shape)}, some of them not "
        f"PAD, got {tuple(batch.tgt.shape)}"
    )
    if batch.tgt.shape != batch.src.shape:
        raise ValueError(message)
    check_all(wanted.any(), message)
    loss = F.cross_entropy(
        logits.flatten(0, 1),  # (batch * n, classes)
        batch.tgt.flatten().long(),
        ignore_index=PAD,
    )
    return loss, _token_accuracy(logits, batch.tgt)


def _at_least_float32(x: Tensor) -> Tensor:
    """Widen half precision, in which the largest of many logits is found slowly."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _inputs_and_targets(batch: Batch) -> tuple[Tensor, Tensor]:
    """Cut targets into what a decoder reads and what it is to say after each."""
    tgt = batch.tgt
    message = (
        "tgt must be (batch, length), with BOS and a token that is not PAD behind "
        f"it, got {tuple(tgt.shape)}"
    )
    if tgt.dim() != 2:
        raise ValueError(message)
    check_all((tgt[:, 1:] != PAD).any(), message)
    return tgt[:, :-1], tgt[:, 1:]


def _check_classes(targets: Tensor, logits: Tensor) -> None:
    """Raise unless all targets are classes that the logits have."""
    check_ids("tgt", targets)
    check_vocabulary("tgt", targets, logits.shape[-1])


def _token_accuracy(logits: Tensor, targets: Tensor) -> Tensor:
    real = targets != PAD
    right = (logits.detach().argmax(-1) == targets) & real
    return right.sum() / real.sum()
