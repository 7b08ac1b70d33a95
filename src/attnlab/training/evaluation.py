"""How good a trained model is: exact matches, the mean loss, tokens told right."""

from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.data import PAD, NumberPairs, batches
from attnlab.data.pairs import Pairs
from attnlab.decoding import evaluating, greedy
from attnlab.training.losses import Loss, cross_entropy_loss


def exact_matches(
    model: nn.Module, pairs: Pairs, *, batch_size: int = 256
) -> list[bool]:
    """For each pair: is the greedy translation right in every token, EOS included?

    Runs on the model's device and leaves its train or eval mode as it was.

    Raises:
        ValueError: `pairs` is empty.
    """
    require_pairs(pairs)
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
    require_pairs(pairs)
    where = next(model.parameters()).device
    total, tokens = 0.0, 0
    with evaluating(model):
        for batch in batches(pairs, max_tokens=max_tokens, seed=0):
            count = int((batch.tgt[:, 1:] != PAD).sum())
            total += loss(model, batch.to(where))[0].item() * count
            tokens += count
    return total / tokens


def tagging_accuracy(
    model: nn.Module,
    pairs: Pairs,
    head_mask: Tensor | None = None,
    *,
    batch_size: int = 256,
) -> tuple[float, float]:
    """Return the share of tokens told right, and of sequences told right throughout.

    Tokens whose class is PAD do not count. The model's train or eval mode is put back.
    `head_mask` is (layers, h), bool, handed to the model.

    Raises:
        ValueError: there are no pairs, or no token has a class.
    """
    where = next(model.parameters()).device
    tokens_right = tokens = sequences_right = 0
    with evaluating(model):
        for batch in batches(pairs, batch_size):
            src, tgt = batch.src.to(where), batch.tgt.to(where)
            logits = model(src) if head_mask is None else model(src, head_mask)
            wanted = tgt != PAD
            right = (logits.argmax(-1) == tgt) & wanted
            tokens += int(wanted.sum())
            tokens_right += int(right.sum())
            sequences_right += int((right == wanted).all(dim=1).sum())
    if tokens == 0:
        raise ValueError("no token of the pairs has a class: nothing to judge")
    return tokens_right / tokens, sequences_right / len(pairs)


def require_pairs(pairs: Pairs) -> None:
    """Raise ValueError if there are none."""
    if len(pairs) == 0:
        raise ValueError("no pairs given: expected at least one")
