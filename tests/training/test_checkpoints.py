import os

import pytest
import torch

from attnlab.data import NumberPairs
from attnlab.recurrent import Seq2Seq
from attnlab.training import set_seed, train
from attnlab.training.checkpoints import (
    average_checkpoints,
    epoch_path,
    load_checkpoint,
    random_state,
    save_checkpoint,
    set_random_state,
    write_atomically,
)

PAIRS = NumberPairs(list(range(100, 140)))
CPU = torch.device("cpu")


def make_model():
    set_seed(0)
    return Seq2Seq(len(PAIRS.src_vocab), len(PAIRS.tgt_vocab), 8, dropout=0.2)


def train_small(model, **options):
    options = {"epochs": 4, "batch_size": 16, "device": "cpu"} | options
    return train(model, PAIRS, progress=False, **options)


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"

    def no_room(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(OSError, match=r"a\.txt, which is as it was: No space left"):
        write_atomically(path, b"newer")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_checkpoint_comes_back_for_the_same_settings_alone(tmp_path):
    path = tmp_path / "model.pt"
    save_checkpoint(path, {"settings": {"lr": 1.0, "data": 5}, "x": torch.arange(3)})
    assert load_checkpoint(path, {"lr": 1.0, "data": 5})["x"].tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match=r"lr was 1\.0, now 2\.0, its data is not"):
        load_checkpoint(path, {"lr": 2.0, "data": 6})


def test_randomness_goes_on_where_it_was():
    state = random_state(CPU)
    drawn = torch.rand(5)
    set_random_state(state, CPU)
    assert torch.equal(torch.rand(5), drawn)


# Averages


def test_the_last_epochs_are_kept_and_no_others(tmp_path):
    path = tmp_path / "model.pt"
    model = make_model()
    train_small(model, checkpoint=path, keep_last_epochs=2)
    kept = [epoch_path(path, epoch) for epoch in (3, 4)]
    assert sorted(tmp_path.iterdir()) == sorted([*kept, path])
    last = torch.load(kept[-1], weights_only=True)
    assert all(torch.equal(last[n], p) for n, p in model.state_dict().items())


def test_the_average_is_the_mean_of_the_last_weights(tmp_path):
    path = tmp_path / "model.pt"
    model = make_model()
    train_small(model, checkpoint=path, keep_last_epochs=3)
    states = [torch.load(epoch_path(path, e), weights_only=True) for e in (2, 3, 4)]
    average = average_checkpoints(path, last=3)
    assert average.keys() == model.state_dict().keys()
    moved = 0
    for name, value in average.items():
        mean = torch.stack([state[name] for state in states]).mean(0)
        torch.testing.assert_close(value, mean)
        moved += not torch.equal(value, states[-1][name])
    assert moved > 3
    assert all(
        torch.equal(value, states[-1][name])
        for name, value in average_checkpoints(path, last=1).items()
    )
    model.load_state_dict(average)


def test_a_resumed_training_has_the_same_average(tmp_path):
    whole, parts = tmp_path / "whole.pt", tmp_path / "parts.pt"
    train_small(make_model(), checkpoint=whole, keep_last_epochs=3)

    class Killed(BaseException):
        pass

    def measure(model, pairs):  # in the middle of the third epoch's end
        if len(list(tmp_path.glob("parts.epoch*"))) == 2:
            raise Killed
        return 0.0

    with pytest.raises(Killed):
        options = {"checkpoint": parts, "keep_last_epochs": 3}
        train_small(make_model(), **options, valid=PAIRS, measure=measure)
    train_small(make_model(), **options, valid=PAIRS, measure=lambda *_: 0.0)
    one, other = average_checkpoints(whole, 3), average_checkpoints(parts, 3)
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_averaging_says_what_is_missing(tmp_path):
    path = tmp_path / "model.pt"
    with pytest.raises(ValueError, match="there is no checkpoint"):
        average_checkpoints(path)
    train_small(make_model(), checkpoint=path, keep_last_epochs=2)
    with pytest.raises(
        ValueError, match=r"no model\.epoch2\.pt; train with keep_last_epochs=3"
    ):
        average_checkpoints(path, last=3)
    with pytest.raises(ValueError, match="last must be at least 1, got 0"):
        average_checkpoints(path, last=0)


def test_keeping_needs_a_checkpoint_and_a_number():
    with pytest.raises(ValueError, match="keep_last_epochs needs a checkpoint"):
        train_small(make_model(), keep_last_epochs=2)
    with pytest.raises(ValueError, match="keep_last_epochs must be at least 0, got -1"):
        train_small(make_model(), keep_last_epochs=-1, checkpoint="never.pt")
