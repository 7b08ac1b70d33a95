"""What copies of torch's modules keep, and what is not copied.

That they compute the same is in the tests of attention, layers and Transformer.
"""

import pytest
import torch
from torch import nn

from attnlab.attention import MultiHeadAttention
from attnlab.transformer import Transformer


def test_from_torch_keeps_dropout_dtype_and_mode():
    theirs = nn.MultiheadAttention(8, 2, dropout=0.3, dtype=torch.bfloat16).eval()
    ours = MultiHeadAttention.from_torch(theirs)
    assert ours.dropout == 0.3 and not ours.training
    assert {p.dtype for p in ours.parameters()} == {torch.bfloat16}
    with torch.no_grad():
        ours.query_layer.weight.zero_()
    assert theirs.in_proj_weight.any()  # a copy, not a share


@pytest.mark.parametrize("option", ["add_bias_kv", "add_zero_attn"])
def test_from_torch_refuses_what_it_cannot_copy(option):
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
def test_what_has_no_counterpart_is_refused(module, error, words):
    with pytest.raises(error, match=words):
        Transformer.from_torch(module(), 5, 5)
