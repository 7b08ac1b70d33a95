"""Real sentences as token ids: subwords, characters, splits without leakage.

pairs = [(s.english, simplified(s.chinese)) for s in tatoeba()]
train, valid, test = split_pairs(pairs, valid=500, test=1000, seed=0)
english = Subwords.train((en for en, _ in train), vocab_size=4000)
chinese = Characters.train(zh for _, zh in train)
data = TextPairs(train, english, chinese)          # for `train` and `batches`
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Protocol

import torch

from attnlab.checks import check_integer, sentences_extra
from attnlab.data.vocabulary import BOS, EOS, PAD, SPECIAL_TOKENS, check_id

UNK = len(SPECIAL_TOKENS)
UNKNOWN_TOKEN = "<unk>"
# Marks the beginning of a word: "▁in" begins one, "ing" does not. (With a mark at the
# end the library would draw other pieces, and number them otherwise, on every run.)
WORD_MARK = "▁"
# Larger families of pairs that share sentences stay with the training data.
MAX_GROUP = 10


class Tokenizer(Protocol):
    """What both tokenizers offer: ids from 0, of which the first four are reserved."""

    @property
    def tokens(self) -> Sequence[str]:
        """The tokens by their ids."""

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without BOS and EOS; UNK for what is unknown."""

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids up to the first EOS."""

    def __len__(self) -> int: ...


class Subwords:
    """Words in pieces, by byte-pair encoding (Sennrich et al. 2016, section 3.2).

    Frequent words are one token, rare ones several. Text is lower-cased and normalised
    (NFKC); words are what stands between spaces and punctuation.

    Args:
        definition: as `to_json` returns it.

    Raises:
        ValueError: that is no definition.
    """

    def __init__(self, definition: str) -> None:
        with sentences_extra():
            from tokenizers import Tokenizer as HuggingFace

        try:
            self._tokenizer = HuggingFace.from_str(definition)
        except Exception as e:  # the library raises bare exceptions
            raise ValueError(f"no definition of a tokenizer: {e}") from e
        # A text that holds "<eos>" means these five signs, not the end.
        self._tokenizer.encode_special_tokens = True
        size = self._tokenizer.get_vocab_size()
        self.tokens = [str(self._tokenizer.id_to_token(i)) for i in range(size)]

    @classmethod
    def train(
        cls, sentences: Iterable[str], vocab_size: int, *, punctuation: bool = True
    ) -> Subwords:
        """Learn the pieces from sentences.

        Args:
            sentences: of the training split alone.
            vocab_size: how many tokens there are to be, the four reserved included.
            punctuation: False takes the words as they stand between spaces, for text
                that was cut into words before.

        Raises:
            TypeError: the size is no integer.
            ValueError: there are no sentences, or the size leaves no room.
        """
        with sentences_extra():
            from tokenizers import Tokenizer as HuggingFace
            from tokenizers import (
                decoders,
                models,
                normalizers,
                pre_tokenizers,
                trainers,
            )

        sentences = list(sentences)
        if not any(sentence.strip() for sentence in sentences):
            raise ValueError("no sentences given: expected at least one")
        reserved = [*SPECIAL_TOKENS, UNKNOWN_TOKEN]
        check_integer("vocab_size", vocab_size, 1)
        if vocab_size <= len(reserved):
            raise ValueError(
                f"vocab_size must be above {len(reserved)}, got {vocab_size}"
            )
        tokenizer = HuggingFace(models.BPE(unk_token=UNKNOWN_TOKEN))
        tokenizer.normalizer = normalizers.Sequence(
            [normalizers.NFKC(), normalizers.Lowercase()]
        )
        split = (
            pre_tokenizers.Whitespace if punctuation else pre_tokenizers.WhitespaceSplit
        )
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [split(), pre_tokenizers.Metaspace(WORD_MARK, "always", split=False)]
        )
        tokenizer.decoder = decoders.Metaspace(WORD_MARK, "always", split=False)
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size, special_tokens=reserved, show_progress=False
        )
        tokenizer.train_from_iterator(sentences, trainer)
        return cls(tokenizer.to_str())

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without BOS and EOS; UNK for unknown characters."""
        return self._tokenizer.encode(_text(text)).ids

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids up to the first EOS, words apart by spaces."""
        return self._tokenizer.decode(_until_eos(ids, len(self)))

    def to_json(self) -> str:
        """Return the definition, from which `Subwords(definition)` makes the same."""
        return self._tokenizer.to_str()

    def __len__(self) -> int:
        return len(self.tokens)


class Characters:
    """Every character a token: for Chinese, where a character is about a morpheme.

    Args:
        characters: all that are known, in the order of their ids.

    Raises:
        ValueError: one occurs twice, or is not a single character.
    """

    def __init__(self, characters: Iterable[str]) -> None:
        characters = list(characters)
        if any(len(character) != 1 for character in characters):
            raise ValueError("characters must be single ones")
        self.tokens = [*SPECIAL_TOKENS, UNKNOWN_TOKEN, *characters]
        self._ids = {token: i for i, token in enumerate(self.tokens)}
        if len(self._ids) < len(self.tokens):
            raise ValueError("characters must be distinct")

    @classmethod
    def train(cls, sentences: Iterable[str], *, at_least: int = 1) -> Characters:
        """Take those that occur `at_least` times, the most frequent first.

        Raises:
            TypeError: `at_least` is no integer.
            ValueError: there are none.
        """
        check_integer("at_least", at_least, 1)
        counts = Counter("".join(map(_no_spaces, sentences)))
        kept = [c for c, count in counts.items() if count >= at_least]
        if not kept:
            raise ValueError("no characters given: expected at least one sentence")
        return cls(sorted(kept, key=lambda c: (-counts[c], c)))

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without BOS and EOS; UNK for unknown characters."""
        return [self._ids.get(character, UNK) for character in _no_spaces(_text(text))]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids up to the first EOS."""
        kept = _until_eos(ids, len(self))
        return "".join(self.tokens[i] for i in kept if i not in (PAD, BOS))

    def __len__(self) -> int:
        return len(self.tokens)


class TextPairs(torch.utils.data.Dataset):
    """Sentence pairs as ids: `pairs[i]` is `(tokens EOS, BOS tokens EOS)`.

    Attributes:
        texts: the sentences themselves, source and target.
        src, tgt: their ids.
        src_vocab, tgt_vocab: the two tokenizers.

    Raises:
        ValueError: there are no pairs.
    """

    def __init__(
        self,
        texts: Sequence[tuple[str, str]],
        src_vocab: Tokenizer,
        tgt_vocab: Tokenizer,
    ) -> None:
        if len(texts) == 0:
            raise ValueError("no pairs given: expected at least one")
        self.texts = list(texts)
        self.src_vocab, self.tgt_vocab = src_vocab, tgt_vocab
        self.src = [[*src_vocab.encode(source), EOS] for source, _ in texts]
        self.tgt = [[BOS, *tgt_vocab.encode(target), EOS] for _, target in texts]

    def __len__(self) -> int:
        return len(self.src)

    def __getitem__(self, index: int) -> tuple[list[int], list[int]]:
        return self.src[index], self.tgt[index]

    def __iter__(self) -> Iterator[tuple[list[int], list[int]]]:
        return zip(self.src, self.tgt, strict=True)


def simplified(chinese: str) -> str:
    """Return Chinese in simplified script, whichever it was written in (by OpenCC)."""
    return _converter().convert(_text(chinese))


def split_pairs(
    pairs: Sequence[tuple[str, str]], *, valid: int, test: int, seed: int
) -> tuple[list, list, list]:
    """Split pairs so that no sentence of either language stands on two sides.

    A collection has the same English sentence with several translations, and the same
    translation of several English ones. Pairs that share a sentence, directly or by way
    of others, go to the same side. Case, spaces and punctuation do not make sentences
    different. Large families of pairs go to the training side.

    Args:
        pairs: (source, target).
        valid, test: how many pairs, about: a family is not divided.
        seed: of the draw.

    Returns:
        Training, validation and test pairs, each in the order of `pairs`.

    Raises:
        TypeError: a number that is no integer.
        ValueError: fewer pairs than asked for.
    """
    for name, number in (("valid", valid), ("test", test), ("seed", seed)):
        check_integer(name, number, 0)
    if valid + test >= len(pairs):
        raise ValueError(
            f"{valid} and {test} of {len(pairs)} pairs leave none to learn from"
        )
    families = _linked_groups(pairs)
    random.Random(seed).shuffle(families)
    side = ["train"] * len(pairs)
    wanted = {"valid": valid, "test": test}
    for family in families:
        for name in wanted:
            if len(family) <= min(wanted[name], MAX_GROUP):
                wanted[name] -= len(family)
                for i in family:
                    side[i] = name
                break
    splits = (
        [pair for pair, its in zip(pairs, side, strict=True) if its == name]
        for name in ("train", "valid", "test")
    )
    train, valid_pairs, test_pairs = splits
    return train, valid_pairs, test_pairs


def _linked_groups(pairs: Sequence[tuple[str, str]]) -> list[list[int]]:
    """Group the indices of pairs that share a sentence, directly or through others."""
    head: dict[Hashable, Hashable] = {}  # each sentence's way to its family's first

    def find(node: Hashable) -> Hashable:
        while head.setdefault(node, node) != node:
            head[node] = head[head[node]]
            node = head[node]
        return node

    for source, target in pairs:
        head[find(("source", _letters_and_digits(source)))] = find(
            ("target", _letters_and_digits(target))
        )
    families: dict[Hashable, list[int]] = {}
    for i, (source, _) in enumerate(pairs):
        families.setdefault(find(("source", _letters_and_digits(source))), []).append(i)
    return list(families.values())


def _letters_and_digits(sentence: str) -> str:
    """Return a sentence's letters and digits, which is what makes it itself."""
    letters = "".join(c for c in sentence.casefold() if c.isalnum())
    return letters or sentence


def _no_spaces(text: str) -> str:
    return "".join(text.split())


def _text(text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, got {type(text).__name__}")
    return text


def _until_eos(ids: Iterable[int], size: int) -> list[int]:
    kept = []
    for i in (check_id(i, size) for i in ids):
        if i == EOS:
            break
        kept.append(i)
    return kept


@cache
def _converter() -> Any:
    with sentences_extra():  # its dictionaries take a moment to load
        import opencc

    return opencc.OpenCC("t2s")
