"""Which source word does a target word depend on? (claims C04, C14)

Four models of the study `scores`, at the learning rates chosen there: general
attention, attention by the bare cosine, whose weights stay nearly even, by ten times
the cosine, whose weights may be sharp, and none; the last at two other rates as well.
Asked of every digit word of six-digit numbers (*sieben*, not *zig* or *hundert*, which
grammar nearly tells), each predicted from the true words before it:

- deleted: is it still right without the source word that it comes from, or without
  another one? This needs no attention.
- gradient: which source word's embedding moves log P of this target word most? How
  often does that word change within a number, and how often is it the right one? And
  if all target words of a number had to share one answer, or a ruler gave it?
- cut: with all states as they are, attention alone is kept from the state with the
  largest weight, from another one, or from all others.
- disagree: the same where the largest weight lies on another word than the right one.

    python -m attnlab.experiments.influence --seeds 5
"""

import random
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from attnlab.data import NumberPairs, alignment, collate, number_tokens
from attnlab.experiments.scores import (
    UNIT_WORDS,
    attention_of,
    build,
    train_variant,
)
from attnlab.experiments.study import Study, run_studies
from attnlab.recurrent import Seq2Seq
from attnlab.store import grid
from attnlab.training import set_seed

DIGITS = 6
NUMBERS = 150


def aligned_positions(number: int) -> dict[int, int]:
    """Return the source position that each digit word of the target comes from."""
    words = number_tokens(number, "de")
    return {t: s for t, s in sorted(alignment(number)) if words[t] not in UNIT_WORDS}


@torch.no_grad()
def accuracy_at(model: Seq2Seq, rows: list, targets: list[int]) -> float:
    """The share of rows whose next token is right at their target position.

    `rows` are pairs of source and target ids, `targets` one position a row; the token
    is predicted from the true ones before it.
    """
    batch, index = collate(rows), torch.arange(len(rows))
    predicted = model(batch.src, batch.tgt[:, :-1]).argmax(dim=-1)
    target = torch.tensor(targets)
    right = predicted[index, target] == batch.tgt[index, target + 1]
    return right.float().mean().item()


def is_reversed(places: dict[int, int]) -> list[bool]:
    """Of each target position, whether its order with another one is the other way.

    >>> flipped({0: 1, 2: 0, 4: 2})  # vier und zwan(zig) ..., twenty four ...
    [True, True, False]
    """
    return [
        any((t - t_other) * (s - s_other) < 0 for t_other, s_other in places.items())
        for t, s in places.items()
    ]


def diagonal(number: int) -> dict[int, int]:
    """The source position of each digit word by a ruler, in proportion to its place."""
    ends = len(number_tokens(number, "en")), len(number_tokens(number, "de"))
    return {t: round(t * ends[0] / ends[1]) for t in aligned_positions(number)}


def other_position(rng: random.Random, length: int, taken: int) -> int:
    """Return a position below `length` other than `taken`."""
    return rng.choice([position for position in range(length) if position != taken])


def measure_deleted(
    model: Seq2Seq, numbers: list[int], rng: random.Random
) -> dict[str, float]:
    """Return the share of digit words right without their source word, or another."""
    rows: dict[str, list] = {"own_deleted": [], "other_deleted": []}
    targets = []
    for number, (src, tgt) in zip(numbers, NumberPairs(numbers), strict=True):
        for target, own in aligned_positions(number).items():
            other = other_position(rng, len(src) - 1, own)  # EOS stays
            targets.append(target)
            rows["own_deleted"].append((delete_at(src, own), tgt))
            rows["other_deleted"].append((delete_at(src, other), tgt))
    return {name: accuracy_at(model, cut, targets) for name, cut in rows.items()}


def delete_at(src: list[int], position: int) -> list[int]:
    """Return the ids without the one at `position`."""
    return src[:position] + src[position + 1 :]


def target_gradients(model: Seq2Seq, numbers: list[int]) -> Tensor:
    """`log_prob_gradients`, `(batch, L_t, L_s)`, of the true translations and EOS."""
    batch = collate(NumberPairs(numbers))
    return log_prob_gradients(model, batch.src, batch.tgt)


def log_prob_gradients(model: Seq2Seq, src: Tensor, tgt: Tensor) -> Tensor:
    """The norm of d log P(y_t) / d embedding of source word j, `(batch, L_t, L_s)`.

    Args:
        src: ids, `(batch, L_s)`.
        tgt: ids of the words y that are given and asked for, BOS first,
            `(batch, L_t + 1)`. Every y_t is predicted from those before it.
    """
    embedded: list[Tensor] = []
    hook = model.encoder.embedding.register_forward_hook(
        lambda module, inputs, output: embedded.append(output)
    )
    log_probs = model(src, tgt[:, :-1]).log_softmax(dim=-1)
    hook.remove()
    picked = log_probs.gather(-1, tgt[:, 1:, None])[..., 0]  # (batch, L_t)
    norms = []
    for step in picked.sum(dim=0):  # sentences of a batch do not touch
        (gradient,) = torch.autograd.grad(step, embedded[0], retain_graph=True)
        norms.append(gradient.norm(dim=-1))  # (batch, L_s)
    return torch.stack(norms, dim=1)


