"""What is lost without heads: measured on small readers of numerals."""

import pytest
import torch

from attnlab.data import PlacePairs, collate
from attnlab.data.places import NUM_CLASSES
from attnlab.saved import load_weights
from attnlab.tagger import Tagger
from tools.head_damage import heads_replaced, mean_outputs, measure_damage

NUMBERS = [7, 24, 205_300, 300_000]
PAIRS = PlacePairs(NUMBERS, "en")


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Tagger(len(PAIRS.vocab), NUM_CLASSES, 8, num_heads=2, num_layers=2).eval()


def test_heads_replaced_by_zeros_equals_head_mask(model):
    tokens = collate(PAIRS).src
    mask = torch.tensor([[True, False], [True, True]])
    with heads_replaced(model, [(0, 1)], torch.zeros(2, 2, 4)):
        gone = model(tokens)
    torch.testing.assert_close(gone, model(tokens, mask))
    assert not torch.allclose(gone, model(tokens))  # and it is back afterwards


def test_mean_outputs_exclude_padding(model):
    means = mean_outputs(model, NUMBERS, "en")
    assert means.shape == (2, 2, 4)
    tokens = torch.tensor(PAIRS.src[2])[None]
    x = model.positions(model.embedding(tokens))
    heads = model.layers[0].mixer.heads
    values = heads.value_layer(x).unflatten(-1, (2, 4)).transpose(1, 2)
    by_hand = (model.attention(tokens)[0] @ values).mean(2)  # (1, heads, d_head)
    found = mean_outputs(model, [NUMBERS[2]], "en")[0]
    torch.testing.assert_close(found, by_hand[0], rtol=1e-5, atol=1e-6)


def test_damage_is_symmetric_and_counts_lost_numbers():
    model, _ = load_weights("places-en-1")
    numbers = [205_300, 243_562, 1_000]
    lost = torch.tensor(measure_damage(model, numbers, "en", torch.zeros(1, 4, 16)))
    assert torch.equal(lost, lost.T)
    assert lost[3, 3] >= 1 / 3  # 205,300 becomes 5,500 without head 4
