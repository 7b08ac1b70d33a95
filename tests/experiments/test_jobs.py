"""What heads are for: how it is measured."""

import pytest
import torch

from attnlab.data import EOS, NumberPairs, collate
from attnlab.experiments.jobs import (
    ablate_each,
    ablate_kinds,
    ablate_pairs,
    kinds_of_words,
    looks,
    share_right,
    train_translator,
    wrong_words,
)
from attnlab.training import exact_match, mean_loss
from attnlab.transformer import MAPS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def trained_translator():
    return train_translator(seed=0, steps=200, train_numbers=4_000)


def make_batch(numbers):
    pairs = NumberPairs(numbers)
    return collate([pairs[i] for i in range(len(pairs))])


@pytest.mark.weekly
def test_share_right_equals_greedy_decoding(trained_translator):
    model, held_out = trained_translator
    numbers = held_out[:100]
    written = exact_match(model, NumberPairs(numbers))
    assert 0 < written < 1  # half trained: both kinds of answers occur
    assert share_right(model, make_batch(numbers)) == pytest.approx(written)


@pytest.mark.weekly
def test_ablate_functions_restore_heads(trained_translator):
    model, held_out = trained_translator
    pairs = NumberPairs(held_out[:60])

    def measure():
        return mean_loss(model, pairs)

    before = measure()
    removed, without = ablate_each(model, measure), ablate_kinds(model, measure)
    found = ablate_pairs(model, measure)
    assert measure() == before
    assert without["cross"] > before
    for kind in MAPS:
        assert [len(row) for row in removed[kind]] == [4, 4]
        assert len({(first, second) for first, second, _ in found[kind]}) == 8 * 7 / 2
    first, second, loss = found["cross"][11]
    mask = torch.ones(2, 4, dtype=torch.bool)
    mask[first], mask[second] = False, False
    with model.head_mask(cross=mask):
        assert measure() == loss != before


def test_wrong_words_counts_errors_by_kind():
    numbers = [24, 4786]
    batch, vocab = make_batch(numbers), NumberPairs(numbers).tgt_vocab

    def predict_all_but_und(src, tgt):
        """Right everywhere, but says EOS for "und"."""
        answer = batch.tgt[:, 1:].clone()
        answer[answer == vocab.encode(["und"])[0]] = EOS
        return torch.nn.functional.one_hot(answer, len(vocab)).float()

    kinds = [kinds_of_words(number) for number in numbers]
    assert kinds_of_words(12_000) == ["digit", "power", "end"]  # zwölf tausend
    found = wrong_words(predict_all_but_und, batch, kinds)
    assert found == {"digit": 0.0, "power": 0.0, "und": 1.0, "end": 0.0}


def test_looks_splits_weight_by_relative_position():
    back = torch.eye(4).roll(-1, dims=1)  # each query at the token before it
    weights = torch.stack([back, torch.eye(4)])[None, None]  # (1, 1, 2 heads, 4, 4)
    found = looks(weights, torch.tensor([[False, True, True, True]]))
    assert found.pop("first")[0] == pytest.approx([1 / 3, 0.0])
    assert found == {"before": [[1, 0]], "itself": [[0, 1]], "after": [[0, 0]]}
