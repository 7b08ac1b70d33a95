import pytest
import torch
from torch import nn
from torch.nn import functional as F

from attnlab.attention import (
    MultiHeadAttention,
    causal_mask,
    head_mask,
    masked_softmax,
    padding_mask,
    scaled_dot_product_attention,
)

DTYPES = [torch.float32, torch.bfloat16, torch.float16]
DOUBLE = torch.float64


# Scaled dot-product attention

MASKS = ["none", "padding", "any", "any with empty rows"]


def make_mask(kind, *shape):
    """A mask of (…, L_q, L_k); every row but those of the last kind sees something."""
    *leading, _, n_key = shape
    if kind == "none":
        return None
    if kind == "padding":
        lengths = torch.randint(1, n_key + 1, (*leading, 1, 1))
        return torch.arange(n_key) < lengths  # (…, 1, L_k)
    mask = torch.rand(shape) < 0.5
    if kind == "any":
        mask[..., 0] = True
    else:
        mask[..., 1, :] = False
    return mask


def assert_same(ours, theirs, inputs):
    """Compare outputs, and gradients with respect to the inputs."""
    torch.testing.assert_close(ours, theirs, atol=1e-10, rtol=0)
    up = torch.randn_like(theirs)
    got = torch.autograd.grad(ours, inputs, up, retain_graph=True)
    wanted = torch.autograd.grad(theirs, inputs, up, retain_graph=True)
    torch.testing.assert_close(got, wanted, atol=1e-10, rtol=0)


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("leading", [(), (3,), (2, 3), (2, 1, 3)])
@pytest.mark.parametrize(
    ("n_query", "n_key", "d", "d_value"), [(5, 5, 8, 8), (4, 7, 3, 6), (9, 2, 1, 1)]
)
def test_attention_equals_torch(
    need_weights, kind, leading, n_query, n_key, d, d_value
):
    torch.manual_seed(0)
    query = torch.randn(*leading, n_query, d, dtype=DOUBLE, requires_grad=True)
    key = torch.randn(*leading, n_key, d, dtype=DOUBLE, requires_grad=True)
    value = torch.randn(*leading, n_key, d_value, dtype=DOUBLE, requires_grad=True)
    mask = make_mask(kind, *leading, n_query, n_key)
    for scale in (None, 0.3):
        output, weights = scaled_dot_product_attention(
            query, key, value, mask, scale=scale, need_weights=need_weights
        )
        wanted = F.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, scale=scale
        )
        assert_same(output, wanted, [query, key, value])
        if need_weights:
            assert weights.shape == (*leading, n_query, n_key)
            torch.testing.assert_close(weights @ value, output)
        else:
            assert weights is None


@pytest.mark.parametrize("need_weights", [True, False])
def test_attention_broadcasts_leading_dimensions(need_weights):
    torch.manual_seed(0)
    query = torch.randn(2, 3, 4, 8, dtype=DOUBLE)
    key, value = torch.randn(2, 1, 5, 8, dtype=DOUBLE), torch.randn(5, 6, dtype=DOUBLE)
    mask = make_mask("any with empty rows", 3, 4, 5)
    got, _ = scaled_dot_product_attention(
        query, key, value, mask, need_weights=need_weights
    )
    wanted = scaled_dot_product_attention(
        query, key.expand(2, 3, 5, 8), value.expand(2, 3, 5, 6), mask.expand(2, 3, 4, 5)
    )[0]
    torch.testing.assert_close(got, wanted)


