"""What is no number, language, text, mask or batch is named at the door."""

import re

import pytest
import torch

from attnlab.data import (
    NumberPairs,
    PlacePairs,
    Vocabulary,
    alignment_error_rate,
    batches,
    collate,
    number_tokens,
    number_vocabulary,
    read_number,
    sample_numbers,
    spell,
    split_numbers,
    tokenize,
)
from attnlab.data.corpora import multi30k
from attnlab.data.text import Characters, Subwords, TextPairs, split_pairs

PAIRS = NumberPairs([1, 123_456])
RANGE = "from 0 to 999,999,999,999, got {}"
ENGLISH = ["the cat sat on the mat .", "a cat and a dog sat there ."]

WRONG_VALUES = [
    *((lambda n=n: spell(n, "en"), RANGE.format(n)) for n in (-1, 10**12, 10**30)),
    *((lambda n=n: NumberPairs(n), "from 0 to") for n in ([7, -1], [10**12])),
    (lambda: spell(7, "xx"), "expected one of en, de"),
    (lambda: tokenize("", "xx"), "unknown language 'xx'"),
    (lambda: tokenize("two apples", "en"), "number word at 'apples'"),
    (lambda: tokenize("七円", "ja"), "number word at '円'"),
    (lambda: number_vocabulary("en").encode(["two", "apple"]), "token 'apple'"),
    (lambda: Vocabulary("ab").decode([-1]), "unknown id -1: expected 0 to 4"),
    (lambda: Vocabulary("ab").decode([5]), "unknown id 5: expected 0 to 4"),
    (lambda: Vocabulary("aab"), "must be distinct, got twice: a"),
    (lambda: NumberPairs([]), "numbers is empty"),
    *(
        (lambda n=size: PlacePairs([1], per_sequence=n), "per_sequence")
        for size in (0, (3, 2), 1.5)
    ),
    (lambda: read_number(["two"], []), "1"),
    (lambda: collate([]), "no pairs"),
    (lambda: batches(PAIRS, 0), "at least 1, got 0"),
    (lambda: batches(PAIRS, max_tokens=3), "tokens, more than max_tok"),
    (lambda: split_numbers(5, 3, 1, seed=0), "may be held out"),
    (lambda: split_numbers(99, 2, (1, 2), seed=0), "are left for training"),
    (lambda: sample_numbers(11, 1, seed=0), "only 10 of 1 to 1 digits"),
    (lambda: sample_numbers(-1, 3, seed=0), "count must not be negative, got -1"),
    *(
        (lambda d=digits: sample_numbers(3, d, seed=0), "digits must be")
        for digits in (0, (3, 2), (1, 13), True)
    ),
    (
        lambda: alignment_error_rate(torch.zeros(2, 9, 9), [7]),
        "2 weight matrices for 1",
    ),
    (
        lambda: alignment_error_rate(torch.zeros(7, 7), 2487),
        "target length ≥ 8, source",
    ),
    (lambda: alignment_error_rate(torch.zeros(1, 2, 2), 7), "got shape"),
    (lambda: alignment_error_rate(torch.full((2, 2), torch.nan), 7), "NaN"),
    (lambda: alignment_error_rate([], []), "nothing to judge"),
    (lambda: multi30k("dev"), "'dev' is none of train, valid, test"),
    (lambda: Subwords("{}"), "no definition"),
    (lambda: Subwords.train([], 60), "no sentences"),
    (lambda: Subwords.train(["a"], 4), "above 4"),
    (lambda: Characters("aab"), "distinct"),
    (lambda: Characters(["ab"]), "single"),
    (lambda: Characters.train([]), "no characters"),
    (lambda: TextPairs([], Characters("a"), Characters("b")), "no pairs"),
    (lambda: split_pairs([("a", "b")], valid=1, test=1, seed=0), "leave none"),
]
WRONG_TYPES = [
    *(
        (lambda n=n: number_tokens(n, "en"), "must be an integer")
        for n in (True, 2.0, "7")
    ),
    (lambda: split_numbers(1.5, 3, 3, seed=0), "train must be an integer"),
    *(
        (lambda d=digits: sample_numbers(3, d, seed=0), "digits must be")
        for digits in (1.5, (1, 2, 3), "12")
    ),
    (lambda: batches(PAIRS), "batch_size must be an integer"),
    (lambda: batches(PAIRS, 2, max_tokens=5), "give one of them"),
    (lambda: tokenize(7, "en"), "text must be a string, got int"),
    (lambda: Subwords.train(ENGLISH, 60).encode(7), "string"),
]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        *((call, ValueError, words) for call, words in WRONG_VALUES),
        *((call, TypeError, words) for call, words in WRONG_TYPES),
    ],
)
def test_data_functions_reject_bad_input(call, error, words):
    with pytest.raises(error, match=re.escape(words)):
        call()
