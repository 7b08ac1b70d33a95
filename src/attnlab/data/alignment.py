"""Which words say the same thing: the known alignment between two languages.

Each language builds its number words from decimal digits by a few rules. Following
the rules we note for each token what it names: the digit at some place, a power of
ten, or both. Two tokens of two languages are linked when they name the same:

    vier    names digit 3             four      names digit 3
    tausend names 10³                 thousand  names 10³
    acht    names digit 1, zig 10¹    eighty    names digit 1 and 10¹

(place 0 are the units). Tokens that name nothing have no counterpart: the *and* of
English stands between hundreds and tens, the *und* of German between units and tens,
so they are not linked to each other. Japanese counts in powers of 10⁴, so some of its
万 and 億, and some English *thousand* and *million*, have no counterpart either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from attnlab.data.numbers import MORPHEMES, check_language, check_spellable

Meaning = frozenset[tuple[str, int]]
Links = set[tuple[int, int]]

NOTHING: Meaning = frozenset()


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


def say(number: int, language: str) -> list[tuple[str, Meaning]]:
    """Return the tokens of `number`, as `number_tokens`, each with what it names.

    A meaning holds pairs `("digit", place)` and `("power", exponent)`.
    """
    check_language(language)
    number = check_spellable(number)
    if number == 0:
        return [(MORPHEMES[language][0], _digit(0))]
    return [pair for pair in _SPEAKERS[language](number) if pair[0]]


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


# How each language builds a number: the tokens in order, each with what it names.

Speech = Iterator[tuple[str, Meaning]]


def _digit(*places: int) -> Meaning:
    return frozenset(("digit", place) for place in places)


def _power(exponent: int) -> Meaning:
    return frozenset({("power", exponent)})


def _both(place: int) -> Meaning:
    """A token for digit and power in one, such as eighty or the cent of cent un."""
    return _digit(place) | _power(place)


def _groups(number: int, width: int) -> Iterator[tuple[int, int]]:
    """Cut into groups of `width` digits: `(exponent, value)`, largest first, no 0s."""
    for exponent in (8, 4, 0) if width == 4 else (9, 6, 3, 0):
        value = number // 10**exponent % 10**width
        if value:
            yield exponent, value


_EN = ("", *MORPHEMES["en"][1:20])  # one … nineteen
_EN_TENS = ("", "", *MORPHEMES["en"][20:28])  # twenty … ninety
_EN_POWERS = {3: "thousand", 6: "million", 9: "billion"}


def _english(number: int) -> Speech:
    for p, value in _groups(number, 3):
        hundreds, rest = divmod(value, 100)
        tens, units = divmod(rest, 10)
        if hundreds:
            yield _EN[hundreds], _digit(p + 2)
            yield "hundred", _power(p + 2)
        if rest and (hundreds or (p == 0 and number > rest)):
            yield "and", NOTHING
        if tens == 1:
            yield _EN[rest], _both(p + 1) | (_digit(p) if units else NOTHING)
        else:
            yield _EN_TENS[tens], _both(p + 1)
            yield _EN[units], _digit(p)
        if p:
            yield _EN_POWERS[p], _power(p)


_DE = ("", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
_DE_STEMS = ("", "", "zwan", "drei", "vier", "fünf", "sech", "sieb", "acht", "neun")
_DE_ONE = {0: "eins", 3: "ein", 6: "eine", 9: "eine"}  # 1 before nothing, tausend, …
_DE_POWERS = {
    3: ("tausend", "tausend"),
    6: ("Million", "Millionen"),
    9: ("Milliarde", "Milliarden"),
}


def _german(number: int) -> Speech:
    for p, value in _groups(number, 3):
        hundreds, rest = divmod(value, 100)
        tens, units = divmod(rest, 10)
        if hundreds:
            yield _DE[hundreds], _digit(p + 2)
            yield "hundert", _power(p + 2)
        if tens == 0:
            yield _DE_ONE[p] if units == 1 else _DE[units], _digit(p)
        elif rest in (11, 12):
            yield ("elf", "zwölf")[rest - 11], _both(p + 1) | _digit(p)
        elif tens == 1:
            yield _DE_STEMS[units] if units else "", _digit(p)
            yield "zehn", _both(p + 1)
        else:
            yield _DE[units], _digit(p)
            yield "und" if units else "", NOTHING
            yield _DE_STEMS[tens], _digit(p + 1)
            yield "ßig" if tens == 3 else "zig", _power(p + 1)
        if p:
            yield _DE_POWERS[p][value > 1], _power(p)


_FR = ("", *MORPHEMES["fr"][1:17])  # un … seize
_FR_TENS = ("", "", "vingt", "trente", "quarante", "cinquante", "soixante", "soixante")
_FR_POWERS = {
    3: ("mille", "mille"),
    6: ("million", "millions"),
    9: ("milliard", "milliards"),
}


def _french(number: int) -> Speech:
    for p, value in _groups(number, 3):
        hundreds, rest = divmod(value, 100)
        if p == 3 and value == 1:
            yield "mille", _both(3)
            continue
        if hundreds == 1:
            yield "cent", _both(p + 2)
        elif hundreds:
            yield _FR[hundreds], _digit(p + 2)
            yield "cents" if rest == 0 and p != 3 else "cent", _power(p + 2)
        yield from _french_below_hundred(rest, p)
        if p:
            yield _FR_POWERS[p][value > 1], _power(p)


def _french_below_hundred(rest: int, p: int) -> Speech:
    tens, units = divmod(rest, 10)
    if tens >= 8:  # 4 × 20, and up to 19 more
        yield "quatre", _both(p + 1)
        yield "vingts" if rest == 80 and p != 3 else "vingt", _both(p + 1)
        yield from _french_below_twenty(rest - 80, p)
    elif tens >= 2:  # 70 is 60 and 10
        yield _FR_TENS[tens], _both(p + 1)
        yield "et" if units == 1 else "", NOTHING
        yield from _french_below_twenty(rest - 60 if tens == 7 else units, p)
    else:
        yield from _french_below_twenty(rest, p)


def _french_below_twenty(rest: int, p: int) -> Speech:
    if rest < 10:
        yield _FR[rest], _digit(p)
    elif 10 < rest < 17:
        yield _FR[rest], _both(p + 1) | _digit(p)
    else:
        yield "dix", _both(p + 1)
        yield _FR[rest - 10], _digit(p)


_DA = ("", *MORPHEMES["da"][1:2], *MORPHEMES["da"][3:21])  # et, to … nitten
_DA_TENS = ("", "", *MORPHEMES["da"][21:29])  # tyve … halvfems
_DA_POWERS = {
    3: ("tusind", "tusind"),
    6: ("million", "millioner"),
    9: ("milliard", "milliarder"),
}


def _danish(number: int) -> Speech:
    for p, value in _groups(number, 3):
        hundreds, rest = divmod(value, 100)
        tens, units = divmod(rest, 10)
        if hundreds:
            yield _DA[hundreds], _digit(p + 2)
            yield "hundrede", _power(p + 2)
        after_thousand = p == 0 and number % 10**6 > value
        if rest and (hundreds or after_thousand):
            yield "og", NOTHING
        if tens == 0:
            yield "en" if value == 1 and p >= 6 else _DA[units], _digit(p)
        elif tens == 1:
            yield _DA[rest], _both(p + 1) | (_digit(p) if units else NOTHING)
        else:
            yield "en" if units == 1 else _DA[units], _digit(p)
            yield "og" if units else "", NOTHING
            yield _DA_TENS[tens], _both(p + 1)
        if p:
            yield _DA_POWERS[p][value > 1], _power(p)


_JA = ("", *"一二三四五六七八九")


def _japanese(number: int) -> Speech:
    for p, value in _groups(number, 4):
        for place, power in ((3, "千"), (2, "百"), (1, "十")):
            digit = value // 10**place % 10
            if digit == 1:
                yield power, _both(p + place)
            elif digit:
                yield _JA[digit], _digit(p + place)
                yield power, _power(p + place)
        yield _JA[value % 10], _digit(p)
        if p:
            yield {4: "万", 8: "億"}[p], _power(p)


_SPEAKERS: dict[str, Callable[[int], Speech]] = {
    "en": _english,
    "de": _german,
    "fr": _french,
    "da": _danish,
    "ja": _japanese,
}