@pytest.mark.parametrize("need_weights", [True, False])
def test_attention_with_bias_passes_gradcheck(need_weights):
    torch.manual_seed(0)
    query, key, value, bias = (
        torch.randn(2, *shape, dtype=DOUBLE, requires_grad=True)
        for shape in [(3, 4), (5, 4), (5, 3), (3, 5)]
    )
    mask = make_mask("any with empty rows", 2, 3, 5)

    def attend(query, key, value, bias):
        return scaled_dot_product_attention(
            query, key, value, mask, need_weights=need_weights, score_bias=bias
        )[0]

    assert torch.autograd.gradcheck(attend, (query, key, value, bias))


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("with_bias", [True, False])
def test_attention_fully_masked_is_zero(need_weights, dtype, with_bias):
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 2, 2, 4, 8).to(dtype).requires_grad_()
    bias = torch.randn(2, 4, 4).to(dtype) if with_bias else None
    mask = causal_mask(4) & padding_mask(torch.tensor([0, 3]), 4)  # sentence 0 is empty
    mask[1, 2] = False
    mask = mask[:, None]  # (2, 1, 4, 4)
    output, weights = scaled_dot_product_attention(
        query, key, value, mask, need_weights=need_weights, score_bias=bias
    )
    assert (output[0] == 0).all() and (output[1, :, 2] == 0).all()
    assert (output[1, :, [0, 1, 3]] != 0).all()
    if need_weights:
        assert (weights[0] == 0).all() and (weights[1, :, 2] == 0).all()
    loss = output.float().square().sum()
    with torch.autograd.detect_anomaly():  # fails for a NaN on the way, too
        gradients = torch.autograd.grad(loss, [query, key, value])
    for gradient in gradients:
        assert gradient.isfinite().all()
        assert (gradient[0] == 0).all()  # nothing of sentence 0 was looked at
    assert (gradients[0][1, :, 2] == 0).all()
    with torch.no_grad():
        again, _ = scaled_dot_product_attention(
            query, key, value, mask, need_weights=need_weights, score_bias=bias
        )
    torch.testing.assert_close(again, output)


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("autocast", [True, False])
@pytest.mark.parametrize("bias", [torch.arange(25.0).view(5, 5) / 10, None])
def test_attention_half_precision_is_near_double(need_weights, dtype, autocast, bias):
    torch.manual_seed(0)
    halves = torch.randn(3, 2, 4, 5, 8).to(dtype)
    wide = [x.float().requires_grad_() for x in halves]
    narrow = [x.clone().requires_grad_() for x in halves]
    options = {"need_weights": need_weights, "score_bias": bias}
    mask = causal_mask(5)
    with torch.autocast("cpu", dtype, enabled=autocast):
        found, _ = scaled_dot_product_attention(*narrow, mask, **options)
    wanted, _ = scaled_dot_product_attention(*wide, mask, **options)
    assert found.dtype == dtype
    found.float().square().sum().backward()
    wanted.square().sum().backward()
    close = {"atol": 5e-2, "rtol": 2e-2}
    torch.testing.assert_close(found.float(), wanted, **close)
    if not need_weights and bias is None:  # which is rounded itself
        assert torch.equal(found, wanted.to(dtype))
    for mine, theirs in zip(narrow, wide, strict=True):
        torch.testing.assert_close(mine.grad.float(), theirs.grad, **close)


def test_attention_float16_large_inputs_do_not_overflow():
    query = torch.full((1, 1, 64), 40.0, dtype=torch.float16)  # q · k is 102,400
    output, weights = scaled_dot_product_attention(query, query, query)
    assert weights.item() == 1
    assert torch.equal(output, query)


def test_attention_dropout_drops_weights_and_keeps_mean():
    torch.manual_seed(0)
    query, key = torch.randn(2, 1, 200, 4)
    value = torch.ones(1, 200, 1)
    for need_weights in (True, False):
        output, weights = scaled_dot_product_attention(
            query, key, value, need_weights=need_weights, dropout_p=0.5
        )
        assert output.std() > 0.01
        assert output.mean().item() == pytest.approx(1, abs=0.05)
        if need_weights:  # those before dropout
            torch.testing.assert_close(weights.sum(-1), torch.ones(1, 200))


@pytest.mark.parametrize("with_bias", [True, False])
@pytest.mark.parametrize("kind", MASKS)
def test_attention_tiny_dropout_equals_no_dropout(kind, with_bias):
    torch.manual_seed(0)
    inputs = [torch.randn(2, 5, 4, dtype=DOUBLE, requires_grad=True) for _ in range(3)]
    mask = make_mask(kind, 2, 5, 5)
    bias = torch.randn(5, 5, dtype=DOUBLE) if with_bias else None
    options = {"scale": 0.3, "score_bias": bias}
    wanted, _ = scaled_dot_product_attention(*inputs, mask, **options)
    for need_weights in (True, False):
        options |= {"need_weights": need_weights, "dropout_p": 1e-9}
        assert_same(
            scaled_dot_product_attention(*inputs, mask, **options)[0], wanted, inputs
        )


# Many heads


def torch_mask(mask, batch, heads, n_query, n_key):
    """What `nn.MultiheadAttention` wants: True = hidden, (batch · heads, L_q, L_k)."""
    if mask is None:
        return None
    if mask.dim() == 3:
        mask = mask[:, None]
    return ~mask.expand(batch, heads, n_query, n_key).flatten(0, 1)


