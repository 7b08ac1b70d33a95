"""The Transformer's layers: formulas, torch's own, caches."""

from itertools import product

import pytest
import torch
from torch import nn

from attnlab.attention import causal_mask
from attnlab.cache import LayerCache
from attnlab.layers import Decoder, DecoderLayer, Encoder, EncoderLayer, FeedForward
from attnlab.positions import AlibiPositions
from tests.small_transformer import DOUBLE, HEADS, D, shaken


def test_layers_are_what_the_formulas_say():
    torch.manual_seed(0)
    x, memory = torch.randn(2, 5, D, dtype=DOUBLE), torch.randn(2, 3, D, dtype=DOUBLE)
    for norm_first, residual in product((False, True), repeat=2):
        options = {"norm_first": norm_first, "residual": residual}
        layer = shaken(DecoderLayer(D, HEADS, 32, 0.0, **options).double())
        own, cross = layer.self_attention, layer.cross_attention
        sublayers = [
            (lambda z, own=own: own(z)[0], layer.self_attention_norm),
            (
                lambda z, cross=cross: cross(z, memory, memory)[0],
                layer.cross_attention_norm,
            ),
            (layer.feed_forward, layer.feed_forward_norm),
        ]
        wanted = x
        for sublayer, norm in sublayers:
            if norm_first:
                wanted = residual * wanted + sublayer(norm(wanted))
            else:
                wanted = norm(residual * wanted + sublayer(wanted))
        torch.testing.assert_close(layer(x, memory)[0], wanted)


def test_feed_forward_is_two_products_and_a_relu():
    torch.manual_seed(0)
    layer, x = shaken(FeedForward(4, 6)).double(), torch.randn(2, 3, 4, dtype=DOUBLE)
    inner = (x @ layer.inner.weight.T + layer.inner.bias).clamp(min=0)
    wanted = inner @ layer.outer.weight.T + layer.outer.bias
    torch.testing.assert_close(layer(x), wanted)


def test_stacks_work_on_their_own():
    torch.manual_seed(0)
    sizes, pre = (D, HEADS, 32), {"norm_first": True}
    encoder = Encoder([EncoderLayer(*sizes, **pre) for _ in range(3)], D)
    decoder = Decoder([DecoderLayer(*sizes, **pre)], D, AlibiPositions(HEADS))
    memory, weights = encoder(torch.randn(2, 5, D), need_weights=True)
    assert len(weights) == 3 and weights[0].shape == (2, HEADS, 5, 5)
    states, own, cross = decoder(torch.randn(2, 4, D), memory, causal_mask(4))
    assert states.shape == (2, 4, D) and own == cross == [None]
    for found in (memory, states):  # a last LayerNorm closes both
        torch.testing.assert_close(
            found, nn.functional.layer_norm(found, (D,)), rtol=0, atol=1e-4
        )
    _, own, cross = decoder(torch.randn(2, 4, D), memory, need_weights=True)
    assert own[0].shape == (2, HEADS, 4, 4) and cross[0].shape == (2, HEADS, 4, 5)


def test_everything_but_the_residual_can_be_dropped():
    torch.manual_seed(0)
    nearly_all = 1 - 1e-6
    x = torch.randn(2, 5, D)
    layer = shaken(DecoderLayer(D, HEADS, 32, 0.0, norm_first=True))
    layer.dropout.p = nearly_all  # what each sublayer adds
    torch.testing.assert_close(layer(x, x)[0], x)
    layer.feed_forward.dropout.p = nearly_all  # inside
    bias = layer.feed_forward.outer.bias
    torch.testing.assert_close(layer.feed_forward(x), bias.expand_as(x))
    for attention in (layer.self_attention, layer.cross_attention):
        attention.dropout = nearly_all  # the weights
        torch.testing.assert_close(
            attention(x)[0], attention.output_layer.bias.expand_as(x)
        )
    assert not torch.allclose(layer.eval()(x, x)[0], x)


def test_first_weights_are_glorots_and_biases_zero():
    torch.manual_seed(0)
    layer = FeedForward(32, 64)
    for linear in (layer.inner, layer.outer):
        bound = (6 / 96) ** 0.5
        assert 0.95 * bound < linear.weight.abs().max() < 1.001 * bound
        assert (linear.bias == 0).all()


def test_layers_are_the_papers_unless_told_otherwise():
    x = torch.randn(2, 5, D)
    encoder, decoder = EncoderLayer(D, HEADS, 32), DecoderLayer(D, HEADS, 32)
    for layer in (encoder, decoder):
        assert layer.dropout.p == 0.1 and not layer.norm_first
    assert encoder(x)[1] is None and encoder(x, None, True)[1] is not None
    assert decoder(x, x)[1:] == (None, None)
    assert None not in decoder(x, x, None, None, True)[1:]
    assert Encoder([encoder], D)(x)[1] == [None]
    assert Decoder([decoder], D)(x, x)[1:] == ([None], [None])


def test_the_smallest_sizes_work():
    x = torch.randn(1, 1, 1)
    assert FeedForward(1, 1)(x).shape == x.shape
    assert FeedForward(1, 1)(x[0, 0]).shape == (1,)
    assert EncoderLayer(1, 1, 1)(x)[0].shape == x.shape
    assert DecoderLayer(1, 1, 1)(x, x)[0].shape == x.shape


@pytest.mark.parametrize("name", ["d_model", "d_ff"])
def test_a_size_that_is_none_is_named(name):
    with pytest.raises(ValueError, match=f"^{name} must be at least 1, got 0"):
        FeedForward(**{"d_model": 4, "d_ff": 6} | {name: 0})


@pytest.mark.parametrize("norm_first", [False, True])
def test_layers_are_torchs(norm_first):
    torch.manual_seed(0)
    x, memory = torch.randn(2, 5, D, dtype=DOUBLE), torch.randn(2, 3, D, dtype=DOUBLE)
    sizes = {"dtype": DOUBLE, "batch_first": True, "norm_first": norm_first}
    theirs = shaken(nn.TransformerEncoderLayer(D, HEADS, 32, 0.0, **sizes))
    ours = EncoderLayer(D, HEADS, 32, 0.0, norm_first=norm_first).double()
    ours.load_torch(theirs)
    src_mask = torch.tensor([[[True, True, False]], [[True, False, False]]])
    wanted = theirs(memory, src_key_padding_mask=~src_mask[:, 0])
    found, _ = ours(memory, src_mask)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-10)

    theirs = shaken(nn.TransformerDecoderLayer(D, HEADS, 32, 0.0, **sizes))
    ours = DecoderLayer(D, HEADS, 32, 0.0, norm_first=norm_first).double()
    ours.load_torch(theirs)
    wanted = theirs(x, memory, ~causal_mask(5), memory_key_padding_mask=~src_mask[:, 0])
    found, *_ = ours(x, memory, causal_mask(5), src_mask)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-10)


def test_a_layer_cache_grows_and_keeps_the_memory():
    torch.manual_seed(0)
    layer = shaken(DecoderLayer(D, HEADS, 32, 0.0).double())
    x, memory = torch.randn(2, 5, D, dtype=DOUBLE), torch.randn(2, 3, D, dtype=DOUBLE)
    wanted, *_ = layer(x, memory, causal_mask(5))
    cache, rows = LayerCache(), []
    for start in range(5):
        row = x[:, start : start + 1]
        seen = memory if start == 0 else torch.zeros_like(memory)  # not read again
        rows.append(layer(row, seen, cache=cache, start=start)[0])
    torch.testing.assert_close(torch.cat(rows, 1), wanted)
    assert cache.length == 5
