"""The tagger: what can reach what, padding, heads."""

import pytest
import torch

from attnlab.tagger import Tagger
from attnlab.training import set_seed

MIXING_ENCODERS = ("attention", "gru", "cnn")


def make(**options) -> Tagger:
    set_seed(0)
    return Tagger(11, 5, 8, num_heads=2, **options).double().eval()


def dependency_matrix(model: Tagger, n: int = 6) -> torch.Tensor:
    """(n, n), bool: does the logit at i depend on the embedding at j?"""
    tokens = torch.arange(1, n + 1)[None]

    def logits(shift: torch.Tensor) -> torch.Tensor:
        with model.embedding.register_forward_hook(lambda *call: call[-1] + shift):
            return model(tokens)

    nowhere = torch.zeros(1, n, 8).double()
    jacobian = torch.autograd.functional.jacobian(logits, nowhere)
    return jacobian[0, :, :, 0].abs().amax((1, 3)) > 0


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"encoder": "attention"}, torch.ones(6, 6)),
        ({"encoder": "attention", "causal": True}, torch.ones(6, 6).tril()),
        ({"encoder": "gru"}, torch.ones(6, 6)),
        ({"encoder": "gru", "causal": True}, torch.ones(6, 6).tril()),
        ({"encoder": "none"}, torch.eye(6)),
    ],
    ids=str,
)
def test_tagger_encoder_reach_equals_definition(options, wanted):
    assert torch.equal(dependency_matrix(make(**options)), wanted.bool())


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("causal", [False, True])
def test_tagger_convolution_reach_grows_by_kernel_per_layer(layers, causal):
    model = make(encoder="cnn", num_layers=layers, kernel_size=3, causal=causal)
    for layer in model.layers:  # no ReLU is to close a way by chance
        torch.nn.init.constant_(layer.mixer.convolution.bias, 10.0)
    seen = dependency_matrix(model, n=7)
    back = torch.arange(7)[:, None] - torch.arange(7)
    ahead, behind = (0, 2 * layers) if causal else (layers, layers)
    assert torch.equal(seen, (-ahead <= back) & (back <= behind))


@pytest.mark.parametrize("encoder", [*MIXING_ENCODERS, "none"])
@pytest.mark.parametrize("causal", [False, True])
def test_padding_does_not_change_output(encoder, causal):
    model = make(encoder=encoder, causal=causal, num_layers=2, d_ff=16)
    tokens = torch.randint(1, 11, (3, 6))
    tokens[1, 2:] = tokens[2, 1:] = 0
    together = model(tokens)
    for row, length in enumerate((6, 2, 1)):
        alone = model(tokens[[row], :length])
        torch.testing.assert_close(together[[row], :length], alone)


@pytest.mark.parametrize(
    "positions", ["sinusoidal", "learned", "rotary", "alibi", "none"]
)
def test_tagger_ignores_order_only_without_positions(positions):
    model = make(positions=positions, num_layers=2, d_ff=16)
    tokens, order = torch.randint(1, 11, (2, 6)), torch.tensor([3, 1, 0, 5, 4, 2])
    same = torch.allclose(model(tokens[:, order]), model(tokens)[:, order])
    assert same == (positions == "none")


def test_tagger_attention_has_weights_of_every_layer_and_head():
    model = make(num_layers=3)
    tokens = torch.tensor([[3, 4, 5, 0], [6, 7, 8, 9]])
    weights = model.attention(tokens)
    assert weights.shape == (3, 2, 2, 4, 4)
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 2, 2, 4).double())
    assert (weights[:, 0, :, :, 3] == 0).all()


TOKENS = torch.randint(1, 11, (2, 5))
HEADS = torch.ones(1, 2, dtype=torch.bool)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: make(encoder="lstm"), ValueError, "encoder must .* got 'lstm'"),
        (lambda: make(positions="odd"), ValueError, "positions must .* got 'odd'"),
        (lambda: make(encoder="gru", positions="rotary"), ValueError, "attention's"),
        (lambda: make(encoder="cnn", kernel_size=4), ValueError, "odd"),
        (lambda: make(num_layers=0), ValueError, "num_layers"),
        (lambda: make(d_ff=0), ValueError, "d_ff"),
        (lambda: make(activation="tanh"), ValueError, "activation .* got 'tanh'"),
        (lambda: make()(TOKENS[:, :0]), ValueError, "tokens must be"),
        (lambda: make(encoder="gru").attention(TOKENS), ValueError, "has no weights"),
        (lambda: make(encoder="gru")(TOKENS, HEADS), ValueError, "has no heads"),
        (lambda: make()(TOKENS, HEADS.expand(2, 2)), ValueError, "head_mask must be"),
        (lambda: make()(TOKENS, HEADS.float()), TypeError, "bool"),
    ],
)
def test_tagger_rejects_bad_settings_and_calls(call, error, message):
    with pytest.raises(error, match=message):
        call()
