import pytest
import torch

from attnlab.training import train
from attnlab.training.checkpoints import average_checkpoints, epoch_path
from tests.small_seq2seq import PAIRS, make_model


def train_small(model, **options):
    options = {"epochs": 4, "batch_size": 16, "device": "cpu"} | options
    return train(model, PAIRS, progress=False, **options)


def test_train_keeps_and_averages_last_epochs(tmp_path):
    path = tmp_path / "model.pt"
    model = make_model()
    train_small(model, checkpoint=path, keep_last_epochs=3)
    kept = [epoch_path(path, epoch) for epoch in (2, 3, 4)]
    assert sorted(tmp_path.iterdir()) == sorted([*kept, path])
    states = [torch.load(one, weights_only=True) for one in kept]
    average = average_checkpoints(path, last=3)
    assert average.keys() == model.state_dict().keys()
    for name, value in model.state_dict().items():
        assert torch.equal(states[-1][name], value)
        mean = torch.stack([state[name] for state in states]).mean(0)
        torch.testing.assert_close(average[name], mean)
    assert not torch.equal(
        average["encoder.embedding.weight"], states[-1]["encoder.embedding.weight"]
    )


def test_average_after_resume_is_equal(tmp_path):
    whole, parts = tmp_path / "whole.pt", tmp_path / "parts.pt"
    train_small(make_model(), checkpoint=whole, keep_last_epochs=3)

    class Killed(BaseException):
        pass

    def interrupted_loss(model, pairs):  # in the middle of the third epoch's end
        if len(list(tmp_path.glob("parts.epoch*"))) == 2:
            raise Killed
        return 0.0

    with pytest.raises(Killed):
        options = {"checkpoint": parts, "keep_last_epochs": 3}
        train_small(make_model(), **options, valid=PAIRS, measure=interrupted_loss)
    train_small(make_model(), **options, valid=PAIRS, measure=lambda *_: 0.0)
    one, other = average_checkpoints(whole, 3), average_checkpoints(parts, 3)
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_average_checkpoints_names_missing_epochs(tmp_path):
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
