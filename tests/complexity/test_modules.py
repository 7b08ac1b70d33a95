"""The layers: the same numbers at once and step by step, fused and by hand."""

import pytest
import torch

from attnlab.complexity import LAYERS, generate
from attnlab.complexity.modules import (
    FusedRecurrence,
    SelfAttention,
    StepwiseRecurrence,
)


@pytest.fixture(autouse=True)
def seed_torch():
    torch.manual_seed(0)


@pytest.mark.parametrize("name", LAYERS)
@torch.no_grad()
def test_generate_equals_one_causal_pass(name):
    layer = LAYERS[name].build(16, causal=True)
    x = torch.randn(2, 40, 16)
    torch.testing.assert_close(generate(layer, x), layer(x), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
@torch.no_grad()
def test_stepwise_recurrence_equals_fused(cell):
    fused, stepwise = FusedRecurrence(8, cell), StepwiseRecurrence(8, cell)
    for name, weight in stepwise.cell.named_parameters():
        weight.copy_(getattr(fused.rnn, f"{name}_l0"))
    x = torch.randn(2, 9, 8)
    torch.testing.assert_close(stepwise(x), fused(x))


@torch.no_grad()
def test_projected_attention_head_uses_slice_of_width():
    x = torch.randn(1, 6, 8)
    two = SelfAttention(8, 2)(x)
    one = SelfAttention(4)
    torch.testing.assert_close(two, torch.cat([one(x[..., :4]), one(x[..., 4:])], -1))
    torch.testing.assert_close(two, SelfAttention(8, 2, fused=True)(x))
