"""What is particular to the exercises of chapter 8."""

import math

import torch


def test_a_merge_by_logarithms_is_right_too(said):
    def merge(a, b):
        highest = max(a[0], b[0])
        scaled = [
            (math.exp(h - highest) * t, math.exp(h - highest) * m) for h, t, m in (a, b)
        ]
        return [highest, *map(sum, zip(*scaled, strict=True))]

    assert ": right" in said("8.5", merge)


def test_a_mask_built_from_pieces_is_right_too(said):
    def mask(n, radius, every):
        rows = [
            [k <= q and (q - k <= radius or (k + 1) % every == 0) for k in range(n)]
            for q in range(n)
        ]
        return torch.tensor(rows)

    assert ": right" in said("8.7", mask)
