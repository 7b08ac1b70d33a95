"""The model of time: its counts and its fit."""

import pytest

from attnlab.complexity import LAYERS, count_bytes, fit_roofline
from attnlab.complexity.roofline import Roofline


def point(layer, n=6, d=4, phase="forward", **more):
    flops = LAYERS[layer].flops(n, d) if phase == "forward" else 100
    return {"layer": layer, "n": n, "d": d, "phase": phase, "flops": flops, **more}


@pytest.mark.parametrize(
    ("cell", "numbers"),
    [
        (point("attention"), 4 * 6 * 4 + 4 * 36),
        (point("multi_head"), (4 * 16 + 16) + 4 * 6 * 4 + 4 * 8 * 36),
        (point("rnn_fused"), 3 * (2 * 16 + 8) + 4 * 6 * 4),
        (point("convolution", kernel_size=5), (5 * 16 + 4) + 4 * 6 * 4),
        (point("banded", radius=2), 4 * 6 * 4 + 4 * 32 * 36),
        (point("attention", phase="generation"), 4 * 6 * 4 + 36 * 4),
        (point("banded", phase="generation", radius=1), 4 * 6 * 4 + 6 * 3 * 4),
    ],
)
def test_count_bytes_equals_hand_count(cell, numbers):
    assert count_bytes(cell) == 4 * numbers


def test_roofline_seconds_is_slower_of_compute_and_memory():
    cell = point("attention")
    quick, slow = 1e30, 1.0
    assert Roofline(2.0, quick, quick).seconds(cell) == pytest.approx(2.0)
    assert Roofline(0.0, slow, quick).seconds(cell) == cell["flops"]
    assert Roofline(0.0, quick, slow).seconds(cell) == count_bytes(cell)


def test_fit_roofline_recovers_constants():
    true = Roofline(1e-4, 2e10, 3e9)
    cells = [
        point("attention_fused", n, d) for n in (8, 64, 512, 4096) for d in (16, 1024)
    ]
    cells = [{**cell, "seconds": true.seconds(cell)} for cell in cells]
    for found, wanted in zip(fit_roofline(cells), true, strict=True):
        assert found == pytest.approx(wanted, rel=0.05)