def measure_gradients(model: Seq2Seq, numbers: list[int]) -> dict[str, float]:
    """How often the strongest source word is the right one, and how often it changes.

    `one_for_all` is what `right_word` would be if every digit word of a number had to
    take the source word that is strongest for all of them together, `ruler` if each
    took the one that a straight diagonal names. The same `_flipped` are of the words
    alone whose order is the other way in German, where a ruler knows least.
    """
    right, shared, ruled, crossing, changes = [], [], [], [], []
    for number, table in zip(numbers, target_gradients(model, numbers), strict=True):
        places = aligned_positions(number)
        table = table[list(places), : len(number_tokens(number, "en"))]
        strongest = table.argmax(dim=-1)  # (digit words,)
        own = torch.tensor(list(places.values()))
        right.append((strongest == own).float())
        shared.append((table.sum(dim=0).argmax() == own).float())
        ruled.append((torch.tensor(list(diagonal(number).values())) == own).float())
        crossing.append(torch.tensor(is_reversed(places)))
        changes.append((strongest[1:] != strongest[:-1]).sum().item())
    among = torch.cat(crossing)
    return {
        "right_word": torch.cat(right).mean().item(),
        "right_flipped": torch.cat(right)[among].mean().item(),
        "one_for_all": torch.cat(shared).mean().item(),
        "ruler": torch.cat(ruled).mean().item(),
        "ruler_flipped": torch.cat(ruled)[among].mean().item(),
        "changes": sum(changes) / len(changes),
    }


@torch.no_grad()
def measure_cut(
    model: Seq2Seq, numbers: list[int], rng: random.Random
) -> dict[str, float]:
    """The share of digit words right with some states kept out of attention's reach.

    A state is kept out at one target step alone, and no state of encoder or decoder
    changes: Luong's decoder never learns where it looked.
    """
    pairs = NumberPairs(numbers)
    batch, weights = collate(pairs), attention_of(model, pairs)
    encoded = model.encode(batch.src)
    top = weights.argmax(dim=-1)  # (numbers, L_t)
    own = top.clone()  # where no digit word stands, nothing is judged
    other = top.clone()
    judged = torch.zeros_like(top, dtype=torch.bool)
    for i, number in enumerate(numbers):
        for target, source in aligned_positions(number).items():
            judged[i, target], own[i, target] = True, source
            length = len(pairs.src[i])
            other[i, target] = other_position(rng, length, int(top[i, target]))

    def share(seen: Callable[[Tensor], Tensor], among: Tensor) -> float:
        mask = seen(torch.arange(weights.shape[-1])) & encoded.mask
        logits = model.decoder(batch.tgt[:, :-1], encoded._replace(mask=mask)).logits
        hits = logits.argmax(dim=-1) == batch.tgt[:, 1:]
        return hits[among].float().mean().item()

    apart = judged & (top != own)
    metrics = {
        "heaviest_cut": share(lambda j: j != top[..., None], judged),
        "other_cut": share(lambda j: j != other[..., None], judged),
        "heaviest_alone": share(lambda j: j == top[..., None], judged),
        "other_alone": share(lambda j: j == other[..., None], judged),
        "disagree": (apart.sum() / judged.sum()).item(),
    }
    if not apart.any():
        return metrics
    return {
        **metrics,
        "heaviest_cut_apart": share(lambda j: j != top[..., None], apart),
        "own_cut_apart": share(lambda j: j != own[..., None], apart),
        **_deleted_apart(model, numbers, top, own, apart),
    }


def _deleted_apart(
    model: Seq2Seq, numbers: list[int], top: Tensor, own: Tensor, apart: Tensor
) -> dict[str, float]:
    pairs, targets = NumberPairs(numbers), []
    rows: dict[str, list] = {"heaviest_deleted_apart": [], "own_deleted_apart": []}
    for i, target in apart.nonzero().tolist():
        src, tgt = pairs[i]
        if top[i, target] == len(src) - 1:
            continue  # EOS is no word
        targets.append(target)
        rows["heaviest_deleted_apart"].append(
            (delete_at(src, int(top[i, target])), tgt)
        )
        rows["own_deleted_apart"].append((delete_at(src, int(own[i, target])), tgt))
    if not targets:
        return {}
    return {name: accuracy_at(model, cut, targets) for name, cut in rows.items()}


def measure_influence(*, seed: int, variant: str, **options: Any) -> dict:
    """Train one model of `scores` and ask all of it that it can answer.

    Takes what `train_variant` takes. `untrained` is `right_word` before training.
    """
    model, held_out = train_variant(seed=seed, variant=variant, **options)
    numbers = [n for n in held_out if len(str(n)) == DIGITS][:NUMBERS]
    set_seed(seed)
    untrained = build(NumberPairs(numbers), variant, model.d_model)
    rng = random.Random(seed)
    metrics = {
        **measure_deleted(model, numbers, rng),
        **measure_gradients(model, numbers),
        "untrained": measure_gradients(untrained, numbers)["right_word"],
        "untrained_changes": measure_gradients(untrained, numbers)["changes"],
    }
    if variant != "none":
        metrics |= measure_cut(model, numbers, rng)
    return metrics


SETTINGS = [
    {"variant": name, "lr": 0.01}
    for name in ("general", "cosine", "cosine × 10", "none")
]
STUDY = Study("influence", measure_influence, SETTINGS)
RATES = Study(
    "influence.rates", measure_influence, grid(variant=["none"], lr=[0.003, 0.03])
)


if __name__ == "__main__":
    run_studies(__doc__, STUDY, RATES)
