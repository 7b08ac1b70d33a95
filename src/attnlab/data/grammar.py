"""How five languages build their number words: token by token, and what each names.

Each builds them from decimal digits by a few rules, so that 15 to 36 tokens say every
integer from 0 to 999,999,999,999. Following the rules we note for each token what it
names: the digit at some place, a power of ten, or both.

    vier    names digit 3             four      names digit 3
    tausend names 10³                 thousand  names 10³
    acht    names digit 1, zig 10¹    eighty    names digit 1 and 10¹

(place 0 are the units). Tokens such as *and* name nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator

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

# What a token names: pairs ("digit", place) and ("power", exponent).
Meaning = frozenset[tuple[str, int]]
NO_MEANING: Meaning = frozenset()


def say(number: int, language: str) -> list[tuple[str, Meaning]]:
    """Return the tokens of `number`, as `number_tokens`, each with what it names.

    A meaning holds pairs `("digit", place)` and `("power", exponent)`.
    """
    check_language(language)
    number = check_spellable(number)
    if number == 0:
        return [(MORPHEMES[language][0], _digit(0))]
    return [pair for pair in _SPEAKERS[language](number) if pair[0]]


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
    """Raise ValueError unless `language` is a key of `LANGUAGES`."""
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise ValueError(f"unknown language {language!r}: expected one of {known}")


# How each language builds a number: the tokens in order, each with what it names.

TokenMeanings = Iterator[tuple[str, Meaning]]


def _digit(*places: int) -> Meaning:
    return frozenset(("digit", place) for place in places)


def _power(exponent: int) -> Meaning:
    return frozenset({("power", exponent)})


def _digit_and_power(place: int) -> Meaning:
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


def _english(number: int) -> TokenMeanings:
    for p, value in _groups(number, 3):
        hundreds, rest = divmod(value, 100)
        tens, units = divmod(rest, 10)
        if hundreds:
            yield _EN[hundreds], _digit(p + 2)
            yield "hundred", _power(p + 2)
        if rest and (hundreds or (p == 0 and number > rest)):
            yield "and", NO_MEANING
        if tens == 1:
            yield (
                _EN[rest],
                _digit_and_power(p + 1) | (_digit(p) if units else NO_MEANING),
            )
        else:
            yield _EN_TENS[tens], _digit_and_power(p + 1)
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


def _german(number: int) -> TokenMeanings:
    for p, value in _groups(number, 3):
        hundreds, rest = divmod(value, 100)
        tens, units = divmod(rest, 10)
        if hundreds:
            yield _DE[hundreds], _digit(p + 2)
            yield "hundert", _power(p + 2)
        if tens == 0:
            yield _DE_ONE[p] if units == 1 else _DE[units], _digit(p)
        elif rest in (11, 12):
            yield ("elf", "zwölf")[rest - 11], _digit_and_power(p + 1) | _digit(p)
        elif tens == 1:
            yield _DE_STEMS[units] if units else "", _digit(p)
            yield "zehn", _digit_and_power(p + 1)
        else:
            yield _DE[units], _digit(p)
            yield "und" if units else "", NO_MEANING
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


def _french(number: int) -> TokenMeanings:
    for p, value in _groups(number, 3):
        hundreds, rest = divmod(value, 100)
        if p == 3 and value == 1:
            yield "mille", _digit_and_power(3)
            continue
        if hundreds == 1:
            yield "cent", _digit_and_power(p + 2)
        elif hundreds:
            yield _FR[hundreds], _digit(p + 2)
            yield "cents" if rest == 0 and p != 3 else "cent", _power(p + 2)
        yield from _french_below_hundred(rest, p)
        if p:
            yield _FR_POWERS[p][value > 1], _power(p)


def _french_below_hundred(rest: int, p: int) -> TokenMeanings:
    tens, units = divmod(rest, 10)
    if tens >= 8:  # 4 × 20, and up to 19 more
        yield "quatre", _digit_and_power(p + 1)
        yield "vingts" if rest == 80 and p != 3 else "vingt", _digit_and_power(p + 1)
        yield from _french_below_twenty(rest - 80, p)
    elif tens >= 2:  # 70 is 60 and 10
        yield _FR_TENS[tens], _digit_and_power(p + 1)
        yield "et" if units == 1 else "", NO_MEANING
        yield from _french_below_twenty(rest - 60 if tens == 7 else units, p)
    else:
        yield from _french_below_twenty(rest, p)


def _french_below_twenty(rest: int, p: int) -> TokenMeanings:
    if rest < 10:
        yield _FR[rest], _digit(p)
    elif 10 < rest < 17:
        yield _FR[rest], _digit_and_power(p + 1) | _digit(p)
    else:
        yield "dix", _digit_and_power(p + 1)
        yield _FR[rest - 10], _digit(p)


_DA = ("", *MORPHEMES["da"][1:2], *MORPHEMES["da"][3:21])  # et, to … nitten
_DA_TENS = ("", "", *MORPHEMES["da"][21:29])  # tyve … halvfems
_DA_POWERS = {
    3: ("tusind", "tusind"),
    6: ("million", "millioner"),
    9: ("milliard", "milliarder"),
}


def _danish(number: int) -> TokenMeanings:
    for p, value in _groups(number, 3):
        hundreds, rest = divmod(value, 100)
        tens, units = divmod(rest, 10)
        if hundreds:
            yield _DA[hundreds], _digit(p + 2)
            yield "hundrede", _power(p + 2)
        after_thousand = p == 0 and number % 10**6 > value
        if rest and (hundreds or after_thousand):
            yield "og", NO_MEANING
        if tens == 0:
            yield "en" if value == 1 and p >= 6 else _DA[units], _digit(p)
        elif tens == 1:
            yield (
                _DA[rest],
                _digit_and_power(p + 1) | (_digit(p) if units else NO_MEANING),
            )
        else:
            yield "en" if units == 1 else _DA[units], _digit(p)
            yield "og" if units else "", NO_MEANING
            yield _DA_TENS[tens], _digit_and_power(p + 1)
        if p:
            yield _DA_POWERS[p][value > 1], _power(p)


_JA = ("", *"一二三四五六七八九")


def _japanese(number: int) -> TokenMeanings:
    for p, value in _groups(number, 4):
        for place, power in ((3, "千"), (2, "百"), (1, "十")):
            digit = value // 10**place % 10
            if digit == 1:
                yield power, _digit_and_power(p + place)
            elif digit:
                yield _JA[digit], _digit(p + place)
                yield power, _power(p + place)
        yield _JA[value % 10], _digit(p)
        if p:
            yield {4: "万", 8: "億"}[p], _power(p)


_SPEAKERS: dict[str, Callable[[int], TokenMeanings]] = {
    "en": _english,
    "de": _german,
    "fr": _french,
    "da": _danish,
    "ja": _japanese,
}
