"""Number words in five languages: a translation task with a known alignment."""

from attnlab.data.alignment import alignment, alignment_error_rate
from attnlab.data.grammar import LANGUAGES, MAX_NUMBER
from attnlab.data.numbers import detokenize, number_tokens, spell, tokenize
from attnlab.data.pairs import (
    Batch,
    NumberPairs,
    batches,
    collate,
    sample_numbers,
    split_numbers,
)
from attnlab.data.places import PlacePairs, place_values, read_number
from attnlab.data.vocabulary import Vocabulary, number_vocabulary
from attnlab.tokens import BOS, EOS, PAD

__all__ = [
    "BOS",
    "EOS",
    "LANGUAGES",
    "MAX_NUMBER",
    "PAD",
    "Batch",
    "NumberPairs",
    "PlacePairs",
    "Vocabulary",
    "alignment",
    "alignment_error_rate",
    "batches",
    "collate",
    "detokenize",
    "number_tokens",
    "number_vocabulary",
    "place_values",
    "read_number",
    "sample_numbers",
    "spell",
    "split_numbers",
    "tokenize",
]
