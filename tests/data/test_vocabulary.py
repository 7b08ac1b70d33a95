import pytest
import torch

from attnlab.data import (
    BOS,
    EOS,
    LANGUAGES,
    PAD,
    Vocabulary,
    number_tokens,
    number_vocabulary,
)


def test_vocabulary_decode_stops_at_eos_and_drops_padding():
    vocabulary = Vocabulary(["a", "b"])
    assert vocabulary.decode([BOS, 3, PAD, 4, EOS, 3, PAD]) == ["a", "b"]
    assert vocabulary.decode(torch.tensor([BOS, 4, EOS])) == ["b"]
    assert vocabulary.decode([]) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_number_vocabulary_has_no_unused_token(language):
    numbers = [*range(102), *(10**p * f for p in range(2, 12) for f in (1, 2))]
    said = {token for number in numbers for token in number_tokens(number, language)}
    assert said == set(number_vocabulary(language).tokens[3:])
