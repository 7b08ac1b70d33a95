import pytest
import torch

from attnlab.data import BOS, EOS, PAD, Batch, batches
from attnlab.decoder_only import DecoderOnly
from attnlab.training import (
    cross_entropy_loss,
    next_token_loss,
    reinforce_loss,
    tagging_loss,
)
from tests.small_seq2seq import PAIRS, make_model


@pytest.mark.parametrize("loss", [cross_entropy_loss, reinforce_loss])
def test_loss_and_gradient_ignore_padding(loss):
    model = make_model(hard=loss is reinforce_loss).eval()
    batch = next(batches(PAIRS, 8))
    more = Batch(*(torch.nn.functional.pad(ids, (0, 5), value=PAD) for ids in batch))
    results = []
    for one in (batch, more):
        model.zero_grad()
        value, accuracy = loss(model, one)
        value.backward()
        grads = [p.grad.clone() for p in model.parameters() if p.grad is not None]
        results.append([value.detach(), accuracy, *grads])
    assert len(results[0]) > 4
    for plain, padded in zip(*results, strict=True):
        torch.testing.assert_close(plain, padded, rtol=1e-4, atol=1e-6)


def test_cross_entropy_loss_is_mean_over_real_tokens():
    model = make_model().eval()
    batch = next(batches(PAIRS, 8, bucket=False))
    value, accuracy = cross_entropy_loss(model, batch)
    costs, hits = [], []
    for src, tgt in zip(PAIRS.src[:8], PAIRS.tgt[:8], strict=True):
        logits = model(torch.tensor([src]), torch.tensor([tgt[:-1]]))[0]
        for at, token in enumerate(tgt[1:]):
            costs.append(-logits[at].log_softmax(-1)[token].item())
            hits.append(logits[at].argmax().item() == token)
    assert value.item() == pytest.approx(sum(costs) / len(costs), abs=1e-5)
    assert accuracy.item() == pytest.approx(sum(hits) / len(hits))


def test_reinforce_baseline_updates_only_in_training():
    model = make_model(hard=True, dropout=0.0)
    batch = next(batches(PAIRS, 8))
    model.eval()
    before = model.baseline.clone()
    reinforce_loss(model, batch)
    assert torch.equal(model.baseline, before)
    model.train()
    for _ in range(60):
        reinforce_loss(model, batch)
    mean = -cross_entropy_loss(model, batch)[0]
    torch.testing.assert_close(model.baseline, mean, rtol=0.05, atol=0)


@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_reinforce_loss_equals_written_out_formula(weight):
    torch.manual_seed(0)
    tgt = torch.tensor([[BOS, 5, 6, EOS], [BOS, 7, EOS, PAD]])
    logits, sampled, entropy = torch.randn(2, 3, 9), *torch.randn(2, 2, 3).neg()
    logits.requires_grad_()

    class Choosing(torch.nn.Module):
        baseline = torch.tensor(-1.5)

        def forward_sampled(self, src, read):
            assert torch.equal(read, tgt[:, :-1])
            return logits, sampled, entropy

    model = Choosing().eval()
    loss, accuracy = reinforce_loss(model, Batch(tgt, tgt), entropy_weight=weight)
    total, hits, count = 0.0, 0, 0
    for row, at in ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1)):
        token = tgt[row, at + 1]
        log_prob = logits[row, at].log_softmax(-1)[token]
        total += log_prob + (log_prob.detach() - model.baseline) * sampled[row, at]
        total += weight * entropy[row, at]
        hits, count = hits + int(logits[row, at].argmax() == token), count + 1
    torch.testing.assert_close(loss, -total / count)
    by_hand = torch.autograd.grad(-total / count, logits)  # none through the reward
    torch.testing.assert_close(torch.autograd.grad(loss, logits), by_hand)
    assert accuracy.item() == pytest.approx(hits / count)


def test_tagging_loss_is_mean_over_labelled_tokens():
    torch.manual_seed(0)
    src, classes = torch.tensor([[5, 6, 7], [8, 9, PAD]]), torch.randn(2, 3, 4)
    tgt = torch.tensor([[1, PAD, 3], [2, 1, PAD]])
    classes[0, 0, 1] = classes[0, 1, PAD] = 9.0  # right, and not counted
    loss, accuracy = tagging_loss(lambda read: classes, Batch(src, tgt))
    wanted = [(0, 0), (0, 2), (1, 0), (1, 1)]
    costs = [-classes[at].log_softmax(-1)[tgt[at]] for at in wanted]
    torch.testing.assert_close(loss, torch.stack(costs).mean())
    right = [int(classes[at].argmax() == tgt[at]) for at in wanted]
    assert accuracy.item() == pytest.approx(sum(right) / 4)


@pytest.mark.parametrize(
    ("tgt", "error", "words"),
    [
        ([[1, 4]], ValueError, r"tgt holds ids 1 … 4, its vocabulary 0 … 3"),
        ([[1.0, 2.0]], TypeError, "tgt must be a tensor of integer ids"),
        ([[1, 2, 3]], ValueError, "tgt must have classes"),
        ([[PAD, PAD]], ValueError, "some of them not PAD"),
    ],
)
def test_tagging_loss_rejects_bad_classes(tgt, error, words):
    batch = Batch(torch.tensor([[5, 6]]), torch.tensor(tgt))
    with pytest.raises(error, match=words):
        tagging_loss(lambda read: torch.zeros(1, 2, 4), batch)


def test_losses_reject_bad_shares_and_ids():
    batch = next(batches(PAIRS, 8))
    for loss, name in (
        (cross_entropy_loss, "label_smoothing"),
        (reinforce_loss, "entropy_weight"),
    ):
        model = make_model(hard=loss is reinforce_loss)
        for share in (-0.1, 1.1):
            with pytest.raises(ValueError, match=rf"{name} must lie in \[0, 1\]"):
                loss(model, batch, **{name: share})
        with pytest.raises(TypeError, match=f"^{name} must be a number"):
            loss(model, batch, **{name: "some"})
        beyond = batch.tgt.clone()
        beyond[:, -1] = len(PAIRS.tgt_vocab)  # wanted, and never read
        with pytest.raises(ValueError, match=r"^tgt holds ids"):
            loss(model, Batch(batch.src, beyond))


def test_next_token_loss_equals_cross_entropy_loss():
    """There is no source."""
    torch.manual_seed(0)
    model = DecoderOnly(11, 8, 2, 1, 1, 8).double()
    tgt = torch.tensor([[BOS, 5, 6, 7, EOS], [BOS, 8, EOS, PAD, PAD]])
    batch = Batch(torch.full((2, 1), EOS), tgt)
    wanted = cross_entropy_loss(lambda src, read: model(read), batch)
    torch.testing.assert_close(next_token_loss(model, batch), wanted)
    with pytest.raises(ValueError, match="a token that is not PAD"):
        next_token_loss(model, Batch(tgt, torch.tensor([[BOS, PAD]])))
