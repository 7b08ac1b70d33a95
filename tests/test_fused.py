"""Attention in a band. That torch's kernels agree is in `test_attention`."""

import pytest
import torch

from attnlab.attention import scaled_dot_product_attention
from attnlab.complexity import peak_memory
from attnlab.fused import banded_attention
from attnlab.masks import causal_mask, window_mask

DTYPES = [torch.float32, torch.bfloat16, torch.float16]
DOUBLE = torch.float64


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 97, 130])
@pytest.mark.parametrize("radius", [0, 1, 5, 40, 97, 1000])
def test_banded_attention_equals_full_attention_with_window_mask(n, radius, causal):
    torch.manual_seed(0)
    query, key = torch.randn(2, 2, n, 6, dtype=DOUBLE).requires_grad_()
    value = torch.randn(2, n, 3, dtype=DOUBLE, requires_grad=True)
    mask = window_mask(n, radius)
    if causal:
        mask = mask & causal_mask(n)
    wanted, _ = scaled_dot_product_attention(query, key, value, mask)
    output = banded_attention(query, key, value, radius, causal=causal)
    torch.testing.assert_close(output, wanted, atol=1e-10, rtol=0)
    inputs, up = [query, key, value], torch.randn_like(wanted)
    found = torch.autograd.grad(output, inputs, up)
    gradients = torch.autograd.grad(wanted, inputs, up)
    torch.testing.assert_close(found, gradients, atol=1e-10, rtol=0)


@pytest.mark.parametrize("leading", [(), (2,), (2, 3), (2, 1, 3)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_banded_attention_accepts_leading_dimensions_and_dtypes(leading, dtype):
    torch.manual_seed(0)
    query, key, value = torch.randn(3, *leading, 50, 8).to(dtype)
    output = banded_attention(query, key, value, 3)
    assert output.dtype == dtype
    wanted, _ = scaled_dot_product_attention(
        query.double(), key.double(), value.double(), window_mask(50, 3)
    )
    tolerance = 4 * torch.finfo(dtype).eps
    torch.testing.assert_close(output.double(), wanted, atol=tolerance, rtol=tolerance)


def test_banded_attention_memory_grows_with_n_times_the_radius():
    def peak_bytes(n, radius):
        query, key, value = torch.randn(3, 1, n, 4).requires_grad_().unbind()
        return peak_memory(
            lambda: banded_attention(query, key, value, radius).sum().backward()
        )

    small = peak_bytes(2048, 32)
    assert small < 2048 * 2048 * 4 / 2  # half of one n × n tensor
    assert peak_bytes(8192, 32) <= 4.2 * small
    assert peak_bytes(2048, 128) <= 4.2 * small


@pytest.mark.parametrize(
    ("shapes", "radius", "error", "words"),
    [
        ([(4, 2)] * 3, -1, ValueError, "radius must be at least 0"),
        ([(4, 2)] * 3, 1.0, TypeError, "radius must be an integer"),
        ([(4, 2), (5, 2), (5, 2)], 1, ValueError, "self-attention"),
        ([(0, 2)] * 3, 1, ValueError, "empty"),
    ],
)
def test_banded_attention_rejects_bad_input(shapes, radius, error, words):
    with pytest.raises(error, match=words):
        banded_attention(*map(torch.zeros, shapes), radius)
