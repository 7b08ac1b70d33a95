import pytest
import torch

from attnlab.device import device, named_device


def test_device_is_best_present_or_from_environment(monkeypatch):
    monkeypatch.delenv("ATTNLAB_DEVICE", raising=False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device() == torch.device("cpu")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert device() == torch.device("mps")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert device() == torch.device("cuda")
    monkeypatch.setenv("ATTNLAB_DEVICE", "cpu")
    assert device() == torch.device("cpu")


def test_device_accepts_index(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert named_device("cuda:1") == torch.device("cuda:1")
    with pytest.raises(ValueError, match="no device 'cuda:2'"):
        named_device("cuda:2")


@pytest.mark.parametrize("name", ["tpu", "gpu", "cuda:x", "CPU", "cpu:"])
def test_device_rejects_unknown_name(monkeypatch, name):
    monkeypatch.setenv("ATTNLAB_DEVICE", name)
    with pytest.raises(ValueError, match=f"unknown device '{name}'"):
        device()


def test_device_rejects_absent_and_lists_present(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setenv("ATTNLAB_DEVICE", "cuda")
    with pytest.raises(ValueError, match=r"which has: .*cpu"):
        device()
