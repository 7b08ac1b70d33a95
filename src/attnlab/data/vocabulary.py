"""Tokens as numbers: the table between words and the ids a model works with."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from attnlab.data.grammar import MORPHEMES, check_language
from attnlab.tokens import BOS, EOS, PAD

SPECIAL_TOKENS = ("<pad>", "<bos>", "<eos>")


def check_id(id: int, size: int) -> int:
    """Return an id as an int, or raise: it must be one of a vocabulary of that size.

    Raises:
        TypeError: it is no integer.
        ValueError: it lies outside 0 … size − 1.
    """
    try:
        number = operator.index(id)
    except TypeError:
        raise TypeError(f"an id must be an integer, got {id!r}") from None
    if not 0 <= number < size:
        raise ValueError(f"unknown id {number}: expected 0 to {size - 1}")
    return number


class Vocabulary:
    """A fixed list of tokens; a token's id is its place in `tokens`.

    The first three places belong to padding, begin and end of sequence
    (`PAD, BOS, EOS = 0, 1, 2`), so `len(vocabulary)` is the size a model needs.

    Raises:
        ValueError: a token occurs twice or is one of the three.
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        self.tokens = (*SPECIAL_TOKENS, *tokens)
        self._ids = {token: i for i, token in enumerate(self.tokens)}
        if len(self._ids) < len(self.tokens):
            twice = sorted({t for t in self.tokens if self.tokens.count(t) > 1})
            raise ValueError(f"tokens must be distinct, got twice: {', '.join(twice)}")

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, token: str) -> bool:
        return token in self._ids

    def __repr__(self) -> str:
        shown = ", ".join(self.tokens[:6])
        return f"Vocabulary({len(self)} tokens: {shown}, …)"

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """Return the ids of `tokens`; BOS and EOS are not added.

        Raises:
            ValueError: a token is not in the vocabulary.
        """
        ids = []
        for token in tokens:
            if token not in self._ids:
                raise ValueError(f"unknown token {token!r}: not in {self!r}")
            ids.append(self._ids[token])
        return ids

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Return the tokens of `ids` up to the first EOS, without PAD and BOS.

        `ids` may be a list or a one-dimensional tensor.

        Raises:
            TypeError: an id is no integer.
            ValueError: an id is outside the vocabulary.
        """
        tokens = []
        for i in (check_id(i, len(self)) for i in ids):
            if i == EOS:
                break
            if i not in (PAD, BOS):
                tokens.append(self.tokens[i])
        return tokens


def number_vocabulary(language: str) -> Vocabulary:
    """Return the vocabulary of every number from 0 to 999,999,999,999.

    Raises:
        ValueError: an unknown language.
    """
    check_language(language)
    return Vocabulary(MORPHEMES[language])
