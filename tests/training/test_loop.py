import errno
import math
import os
import signal
from functools import partial

import pytest
import torch

from attnlab.data import PAD, NumberPairs
from attnlab.training import (
    cross_entropy_loss,
    exact_match,
    learning_rate,
    reinforce_loss,
    train,
)
from tests.small_seq2seq import PAIRS, make_model

STEPS_AN_EPOCH = 4  # of batches of 16


def train_small(model, **options):
    options = {"epochs": 3, "batch_size": 16, "device": "cpu"} | options
    return train(model, PAIRS, **{"progress": False} | options)


def same_weights(one, other):
    one, other = one.state_dict(), other.state_dict()
    return one.keys() == other.keys() and all(
        torch.equal(one[name], other[name]) for name in one
    )


def weights_after(steps):
    """Ends a training after so many steps."""
    return lambda history, total: len(history.loss) == steps


@pytest.fixture
def steps(monkeypatch):
    """What AdamW was told at every step: its settings, and the gradients' norm."""
    told = []
    original = torch.optim.AdamW.step

    def recorded_step(self, *args):
        (group,) = self.param_groups
        grads = torch.cat([p.grad.flatten() for p in group["params"]])
        told.append(group | {"norm": grads.norm().item()})
        return original(self, *args)

    monkeypatch.setattr(torch.optim.AdamW, "step", recorded_step)
    return told


# The loop


def test_train_steps_use_scheduled_rate(steps):
    train_small(make_model(), epochs=None, steps=10, lr=0.1, warmup=0.2)
    assert [told["lr"] for told in steps] == [
        learning_rate(step, 10, peak=0.1, warmup=2, schedule="cosine")
        for step in range(10)
    ]


def test_train_clips_gradients(steps):
    def steep_loss(model, batch):
        value, accuracy = cross_entropy_loss(model, batch)
        return 1000 * value, accuracy

    train_small(make_model(), epochs=1, loss=steep_loss, clip=0.5)
    assert [told["norm"] for told in steps] == pytest.approx([0.5] * 4, rel=1e-3)


def test_train_optimizer_uses_given_settings(steps):
    train_small(make_model(), epochs=1, betas=(0.9, 0.98), weight_decay=0.0)
    train_small(make_model(), epochs=1)
    for told, betas, decay in ((steps[0], 0.98, 0.0), (steps[-1], 0.999, 0.01)):
        assert (told["betas"], told["weight_decay"]) == ((0.9, betas), decay)


def test_train_reduces_loss():
    model = make_model(d_model=32, dropout=0.0)
    history = train_small(model, epochs=20, lr=1e-2, valid=PAIRS)
    assert history.loss[-1] < history.loss[0] / 3
    assert history.epochs[0]["valid"] < history.epochs[-1]["valid"]
    assert history.epochs[-1]["valid"] == exact_match(model, PAIRS)
    assert len(history.loss) == len(history.accuracy) == 20 * STEPS_AN_EPOCH
    first = history.loss[:STEPS_AN_EPOCH]
    assert history.epochs[0]["loss"] == pytest.approx(sum(first) / STEPS_AN_EPOCH)
    assert not model.training


def test_train_accumulated_batches_take_equal_steps():
    def spying_loss(model, batch):
        rows.append(len(batch.src))
        return cross_entropy_loss(model, batch)

    whole = make_model(dropout=0.0)
    wanted = train_small(whole, epochs=1)
    for pieces, first in ((3, [6, 5, 5]), (20, [1] * 16)):  # 20: more than rows
        model, rows = make_model(dropout=0.0), []
        found = train_small(model, epochs=1, accumulate=pieces, loss=spying_loss)
        assert rows[: len(first)] == first
        assert found.loss == pytest.approx(wanted.loss, rel=1e-4)
        assert found.accuracy == pytest.approx(wanted.accuracy, abs=1e-3)
        for p, q in zip(model.parameters(), whole.parameters(), strict=True):
            torch.testing.assert_close(p, q, rtol=1e-2, atol=1e-3)


def test_train_bfloat16_keeps_float32_weights():
    kinds = set()

    def spying_loss(model, batch):
        kinds.add(model(batch.src, batch.tgt[:, :-1]).dtype)
        return cross_entropy_loss(model, batch)

    options = {"lr": 1e-2, "epochs": 5}
    plain, mixed = make_model(d_model=32, dropout=0), make_model(d_model=32, dropout=0)
    wanted = train_small(plain, **options)
    usual = torch.get_autocast_dtype("cpu")
    torch.set_autocast_dtype("cpu", torch.float16)  # the default of a GPU
    try:
        history = train_small(mixed, precision="bfloat16", loss=spying_loss, **options)
    finally:
        torch.set_autocast_dtype("cpu", usual)
    assert kinds == {torch.bfloat16}
    assert {p.dtype for p in mixed.parameters()} == {torch.float32}
    assert all((p != p.bfloat16()).any() for p in mixed.parameters())  # nor rounded
    assert history.loss != wanted.loss
    assert history.loss == pytest.approx(wanted.loss, rel=0.02)


