from itertools import pairwise

import pytest

from attnlab.training import learning_rate


def test_the_rate_rises_to_its_peak_and_falls_to_nothing():
    for schedule in ("cosine", "linear"):
        rates = [
            learning_rate(step, 100, peak=2.0, warmup=10, schedule=schedule)
            for step in range(100)
        ]
        assert rates[:11] == pytest.approx([0.2 * n for n in range(1, 11)] + [2.0])
        assert all(a > b for a, b in pairwise(rates[10:]))
        assert rates[55] == pytest.approx(1.0)
        assert 0 < rates[-1] < 0.05


def test_the_other_schedules():
    settings = {"peak": 2.0, "warmup": 10}
    falling = [
        learning_rate(step, 100, schedule="inverse_sqrt", **settings)
        for step in (9, 39, 89)
    ]
    assert falling == pytest.approx([2.0, 1.0, 2.0 / 3])
    assert learning_rate(70, 100, schedule="constant", **settings) == 2.0
    with pytest.raises(ValueError, match=r"schedule must be one of .* got 'step'"):
        learning_rate(0, 10, peak=1.0, warmup=0, schedule="step")
