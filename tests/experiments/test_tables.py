"""Tables of positions: what they are at the start, and what was stored of them."""

import pytest
import torch

from attnlab.experiments.tables import SCHEMES, TABLE_RMS, coarse_table, make_model
from attnlab.positions import sinusoidal


def test_coarse_table_neighbours_share_a_row():
    table = coarse_table(20)
    assert torch.equal(table[0::2], table[1::2])
    assert len(torch.unique(table, dim=0)) == 10
    torch.testing.assert_close(table[0::2], sinusoidal(10, 64))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_measure_table_trains_only_learned_tables(scheme):
    torch.manual_seed(0)
    model = make_model(scheme)
    names = {name for name, p in model.named_parameters() if p.requires_grad}
    assert ("positions.table" in names) == scheme.startswith("learned")
    if scheme == "learned, loud":
        assert model.positions.table.std().item() == pytest.approx(TABLE_RMS, rel=0.05)
