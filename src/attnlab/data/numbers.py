"""Numbers in words, and the morphemes they are made of, in five languages.

The texts come from the library `num2words`. Each is cut into the smallest pieces that
carry meaning, so that 15 to 36 tokens say every integer from 0 to 999,999,999,999:

    English   4786   four thousand seven hundred and eighty six
    German    4786   vier tausend sieben hundert sechs und acht zig      (6 and 80)
    French    4786   quatre mille sept cent quatre vingt six             (4 × 20 + 6)
    Danish    4786   fire tusind og syv hundrede og seks og firs         (6 and 80)
    Japanese  4786   四 千 七 百 八 十 六                     (groups of four digits)

Spaces, hyphens and commas are no tokens: they follow from the tokens beside them,
and `detokenize` puts them back.

The words are those that `num2words` writes; where its German and Danish are wrong, we
mend them (see `_mend_german`, `_mend_danish`). No two numbers share a text in any
of the five languages.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from functools import lru_cache

LANGUAGES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "da": "Danish",
    "ja": "Japanese",
}
MAX_NUMBER = 10**12 - 1

# Every token a language needs up to MAX_NUMBER, in the order of the vocabulary.
_WORDS = {
    "en": """zero one two three four five six seven eight nine ten eleven twelve
        thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty
        forty fifty sixty seventy eighty ninety and hundred thousand million billion""",
    "de": """null eins ein eine zwei drei vier fünf sechs sech sieben sieb acht neun
        zehn elf zwölf zwan zig ßig und hundert tausend
        Million Millionen Milliarde Milliarden""",
    "fr": """zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize
        quatorze quinze seize vingt vingts trente quarante cinquante soixante et
        cent cents mille million millions milliard milliards""",
    "da": """nul et en to tre fire fem seks syv otte ni ti elleve tolv tretten fjorten
        femten seksten sytten atten nitten tyve tredive fyrre halvtreds tres
        halvfjerds firs halvfems og hundrede tusind
        million millioner milliard milliarder""",
    "ja": "零 一 二 三 四 五 六 七 八 九 十 百 千 万 億",
}
MORPHEMES = {language: tuple(words.split()) for language, words in _WORDS.items()}

_ENGLISH_UNITS = frozenset(MORPHEMES["en"][1:10])
_ENGLISH_TENS = frozenset(MORPHEMES["en"][20:28])
_FRENCH_BELOW_TWENTY = frozenset(MORPHEMES["fr"][1:17])
_FRENCH_TENS = frozenset(MORPHEMES["fr"][17:23]) - {"vingts"}


def spell(number: int, language: str) -> str:
    """Return `number` in words.

    Raises:
        TypeError: `number` is no integer (True and 2.0 are none).
        ValueError: `number` is negative or above 999,999,999,999, or the language
            is none of `LANGUAGES`.
    """
    from num2words import num2words  # slow to load, seldom needed

    check_language(language)
    text = num2words(check_spellable(number), lang=language)
    return _MENDERS[language](text) if language in _MENDERS else text


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
    rules as well as they go.
    """
    check_language(language)
    tokens, pieces = list(tokens), []
    for i, token in enumerate(tokens):
        if i > 0:
            pieces.append(_JOINTS[language](tokens[:i], token))
        pieces.append(token)
    return "".join(pieces)


def number_tokens(number: int, language: str) -> list[str]:
    """Return the morphemes of `number`: `tokenize(spell(number))`."""
    return list(_tokens(check_spellable(number), language))


# A chapter makes several data sets of the same numbers; spelling is their slowest part.
@lru_cache(maxsize=100_000)
def _tokens(number: int, language: str) -> tuple[str, ...]:
    return tuple(tokenize(spell(number, language), language))


def check_spellable(number: int) -> int:
    """Return `number` as an int, or raise and say what was wanted."""
    wanted = f"an integer from 0 to {MAX_NUMBER:,}"
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(f"number must be {wanted}, got {number!r}")
    number = operator.index(number)
    if not 0 <= number <= MAX_NUMBER:
        got = number if abs(number) < 10**99 else "one of a hundred digits or more"
        raise ValueError(f"number must be {wanted}, got {got}")
    return number


def check_language(language: str) -> None:
    """Raise unless `language` is a key of `LANGUAGES`."""
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise ValueError(f"unknown language {language!r}: expected one of {known}")


def _mend_german(text: str) -> str:
    """Correct the one that `num2words` 0.5.14 leaves uninflected before a power.

    It writes einhunderteinstausend and einhunderteins Millionen where German has
    einhunderteintausend and einhunderteine Millionen.
    """
    return text.replace("einstausend", "eintausend").replace("eins M", "eine M")


def _mend_danish(text: str) -> str:
    """Correct what `num2words` 0.5.14 gets wrong in Danish.

    60 is tres, not treds; 10⁶ is en million, not en millioner; and og stands before
    the last part under a hundred: 1702 is ettusinde syvhundrede og to. The library
    writes ettusinde og syvhundrede og to, but in 101,702 ettusindsyvhundrede og to.
    """
    text = re.sub("(?<!halv)treds", "tres", text)
    text = re.sub(r"\ben (million|milliard)er", r"en \1", text)
    text = re.sub(r"tusind(e og )?(?=\w+hundrede)", "tusinde ", text)
    return re.sub("tusind(?!e |$)", "tusinde og ", text)


_MENDERS = {"de": _mend_german, "da": _mend_danish}


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
