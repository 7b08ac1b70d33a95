import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import (
    DTYPES,
    FLOATS,
    ODD_NUMBERS,
    REFUSED,
    assert_close,
    attempt,
    bent,
    fuzz,
    is_size,
    masks,
    sizes,
    tensors,
)
from torch import nn

from attnlab.attention import (
    MultiHeadAttention,
    banded_attention,
    causal_mask,
    masked_softmax,
    only_heads,
    padding_mask,
    scaled_dot_product_attention,
    window_mask,
)
from attnlab.checks import check_attention, check_mask
from attnlab.fused import fused_attention
from attnlab.twins import attention_from_torch


def reference(query, key, value, mask=None, scale=None, bias=None):
    """Attention in float64, plainly; NaN-free as long as the scores are finite."""
    query, key, value = query.double(), key.double(), value.double()
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = query @ key.transpose(-2, -1) * scale
    if bias is not None:
        scores = scores + bias.double()
    mask = torch.ones((), dtype=torch.bool) if mask is None else mask
    mask = mask.expand(scores.shape)
    highest = scores.masked_fill(~mask, -torch.inf).amax(-1, keepdim=True)
    factors = (scores - highest).exp().masked_fill(~mask, 0.0)
    total = factors.sum(-1, keepdim=True)
    weights = torch.where(total > 0, factors / total, 0.0)
    return weights @ value, weights


@fuzz(causal_mask, window_mask)
@given(n=sizes(1, 9), radius=sizes(0, 9))
def test_masks_are_their_definitions(n, radius):
    causal, window = attempt(causal_mask, n), attempt(window_mask, n, radius)
    assert (causal is not REFUSED) == is_size(n)
    assert (window is not REFUSED) == (is_size(n) and is_size(radius, 0))
    if causal is not REFUSED:
        assert causal.tolist() == [[j <= i for j in range(n)] for i in range(n)]
    if window is not REFUSED:
        wanted = [[abs(i - j) <= radius for j in range(n)] for i in range(n)]
        assert window.tolist() == wanted


@fuzz(padding_mask)
@given(data=st.data(), n=sizes(1, 6))
def test_padding_masks_are_true_where_tokens_are(data, n):
    lengths = data.draw(st.one_of(tensors(), tensors((3,), torch.int64)))
    mask = attempt(padding_mask, lengths, n)
    if mask is not REFUSED:
        wanted = [[[i < length for i in range(n)]] for length in lengths.tolist()]
        assert mask.tolist() == wanted
    elif lengths.dtype == torch.int64 and lengths.dim() == 1 and is_size(n):
        assert ((lengths < 0) | (lengths > n)).any()


@fuzz(masked_softmax, check_mask)
@given(data=st.data())
def test_softmax_has_rows_of_sum_one_or_zero(data):
    scores = data.draw(tensors())
    mask = data.draw(masks(tuple(scores.shape)))
    weights = attempt(masked_softmax, scores, mask)
    if weights is REFUSED:
        fits = mask is None or (
            mask.dtype == torch.bool and broadcasts(mask.shape, scores.shape)
        )
        empty = scores.dim() == 0 or scores.shape[-1] == 0
        assert not (scores.is_floating_point() and fits) or empty
        return
    assert weights.dtype == scores.dtype and weights.isfinite().all()
    mask = torch.ones((), dtype=torch.bool) if mask is None else mask
    mask = mask.expand(scores.shape)
    assert not weights[~mask].any()
    assert_close(weights.double().sum(-1), mask.any(-1), digits_of=scores.dtype)


def broadcasts(shape, wanted) -> bool:
    try:
        return torch.broadcast_shapes(shape, wanted) == torch.Size(wanted)
    except RuntimeError:
        return False