def test_train_shuffles_pairs_each_epoch():
    shown = []

    def spying_loss(model, batch):
        shown.extend(row[row != PAD].tolist() for row in batch.tgt)
        return cross_entropy_loss(model, batch)

    train_small(make_model(), epochs=2, loss=spying_loss)
    first, second = shown[: len(PAIRS)], shown[len(PAIRS) :]
    assert sorted(first) == sorted(second) == sorted(PAIRS.tgt)
    assert first != second


def test_train_depends_on_seed_alone():
    one, again, other = (make_model() for _ in range(3))
    assert train_small(one, seed=4) == train_small(again, seed=4)
    assert same_weights(one, again)
    train_small(other, seed=5)
    assert not same_weights(one, other)


def test_train_step_limit_ends_mid_epoch():
    history = train_small(make_model(), epochs=None, steps=6)
    assert len(history.loss) == 6
    assert [epoch["step"] for epoch in history.epochs] == [4, 6]
    assert not history.interrupted


def test_train_progress_bar_shows_means_or_is_off(capsys):
    train(make_model(), PAIRS, epochs=2, valid=PAIRS, device="cpu")
    shown = capsys.readouterr()
    assert shown.out == ""
    for part in ("loss=", "accuracy=", "valid=", "2/2", "<00:00"):
        assert part in shown.err
    train_small(make_model())
    assert capsys.readouterr() == ("", "")


def test_train_callback_may_stop_training(capsys, tmp_path):
    seen = []

    def stop_at_third_step(history, total):
        seen.append((len(history.loss), total))
        return len(history.loss) == 3

    path = tmp_path / "model.pt"
    stopped = train_small(make_model(), progress=stop_at_third_step, checkpoint=path)
    assert seen == [(1, 12), (2, 12), (3, 12)]
    assert stopped.interrupted and len(stopped.loss) == 3
    assert capsys.readouterr().err == "" and path.exists()
    whole = train_small(make_model(), progress=lambda history, total: None)
    assert not whole.interrupted and whole.loss[:3] == stopped.loss


def test_train_nan_loss_raises():
    def broken_loss(model, batch):
        value, accuracy = cross_entropy_loss(model, batch)
        return value * math.nan, accuracy

    model = make_model()
    before = make_model()
    with pytest.raises(FloatingPointError, match="nan at step 0"):
        train_small(model, loss=broken_loss)
    assert same_weights(model, before)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"epochs": 0}, "at least 1"),
        ({"epochs": 1, "steps": 1}, "one of them"),
        ({"epochs": None}, "one of them"),
        ({"lr": math.nan}, "lr must be above 0, got nan"),
        ({"clip": 0}, "clip must be above 0"),
        ({"warmup": 5}, "share of all steps"),
        ({"device": "abacus"}, "unknown device 'abacus'"),
        ({"checkpoint": "."}, "is a folder"),
        ({"max_tokens": 3}, "more than max_tokens=3"),
        ({"precision": "float16"}, "precision must be one of .* got 'float16'"),
        ({"keep_last_epochs": 2}, "keep_last_epochs needs a checkpoint"),
    ],
)
def test_train_names_bad_settings(setting, message):
    with pytest.raises(ValueError, match=message):
        train_small(make_model(), **setting)


def test_train_and_evaluation_reject_empty_pairs():
    with pytest.raises(ValueError, match="no pairs"):
        train(make_model(), [], epochs=1, progress=False)
    with pytest.raises(ValueError, match="no pairs"):
        exact_match(make_model(), [])


# Stopping and going on


@pytest.fixture(scope="module")
def uninterrupted_run():
    model = make_model()
    return model, train_small(model, valid=PAIRS)


@pytest.mark.parametrize("step", [1, 4, 6])
def test_train_resumes_bit_for_bit(tmp_path, uninterrupted_run, step):
    options = {"valid": PAIRS, "checkpoint": tmp_path / "deep" / "model.pt"}
    stopped = train_small(make_model(), progress=weights_after(step), **options)
    assert stopped.interrupted
    assert len(stopped.loss) == step
    model = make_model(seed=99)  # its first weights must not matter
    history = train_small(model, **options)
    assert not history.interrupted
    assert same_weights(model, uninterrupted_run[0])
    assert history == uninterrupted_run[1]


