"""Masks, and the softmax under them."""

import pytest
import torch

from attnlab.masks import causal_mask, masked_softmax, padding_mask, window_mask

DTYPES = [torch.float32, torch.bfloat16, torch.float16]


def test_padding_mask_is_true_at_real_tokens():
    mask = padding_mask(torch.tensor([2, 0, 3]), 3)
    wanted = [[[True, True, False]], [[False] * 3], [[True] * 3]]
    assert mask.dtype == torch.bool
    assert mask.tolist() == wanted
    lengths = torch.tensor([2, 0, 3])
    with torch.device("meta"):  # another default: the mask lies where the lengths lie
        assert padding_mask(lengths, 3).tolist() == wanted


@pytest.mark.parametrize(
    ("lengths", "n", "error", "words"),
    [
        (torch.tensor([1.0]), 2, TypeError, "integers"),
        ([1, 2], 2, TypeError, "tensor"),
        (torch.tensor([[1]]), 2, ValueError, "batch"),
        (torch.tensor([3]), 2, ValueError, "0 … 2"),
        (torch.tensor([-1]), 2, ValueError, "0 … 2"),
        (torch.tensor([0]), 0, ValueError, "at least 1"),
    ],
)
def test_padding_mask_refuses(lengths, n, error, words):
    with pytest.raises(error, match=words):
        padding_mask(lengths, n)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_sum_to_one_or_are_all_zero(dtype):
    torch.manual_seed(0)
    scores = torch.randn(4, 5, 6, dtype=dtype)
    mask = torch.rand(4, 5, 6) < 0.4
    mask[0, 0], mask[0, 1] = False, True
    weights = masked_softmax(scores, mask)
    assert weights.dtype == dtype
    assert (weights[~mask] == 0).all()
    sums = weights.float().sum(-1)
    torch.testing.assert_close(sums, mask.any(-1).float(), atol=2e-2, rtol=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("grad", [True, False])
def test_a_fully_masked_row_is_zero_forward_and_backward(dtype, grad):
    scores = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=dtype, requires_grad=grad)
    mask = torch.tensor([[False, False], [True, True]])
    weights = masked_softmax(scores, mask)
    assert weights[0].tolist() == [0, 0]
    assert weights[1].sum().item() == pytest.approx(1, abs=1e-2)
    if grad:
        weights.backward(torch.tensor([[1.0, -2.0], [1.0, -2.0]], dtype=dtype))
        assert scores.grad[0].tolist() == [0, 0]
        assert scores.grad[1].isfinite().all()
        assert (scores.grad[1] != 0).all()


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_not_even_a_passing_nan():
    scores = torch.randn(2, 3, requires_grad=True)
    mask = torch.tensor([[False] * 3, [True, False, True]])
    with torch.autograd.detect_anomaly():
        masked_softmax(scores, mask).square().sum().backward()
    assert scores.grad.isfinite().all()


def test_equals_a_softmax_over_the_visible_places_alone():
    torch.manual_seed(0)
    scores = torch.randn(7, 9, dtype=torch.float64)
    mask = torch.rand(7, 9) < 0.5
    mask[:, 0] = True
    weights = masked_softmax(scores, mask)
    for row in range(7):
        alone = scores[row][mask[row]].softmax(-1)
        torch.testing.assert_close(weights[row][mask[row]], alone)
    for shape in ((7, 9), (9,), (2, 3, 4)):
        scores = torch.randn(shape)
        sums = masked_softmax(scores).sum(-1)
        torch.testing.assert_close(sums, torch.ones(shape[:-1]))
        everything = torch.ones(shape, dtype=torch.bool)
        torch.testing.assert_close(
            masked_softmax(scores), masked_softmax(scores, everything)
        )


def test_gradient_is_right_and_hidden_scores_get_none():
    torch.manual_seed(0)
    scores = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor([[1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0]]).bool()
    assert torch.autograd.gradcheck(lambda s: masked_softmax(s, mask), scores)
    masked_softmax(scores, mask).square().sum().backward()
    assert (scores.grad[~mask] == 0).all()


def test_whatever_stands_in_hidden_places_does_not_matter():
    scores = torch.tensor([[0.5, float("inf"), float("nan"), 1.0]], requires_grad=True)
    mask = torch.tensor([[True, False, False, True]])
    weights = masked_softmax(scores, mask)
    torch.testing.assert_close(weights[0, [0, 3]], torch.tensor([0.5, 1.0]).softmax(-1))
    weights[0, 0].backward()
    assert scores.grad.isfinite().all()


def test_mask_broadcasts():
    scores = torch.zeros(2, 3, 4)
    mask = padding_mask(torch.tensor([1, 4]), 4)
    wanted = torch.tensor([[1.0, 0, 0, 0], [0.25] * 4])[:, None].expand(2, 3, 4)
    assert torch.equal(masked_softmax(scores, mask), wanted)


@pytest.mark.parametrize(
    ("scores", "mask", "error", "words"),
    [
        (torch.zeros(2, 3), torch.zeros(2, 3), TypeError, "bool.*float32"),
        (torch.zeros(2, 3), [[True]], TypeError, "bool.*list"),
        (torch.zeros(2, 3), torch.ones(2, 4).bool(), ValueError, "broadcast"),
        (torch.zeros(2, 3), torch.ones(5, 2, 3).bool(), ValueError, "broadcast"),
        (torch.zeros(2, 0), None, ValueError, "at least one key"),
        (torch.zeros(2, 3).long(), None, TypeError, "floating point"),
    ],
)
def test_masked_softmax_refuses(scores, mask, error, words):
    with pytest.raises(error, match=words):
        masked_softmax(scores, mask)


# Masks


def test_causal_and_window_masks():
    causal, window = causal_mask(5), window_mask(5, 1)
    for i in range(5):
        for j in range(5):
            assert causal[i, j] == (j <= i)
            assert window[i, j] == (abs(i - j) <= 1)
    assert causal.dtype == window.dtype == torch.bool
    assert torch.equal(window_mask(4, 0), torch.eye(4).bool())
    assert window_mask(4, 3).all() and window_mask(4, 100).all()


def test_masks_combine():
    mask = causal_mask(4) & window_mask(4, 1) & padding_mask(torch.tensor([4, 2]), 4)
    assert mask.shape == (2, 4, 4)
    assert mask[1].int().tolist() == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 0, 0],
    ]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: causal_mask(0), ValueError, "n must be at least 1"),
        (lambda: causal_mask(2.0), TypeError, "integer, got 2.0"),
        (lambda: window_mask(3, -1), ValueError, "radius must be at least 0"),
        (lambda: window_mask(3, True), TypeError, "radius"),
        (lambda: window_mask(0, 1), ValueError, "n must be"),
    ],
)
def test_masks_refuse(call, error, words):
    with pytest.raises(error, match=words):
        call()
