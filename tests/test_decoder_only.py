"""A decoder-only Transformer: its parts, and what a cache may change: nothing."""

import pytest
import torch
from torch import nn

from attnlab.attention import MultiHeadAttention, causal_mask
from attnlab.decoder_only import DecoderOnly, GroupedSelfAttention, RMSNorm, SwiGLU
from attnlab.positions import RotaryPositions

VOCAB = 11


def random_tensor(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def decoder(**options):
    torch.manual_seed(0)
    sizes = {
        "d_model": 16,
        "num_heads": 4,
        "num_groups": 2,
        "num_layers": 2,
        "d_ff": 24,
    }
    model = DecoderOnly(VOCAB, **sizes | options).double().eval()
    for parameter in model.parameters():  # weights large enough for errors to show
        nn.init.normal_(parameter, std=0.5)
    return model


def random_tokens(*shape):
    return torch.randint(VOCAB, shape, generator=torch.Generator().manual_seed(1))


# Parts --------------------------------------------------------------------------------


@pytest.mark.parametrize("eps", [1e-6, 0.1])
def test_rms_norm_equals_torch(eps):
    ours, theirs = RMSNorm(8, eps).double(), nn.RMSNorm(8, eps).double()
    gain = random_tensor(8)
    with torch.no_grad():
        ours.gain.copy_(gain)
        theirs.weight.copy_(gain)
    x = random_tensor(3, 5, 8).requires_grad_()
    assert torch.allclose(ours(x), theirs(x), atol=1e-12)
    given = random_tensor(3, 5, 8)
    (mine,) = torch.autograd.grad(ours(x), x, given)
    (wanted,) = torch.autograd.grad(theirs(x), x, given)
    assert torch.allclose(mine, wanted, atol=1e-12)


def test_rms_norm_of_zeros_and_half_precision_is_finite():
    norm = RMSNorm(4)
    assert torch.equal(norm(torch.zeros(2, 4)), torch.zeros(2, 4))
    found = norm.half()(torch.full((1, 4), 6e4, dtype=torch.float16))
    assert found.dtype == torch.float16
    assert torch.allclose(found.float(), torch.ones(1, 4))


def test_swiglu_equals_its_formula():
    layer, x = SwiGLU(6, 10).double(), random_tensor(2, 3, 6)
    gate, inner, outer = (p.T for p in layer.parameters())
    a = x @ gate
    wanted = (a / (1 + (-a).exp()) * (x @ inner)) @ outer
    assert torch.allclose(layer(x), wanted, atol=1e-12)
    assert not torch.allclose(layer(2 * x), 2 * wanted)  # no linear map


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_grouped_self_attention_equals_repeated_keys_and_values(groups):
    torch.manual_seed(0)
    ours = GroupedSelfAttention(24, 6, groups).double()
    theirs = MultiHeadAttention(24, 6, bias=False, rotary=RotaryPositions(4)).double()
    state = ours.state_dict()
    for name in ("key_layer.weight", "value_layer.weight"):
        heads = state[name].unflatten(0, (groups, 4))
        state[name] = heads.repeat_interleave(6 // groups, dim=0).flatten(0, 1)
    theirs.load_state_dict(state)
    x = random_tensor(2, 7, 24)
    for start in (0, 5):  # what counts is the distance
        wanted, _ = theirs(x, mask=causal_mask(7), start=start)
        assert torch.allclose(ours(x), wanted, atol=1e-12)


# The model ----------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", [[1] * 9, [4, 5], [3, 1, 1, 4]])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_decoder_only_cached_steps_equal_one_pass(pieces, groups):
    model, text = decoder(num_groups=groups), random_tokens(2, 9)
    cache, found = model.make_cache(), []
    for piece in text.split(pieces, dim=1):
        found.append(model(piece, cache))
    assert torch.allclose(torch.cat(found, dim=1), model(text), atol=1e-10)
    assert [layer.length for layer in cache] == [9, 9]


def test_decoder_only_ties_embedding_and_output():
    model = decoder()
    assert sum(p.shape == (VOCAB, 16) for p in model.parameters()) == 1
    names = {name.rsplit(".", 1)[-1] for name, _ in model.named_parameters()}
    assert names == {"weight", "gain"}  # and there is no bias


def test_decoder_only_drops_out_only_in_training():
    model, text = decoder(dropout=0.5), random_tokens(1, 4)
    assert torch.equal(model(text), model(text))
    model.train()
    assert not torch.equal(model(text), model(text))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_decoder_only_low_precision_is_near_double(dtype):
    model, text = decoder(), random_tokens(2, 5)
    wanted = model(text)
    found = model.to(dtype)(text)
    assert found.dtype == dtype
    near = {torch.float32: 1e-4, torch.bfloat16: 0.3, torch.float16: 0.05}[dtype]
    assert (found.double() - wanted).abs().max() < near * wanted.abs().max()


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: DecoderOnly(0), ValueError, "vocab_size must be at least 1"),
        (lambda: DecoderOnly(9, 16, 4, 3), ValueError, "cannot share 3 groups"),
        (lambda: DecoderOnly(9, 12, 4, 2), ValueError, "d=3 is odd"),
        (lambda: DecoderOnly(9, 16, num_layers=0), ValueError, "num_layers"),
        (lambda: DecoderOnly(9, 16, dropout=1.0), ValueError, r"\[0, 1\)"),
        (lambda: DecoderOnly(9, 16, pad=-1), ValueError, "pad must be at least 0"),
        (lambda: RMSNorm(4, 0.0), ValueError, "eps must be above 0"),
        (lambda: RMSNorm(4)(torch.tensor(1.0)), ValueError, r"got \(\)"),
        (lambda: RMSNorm(4)(torch.ones(2, 3)), ValueError, r"\(…, 4\), got \(2, 3\)"),
        (lambda: RMSNorm(4)(torch.ones(2, 4).long()), TypeError, "floating point"),
        (lambda: SwiGLU(4, 2.5), TypeError, "d_ff must be an integer"),
        (lambda: decoder()(torch.zeros(1, 0).long()), ValueError, "neither of them 0"),
        (lambda: decoder()(torch.zeros(1, 3)), TypeError, "integer ids"),
        (
            lambda: decoder()(torch.tensor([[3, 11]])),
            ValueError,
            "its vocabulary 0 … 10",
        ),
    ],
)
def test_decoder_only_rejects_bad_input(call, error, said):
    with pytest.raises(error, match=said):
        call()
