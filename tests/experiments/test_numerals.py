"""Transformer and GRU on numerals: what is counted, and the sizes."""

import pytest
import torch

from attnlab.data import NumberPairs, collate
from attnlab.experiments.numerals import build, learn_numerals, numeral_loss
from attnlab.training import cross_entropy_loss, exact_match, set_seed


def test_numerals_exact_in_parallel_pass_equals_greedy():
    set_seed(0)
    model = build("transformer, post-norm")
    learn_numerals(model, list(range(20)) * 80, lr=1e-2, seed=0, steps=45)
    tests = NumberPairs(list(range(25)))
    batch = collate([tests[i] for i in range(len(tests))])
    loss, share = numeral_loss(model, batch)
    assert 0.2 < share < 1  # or this shows nothing
    assert share.item() == pytest.approx(exact_match(model, tests))
    torch.testing.assert_close(loss, cross_entropy_loss(model, batch)[0])
