"""Which words say the same thing: the known alignment between two languages.

Two tokens of two languages are linked when they name the same digit or power of ten,
see `attnlab.data.grammar`. Tokens that name nothing have no counterpart: the *and* of
English stands between hundreds and tens, the *und* of German between units and tens,
so they are not linked to each other. Japanese counts in powers of 10⁴, so some of its
万 and 億, and some English *thousand* and *million*, have no counterpart either.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from attnlab.data.grammar import say

Links = set[tuple[int, int]]


def alignment(
    number: int, source: str = "en", target: str = "de", reverse_source: bool = False
) -> Links:
    """Return the known alignment as links `(target index, source index)`.

    The indices count the tokens of `number_tokens`, without BOS and EOS; with
    `reverse_source` the source tokens are counted from the last to the first.

    >>> sorted(alignment(24))  # twenty four, vier und zwan zig
    [(0, 1), (2, 0), (3, 0)]
    """
    source_meanings = [meaning for _, meaning in say(number, source)]
    if reverse_source:
        source_meanings.reverse()
    return {
        (t, s)
        for t, (_, target_meaning) in enumerate(say(number, target))
        for s, source_meaning in enumerate(source_meanings)
        if target_meaning & source_meaning
    }


def alignment_error_rate(
    weights: Tensor | Sequence,
    gold: int | Links | Sequence[int | Links],
    source: str = "en",
    target: str = "de",
    reverse_source: bool = False,
) -> float:
    """Return the alignment error rate (AER) of attention weights: 0 best, 1 worst.

    A target token's link is the source position with the largest weight. Only target
    tokens that have a counterpart are judged: EOS and words such as *und* are not. A
    link to the source's EOS or to padding is an error. With A the links of the judged
    tokens, P all known links and S those whose target token has only this one,

        AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

    counted over all sentences together (Och and Ney, 2003, "A Systematic Comparison of
    Various Statistical Alignment Models", section 6). From English to German every
    token has at most one counterpart, and AER is the share of wrong links.

    Args:
        weights: `(target length, source length)` for one number, or for several a
            tensor `(batch, target length, source length)` or a list of matrices. Row t
            belongs to the prediction of target token t; rows and columns beyond the
            tokens (EOS, padding) are allowed.
        gold: the number, or its links as from `alignment`; for several, a list.
        source, target, reverse_source: as for `alignment`; not used for given links.

    Raises:
        TypeError: weights that are no real numbers.
        ValueError: weights and gold differ in number, a matrix is too small or holds
            NaN, or no token is to be judged.
    """
    if isinstance(gold, int | set | frozenset):
        weights, gold = [weights], [gold]
    if len(weights) != len(gold):
        raise ValueError(f"got {len(weights)} weight matrices for {len(gold)} numbers")
    right = total = 0
    for matrix, item in zip(weights, gold, strict=True):
        if isinstance(item, set | frozenset):
            possible = item
        else:
            possible = alignment(item, source, target, reverse_source)
        found = _strongest_links(torch.as_tensor(matrix), possible)
        judged = [t for t, _ in possible]
        sure = {(t, s) for t, s in possible if judged.count(t) == 1}
        right += len(found & sure) + len(found & possible)
        total += len(found) + len(sure)
    if total == 0:
        raise ValueError("no target token has a counterpart: nothing to judge")
    return 1 - right / total


def _strongest_links(weights: Tensor, gold: Links) -> Links:
    """Link each target token that `gold` judges to its strongest source position."""
    if weights.is_complex() or weights.dtype == torch.bool:
        raise TypeError(f"weights must be numbers, got {weights.dtype}")
    rows = 1 + max((t for t, _ in gold), default=-1)
    columns = 1 + max((s for _, s in gold), default=-1)
    if weights.dim() != 2 or weights.shape[0] < rows or weights.shape[1] < columns:
        raise ValueError(
            f"weights must be (target length ≥ {rows}, source length ≥ {columns}), "
            f"got shape {tuple(weights.shape)}"
        )
    if weights.isnan().any():
        raise ValueError("weights hold NaN")
    if not gold:
        return set()
    strongest = weights.argmax(dim=1).tolist()
    return {(t, strongest[t]) for t, _ in gold}
