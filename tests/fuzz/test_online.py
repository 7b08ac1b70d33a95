import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import (
    FLOATS,
    REFUSED,
    assert_close,
    attempt,
    bent,
    fuzz,
    sizes,
    tensors,
)

from attnlab.attention import causal_mask, scaled_dot_product_attention
from attnlab.online import online_softmax_attention


@fuzz(online_softmax_attention)
@given(data=st.data(), causal=st.booleans(), block=sizes(1, 4))
def test_blocks_change_nothing(data, causal, block):
    leading = data.draw(st.sampled_from([(), (2,), (2, 2)]))
    n_query, n_key, d = (data.draw(st.integers(1, 5)) for _ in range(3))
    shapes = [(*leading, n_query, d), (*leading, n_key, d), (*leading, n_key, 2)]
    odd = data.draw(st.integers(0, 5))
    if odd < 3:
        shapes[odd] = data.draw(bent(shapes[odd]))
    dtypes = st.sampled_from([torch.float64] * 4 + [torch.int64, *FLOATS])
    dtype = data.draw(dtypes)
    query, key, value = (data.draw(tensors(one, dtype, most=10.0)) for one in shapes)
    if data.draw(st.integers(0, 5)) == 0:
        key = key.to(data.draw(dtypes))
    output = attempt(
        online_softmax_attention, query, key, value, causal=causal, block=block
    )
    if output is not REFUSED:
        mask = causal_mask(query.shape[-2]) if causal else None
        wanted, _ = scaled_dot_product_attention(query, key, value, mask)
        assert output.isfinite().all()
        if dtype.itemsize > 2:
            assert_close(output, wanted, digits_of=dtype)