@pytest.mark.parametrize("kind", [*MASKS[:-1], "by head"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(
    ("heads", "d_key", "d_value", "n_query", "n_key"),
    [(4, 8, 8, 6, 6), (1, 8, 8, 3, 5), (8, 4, 3, 9, 7), (2, 8, 5, 4, 4)],
)
def test_multi_head_attention_equals_torch(
    kind, bias, heads, d_key, d_value, n_query, n_key
):
    torch.manual_seed(0)
    theirs = nn.MultiheadAttention(
        8, heads, bias=bias, kdim=d_key, vdim=d_value, batch_first=True, dtype=DOUBLE
    )
    if bias:
        nn.init.normal_(theirs.in_proj_bias)
        nn.init.normal_(theirs.out_proj.bias)
    ours = MultiHeadAttention.from_torch(theirs)
    inputs = [
        torch.randn(3, *shape, dtype=DOUBLE, requires_grad=True)
        for shape in [(n_query, 8), (n_key, d_key), (n_key, d_value)]
    ]
    if kind == "by head":
        mask = make_mask("any", 3, heads, n_query, n_key)
    else:
        mask = make_mask(kind, 3, n_query, n_key)
    wanted, wanted_weights = theirs(
        *inputs,
        attn_mask=torch_mask(mask, 3, heads, n_query, n_key),
        average_attn_weights=False,
    )
    for need_weights in (True, False):
        output, weights = ours(*inputs, mask, need_weights)
        assert output.shape == (3, n_query, 8)
        assert_same(output, wanted, inputs)
        if need_weights:
            torch.testing.assert_close(weights, wanted_weights, atol=1e-10, rtol=0)
        else:
            assert weights is None


@pytest.mark.parametrize(
    ("num_heads", "d_head", "scale"), [(2, None, None), (2, 8, 3.0), (3, 3, None)]
)
def test_multi_head_attention_heads_are_independent(num_heads, d_head, scale):
    torch.manual_seed(0)
    options = {"d_head": d_head, "d_key": 5, "scale": scale}
    attention = MultiHeadAttention(8, num_heads, **options).double()
    width = attention.d_head
    assert width == (4 if d_head is None else d_head)
    query, key = torch.randn(2, 3, 8).double(), torch.randn(2, 6, 5).double()
    value = torch.randn(2, 6, 8).double()
    mask = make_mask("any with empty rows", 2, num_heads, 3, 6)
    heads = []
    for head in range(num_heads):
        rows = slice(head * width, (head + 1) * width)
        q, k, v = (
            F.linear(x, layer.weight[rows], layer.bias[rows])
            for x, layer in [
                (query, attention.query_layer),
                (key, attention.key_layer),
                (value, attention.value_layer),
            ]
        )
        scores = q @ k.mT * (scale or width**-0.5)
        heads.append(masked_softmax(scores, mask[:, head]) @ v)
    wanted = attention.output_layer(torch.cat(heads, dim=-1))
    for need_weights in (True, False):
        got, _ = attention(query, key, value, mask, need_weights)
        torch.testing.assert_close(got, wanted, atol=1e-10, rtol=0)


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("bias", [True, False])
def test_multi_head_attention_fully_masked_gives_bias(
    need_weights, dtype, training, bias
):
    torch.manual_seed(0)
    attention = MultiHeadAttention(8, 2, bias=bias, dropout=0.5).to(dtype)
    attention.train(training)
    for parameter in attention.parameters():
        nn.init.normal_(parameter)
    x = torch.randn(2, 3, 8).to(dtype).requires_grad_()
    mask = padding_mask(torch.tensor([0, 2]), 3)
    wanted = attention.output_layer.bias if bias else torch.zeros(8).to(dtype)
    output, weights = attention(x, mask=mask, need_weights=need_weights)
    assert torch.equal(output[0], wanted.expand(3, 8))
    assert output.isfinite().all()
    if need_weights:
        assert (weights[0] == 0).all()
    output.float().sum().backward()
    assert (x.grad[0] == 0).all()
    for gradient in [x.grad, *(p.grad for p in attention.parameters())]:
        assert gradient.isfinite().all()
    with torch.no_grad():
        output, _ = attention(x, mask=mask, need_weights=need_weights)
    assert torch.equal(output[0], wanted.expand(3, 8))


@pytest.mark.parametrize(
    ("init", "d_key", "smaller"),
    [("separate", 64, 1.0), ("joint", 64, 0.5**0.5), ("joint", 32, 1.0)],
)
def test_initial_weights_are_glorot_and_biases_zero(init, d_key, smaller):
    torch.manual_seed(0)
    attention = MultiHeadAttention(64, 4, d_key=d_key, init=init)
    for layer in attention.children():
        bound = (6 / sum(layer.weight.shape)) ** 0.5
        if layer is not attention.output_layer:
            bound *= smaller
        assert 0.95 * bound < layer.weight.abs().max() < 1.001 * bound
        assert (layer.bias == 0).all()
    before = attention.key_layer.weight.clone()
    nn.init.ones_(attention.key_layer.bias)
    attention.reset_parameters()
    assert not torch.allclose(attention.key_layer.weight, before)
    assert (attention.key_layer.bias == 0).all()


# What is refused


def attend(query, key, value, mask=None, **options):
    """Attention of zeros, of these shapes or as they are."""
    inputs = [
        torch.zeros(x) if isinstance(x, tuple) else x for x in (query, key, value)
    ]
    for need_weights in (True, False):
        scaled_dot_product_attention(
            *inputs, mask, need_weights=need_weights, **options
        )


def apply_heads(*shapes, mask=None, **widths):
    """Two heads of attention of zeros."""
    MultiHeadAttention(8, 2, **widths)(*map(torch.zeros, shapes), mask=mask)


def set_head_mask(mask):
    with head_mask([MultiHeadAttention(8, 4)], mask):
        pass


QUERY, KEY, WHOLE_MASK = (2, 3), (4, 3), torch.zeros(4, 3).long()
TWO, THREE = (2, 5, 8), (3, 5, 8)  # shapes, called by their batch
BAD_INPUTS = {
    ValueError: {
        "equally wide, got 3 and 5": lambda: attend(QUERY, (4, 5), (4, 5)),
        "equally long, got 4 and 5": lambda: attend(QUERY, KEY, (5, 3)),
        r"query must be \(…": lambda: attend((3,), KEY, KEY),
        "key is empty": lambda: attend(QUERY, (0, 3), (0, 3)),
        "leading dimensions": lambda: attend((2, *QUERY), (3, *KEY), (3, *KEY)),
        "mask .2, 5. does not broad": lambda: attend(
            QUERY, KEY, KEY, torch.ones(2, 5).bool()
        ),
        r"score_bias \(3, 3\) does not": (
            lambda: attend(QUERY, QUERY, QUERY, score_bias=torch.zeros(3, 3))
        ),
        "3 heads cannot share.*8": lambda: MultiHeadAttention(8, 3),
        "d_head": lambda: MultiHeadAttention(8, 2, d_head=0),
        "dropout": lambda: MultiHeadAttention(8, 2, dropout=1.0),
        "'joint', 'sep": lambda: MultiHeadAttention(8, 2, init="torch"),
        "query must be .batch, length, 8., got .5, 8.": lambda: apply_heads((5, 8)),
        "query must be .batch, length, 8., got .2, 5, 7.": lambda: apply_heads(
            (2, 5, 7)
        ),
        "key must be .*7": lambda: apply_heads(TWO, (2, 5, 7), TWO),
        "value must be .*7": lambda: apply_heads(TWO, TWO, (2, 5, 7)),
        "query has a batch of 2, the key one of 3": lambda: apply_heads(TWO, THREE),
        "value has a batch of 3, the key one of 2": lambda: apply_heads(
            TWO, TWO, THREE
        ),
        "query is an empty": lambda: apply_heads((2, 0, 8)),
        "value came without a key": (
            lambda: MultiHeadAttention(8, 2)(torch.zeros(TWO), None, torch.zeros(TWO))
        ),
        # Two heads, but a batch of 3.
        "mask .* does not": lambda: apply_heads(THREE, mask=torch.ones(2, 5, 5).bool()),
        "head_mask must be .1, 4., got .4,.": lambda: set_head_mask(
            torch.ones(4).bool()
        ),
    },
    TypeError: {
        "bool.*float32": lambda: attend(QUERY, KEY, KEY, torch.zeros(2, 4)),
        "bool.*list": lambda: attend(QUERY, KEY, KEY, [[True] * 4] * 2),
        "query must be a floating point.*int64": lambda: attend(WHOLE_MASK, KEY, KEY),
        "one dtype.*key torch.float64": lambda: attend(
            QUERY, torch.zeros(KEY).double(), KEY
        ),
        "d_model": lambda: MultiHeadAttention(8.0, 2),
        "floating point": lambda: MultiHeadAttention(8, 2)(torch.zeros(TWO).long()),
        "head_mask must be a bool": lambda: set_head_mask(torch.ones(1, 4)),
    },
}


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [(error, *row) for error, rows in BAD_INPUTS.items() for row in rows.items()],
)
def test_attention_rejects_bad_input(error, words, call):
    with pytest.raises(error, match=words):
        call()
