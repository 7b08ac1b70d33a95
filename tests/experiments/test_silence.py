import pytest
import torch

from attnlab.attention import MultiHeadAttention
from attnlab.data import PlacePairs, collate
from attnlab.experiments.silence import (
    found_by_heads,
    one_by_one,
    orders,
    silenced,
)
from attnlab.saved import load_weights

pytestmark = pytest.mark.slow

NUMBERS = PlacePairs([205_300, 7, 41_000_020])
OTHERS = PlacePairs([613, 90_004])


@pytest.fixture
def reader():
    return load_weights("places-en-1")[0]


def head_mask(*silent):
    mask = torch.ones(1, 4, dtype=torch.bool)
    mask[0, list(silent)] = False
    return mask


def test_what_heads_find_adds_up_to_what_the_layer_says(reader):
    found = found_by_heads(reader, NUMBERS)  # (words, h, d_head)
    src = collate(NUMBERS).src
    heads: MultiHeadAttention = reader.layers[0].mixer.heads
    said = []
    hook = heads.register_forward_hook(lambda _m, _i, out: said.append(out[0]))
    with torch.no_grad():
        reader(src)
        blocks = heads.output_layer.weight.chunk(4, dim=1)  # W_O, a block for each head
        terms = [f @ W.T for f, W in zip(found.unbind(1), blocks, strict=True)]
    hook.remove()
    torch.testing.assert_close(sum(terms) + heads.output_layer.bias, said[0][src != 0])


@pytest.mark.parametrize("silent", [(0,), (1, 3)])
def test_zero_is_the_head_mask(reader, silent):
    src, pool = collate(NUMBERS).src, found_by_heads(reader, OTHERS)
    with torch.no_grad(), silenced(reader, silent, "zero", pool):
        left_out = reader(src)
    torch.testing.assert_close(left_out, reader(src, head_mask(*silent)))


@pytest.mark.parametrize("way", ["mean", "other"])
def test_heads_that_are_replaced_do_not_look_and_the_others_do(reader, way):
    src, pool = collate(NUMBERS).src, found_by_heads(reader, OTHERS)[:1]  # one word
    with torch.no_grad():
        whole = reader(src)
        with silenced(reader, range(4), way, pool):
            deaf = reader(src)
        with silenced(reader, (), way, pool):
            torch.testing.assert_close(reader(src), whole)
        torch.testing.assert_close(reader(src), whole)  # and afterwards
    assert (deaf - whole).abs().max() > 1


def test_one_by_one_ends_with_nobody(reader):
    def first(mask):
        layer, head = mask.nonzero()[0].tolist()
        return layer, head

    curve, order = one_by_one(reader, NUMBERS, first)
    assert order == [(0, head) for head in range(4)]
    assert curve[0] == 1 and curve[-1] == 0
    assert all(len(o["order"]) == 4 for o in orders(reader, NUMBERS).values())
