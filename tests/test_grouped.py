"""Grouped queries equal many heads where they must, and keep less."""

import pytest
import torch

from attnlab.attention import MultiHeadAttention
from attnlab.grouped import GroupedQueryAttention, cache_bytes


def make_heads(**options):
    torch.manual_seed(0)
    module = MultiHeadAttention(24, 6, **options).double()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return module


def randn(*shape):
    return torch.randn(*shape, dtype=torch.float64)


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("need_weights", [True, False])
def test_from_heads_with_equal_keys_and_values_keeps_output(groups, bias, need_weights):
    module = make_heads(bias=bias)
    with torch.no_grad():
        for layer in (module.key_layer, module.value_layer):
            for parameter in layer.parameters():
                cut = parameter.unflatten(0, (groups, 6 // groups, 4))
                cut.copy_(cut[:, :1].expand_as(cut).clone())
    grouped = GroupedQueryAttention.from_heads(module, groups)
    query, key, value = randn(2, 5, 24), randn(2, 7, 24), randn(2, 7, 24)
    options = {"mask": torch.rand(2, 5, 7) < 0.7, "need_weights": need_weights}
    for inputs in ((query, key), (query, key, value)):
        found, wanted = grouped(*inputs, **options), module(*inputs, **options)
        torch.testing.assert_close(found, wanted, atol=1e-12, rtol=0)


def test_cache_bytes_equals_size_of_cache():
    grouped = GroupedQueryAttention(24, 6, 2)
    kept = grouped.prepare(torch.randn(1, 50, 24), torch.randn(1, 50, 24))
    assert [tuple(x.shape) for x in kept] == [(1, 2, 50, 4)] * 2
    counted = sum(x.numel() * x.element_size() for x in kept)
    sizes = {"layers": 1, "groups": 2, "d_head": 4, "bytes_per_number": 4}
    assert counted == cache_bytes(50, **sizes)
    for name in sizes:
        with pytest.raises(ValueError, match=f"{name} must be at least 1"):
            cache_bytes(50, **sizes | {name: 0})


@pytest.mark.parametrize(
    ("sizes", "said"),
    [((24, 5, 1), "5 heads"), ((24, 6, 4), "4 groups"), ((24, 6, 0), "num_groups")],
)
def test_grouped_attention_rejects_bad_sizes(sizes, said):
    with pytest.raises(ValueError, match=said):
        GroupedQueryAttention(*sizes)


def test_from_heads_rejects_full_width_heads():
    with pytest.raises(ValueError, match="share out one width"):
        GroupedQueryAttention.from_heads(make_heads(d_head=24), 2)
