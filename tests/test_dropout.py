"""Dropout: how much, where, and as torch's in all but the random numbers."""

import pytest
import torch

from attnlab.dropout import Dropout, dropout


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_dropout_drops_or_scales_elements(dtype, p):
    torch.manual_seed(0)
    x = torch.full((501, 401), 3.0, dtype=dtype)
    y = dropout(x, p)
    assert y.dtype == dtype and y.shape == x.shape
    kept = y != 0
    share = kept.double().mean().item()
    assert share == pytest.approx(1 - p, abs=5 * (p * (1 - p) / x.numel()) ** 0.5)
    wanted = torch.full_like(y[kept], 3.0 / (1 - p))
    torch.testing.assert_close(y[kept], wanted, rtol=1e-2, atol=0)


def test_dropout_drops_neighbours_independently():
    torch.manual_seed(0)
    kept = (dropout(torch.ones(400_000), 0.5) != 0).double()
    for distance in range(1, 9):  # four elements share a draw
        together = (kept[distance:] * kept[:-distance]).mean().item()
        assert together == pytest.approx(0.25, abs=0.005)
    assert kept.view(-1, 4).mean(0).sub(0.5).abs().max() < 0.01


def test_dropout_repeats_with_seed():
    def drop_with_seed() -> torch.Tensor:
        torch.manual_seed(5)
        return dropout(torch.ones(7, 11), 0.4)

    assert torch.equal(drop_with_seed(), drop_with_seed())
    assert not torch.equal(drop_with_seed(), dropout(torch.ones(7, 11), 0.4))
    masks = torch.stack([dropout(torch.ones(64), 0.5) for _ in range(500)])
    assert len(masks.unique(dim=0)) == 500


def test_dropout_accepts_odd_sizes_and_strides():
    torch.manual_seed(0)
    for shape in [(), (1,), (3, 5), (0, 4)]:
        assert dropout(torch.ones(shape), 0.5).shape == shape
    nearly_all = dropout(torch.ones(100), 1 - 1e-9)  # rounded, though not to 1
    assert set(nearly_all.tolist()) <= {0.0, 2.0**16}
    x = torch.arange(1.0, 13).view(3, 4).t()
    y = dropout(x, 0.2)
    torch.testing.assert_close(y[y != 0], x[y != 0] / 0.8, rtol=1e-4, atol=0)


def test_dropout_module_drops_only_in_training():
    x = torch.ones(100)
    layer = Dropout(0.5)
    assert (layer(x) == 0).any()
    assert layer.eval()(x) is x
    assert Dropout(0.0)(x) is x
    assert repr(layer) == "Dropout(p=0.5)"


@pytest.mark.parametrize("p", [-0.1, 1.0, 2])
def test_dropout_rejects_bad_probability(p):
    for call in (Dropout, lambda p: dropout(torch.ones(3), p)):
        with pytest.raises(ValueError, match=r"\[0, 1\)"):
            call(p)
    with pytest.raises(TypeError, match="x must be a floating point"):
        dropout(torch.ones(3).long(), 0.5)
