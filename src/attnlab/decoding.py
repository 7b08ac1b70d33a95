"""From a trained model to an output: greedy and beam search.

Both work with any model that decodes step by step:

- `model.start(src) -> state`, a NamedTuple of batch-first tensors;
- `model.step(tokens, state) -> (logits (batch, vocab), state)`;
- `model.reorder(state, index) -> state` whose sentence i is the old `index[i]`.

Type checkers know no methods of an `nn.Module` but torch's own: hence `model: Any`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attnlab.checks import check_integer, check_number
from attnlab.tokens import BOS, EOS, PAD

MAX_LENGTH_PENALTY = (
    10.0  # beyond it scores overflow; what is in use lies between 0 and 2
)


class Hypothesis(NamedTuple):
    """One finished output of beam search.

    Attributes:
        tokens: the generated ids, BOS left out, EOS kept; without EOS if `max_len`
            cut it off.
        score: log-probability / ((5 + length) / 6)^length_penalty, where the length
            counts the EOS (Wu et al. 2016, eq. 14).
    """

    tokens: list[int]
    score: float


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Switch to eval mode and no gradients, and put each module's mode back."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for module, training in modes:
            module.training = training


def greedy(model: Any, src: Tensor, max_len: int) -> Tensor:
    """Take the most probable token at every step.

    Args:
        model: anything with `start` and `step` (see the module's docstring).
        src: (batch, L_s), token ids, padded to the right.
        max_len: the most tokens to generate, EOS included.

    Returns:
        (batch, ≤ max_len): BOS left out, EOS kept, PAD after it.

    Raises:
        TypeError: max_len is no integer, or the source no tensor of ids.
        ValueError: max_len < 1, or the model finds the source wanting.
    """
    check_integer("max_len", max_len, 1)
    generated = []
    with evaluating(model):
        state = model.start(src)
        tokens = torch.full((len(src),), BOS, device=src.device)
        ended = torch.zeros_like(tokens, dtype=torch.bool)
        for _ in range(max_len):
            logits, state = model.step(tokens, state)
            tokens = logits.argmax(-1).masked_fill(ended, PAD)
            generated.append(tokens)
            ended = ended | (tokens == EOS)
            if ended.all():
                break
    return torch.stack(generated, dim=1)  # (batch, length)


def beam_search(
    model: Any,
    src: Tensor,
    max_len: int,
    width: int = 4,
    length_penalty: float = 0.0,
    *,
    record: Callable[[Tensor, Tensor, Tensor], None] | None = None,
) -> list[list[Hypothesis]]:
    """Keep the `width` most probable beginnings at every step.

    A beginning that ends with EOS leaves the beam and its place is not filled again
    (Sutskever et al. 2014, section 3.2), so each sentence gets `width` hypotheses at
    most, and width 1 is greedy search. Those still open at `max_len` are kept as they
    are.

    Args:
        model: anything with `start`, `step` and `reorder`.
        src: (batch, L_s), token ids, padded to the right.
        max_len: the most tokens to generate, EOS included.
        width: places in the beam.
        length_penalty: α of the score (see `Hypothesis`); 0 is the log-probability.
        record: is called at each step with the log-probabilities of all beginnings, and
            of their last tokens alone, (batch, width, vocab), and with how many places
            each beam has left, (batch, 1). A beginning that takes the place p is the
            p-th best.

    Returns:
        For each sentence its hypotheses, the best score first.

    Raises:
        TypeError: a setting is no number, or the source no tensor of ids.
        ValueError: max_len < 1, width < 1 or a length penalty beyond ±10, or the model
            finds the source wanting.
    """
    check_integer("max_len", max_len, 1)
    check_integer("width", width, 1)
    check_number("length_penalty", length_penalty)
    if abs(length_penalty) > MAX_LENGTH_PENALTY:
        raise ValueError(
            f"length_penalty must lie within ±{MAX_LENGTH_PENALTY:g}, "
            f"got {length_penalty}"
        )
    dead = float("-inf")
    with evaluating(model):
        state = model.start(src)
        batch = len(src)
        finished: list[list[Hypothesis]] = [[] for _ in range(batch)]
        # The beams of one sentence are neighbours: row = sentence · width + place.
        first_row = torch.arange(batch, device=src.device)[:, None] * width
        state = model.reorder(state, first_row.expand(-1, width).flatten() // width)
        history = torch.full((batch, width, 1), BOS, device=src.device)
        places = torch.arange(width, device=src.device)
        room = torch.full((batch, 1), width, device=src.device)
        for length in range(1, max_len + 1):
            logits, state = model.step(history[:, :, -1].flatten(), state)
            steps = logits.log_softmax(-1).view(batch, width, -1)
            if length == 1:  # all places hold the same beginning: let one of them live
                log_probs = torch.full_like(steps[:, :, 0], dead)
                log_probs[:, 0] = 0.0
            candidates = log_probs[..., None] + steps  # (batch, width, vocab)
            if record is not None:
                record(candidates, steps, room)
            log_probs, index = candidates.flatten(1).topk(width)  # (batch, width)
            log_probs = log_probs.masked_fill(places >= room, dead)
            parent, tokens = index // steps.shape[-1], index % steps.shape[-1]
            parents = parent[..., None].expand(-1, -1, length)
            history = torch.cat([history.gather(1, parents), tokens[..., None]], dim=-1)

            leaving = log_probs > dead
            if length < max_len:
                leaving &= tokens == EOS
            penalty = ((5 + length) / 6) ** length_penalty
            for sentence, place in leaving.nonzero().tolist():
                ids = history[sentence, place, 1:].tolist()
                score = log_probs[sentence, place].item() / penalty
                finished[sentence].append(Hypothesis(ids, score))
            room = room - leaving.sum(1, keepdim=True)
            log_probs = log_probs.masked_fill(leaving, dead)
            if not (log_probs > dead).any():
                break
            state = model.reorder(state, (first_row + parent).flatten())
    return [sorted(h, key=lambda one: one.score, reverse=True) for h in finished]


# Two slower ways to the same tokens ---------------------------------------------------


def greedy_prefix(model: Any, src: Tensor, max_len: int) -> Tensor:
    """Decode greedily by reading all that was produced anew at every step.

    What `greedy` does without a cache: step t runs the decoder over t tokens, of which
    t − 1 have been there before.

    Args:
        model: a `Transformer`.
        src, max_len: as for `greedy`.

    Returns, raises:
        As `greedy`.
    """
    check_integer("max_len", max_len, 1)
    with evaluating(model):
        memory, src_mask = model.encode(src), model.src_mask(src)
        prefix = torch.full((len(src), 1), BOS, device=src.device)
        while prefix.shape[1] <= max_len and not _has_eos(prefix).all():
            logits = model.decode(prefix, memory, src_mask)  # (batch, length, vocab)
            tokens = logits[:, -1].argmax(-1).masked_fill(_has_eos(prefix), PAD)
            prefix = torch.cat([prefix, tokens[:, None]], dim=1)
    return prefix[:, 1:]


def greedy_padded(model: Any, src: Tensor, max_len: int) -> Tensor:
    """Decode greedily by filling the places of a padded target, one a step.

    Every step runs the decoder over all `max_len` places and uses the logits of one.
    The masks see to it that the padding behind makes no difference.

    Args:
        model: a `Transformer`.
        src, max_len: as for `greedy`.

    Returns, raises:
        As `greedy`.
    """
    check_integer("max_len", max_len, 1)
    with evaluating(model):
        memory, src_mask = model.encode(src), model.src_mask(src)
        places = torch.full((len(src), max_len + 1), PAD, device=src.device)
        places[:, 0] = BOS
        for length in range(1, max_len + 1):
            logits = model.decode(places[:, :-1], memory, src_mask)
            tokens = logits[:, length - 1].argmax(-1)
            places[:, length] = tokens.masked_fill(_has_eos(places), PAD)
            if _has_eos(places).all():
                break
    return places[:, 1 : length + 1]


def _has_eos(tokens: Tensor) -> Tensor:
    """Say which sentences hold an EOS: (batch, length) -> (batch,)."""
    return (tokens == EOS).any(1)
