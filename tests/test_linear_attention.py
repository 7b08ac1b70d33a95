"""Linear attention, decay, delta rule: three forms of each, and a layer."""

import pytest
import torch
from torch.nn import functional as F

from attnlab.linear_attention import (
    FORMS,
    RULES,
    LinearAttention,
    decayed_attention,
    delta_rule,
    gated_delta_rule,
    linear_attention,
)

MECHANISMS = {
    "linear": (linear_attention, ()),
    "decayed": (decayed_attention, ("decay",)),
    "delta": (delta_rule, ("beta",)),
    "gated": (gated_delta_rule, ("beta", "decay")),
}
for_each_rule = pytest.mark.parametrize("rule", MECHANISMS)


def random_inputs(rule, n=100, dtype=torch.float32):
    """Inputs of a mechanism by name, with a first state, all with gradients."""
    torch.manual_seed(0)
    made = {
        "query": torch.randn(2, 3, n, 5),
        "key": F.normalize(torch.randn(2, 3, n, 5), dim=-1),
        "value": torch.randn(2, 3, n, 4),
        "state": torch.randn(2, 3, 5, 4),
        "beta": torch.rand(2, 3, n),
        "decay": 1 - 0.2 * torch.rand(3, 1),
    }
    wanted = ("query", "key", "value", "state", *MECHANISMS[rule][1])
    return {name: made[name].to(dtype).requires_grad_() for name in wanted}


def results(rule, inputs, **options):
    """Output, state, and the gradients of all inputs for one sum of both."""
    output, state = MECHANISMS[rule][0](**inputs, **options)
    loss = output.sin().sum() + state.square().sum()
    return [output, state, *torch.autograd.grad(loss, inputs.values())]


@for_each_rule
@pytest.mark.parametrize("form", ["parallel", "chunked"])
def test_linear_attention_forms_and_gradients_equal_recurrence(rule, form):
    inputs = random_inputs(rule)
    wanted = results(rule, inputs, form="recurrent")
    found = results(rule, inputs, form=form, chunk=32)
    for one, other in zip(found[:2], wanted[:2], strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)
    for one, other in zip(found[2:], wanted[2:], strict=True):
        assert (one - other).norm() < 1e-5 * other.norm()


@for_each_rule
def test_linear_attention_gradients_equal_finite_differences(rule):
    inputs = random_inputs(rule, n=4, dtype=torch.float64)
    mechanism = MECHANISMS[rule][0]

    def call_mechanism(*tensors):
        return mechanism(**dict(zip(inputs, tensors, strict=True)), chunk=3)

    assert torch.autograd.gradcheck(call_mechanism, tuple(inputs.values()))


