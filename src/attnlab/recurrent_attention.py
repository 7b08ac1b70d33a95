"""Attention inside a recurrent decoder: global or in a window, soft or hard."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnlab.checks import check_floating
from attnlab.masks import masked_softmax
from attnlab.scores import Score

WINDOWS = ("local-m", "local-p")


class AttentionOutput(NamedTuple):
    """What attention saw.

    Attributes:
        context: (batch, L_q, d_model), the weighted sum of the memory.
        weights: (batch, L_q, L_s), the weights really used: one-hot if hard.
        log_prob, entropy: (batch, L_q), of the position that hard attention chose and
            of the distribution it was chosen from; None if soft.
    """

    context: Tensor
    weights: Tensor
    log_prob: Tensor | None = None
    entropy: Tensor | None = None


class Attention(nn.Module):
    """Score, (window,) softmax, weighted sum or one sampled item.

    Args:
        score: one of `attnlab.scores`.
        window: None (global), or a `MonotonicWindow` or `PredictiveWindow`.
        hard: look at one position only (Xu et al. 2015, section 4.1): sampled from the
            weights in training, the heaviest one in evaluation.
    """

    def __init__(
        self, score: Score, window: nn.Module | None = None, hard: bool = False
    ) -> None:
        super().__init__()
        self.score = score
        self.window = window
        self.hard = hard

    def forward(
        self, query: Tensor, keys: Tensor, memory: Tensor, mask: Tensor, time: Tensor
    ) -> AttentionOutput:
        """Attend.

        Args:
            query: (batch, L_q, d_model).
            keys: (batch, L_s, …), `score.prepare(memory)`.
            memory: (batch, L_s, d_model), what is summed.
            mask: (batch, 1, L_s), True at real tokens.
            time: (batch or 1, L_q), the target position of each query, from 0.
        """
        scores = self.score.compare(query, keys)  # (batch, L_q, L_s)
        if self.window is None:
            weights = masked_softmax(scores, mask)
        else:
            mask, gain = self.window(query, mask, time)
            weights = masked_softmax(scores, mask) * gain
        if self.hard:
            weights, log_prob, entropy = choose(weights, sample=self.training)
            return AttentionOutput(weights @ memory, weights, log_prob, entropy)
        return AttentionOutput(weights @ memory, weights)


def choose(weights: Tensor, *, sample: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Choose one position per query: hard attention.

    Args:
        weights: (batch, L_q, L_s), rows that sum to 1 or less, or are all 0.
        sample: draw from the row (made to sum to 1), or else take its largest weight.

    Returns:
        choice (batch, L_q, L_s), one-hot, and without a gradient; log_prob and entropy,
        (batch, L_q), with one. An all-0 row chooses nothing and gets 0 everywhere.

    Raises:
        TypeError: the weights are not floating point.
        ValueError: a wrong rank, or nothing to choose from.
    """
    check_floating("weights", weights)
    if weights.dim() != 3 or weights.shape[-1] == 0:
        raise ValueError(
            f"weights must be (batch, L_q, L_k), got {tuple(weights.shape)}"
        )
    tiny = torch.finfo(weights.dtype).tiny
    total = weights.sum(-1, keepdim=True)
    empty = total == 0  # (batch, L_q, 1)
    probs = weights / total.clamp(min=tiny)
    if sample:
        # multinomial refuses an all-0 row: give it any numbers, its choice is dropped.
        rows = (probs.detach() + empty).flatten(0, 1)  # (batch * L_q, L_s)
        index = rows.multinomial(1).view_as(total)
    else:
        index = probs.argmax(-1, keepdim=True)  # (batch, L_q, 1)
    places = torch.arange(weights.shape[-1], device=weights.device)
    choice = ((places == index) & ~empty).to(probs)  # (batch, L_q, L_k)
    log_probs = probs.clamp(min=tiny).log()
    log_prob = log_probs.gather(2, index).masked_fill(empty, 0.0).squeeze(-1)
    entropy = -(probs * log_probs).sum(-1)
    return choice, log_prob, entropy


class MonotonicWindow(nn.Module):
    """local-m: query t sees positions t − radius … t + radius (Luong 2015, 3.2).

    Where the target runs on past the source by more than `radius` there is nothing to
    see, and the context is 0.
    """

    def __init__(self, radius: int) -> None:
        super().__init__()
        self.radius = radius

    def forward(
        self, query: Tensor, mask: Tensor, time: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the narrowed mask (batch, L_q, L_s), and 1: no weight is changed."""
        positions = torch.arange(mask.shape[-1], device=mask.device)  # (L_s,)
        inside = (positions - time[..., None]).abs() <= self.radius
        return mask & inside, query.new_ones(())


class PredictiveWindow(nn.Module):
    """local-p: the query predicts the window's centre p_t (Luong 2015, eq. 9, 10).

    p_t = S · sigmoid(v_p · tanh(W_p s_t)), S the source's length, positions from 0. The
    softmax over the window is multiplied by exp(−(position − p_t)² / 2σ²) with σ =
    radius / 2, through which alone p_t learns; as in the paper, a row then sums to less
    than 1.
    """

    def __init__(self, d_query: int, radius: int) -> None:
        super().__init__()
        self.radius = radius
        self.hidden = nn.Linear(d_query, d_query, bias=False)
        self.out = nn.Linear(d_query, 1, bias=False)

    def forward(
        self, query: Tensor, mask: Tensor, time: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the narrowed mask and the Gaussian, both (batch, L_q, L_s)."""
        length = mask.sum(-1, keepdim=True)  # (batch, 1, 1)
        centre = length * torch.sigmoid(self.out(torch.tanh(self.hidden(query))))
        positions = torch.arange(mask.shape[-1], device=mask.device)  # (L_s,)
        distance = positions - centre  # (batch, L_q, L_s)
        gaussian = torch.exp(-(distance**2) / (2 * (self.radius / 2) ** 2))
        return mask & (distance.abs() <= self.radius), gaussian


def make_window(kind: str | None, d_query: int, radius: int) -> nn.Module | None:
    """Return the window of that name; None is none: global attention."""
    if kind == "local-m":
        return MonotonicWindow(radius)
    if kind == "local-p":
        return PredictiveWindow(d_query, radius)
    return None
