"""Online softmax attention equals the readable one, in less memory."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention import causal_mask, scaled_dot_product_attention
from attnlab.complexity import peak_memory
from attnlab.online import online_softmax_attention


def random_tensor(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def random_inputs(queries, keys, *, leading=(2, 3), width=5, value=4):
    return [
        random_tensor(*leading, length, size, seed=seed).requires_grad_()
        for seed, (length, size) in enumerate(
            ((queries, width), (keys, width), (keys, value))
        )
    ]


@given(
    queries=st.integers(1, 9),
    keys=st.integers(1, 20),
    block=st.integers(1, 25),
    causal=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_online_attention_equals_plain_attention_with_gradients(
    queries, keys, block, causal
):
    queries = keys if causal else queries
    tensors = random_inputs(queries, keys)
    mask = causal_mask(keys) if causal else None
    ours = online_softmax_attention(*tensors, causal=causal, block=block)
    wanted, _ = scaled_dot_product_attention(*tensors, mask)
    assert torch.allclose(ours, wanted, atol=1e-12)
    weight = random_tensor(*ours.shape, seed=9)
    gradients = torch.autograd.grad((ours * weight).sum(), tensors)
    expected = torch.autograd.grad((wanted * weight).sum(), tensors)
    for gradient, right in zip(gradients, expected, strict=True):
        assert torch.allclose(gradient, right, atol=1e-12)


def test_online_attention_large_scores_do_not_overflow():
    query, key, value = (tensor.detach().float() for tensor in random_inputs(4, 30))
    query = 1e4 * query
    ours = online_softmax_attention(query, key, value, block=7)
    wanted, _ = scaled_dot_product_attention(query, key, value)
    assert torch.allclose(ours, wanted, atol=1e-5)


@pytest.mark.parametrize("train", [False, True])
def test_online_attention_memory_grows_linearly(train):
    def peak_bytes(n):
        query, key, value = torch.randn(3, 1, n, 8).requires_grad_(train).unbind()

        def call():
            output = online_softmax_attention(query, key, value, block=32)
            if train:
                output.sum().backward()
            return output

        return peak_memory(call)

    small, large = peak_bytes(256), peak_bytes(1024)
    assert large < 4.5 * small
    assert large < 1024 * 1024 * 4 / 2  # half of one n × n tensor


@pytest.mark.parametrize(
    ("shapes", "options", "said"),
    [
        (((2, 3), (4, 3), (4,)), {}, "value must be"),
        (((2, 3), (4, 5), (4, 3)), {}, "equally wide, got 3 and 5"),
        (((1, 2, 3), (2, 4, 3), (2, 4, 3)), {}, "must agree"),
        (((2, 3), (0, 3), (0, 3)), {}, "key must be"),
        (((2, 3), (4, 3), (4, 3)), {"causal": True}, "as many queries as keys"),
        (((2, 3), (4, 3), (4, 3)), {"block": 0}, "block"),
    ],
)
def test_online_attention_rejects_bad_shapes(shapes, options, said):
    tensors = [torch.randn(shape) for shape in shapes]
    with pytest.raises(ValueError, match=said):
        online_softmax_attention(*tensors, **options)


def test_online_attention_rejects_mixed_dtypes():
    query, key, value = torch.randn(3, 4, 5)
    with pytest.raises(TypeError, match="share one dtype"):
        online_softmax_attention(query, key, value.double())