@st.composite
def inputs(draw, most=10.0):
    """Query, key and value that fit together, but for one bend now and then."""
    leading = draw(st.sampled_from([(), (2,), (2, 3), (1, 2, 2)]))
    n_query, n_key, d, d_value = (draw(st.integers(1, 4)) for _ in range(4))
    dtype = draw(st.sampled_from(DTYPES if draw(st.integers(0, 9)) == 0 else FLOATS))
    shapes = [(*leading, n_query, d), (*leading, n_key, d), (*leading, n_key, d_value)]
    odd = draw(st.integers(0, 5))
    if odd < 3:
        shapes[odd] = draw(bent(shapes[odd]))
    return [draw(tensors(shape, dtype, most=most)) for shape in shapes], odd < 3


@fuzz(scaled_dot_product_attention, fused_attention, check_attention)
@given(data=st.data(), need_weights=st.booleans())
def test_attention_is_the_reference(data, need_weights):
    (query, key, value), is_bent = data.draw(inputs())
    shape = (*query.shape[:-1], *key.shape[-2:-1])
    mask = data.draw(masks(shape))
    scale = data.draw(st.sampled_from([None, 0.0, 1.0, -0.5]))
    bias = data.draw(st.one_of(st.none(), tensors(shape, query.dtype, most=1.0)))
    found = attempt(
        scaled_dot_product_attention,
        *(query, key, value, mask),
        scale=scale,
        need_weights=need_weights,
        score_bias=bias,
    )
    if found is REFUSED:
        odd_mask = mask is not None and (
            mask.dtype != torch.bool or not broadcasts(mask.shape, shape)
        )
        assert is_bent or odd_mask or not query.is_floating_point()
        return
    output, weights = found
    wanted, wanted_weights = reference(query, key, value, mask, scale, bias)
    assert output.dtype == query.dtype and output.isfinite().all()
    if query.dtype.itemsize > 2:  # a score of 500 in half precision is off by 1
        assert_close(output, wanted, digits_of=query.dtype)
        if need_weights:
            assert_close(weights, wanted_weights, digits_of=query.dtype)
    assert (weights is None) == (not need_weights)


@fuzz(scaled_dot_product_attention, masked_softmax)
@given(data=st.data(), need_weights=st.booleans())
def test_gradients_are_finite_whatever_is_hidden(data, need_weights):
    (query, key, value), is_bent = data.draw(inputs())
    mask = data.draw(masks((*query.shape[:-1], *key.shape[-2:-1])))
    if is_bent or not query.is_floating_point():
        return
    leaves = [x.requires_grad_() for x in (query, key, value)]
    found = attempt(
        scaled_dot_product_attention, *leaves, mask, need_weights=need_weights
    )
    if found is not REFUSED:
        found[0].sum().backward()
        assert all(x.grad.isfinite().all() for x in leaves)


@fuzz(scaled_dot_product_attention, fused_attention, check_attention)
@given(data=st.data(), p=ODD_NUMBERS, need_weights=st.booleans())
def test_dropout_is_a_probability(data, p, need_weights):
    x = data.draw(tensors((2, 3, 4), torch.float32, most=1.0))
    found = attempt(
        scaled_dot_product_attention, x, x, x, dropout=p, need_weights=need_weights
    )
    if found is not REFUSED:
        assert 0 <= p < 1 and found[0].isfinite().all()


@fuzz(MultiHeadAttention)
@given(
    d_model=sizes(1, 9),
    num_heads=sizes(1, 4),
    d_head=st.one_of(st.none(), sizes(1, 5)),
    d_key=st.one_of(st.none(), sizes(1, 5)),
    dropout=st.one_of(st.just(0.0), ODD_NUMBERS),
)
def test_heads_are_built_or_refused(d_model, num_heads, d_head, d_key, dropout):
    heads = attempt(
        MultiHeadAttention,
        *(d_model, num_heads),
        d_head=d_head,
        d_key=d_key,
        d_value=d_key,
        dropout=dropout,
    )
    if heads is REFUSED:
        options = [x for x in (d_head, d_key) if x is not None]
        fit = all(map(is_size, [d_model, num_heads, *options]))
        fit = fit and (d_head or d_model % num_heads == 0)
        assert not fit or type(dropout) is not float or not 0 <= dropout < 1
        return
    x = torch.randn(2, 3, d_model)
    memory = torch.randn(2, 4, d_model if d_key is None else d_key)
    output, weights = heads.eval()(x, memory, need_weights=True)
    assert output.shape == (2, 3, d_model) and weights.shape == (2, num_heads, 3, 4)


