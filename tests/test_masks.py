"""Masks, and the softmax under them."""

import pytest
import torch

from attnlab.masks import causal_mask, masked_softmax, padding_mask, window_mask

DTYPES = [torch.float32, torch.bfloat16, torch.float16]
ROWS = torch.zeros(2, 3)


def test_padding_mask_is_true_at_non_padding():
    mask = padding_mask(torch.tensor([2, 0, 3]), 3)
    wanted = [[[True, True, False]], [[False] * 3], [[True] * 3]]
    assert mask.dtype == torch.bool
    assert mask.tolist() == wanted


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_softmax_rows_sum_to_one_or_zero(dtype):
    torch.manual_seed(0)
    scores = torch.randn(4, 5, 6, dtype=dtype)
    mask = torch.rand(4, 5, 6) < 0.4
    mask[0, 0], mask[0, 1] = False, True
    weights = masked_softmax(scores, mask)
    assert weights.dtype == dtype
    assert (weights[~mask] == 0).all()
    sums = weights.float().sum(-1)
    torch.testing.assert_close(sums, mask.any(-1).float(), atol=2e-2, rtol=0)


def test_masked_softmax_equals_softmax_of_visible():
    torch.manual_seed(0)
    scores = torch.randn(7, 9, dtype=torch.float64)
    mask = torch.rand(7, 9) < 0.5
    mask[:, 0] = True
    weights = masked_softmax(scores, mask)
    for row in range(7):
        alone = scores[row][mask[row]].softmax(-1)
        torch.testing.assert_close(weights[row][mask[row]], alone)
    torch.testing.assert_close(masked_softmax(scores), scores.softmax(-1))


def test_masked_softmax_ignores_masked_inf_and_nan():
    scores = torch.tensor([[0.5, float("inf"), float("nan"), 1.0]], requires_grad=True)
    mask = torch.tensor([[True, False, False, True]])
    weights = masked_softmax(scores, mask)
    torch.testing.assert_close(weights[0, [0, 3]], torch.tensor([0.5, 1.0]).softmax(-1))
    weights[0, 0].backward()
    assert scores.grad.isfinite().all()


def test_causal_and_window_mask_equal_definitions():
    causal, window = causal_mask(5), window_mask(5, 1)
    for i in range(5):
        for j in range(5):
            assert causal[i, j] == (j <= i)
            assert window[i, j] == (abs(i - j) <= 1)
    assert causal.dtype == window.dtype == torch.bool
    assert torch.equal(window_mask(4, 0), torch.eye(4).bool())
    assert window_mask(4, 3).all() and window_mask(4, 100).all()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: masked_softmax(ROWS, torch.zeros(2, 3)), TypeError, "bool.*float32"),
        (lambda: masked_softmax(ROWS, torch.ones(4).bool()), ValueError, "broadcast"),
        (lambda: masked_softmax(torch.zeros(2, 0)), ValueError, "at least one key"),
        (lambda: masked_softmax(ROWS.long()), TypeError, "floating point"),
        (lambda: padding_mask(torch.tensor([1.0]), 2), TypeError, "integers"),
        (lambda: padding_mask([1, 2], 2), TypeError, "tensor"),
        (lambda: padding_mask(torch.tensor([[1]]), 2), ValueError, "batch"),
        (lambda: padding_mask(torch.tensor([3]), 2), ValueError, "0 … 2"),
        (lambda: padding_mask(torch.tensor([-1]), 2), ValueError, "0 … 2"),
        (lambda: padding_mask(torch.tensor([0]), 0), ValueError, "at least 1"),
        (lambda: causal_mask(0), ValueError, "n must be at least 1"),
        (lambda: window_mask(3, -1), ValueError, "radius must be at least 0"),
        (lambda: window_mask(3, True), TypeError, "radius"),
        (lambda: window_mask(0, 1), ValueError, "n must be"),
    ],
)
def test_masks_reject_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
