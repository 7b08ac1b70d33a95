import itertools
from typing import NamedTuple

import pytest
import torch
from torch import nn

from attnlab.data import BOS, EOS, PAD
from attnlab.decoding import beam_search, greedy, greedy_padded, greedy_prefix
from attnlab.recurrent import Seq2Seq
from attnlab.scores import GeneralScore
from attnlab.transformer import Transformer

VOCAB, D_MODEL = 6, 8


def make_model(score=True, sharpness=4.0, seed=0, tgt_vocab=VOCAB):
    """A model with random weights, sharp enough to prefer some tokens clearly."""
    torch.manual_seed(seed)
    score = GeneralScore(D_MODEL, D_MODEL) if score else None
    model = Seq2Seq(9, tgt_vocab, D_MODEL, score=score).double()
    with torch.no_grad():
        model.decoder.readout.weight.mul_(sharpness)
    return model


def make_transformer(seed=0, **options):
    """A model with random weights that ends some sentences early, others late."""
    torch.manual_seed(seed)
    model = Transformer(9, VOCAB, D_MODEL, 2, 2, 16, **options).double()
    with torch.no_grad():
        model.output_layer.weight.mul_(4.0)
        model.output_layer.bias[PAD] = -100.0
        for layer in model.decoder.layers:
            layer.cross_attention.output_layer.weight.mul_(5.0)
    return model


def make_src(batch=6, seed=3):
    generator = torch.Generator().manual_seed(seed)
    src = torch.randint(3, 9, (batch, 5), generator=generator)
    for row in range(batch):
        src[row, 1 + row % 5 :] = PAD
    return src


class MarkovState(NamedTuple):
    seen: torch.Tensor  # (batch,), the token of the step before
    unused: torch.Tensor | None


class MarkovChain(nn.Module):
    """A model whose next token depends on the last one alone, by a given table."""

    def __init__(self, table):
        super().__init__()
        self.table = torch.tensor(table, dtype=torch.float64).log()

    def start(self, src):
        return MarkovState(torch.zeros(len(src)), None)

    def step(self, tokens, state):
        return self.table[tokens], MarkovState(tokens, None)

    def reorder(self, state, index):
        return MarkovState(state.seen[index], None)