@fuzz(MultiHeadAttention, only_heads)
@given(data=st.data(), need_weights=st.booleans())
def test_heads_take_what_fits_and_name_what_does_not(data, need_weights):
    torch.manual_seed(0)
    heads = MultiHeadAttention(4, 2).eval()
    batch, n_query, n_key = (data.draw(st.integers(1, 3)) for _ in range(3))
    dtype = data.draw(st.sampled_from([torch.float32] * 6 + list(DTYPES)))
    query = data.draw(tensors(data.draw(bent((batch, n_query, 4))), dtype, most=1.0))
    key = data.draw(tensors(data.draw(bent((batch, n_key, 4))), dtype, most=1.0))
    value = data.draw(st.one_of(st.none(), tensors((batch, n_key, 4), dtype, most=1.0)))
    mask = data.draw(masks((batch, n_query, n_key)))
    speak = data.draw(st.one_of(st.none(), tensors((1, 2), torch.bool), tensors()))
    heads = heads.to(dtype) if dtype.is_floating_point else heads

    def attend():
        with only_heads([heads], speak):
            return heads(query, key, value, mask, need_weights)

    found = attempt(attend)
    assert heads.speaking is None
    if found is not REFUSED:
        output, weights = found
        assert output.shape == (*query.shape[:2], 4) and output.isfinite().all()
        if need_weights:
            sums = weights.sum(-1)
            assert ((sums - 1).abs() < 1e-4).logical_or(sums == 0).all()


@fuzz(MultiHeadAttention, attention_from_torch, share=0.3)
@given(
    data=st.data(),
    num_heads=st.sampled_from([1, 2, 4]),
    bias=st.booleans(),
    kdim=st.sampled_from([None, 3]),
    extras=st.sampled_from([{}, {}, {"add_bias_kv": True}, {"add_zero_attn": True}]),
)
def test_copies_of_torchs_heads_agree(data, num_heads, bias, kdim, extras):
    theirs = nn.MultiheadAttention(
        4, num_heads, bias=bias, kdim=kdim, vdim=kdim, batch_first=True, **extras
    ).double()
    ours = attempt(MultiHeadAttention.from_torch, theirs)
    assert (ours is REFUSED) == bool(extras)
    if ours is not REFUSED:
        x = data.draw(tensors((2, 3, 4), torch.float64, most=1.0))
        memory = data.draw(tensors((2, 5, kdim or 4), torch.float64, most=1.0))
        wanted = theirs(x, memory, memory)[0]
        assert_close(ours(x, memory)[0], wanted, digits_of=torch.float64)
    assert attempt(MultiHeadAttention.from_torch, nn.Linear(2, 2)) is REFUSED


@fuzz(banded_attention)
@given(data=st.data(), radius=sizes(0, 9), causal=st.booleans())
def test_a_band_is_full_attention_under_its_mask(data, radius, causal):
    (query, key, value), _ = data.draw(inputs())
    if data.draw(st.booleans()):
        query = key.clone()
    output = attempt(banded_attention, query, key, value, radius, causal=causal)
    if output is not REFUSED:
        n = query.shape[-2]
        mask = window_mask(n, radius)
        mask = mask & causal_mask(n) if causal else mask
        wanted = reference(query, key, value, mask)[0]
        assert output.isfinite().all()
        if query.dtype.itemsize > 2:
            assert_close(output, wanted, digits_of=query.dtype)