def test_train_hard_attention_resumes_bit_for_bit(tmp_path):
    whole, parts = make_model(hard=True), make_model(hard=True)
    train_small(whole, loss=reinforce_loss)
    options = {"loss": reinforce_loss, "checkpoint": tmp_path / "hard.pt"}
    train_small(parts, progress=weights_after(5), **options)
    parts = make_model(hard=True)
    train_small(parts, **options)
    assert same_weights(whole, parts)
    assert whole.baseline.item() < 0


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a single process")
@pytest.mark.parametrize("name", ["model.pt", None])
def test_train_ctrl_c_finishes_step_and_reports_checkpoint(
    tmp_path, uninterrupted_run, capsys, name
):
    calls = []

    def loss(model, batch):
        calls.append(1)
        if len(calls) == 6:
            signal.raise_signal(signal.SIGINT)
        return cross_entropy_loss(model, batch)

    loss.__name__ = cross_entropy_loss.__name__
    model, path = make_model(), None if name is None else tmp_path / name
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # may be ignored
    try:
        stopped = train_small(model, checkpoint=path, valid=PAIRS, loss=loss)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert stopped.interrupted
    assert len(stopped.loss) == 6
    assert stopped.loss == uninterrupted_run[1].loss[:6]
    assert not model.training
    said = capsys.readouterr().err
    assert "Stopped by Ctrl-C after 6 of 12 steps" in said
    assert (str(path) if path else "nothing was saved") in said
    if path:
        model = make_model()
        assert train_small(model, checkpoint=path, valid=PAIRS) == uninterrupted_run[1]
        assert same_weights(model, uninterrupted_run[0])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_train_on_gpu_learns_and_resumes(tmp_path):
    whole, parts = make_model(), make_model()
    history = train_small(whole, device="cuda", valid=PAIRS)
    assert not next(whole.parameters()).is_cuda  # back where it was
    path = tmp_path / "model.pt"
    options = {"device": "cuda", "valid": PAIRS, "checkpoint": path}
    train_small(parts, progress=weights_after(5), **options)
    parts = make_model()
    again = train_small(parts, **options)
    assert again.loss == pytest.approx(history.loss, rel=1e-3)
    assert 0 <= exact_match(parts, PAIRS) <= 1


def test_train_complete_checkpoint_is_only_loaded(tmp_path, uninterrupted_run):
    path = tmp_path / "model.pt"
    train_small(make_model(), checkpoint=path, valid=PAIRS)
    written = path.read_bytes()
    model = make_model(seed=3)
    history = train_small(model, checkpoint=path, valid=PAIRS, progress=pytest.fail)
    assert history == uninterrupted_run[1]
    assert same_weights(model, uninterrupted_run[0])
    assert path.read_bytes() == written


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"lr": 0.5}, "lr was 0.003, now 0.5"),
        ({"seed": 1}, "seed was 0, now 1"),
        ({"epochs": 9}, "steps was 12, now 36"),
        ({"betas": (0.9, 0.98)}, r"betas was \(0.9, 0.999\), now \(0.9, 0.98\)"),
        ({"precision": "bfloat16"}, "precision was 'float32', now 'bfloat16'"),
        (
            {"loss": partial(cross_entropy_loss, label_smoothing=0.1)},
            "loss was 'cross_entropy_loss', now .*label_smoothing",
        ),
    ],
)
def test_train_rejects_checkpoint_of_other_settings(tmp_path, changed, message):
    path = tmp_path / "model.pt"
    train_small(make_model(), checkpoint=path)
    with pytest.raises(ValueError, match=message):
        train_small(make_model(), checkpoint=path, **changed)


def test_train_rejects_checkpoint_of_other_model_or_data(tmp_path):
    path = tmp_path / "model.pt"
    train_small(make_model(), checkpoint=path)
    with pytest.raises(ValueError, match="its model is not this model"):
        train_small(make_model(cell="lstm"), checkpoint=path)
    other = NumberPairs(list(range(200, 260)))
    with pytest.raises(ValueError, match="its data is not this data"):
        train(make_model(), other, epochs=3, batch_size=16, checkpoint=path)


def test_save_checkpoint_on_full_disk_keeps_old_one(
    tmp_path, uninterrupted_run, monkeypatch
):
    path = tmp_path / "model.pt"
    saves = []

    def fsync(handle):
        saves.append(handle)
        if len(saves) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        with pytest.raises(OSError, match=r"model\.pt, which is as it was: No space"):
            train_small(make_model(), valid=PAIRS, checkpoint=path, checkpoint_every=3)
    assert list(tmp_path.iterdir()) == [path]
    assert len(torch.load(path, weights_only=True)["history"]["loss"]) == 3
    model = make_model()
    assert train_small(model, valid=PAIRS, checkpoint=path) == uninterrupted_run[1]
    assert same_weights(model, uninterrupted_run[0])
