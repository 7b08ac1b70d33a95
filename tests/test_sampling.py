"""Sampling: what is drawn is as frequent as it is probable."""

import math

import pytest
import torch

from attnlab.decoder_only import DecoderOnly
from attnlab.sampling import next_probabilities, sample
from attnlab.tokens import BOS, EOS, PAD

LOGITS = torch.tensor([1.0, 3.0, -2.0, 2.0, 0.5, 2.5])


class FixedLogitsModel(torch.nn.Module):
    """A model that says the same whatever it reads."""

    def __init__(self, logits):
        super().__init__()
        self.logits = logits
        self.read = []

    def make_cache(self):
        return None

    def forward(self, tokens, cache):
        self.read.append(tokens.tolist())
        return self.logits.expand(*tokens.shape, -1).clone()


def probabilities_by_definition(logits, temperature, top_k, top_p):
    """The probabilities by their definition, one token after the other."""
    weights = [math.exp(x / temperature) for x in logits.tolist()]
    order = sorted(range(len(weights)), key=lambda i: (-weights[i], i))[:top_k]
    total, kept, reached = sum(weights[i] for i in order), [], 0.0
    for i in order:
        if kept and reached >= top_p:
            break
        kept.append(i)
        reached += weights[i] / total
    whole = sum(weights[i] for i in kept)
    return [weights[i] / whole if i in kept else 0.0 for i in range(len(weights))]


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("top_k", [None, 1, 3, 50])
@pytest.mark.parametrize("top_p", [0.05, 0.6, 0.9, 1.0])
def test_next_probabilities_equal_definition(temperature, top_k, top_p):
    found = next_probabilities(LOGITS.double(), temperature, top_k, top_p)
    wanted = probabilities_by_definition(LOGITS.double(), temperature, top_k, top_p)
    assert torch.allclose(found, torch.tensor(wanted).double(), atol=1e-12)


def test_next_probabilities_default_is_softmax_and_zero_temperature_argmax():
    assert torch.allclose(next_probabilities(LOGITS), LOGITS.softmax(-1))
    assert next_probabilities(LOGITS, 0.0).tolist() == [0, 1, 0, 0, 0, 0]
    equal = torch.zeros(4)
    assert next_probabilities(equal, 0.0).tolist() == [1, 0, 0, 0]  # the lower id
    for settings in ({"top_k": 2}, {"top_p": 0.5}):  # the first two are just enough
        assert next_probabilities(equal, **settings).tolist() == [0.5, 0.5, 0, 0]


def test_next_probabilities_extreme_inputs_do_not_overflow():
    found = next_probabilities(1e4 * LOGITS, 1e-30)
    assert found.tolist() == [0, 1, 0, 0, 0, 0]
    assert next_probabilities(LOGITS, 5e-324).tolist() == [0, 1, 0, 0, 0, 0]
    half = next_probabilities((1e4 * LOGITS).half())
    assert half.dtype == torch.float32 and half.isfinite().all()


@pytest.mark.parametrize(
    "settings",
    [{}, {"temperature": 0.5}, {"top_k": 3}, {"top_p": 0.8}, {"temperature": 2.0}],
)
def test_sample_frequencies_equal_probabilities(settings):
    logits = torch.cat([torch.full((2,), 9.0), LOGITS])  # PAD and BOS, never drawn
    count = 40_000
    drawn = sample(
        FixedLogitsModel(logits),
        torch.full((count, 1), BOS),
        generator=torch.Generator().manual_seed(0),
        max_len=1,
        **settings,
    )[:, 0]
    wanted = torch.cat([torch.zeros(2), next_probabilities(LOGITS, **settings)])
    found = torch.bincount(drawn, minlength=8) / count
    # Four and a half standard deviations of a share: one in 150,000 misses it.
    assert (
        (found - wanted).abs() <= 4.5 * (wanted * (1 - wanted) / count).sqrt()
    ).all()


def test_sample_pads_finished_texts():
    torch.manual_seed(0)
    model = DecoderOnly(6, 8, 2, 1, 1, 8)
    found = sample(model, torch.full((200, 1), BOS), 3.0, max_len=12)
    assert not (found == BOS).any()
    lengths = set()
    for row in found.tolist():
        end = row.index(EOS) if EOS in row else len(row)
        lengths.add(end)
        assert PAD not in row[:end] and set(row[end + 1 :]) <= {PAD}
    assert len(lengths) > 3


def test_sample_reads_each_token_once_and_restores_mode():
    model = FixedLogitsModel(torch.tensor([0.0, 0, -9, 0, 9])).train()
    found = sample(model, torch.tensor([[BOS, 3, 3]]), 0.0, max_len=3)
    assert found.tolist() == [[4, 4, 4]]
    assert model.read == [[[BOS, 3, 3]], [[4]], [[4]]]
    assert model.training


def test_sample_at_temperature_0_equals_argmax():
    torch.manual_seed(3)
    model = DecoderOnly(30, 8, 2, 1, 2, 8).eval()
    text = torch.tensor([[BOS, 7]])
    found = sample(model, text, 0.0, max_len=6)
    for token in found[0].tolist():
        logits = model(text)[0, -1]
        logits[[PAD, BOS]] = -torch.inf
        assert logits.argmax() == token
        text = torch.cat([text, torch.tensor([[token]])], dim=1)


def test_sample_continues_padded_prefix_as_alone():
    torch.manual_seed(3)
    model = DecoderOnly(30, 8, 2, 1, 2, 8).eval()
    alone = sample(model, torch.tensor([[BOS, 7]]), 0.0, max_len=6)[0]
    prefix = torch.tensor([[PAD, BOS, 7], [BOS, 7, PAD], [BOS, 7, 9]])
    for row in sample(model, prefix, 0.0, max_len=6)[:2]:
        assert row[: len(alone)].equal(alone)


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"temperature": -0.1}, ValueError, "must not be negative"),
        ({"temperature": math.nan}, ValueError, "temperature must be finite"),
        ({"top_k": 0}, ValueError, "top_k must be at least 1"),
        ({"top_p": 0.0}, ValueError, "top_p must be above 0"),
        ({"top_p": 1.5}, ValueError, "top_p must be at most 1"),
        ({"max_len": 0}, ValueError, "max_len must be at least 1"),
        ({"prefix": torch.zeros(1, 0).long()}, ValueError, "prefix"),
        ({"prefix": torch.tensor([[0.5]])}, TypeError, "prefix"),
    ],
)
def test_sample_rejects_bad_settings(settings, error, said):
    with pytest.raises(error, match=said):
        sample(
            FixedLogitsModel(LOGITS), **{"prefix": torch.tensor([[BOS]]), **settings}
        )


def test_next_probabilities_reject_non_finite_logits():
    nothing, nan, inf = torch.zeros(2, 0), torch.tensor([1, math.nan]), math.inf
    for logits in (nothing, nan, torch.tensor([1, inf]), torch.full((2, 3), -inf)):
        with pytest.raises(ValueError, match="logits must be"):
            next_probabilities(logits)
