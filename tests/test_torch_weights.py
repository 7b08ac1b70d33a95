"""Torch's modules that have no counterpart here.

That copies of the others compute the same is in the tests of attention and Transformer.
"""

import pytest
from torch import nn

from attnlab.attention import MultiHeadAttention
from attnlab.transformer import Transformer


@pytest.mark.parametrize("option", ["add_bias_kv", "add_zero_attn"])
def test_from_torch_rejects_unsupported_layers(option):
    with pytest.raises(ValueError, match=option):
        MultiHeadAttention.from_torch(nn.MultiheadAttention(8, 2, **{option: True}))
    with pytest.raises(TypeError, match="Linear"):
        MultiHeadAttention.from_torch(nn.Linear(2, 2))


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize(
    ("module", "error", "words"),
    [
        (lambda: nn.Linear(2, 2), TypeError, "nn.Transformer, got Linear"),
        (lambda: nn.Transformer(8, 2, 1, 2, 8), ValueError, "number of layers"),
        (
            lambda: nn.Transformer(8, 2, 1, 1, 8, activation="gelu"),
            ValueError,
            "only ReLU",
        ),
        (lambda: nn.Transformer(8, 2, 1, 1, 8, bias=False), ValueError, "biases"),
    ],
)
def test_from_torch_rejects_unsupported_transformers(module, error, words):
    with pytest.raises(error, match=words):
        Transformer.from_torch(module(), 5, 5)
