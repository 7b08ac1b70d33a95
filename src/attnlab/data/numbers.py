"""Numbers in words, and the morphemes they are made of, in five languages.

A text is made of the smallest pieces that carry meaning (`attnlab.data.grammar`):

    English   4786   four thousand seven hundred and eighty six
    German    4786   vier tausend sieben hundert sechs und acht zig      (6 and 80)
    French    4786   quatre mille sept cent quatre vingt six             (4 × 20 + 6)
    Danish    4786   fire tusind og syv hundrede og seks og firs         (6 and 80)
    Japanese  4786   四 千 七 百 八 十 六                     (groups of four digits)

Spaces, hyphens and commas are no tokens: they follow from the tokens beside them,
and `detokenize` puts them back.

No two numbers share a text in any of the five languages. By test, the texts are those
of the library `num2words` but for its slips in German and Danish.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from attnlab.data.grammar import (
    LANGUAGES,
    MORPHEMES,
    check_language,
    check_spellable,
    say,
)

_ENGLISH_UNITS = frozenset(MORPHEMES["en"][1:10])
_ENGLISH_TENS = frozenset(MORPHEMES["en"][20:28])
_FRENCH_BELOW_TWENTY = frozenset(MORPHEMES["fr"][1:17])
_FRENCH_TENS = frozenset(MORPHEMES["fr"][17:23]) - {"vingts"}


def number_tokens(number: int, language: str) -> list[str]:
    """Return the morphemes of `number`, as `attnlab.data.grammar` builds them.

    Raises:
        TypeError: `number` is no integer (True and 2.0 are none).
        ValueError: `number` is negative or above 999,999,999,999, or the language
            is none of `LANGUAGES`.
    """
    return list(_tokens(check_spellable(number), language))


# A chapter makes several data sets of the same numbers: this is their slowest part.
@lru_cache(maxsize=100_000)
def _tokens(number: int, language: str) -> tuple[str, ...]:
    return tuple(token for token, _ in say(number, language))


def read_english(words: Sequence[str]) -> int | None:
    """Return the number up to 999,999 whose English morphemes these are, else None.

    The other way round than `number_tokens`: what a network wrote may be no numeral.
    """
    small, words = _below_thousand(), tuple(words)
    if "thousand" not in words:
        return small.get(words)
    place = words.index("thousand")
    front, back = small.get(words[:place], 0), words[place + 1 :]
    if back[:1] == ("and",):  # two thousand and seven
        rest = small.get(back[1:], 0)
        fits = 0 < rest < 100
    else:
        rest = small.get(back, 0)
        fits = not back or rest >= 100
    return 1000 * front + rest if front and fits else None


@lru_cache(maxsize=1)
def _below_thousand() -> dict[tuple[str, ...], int]:
    return {_tokens(number, "en"): number for number in range(1000)}


def spell(number: int, language: str) -> str:
    """Return `number` in words; refuses what `number_tokens` does."""
    return detokenize(number_tokens(number, language), language)


def tokenize(text: str, language: str) -> list[str]:
    """Cut a number's text into morphemes, the longest match first.

    >>> tokenize("zweitausendvierhundertsiebenundachtzig", "de")
    ['zwei', 'tausend', 'vier', 'hundert', 'sieben', 'und', 'acht', 'zig']

    Raises:
        ValueError: a piece of the text is no part of the language's numbers.
    """
    check_language(language)
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, got {type(text).__name__}")
    if language == "da":  # `detokenize` restores this e
        text = text.replace("tusinde ", "tusind ")
    tokens, position = [], 0
    while position < len(text):
        match = _PIECES[language].match(text, position)
        if match is None:
            name, rest = LANGUAGES[language], text[position:]
            raise ValueError(f"no {name} number word at {rest!r} in {text!r}")
        if match["morpheme"]:
            tokens.append(match["morpheme"])
        position = match.end()
    return tokens


def detokenize(tokens: Sequence[str], language: str) -> str:
    """Join morphemes into text; the inverse of `tokenize` for every number.

    A token list that is no number (a model may say anything) is joined by the same
    rules as well as they go. An unknown language raises ValueError.
    """
    check_language(language)
    tokens, pieces = list(tokens), []
    for i, token in enumerate(tokens):
        if i > 0:
            pieces.append(_JOINTS[language](tokens[:i], token))
        pieces.append(token)
    return "".join(pieces)


# What stands between the tokens so far and the next one: one function a language.


def _english_joint(before: Sequence[str], token: str) -> str:
    if before[-1] in _ENGLISH_TENS and token in _ENGLISH_UNITS:
        return "-"
    if before[-1] in ("thousand", "million", "billion") and token != "and":
        return ", "
    return " "


def _german_joint(before: Sequence[str], token: str) -> str:
    return " " if before[-1].startswith("Mill") or token.startswith("Mill") else ""


def _french_joint(before: Sequence[str], token: str) -> str:
    if before[-1] in _FRENCH_TENS and token in _FRENCH_BELOW_TWENTY:
        return "-"
    if before[-1] == "dix" and token in ("sept", "huit", "neuf"):
        return "-"
    if before[-1] == "quatre" and token in ("vingt", "vingts"):
        return "-"
    return " "


def _danish_joint(before: Sequence[str], token: str) -> str:
    if before[-1].startswith("mill") or token.startswith("mill"):
        return " "
    if before[-1] == "tusind":
        return "e "
    # hundrede og to, but toogtyve: the og between units and tens has no spaces.
    after_og = before[-1] == "og" and before[-2:-1] in (["hundrede"], ["tusind"])
    return " " if after_og or (before[-1], token) == ("hundrede", "og") else ""


def _japanese_joint(before: Sequence[str], token: str) -> str:
    return ""


_JOINTS = {
    "en": _english_joint,
    "de": _german_joint,
    "fr": _french_joint,
    "da": _danish_joint,
    "ja": _japanese_joint,
}


def _piece_pattern(morphemes: Sequence[str]) -> re.Pattern:
    """Match one morpheme, the longest that fits, or one separator."""
    longest_first = sorted(morphemes, key=len, reverse=True)
    return re.compile(f"(?P<morpheme>{'|'.join(longest_first)})|[ ,-]")


_PIECES = {language: _piece_pattern(MORPHEMES[language]) for language in LANGUAGES}
