import pytest

from attnlab.data import PlacePairs
from attnlab.experiments.silence import ablate_in_turn, ablation_orders
from attnlab.saved import load_weights

pytestmark = pytest.mark.slow

NUMBERS = PlacePairs([205_300, 7, 41_000_020])


def test_ablate_in_turn_ablates_every_head_in_chosen_order():
    reader = load_weights("places-en-1")[0]

    def first_masked_head(mask):
        layer, head = mask.nonzero()[0].tolist()
        return layer, head

    curve, order = ablate_in_turn(reader, NUMBERS, first_masked_head)
    assert order == [(0, head) for head in range(4)]
    assert curve[0] == 1 and curve[-1] == 0
    assert all(len(o["order"]) == 4 for o in ablation_orders(reader, NUMBERS).values())
