import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import ODD_NUMBERS, REFUSED, are_ids, attempt, fuzz, ids, is_size, sizes

from attnlab.data import BOS, EOS, PAD
from attnlab.decoding import (
    Hypothesis,
    beam_search,
    evaluating,
    greedy,
    greedy_padded,
    greedy_prefix,
)
from attnlab.recurrent import Seq2Seq
from attnlab.scores import DotScore
from attnlab.transformer import Transformer

VOCAB = 5
torch.manual_seed(1)
TRANSFORMER = Transformer(VOCAB, VOCAB, 8, 2, 1, 8)
ATTENTIVE = Seq2Seq(VOCAB, VOCAB, 4, score=DotScore(), dropout=0.5)
MODELS = [TRANSFORMER, ATTENTIVE, Seq2Seq(VOCAB, VOCAB, 4)]
WAYS = [greedy, greedy_prefix, greedy_padded]


@fuzz(greedy, greedy_prefix, greedy_padded, evaluating)
@given(data=st.data(), way=st.sampled_from(WAYS), max_len=sizes(1, 6))
def test_greedy_takes_the_likeliest_and_leaves_the_mode(data, way, max_len):
    model = data.draw(st.sampled_from(MODELS))
    if way in (greedy_prefix, greedy_padded):
        model = TRANSFORMER
    src, training = data.draw(ids(VOCAB)), data.draw(st.booleans())
    model.train(training)
    found = attempt(way, model, src, max_len)
    assert all(module.training == training for module in model.modules())
    if found is REFUSED:
        return
    assert are_ids(src, VOCAB) and is_size(max_len)
    assert len(found) == len(src) and 1 <= found.shape[1] <= max_len
    assert torch.equal(found, greedy(model, src, max_len))
    for row in found.tolist():
        after = row[row.index(EOS) + 1 :] if EOS in row else []
        assert set(after) <= {PAD}


@fuzz(beam_search, Hypothesis)
@given(
    data=st.data(),
    model=st.sampled_from(MODELS),
    max_len=sizes(1, 5),
    width=sizes(1, 4),
    penalty=st.one_of(st.floats(-2, 2), ODD_NUMBERS),
)
def test_a_beam_has_scores_that_are_the_models_own(
    data, model, max_len, width, penalty
):
    src, training = data.draw(ids(VOCAB)), data.draw(st.booleans())
    model.train(training)
    steps = []

    def record(*step):
        steps.append(step)

    found = attempt(beam_search, model, src, max_len, width, penalty, record=record)
    assert all(module.training == training for module in model.modules())
    if found is REFUSED:
        return
    assert are_ids(src, VOCAB) and is_size(max_len) and is_size(width)
    model.eval()
    assert len(steps) == max(len(one.tokens) for beam in found for one in beam)
    for sentence, hypotheses in zip(src, found, strict=True):
        assert 1 <= len(hypotheses) <= width
        scores = [one.score for one in hypotheses]
        assert scores == sorted(scores, reverse=True)
        assert not any(map(math.isnan, scores))
        best = hypotheses[0]
        assert 1 <= len(best.tokens) <= max_len
        assert len(best.tokens) == max_len or best.tokens[-1] == EOS
        read = torch.tensor([[BOS, *best.tokens[:-1]]])
        log_probs = model(sentence[None], read)[0].log_softmax(-1)
        total = log_probs[range(len(best.tokens)), best.tokens].sum().item()
        wanted = total / ((5 + len(best.tokens)) / 6) ** penalty
        assert math.isclose(best.score, wanted, rel_tol=1e-3, abs_tol=1e-3)