@for_each_rule
@pytest.mark.parametrize("form", FORMS)
def test_linear_attention_continued_state_equals_one_pass(rule, form):
    inputs = {name: x.detach() for name, x in random_inputs(rule, n=10).items()}
    whole, last = MECHANISMS[rule][0](**inputs, form=form)

    def inputs_slice(where):
        long = {
            n: x[..., where, :] for n, x in inputs.items() if x.shape[-2:-1] == (10,)
        }
        if "beta" in inputs:
            long["beta"] = inputs["beta"][..., where]
        return {**inputs, **long}

    first, state = MECHANISMS[rule][0](**inputs_slice(slice(0, 6)), form=form)
    rest, state = MECHANISMS[rule][0](
        **{**inputs_slice(slice(6, 10)), "state": state}, form=form
    )
    torch.testing.assert_close(
        torch.cat([first, rest], -2), whole, atol=1e-5, rtol=1e-5
    )
    torch.testing.assert_close(state, last, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_delta_rule_overwrites_value_of_repeated_key(form):
    """Three pairs in a 2 × 2 state; the third has the first one's key."""
    key = torch.tensor([[1.0, 0], [0, 1], [1, 0]])
    value = torch.tensor([[1.0, 0], [0, 2], [0, 1]])
    read, state = linear_attention(key, key, value, form=form)
    assert state.tolist() == [[1, 1], [0, 2]] and read[-1].tolist() == [1, 1]
    read, state = delta_rule(key, key, value, torch.ones(3), form=form)
    assert state.tolist() == [[0, 1], [0, 2]] and read[-1].tolist() == [0, 1]
    half, beta = torch.full((1,), 0.5), torch.ones(3)
    _, state = decayed_attention(key, key, value, half, form=form)
    assert state.tolist() == [[0.25, 1], [0, 1]]
    _, state = gated_delta_rule(key, key, value, beta, half, form=form)
    assert state.tolist() == [[0, 1], [0, 1]]


@for_each_rule
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_linear_attention_half_precision_is_near_double(rule, dtype):
    inputs = random_inputs(rule, n=40)
    wanted = MECHANISMS[rule][0](**inputs)[0]
    found, state = MECHANISMS[rule][0](**{n: x.to(dtype) for n, x in inputs.items()})
    assert found.dtype == state.dtype == dtype
    assert (found - wanted).norm() < 0.05 * wanted.norm()


def test_decayed_attention_strong_decay_is_finite():
    inputs = random_inputs("decayed", n=600) | {
        "decay": torch.full((1,), 1e-3).requires_grad_()
    }
    for form in ("parallel", "chunked"):
        assert all(x.isfinite().all() for x in results("decayed", inputs, form=form))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"form": "fast"}, ValueError, "form must be one of"),
        ({"chunk": 0}, ValueError, "chunk must be at least 1"),
        ({"key": torch.ones(2, 3, 4, 6)}, ValueError, "one shape"),
        ({"value": torch.ones(2, 3, 5, 4)}, ValueError, "one shape"),
        ({"query": torch.ones(5)}, ValueError, "query must be"),
        ({"value": torch.ones(2, 3, 4, 4).long()}, TypeError, "value must be a float"),
        ({"beta": torch.ones(2, 3, 4).double()}, TypeError, "share one dtype"),
        ({"beta": torch.ones(7)}, ValueError, "beta .7,. does not broadcast"),
        ({"decay": torch.zeros(1)}, ValueError, "decay must be above 0"),
        ({"decay": torch.full((1,), 1.5)}, ValueError, "at most 1"),
        ({"state": torch.ones(2, 3, 4, 5)}, ValueError, "state must be"),
    ],
)
def test_linear_attention_rejects_bad_input(change, error, message):
    inputs = {name: x.detach() for name, x in random_inputs("gated", n=4).items()}
    with pytest.raises(error, match=message):
        gated_delta_rule(**{**inputs, **change})


# The layer ----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_linear_attention_layer_is_causal_and_continues_from_state(rule):
    torch.manual_seed(0)
    layer, x = LinearAttention(8, 2, rule=rule, d_key=3, chunk=4), torch.randn(2, 9, 8)
    whole, last = layer(x)
    first, state = layer(x[:, :5])
    assert last.shape == (2, 2, 3, 4)
    torch.testing.assert_close(first, whole[:, :5])
    for t in range(5, 9):
        output, state = layer(x[:, t : t + 1], state)
        torch.testing.assert_close(output, whole[:, t : t + 1], atol=1e-5, rtol=1e-4)


def test_linear_attention_layer_averages_values():
    """Weights that are positive and sum to 1: equal values come out as they are."""
    layer = LinearAttention(8, 2, rule="linear", positive=True)
    layer.value_layer.weight.data.zero_()
    layer.value_layer.register_parameter("bias", torch.nn.Parameter(torch.ones(8)))
    wanted = layer.output_layer(torch.ones(8)).expand(2, 6, 8)
    torch.testing.assert_close(layer(torch.randn(2, 6, 8))[0], wanted)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"rule": "sum"}, ValueError, "rule must be one of"),
        ({"form": "fast"}, ValueError, "form must be one of"),
        ({"num_heads": 3}, ValueError, "3 heads cannot share"),
        ({"d_key": 0}, ValueError, "d_key must be at least 1"),
        ({"positive": True}, ValueError, "not delta's"),
    ],
)
def test_linear_attention_layer_rejects_bad_settings(options, error, message):
    with pytest.raises(error, match=message):
        LinearAttention(**{"d_model": 8, "num_heads": 2, **options})


@pytest.mark.parametrize("shape", [(2, 8), (2, 0, 8), (2, 3, 7)])
def test_linear_attention_layer_rejects_other_shapes(shape):
    with pytest.raises(ValueError, match="x must be"):
        LinearAttention(8, 2)(torch.ones(shape))