@pytest.mark.parametrize("score", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_greedy_equals_argmax_of_parallel_logits(score, seed):
    model, src = make_model(score, seed=seed), make_src()
    tokens = greedy(model, src, 7)
    tgt = torch.cat([torch.full_like(tokens[:, :1], BOS), tokens[:, :-1]], 1)
    with torch.no_grad():
        best = model.eval()(src, tgt).argmax(-1)
    for row, wanted in zip(tokens.tolist(), best.tolist(), strict=True):
        end = row.index(EOS) + 1 if EOS in row else len(row)
        assert row[:end] == wanted[:end]
        assert row[end:] == [PAD] * (len(row) - end)


def test_greedy_stops_when_all_have_ended_or_at_max_len():
    src = make_src(2)
    ends_at_two = MarkovChain([[1, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0]])
    assert greedy(ends_at_two, src, 9).tolist() == [[3, EOS], [3, EOS]]
    never_ends = MarkovChain([[0, 0, 0, 1]] * 4)
    assert greedy(never_ends, src, 3).tolist() == [[3, 3, 3], [3, 3, 3]]
    assert beam_search(never_ends, src, 3, width=2)[0][0].tokens == [3, 3, 3]
    assert greedy(ends_at_two, src, 1).tolist() == [[3], [3]]


@pytest.mark.parametrize("make", [make_model, make_transformer])
@pytest.mark.parametrize("seed", range(3))
def test_decoding_batch_equals_single_sentences(make, seed):
    model, src = make(seed=seed), make_src()
    batch = greedy(model, src, 7).tolist()
    beams = beam_search(model, src, 7, width=3, length_penalty=0.6)
    for i, row in enumerate(src):
        alone = row[row != PAD][None]
        tokens = greedy(model, alone, 7)[0].tolist()
        assert batch[i] == tokens + [PAD] * (len(batch[i]) - len(tokens))
        beam = beam_search(model, alone, 7, width=3, length_penalty=0.6)[0]
        assert [h.tokens for h in beam] == [h.tokens for h in beams[i]]
        assert [h.score for h in beam] == pytest.approx([h.score for h in beams[i]])


@pytest.mark.parametrize("length_penalty", [0.0, 1.0])
@pytest.mark.parametrize("make", [make_model, make_transformer])
@pytest.mark.parametrize("seed", range(3))
def test_beam_search_of_width_one_equals_greedy(make, seed, length_penalty):
    model, src = make(seed=seed), make_src()
    tokens = greedy(model, src, 7).tolist()
    beams = beam_search(model, src, 7, width=1, length_penalty=length_penalty)
    for row, hypotheses in zip(tokens, beams, strict=True):
        assert len(hypotheses) == 1
        found = hypotheses[0].tokens
        assert found + [PAD] * (len(row) - len(found)) == row


def all_outputs(vocab, max_len):
    """Every output that can be: ended by its only EOS, or cut off at max_len."""
    for length in range(1, max_len + 1):
        for tokens in itertools.product(range(vocab), repeat=length):
            if EOS in tokens[:-1]:
                continue
            if tokens[-1] == EOS or length == max_len:
                yield list(tokens)


@torch.no_grad()
@pytest.mark.parametrize("seed", range(3))
def test_beam_search_wide_beam_finds_all_outputs_in_order(seed):
    model, src = make_model(seed=seed, tgt_vocab=5), make_src(2)[1:]
    log_probs = {}
    for tokens in all_outputs(5, 3):  # each by one parallel pass
        tgt = torch.tensor([[BOS, *tokens[:-1]]])
        chances = model.eval()(src, tgt)[0].log_softmax(-1)
        log_probs[tuple(tokens)] = chances[range(len(tokens)), tokens].sum().item()
    for length_penalty in (0.0, 0.6, 2.0):
        scores = {
            tokens: log_prob / ((5 + len(tokens)) / 6) ** length_penalty
            for tokens, log_prob in log_probs.items()
        }
        wanted = sorted(scores, key=scores.get, reverse=True)
        found = beam_search(model, src, 3, width=200, length_penalty=length_penalty)[0]
        assert [tuple(h.tokens) for h in found] == wanted
        assert [h.score for h in found] == pytest.approx([scores[t] for t in wanted])


@pytest.mark.parametrize("decode", [greedy, beam_search, greedy_prefix, greedy_padded])
def test_decoding_disables_dropout_and_restores_modes(decode):
    model, src = make_transformer(dropout=0.5).train(), make_src()
    model.encoder.eval()
    before = [module.training for module in model.modules()]
    one, other = decode(model, src, 5), decode(model, src, 5)
    assert one == other if decode is beam_search else torch.equal(one, other)
    with pytest.raises(ValueError, match="src"):
        decode(model, src[:, :0], 5)
    with pytest.raises(ValueError, match="max_len must be at least 1, got 0"):
        decode(model, src, 0)
    assert [module.training for module in model.modules()] == before


@pytest.mark.parametrize("make", [make_model, make_transformer])
def test_decoding_outputs_are_on_source_device(make):
    model, src = make(), make_src()
    tokens, beams = greedy(model, src, 5), beam_search(model, src, 5)
    with torch.device("meta"):  # another default, where there are no numbers
        assert torch.equal(greedy(model, src, 5), tokens)
        assert beam_search(model, src, 5) == beams
        if isinstance(model, Transformer):
            for slower in (greedy_prefix, greedy_padded):
                assert torch.equal(slower(model, src, 5), tokens)


def test_decoding_rejects_bad_sizes():
    model, src = make_model(), make_src()
    with pytest.raises(ValueError, match="width must be at least 1, got 0"):
        beam_search(model, src, 5, width=0)
    for penalty in (-10.5, 10.5):
        with pytest.raises(ValueError, match="length_penalty must lie within ±10"):
            beam_search(model, src, 5, length_penalty=penalty)
    assert all(beam_search(model, src, 5, length_penalty=p) for p in (-10, 10))


# A Transformer, whose steps keep keys and values


@pytest.mark.parametrize("seed", range(3))
def test_greedy_padded_prefix_and_cache_give_equal_tokens(seed):
    model, src = make_transformer(seed), make_src()
    tokens = greedy(model, src, 9)
    assert len(tokens.unique(dim=0)) > 1  # it does look at the source
    assert torch.equal(greedy_prefix(model, src, 9), tokens)
    assert torch.equal(greedy_padded(model, src, 9), tokens)
