import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import (
    REFUSED,
    assert_close,
    attempt,
    fuzz,
    is_size,
    masks,
    sizes,
    tensors,
)

from attnlab.attention import MultiHeadAttention
from attnlab.grouped import GroupedQueryAttention, cache_bytes


@fuzz(GroupedQueryAttention)
@given(data=st.data(), d_model=sizes(1, 8), num_heads=sizes(1, 4), groups=sizes(1, 4))
def test_groups_are_built_or_refused(data, d_model, num_heads, groups):
    attention = attempt(GroupedQueryAttention, d_model, num_heads, groups)
    fits = all(map(is_size, (d_model, num_heads, groups)))
    fits = fits and d_model % num_heads == 0 and num_heads % groups == 0
    assert (attention is not REFUSED) == fits
    if not fits:
        return
    n_query, n_key = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    # What does not fit the linear layers is torch's to name; here they come first.
    query = data.draw(tensors((2, n_query, d_model), torch.float32, most=1.0))
    key = data.draw(tensors((2, n_key, d_model), torch.float32, most=1.0))
    mask = data.draw(masks((2, n_query, n_key)))
    found = attempt(attention, query, key, None, mask)
    if found is not REFUSED:
        assert found[0].shape == query.shape and found[0].isfinite().all()


@fuzz(GroupedQueryAttention)
@given(
    data=st.data(),
    num_heads=st.sampled_from([1, 2, 4]),
    groups=sizes(1, 4),
    d_head=st.sampled_from([None, None, 3]),
)
def test_as_many_groups_as_heads_is_multi_head_attention(
    data, num_heads, groups, d_head
):
    heads = MultiHeadAttention(4, num_heads, d_head=d_head).double()
    grouped = attempt(GroupedQueryAttention.from_heads, heads, groups)
    if grouped is not REFUSED and groups == num_heads:
        x = data.draw(tensors((2, 3, 4), torch.float64, most=1.0))
        mask = data.draw(masks((2, 3, 3)))
        if mask is None or mask.dtype == torch.bool:
            ours = attempt(grouped, x, mask=mask)
            if ours is not REFUSED:
                wanted = heads(x, mask=mask)[0]
                assert_close(ours[0], wanted, digits_of=x.dtype)


@fuzz(cache_bytes)
@given(st.lists(sizes(1, 10**6), min_size=5, max_size=5))
def test_bytes_are_a_product(numbers):
    names = ("tokens", "layers", "groups", "d_head", "bytes_per_number")
    options = dict(zip(names, numbers, strict=True))
    found = attempt(cache_bytes, options.pop("tokens"), **options)
    assert (found is not REFUSED) == all(map(is_size, numbers))
    if found is not REFUSED:
        a, b, c, d, e = numbers
        assert found == 2 * a * b * c * d * e
