"""The formulas: what the paper says about them, and bad input."""

import pytest

from attnlab.complexity import LAYERS


def test_attention_and_recurrence_cost_the_same_where_the_paper_says():
    """n = d for an RNN, 3d for a GRU, 4d for an LSTM: as many as they have gates."""
    d = 64
    attention = LAYERS["attention"]
    for cell, n in [("rnn", d), ("gru", 3 * d), ("lstm", 4 * d)]:
        assert attention.flops(n, d) == LAYERS[cell].flops(n, d)
        assert attention.flops(n - 1, d) < LAYERS[cell].flops(n - 1, d)


def test_projections_are_half_of_the_cost_at_n_twice_d():
    d = 32
    projections = LAYERS["multi_head"].flops(2 * d, d) - 4 * (2 * d) ** 2 * d
    assert projections == LAYERS["multi_head"].flops(2 * d, d) / 2


def test_the_band_computes_half_as_much_again_as_it_needs():
    banded = LAYERS["banded"]
    done = banded.flops(4096, 64, radius=64)
    assert 1.4 < done / banded.needed(4096, 64, radius=64) < 1.5
    assert done < LAYERS["attention"].flops(4096, 64) / 20


def test_a_band_as_wide_as_the_sequence_is_more_than_full_attention():
    full = LAYERS["attention"].flops(100, 8)
    assert LAYERS["banded"].flops(100, 8, radius=10**9) > full


def test_a_centred_dilated_stack_may_never_link_the_ends():
    dilated = LAYERS["dilated"]
    assert dilated.layers_needed(5, kernel_size=3) == 2  # 4 = 11 in base 3
    with pytest.raises(ValueError, match="leads beyond the end"):
        dilated.layers_needed(64, kernel_size=3)  # 63 = 2100 in base 3
