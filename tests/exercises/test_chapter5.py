"""What is particular to the exercises of chapter 5."""

import torch


def test_rounded_to_two_digits_will_do(said):
    assert ": right" in said("5.1", [0.91, -0.42, 0.20, 0.98])


def test_a_symmetric_bias_is_told_from_a_two_sided_one(said):
    def symmetric(n, left, right):
        return -left * (torch.arange(n)[:, None] - torch.arange(n)).abs().float()

    assert "same slope" in said("5.7", symmetric)
