"""What a number word is worth: a task on real numerals that only context can solve.

    two hundred and three thousand and five
    2·10⁵           3·10³              5

*two* is worth 2·10⁵ here and 2 in *two*: which power of ten a word is multiplied by
follows from the words after it, *hundred* and *thousand*. Some words have no worth of
their own; they only say what the others are worth. A reader who knows every word's
power of ten knows the number.

English and German only: in the other languages words multiply each other in more ways
(*quatre-vingt-dix* is 4 · 20 + 10).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import chain

import torch

from attnlab.checks import check_integer
from attnlab.data.grammar import check_spellable, say
from attnlab.data.vocabulary import EOS, number_vocabulary

_ENGLISH = """zero one two three four five six seven eight nine ten eleven twelve
    thirteen fourteen fifteen sixteen seventeen eighteen nineteen"""
_GERMAN = "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
DIGIT_VALUES = {
    "en": {
        **{word: value for value, word in enumerate(_ENGLISH.split())},
        **{"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50},
        **{"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90},
    },
    "de": {
        **{word: value for value, word in enumerate(_GERMAN.split())},
        **{"ein": 1, "eine": 1, "zwan": 2, "sech": 6, "sieb": 7},
    },
}

# The classes of the task. Class 0 is padding, as everywhere, and counts nowhere.
NO_PLACE = 1  # a word without a worth of its own
FIRST_PLACE = 2  # 10⁰; 10¹ is class 3, and so on
PLACES = tuple(range(12))
NUM_CLASSES = FIRST_PLACE + len(PLACES)


def place_values(number: int, language: str = "en") -> list[int | None]:
    """Return for each token of `number_tokens` the power of ten it is multiplied by.

    None stands for words without a worth of their own: *hundred*, *thousand*, *and*.

    >>> place_values(200_005)  # two hundred thousand and five
    [5, None, None, None, 0]

    Raises:
        TypeError, ValueError: no number from 0 to 999,999,999,999, or a language other
            than English and German.
    """
    worths = _digit_values(language)
    places: list[int | None] = []
    for token, meaning in say(check_spellable(number), language):
        digits = [place for kind, place in meaning if kind == "digit"]
        if token not in worths or not digits:
            places.append(None)
        else:  # the first digit of the word's worth is the highest digit it names
            places.append(max(digits) - len(str(worths[token])) + 1)
    return places


def read_number(
    tokens: Sequence[str], places: Sequence[int | None], language: str = "en"
) -> int:
    """Add up the words: the number that a reader with these places reads.

    A word without a worth of its own counts nothing, whatever its place; a word with
    one whose place is None counts nothing either.

    >>> read_number(["two", "hundred", "and", "five"], [2, None, None, 0])
    205

    Raises:
        TypeError: a place that is no integer.
        ValueError: tokens and places differ in number, a place beyond 0 … 11, or an
            unknown language.
    """
    worths = _digit_values(language)
    if len(tokens) != len(places):
        raise ValueError(f"got {len(tokens)} tokens and {len(places)} places")
    for place in places:
        if place is not None:
            check_integer("a place", place, 0)
            if place not in PLACES:
                raise ValueError(f"places go up to {PLACES[-1]}, got {place}")
    return sum(
        worths[token] * 10**place
        for token, place in zip(tokens, places, strict=True)
        if token in worths and place is not None
    )


class PlacePairs(torch.utils.data.Dataset):
    """Numerals and the place of each of their words, as lists of ids.

    Attributes:
        numbers: for each sequence the list of its numbers.
        src: for each sequence the ids of its words, every number closed by EOS.
        tgt: for each sequence the classes of its words, as many: `NO_PLACE`, also for
            EOS, or `FIRST_PLACE` plus the power of ten.
        vocab: the `Vocabulary` of the words.

    `pairs[i]` is `(src[i], tgt[i])`, and `batches(pairs, …)` pads both with PAD = 0.

    Args:
        numbers: from 0 to 999,999,999,999.
        language: "en" or "de".
        per_sequence: how many numbers stand in one sequence; a pair (low, high) draws
            it anew for each. What is left over at the end makes a shorter one.
        seed: of that draw.

    Raises:
        TypeError, ValueError: no numbers, one that cannot be spelled, an unknown
            language, or per_sequence below 1.
    """

    def __init__(
        self,
        numbers: Sequence[int],
        language: str = "en",
        *,
        per_sequence: int | tuple[int, int] = 1,
        seed: int = 0,
    ) -> None:
        if len(numbers) == 0:
            raise ValueError("numbers is empty: expected at least one number")
        check_integer("seed", seed, 0)
        self.language = language
        self.vocab = number_vocabulary(language)
        self.numbers = _groups(list(numbers), per_sequence, random.Random(seed))
        self.src, self.tgt = [], []
        for group in self.numbers:
            words, classes = zip(*map(self._encode, group), strict=True)
            self.src.append(list(chain.from_iterable(words)))
            self.tgt.append(list(chain.from_iterable(classes)))

    def _encode(self, number: int) -> tuple[list[int], list[int]]:
        tokens = [token for token, _ in say(check_spellable(number), self.language)]
        classes = [
            NO_PLACE if place is None else FIRST_PLACE + place
            for place in place_values(number, self.language)
        ]
        return [*self.vocab.encode(tokens), EOS], [*classes, NO_PLACE]

    def __len__(self) -> int:
        return len(self.src)

    def __getitem__(self, index: int) -> tuple[list[int], list[int]]:
        return self.src[index], self.tgt[index]

    def __iter__(self) -> Iterator[tuple[list[int], list[int]]]:
        return zip(self.src, self.tgt, strict=True)


def class_places(classes: Sequence[int] | torch.Tensor) -> list[int | None]:
    """Return the power of ten that each class stands for, None for the others.

    The classes are a list, or a tensor (n,).
    """
    return [int(c) - FIRST_PLACE if int(c) >= FIRST_PLACE else None for c in classes]


def _digit_values(language: str) -> dict[str, int]:
    if language not in DIGIT_VALUES:
        raise ValueError(f"places are known for en and de, not for {language!r}")
    return DIGIT_VALUES[language]


def _groups(
    numbers: list[int], per_sequence: int | tuple[int, int], rng: random.Random
) -> list[list[int]]:
    """Cut the list into pieces of `per_sequence` numbers."""
    pair = (
        per_sequence if isinstance(per_sequence, tuple | list) else [per_sequence] * 2
    )
    whole = len(pair) == 2 and all(type(size) is int for size in pair)
    if not whole or not 1 <= pair[0] <= pair[1]:
        raise ValueError(
            "per_sequence must be a number from 1 on or a pair (low, high), "
            f"got {per_sequence!r}"
        )
    groups, start = [], 0
    while start < len(numbers):
        size = rng.randint(*pair)
        groups.append(numbers[start : start + size])
        start += size
    return groups
