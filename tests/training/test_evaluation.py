import pytest
import torch

from attnlab.data import EOS, PAD, NumberPairs, PlacePairs, batches
from attnlab.data.places import NUM_CLASSES
from attnlab.tagger import Tagger
from attnlab.training import (
    cross_entropy_loss,
    evaluation,
    exact_match,
    exact_match_by_length,
    exact_matches,
    mean_loss,
    set_seed,
    tagging_accuracy,
)
from tests.small_seq2seq import PAIRS, make_model


def fake_greedy(monkeypatch, translate):
    """Let every model answer with `translate(source ids) -> target ids`."""

    def greedy(model, src, max_len):
        answers = [translate(row[row != PAD].tolist())[:max_len] for row in src]
        rows = [torch.tensor(answer) for answer in answers]
        return torch.nn.utils.rnn.pad_sequence(rows, True, PAD)

    monkeypatch.setattr(evaluation, "greedy", greedy)


def test_exact_match_by_length_equals_single_pairs(monkeypatch):
    pairs = NumberPairs([1, 2, 3, 10, 15, 400, 401, 402])
    right = [True, True, False, False, False, True, False, True]
    known = zip(pairs, right, strict=True)
    answers = {tuple(src): tgt[1:] if ok else [EOS] for (src, tgt), ok in known}
    fake_greedy(monkeypatch, lambda src: answers[tuple(src)])
    model = make_model()
    assert exact_matches(model, pairs, batch_size=3) == right
    assert exact_match(model, pairs) == 4 / 8
    assert exact_match_by_length(model, pairs) == {1: 2 / 3, 2: 0.0, 3: 2 / 3}


@pytest.mark.parametrize(
    ("spoil", "right"),
    [
        (lambda answer: answer, True),
        (lambda answer: [*answer[:-2], EOS], False),  # stops a token early
        (lambda answer: [*answer[:-1], answer[0], EOS], False),  # goes on too long
        (lambda answer: [*answer[:-1], answer[0]], False),  # does not stop
        (lambda answer: [answer[1], answer[0], *answer[2:]], False),  # other order
    ],
)
def test_exact_match_needs_every_token_and_eos(monkeypatch, spoil, right):
    pairs = NumberPairs([345, 21, 7])
    answers = {tuple(src): tgt[1:] for src, tgt in pairs}
    second = tuple(pairs.src[1])
    answers[second] = spoil(answers[second])
    fake_greedy(monkeypatch, lambda src: answers[tuple(src)])
    assert exact_matches(make_model(), pairs) == [True, right, True]


def test_mean_loss_weights_tokens_equally():
    model = make_model().eval()
    value, _ = cross_entropy_loss(model, next(batches(PAIRS, len(PAIRS))))
    for max_tokens in (40, 10_000):
        found = mean_loss(model.train(), PAIRS, max_tokens=max_tokens)
        assert found == pytest.approx(value.item(), rel=1e-5)
    with pytest.raises(ValueError, match="no pairs"):
        mean_loss(model, [])


def test_tagging_accuracy_counts_tokens_and_sequences():
    pairs = PlacePairs([7, 200_005])
    set_seed(0)
    model = Tagger(len(pairs.vocab), NUM_CLASSES, 8).train()
    (batch,) = batches(pairs, 2)
    right = (model.eval()(batch.src).argmax(-1) == batch.tgt)[batch.tgt != 0]
    model.train()
    tokens, sequences = tagging_accuracy(model, pairs)
    assert model.training
    assert tokens == pytest.approx(right.float().mean().item())
    assert 0 <= sequences <= tokens
