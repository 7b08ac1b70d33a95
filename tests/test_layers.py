"""The Transformer's layers. That they are torch's is in `test_transformer`."""

from itertools import product

import pytest
import torch
from torch.nn.functional import gelu

from attnlab.layers import DecoderLayer, EncoderLayer, FeedForward
from tests.small_transformer import DOUBLE, HEADS, WIDTH, randomise_constants


def test_layers_equal_their_formulas():
    torch.manual_seed(0)
    x, memory = (
        torch.randn(2, 5, WIDTH, dtype=DOUBLE),
        torch.randn(2, 3, WIDTH, dtype=DOUBLE),
    )
    for norm_first, residual in product((False, True), repeat=2):
        options = {"norm_first": norm_first, "residual": residual}
        layer = randomise_constants(
            DecoderLayer(WIDTH, HEADS, 32, 0.0, **options).double()
        )
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


@pytest.mark.parametrize("kind", [EncoderLayer, DecoderLayer])
def test_layer_activation_is_the_one_asked_for(kind):
    bend = kind(8, 2, 16, activation="gelu").eval().feed_forward
    x = torch.randn(5, 8)
    torch.testing.assert_close(bend(x), bend.outer(gelu(bend.inner(x))))


def test_layer_dropout_of_one_leaves_the_residual():
    torch.manual_seed(0)
    nearly_all = 1 - 1e-6
    x = torch.randn(2, 5, WIDTH)
    layer = randomise_constants(DecoderLayer(WIDTH, HEADS, 32, 0.0, norm_first=True))
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


def test_initial_weights_are_glorot_and_biases_zero():
    torch.manual_seed(0)
    layer = FeedForward(32, 64)
    for linear in (layer.inner, layer.outer):
        bound = (6 / 96) ** 0.5
        assert 0.95 * bound < linear.weight.abs().max() < 1.001 * bound
        assert (linear.bias == 0).all()
