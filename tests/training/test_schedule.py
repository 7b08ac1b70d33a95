from itertools import pairwise

import pytest

from attnlab.training import learning_rate
from attnlab.training.schedule import SCHEDULES


def test_learning_rate_warms_up_and_decays_to_zero():
    for schedule in ("cosine", "linear"):
        rates = [
            learning_rate(step, 100, peak=2.0, warmup=10, schedule=schedule)
            for step in range(100)
        ]
        assert rates[:11] == pytest.approx([0.2 * n for n in range(1, 11)] + [2.0])
        assert all(a > b for a, b in pairwise(rates[10:]))
        assert rates[55] == pytest.approx(1.0)
        assert 0 < rates[-1] < 0.05


def test_learning_rate_of_inverse_sqrt_and_constant_schedules():
    settings = {"peak": 2.0, "warmup": 10}
    falling = [
        learning_rate(step, 100, schedule="inverse_sqrt", **settings)
        for step in (9, 39, 89)
    ]
    assert falling == pytest.approx([2.0, 1.0, 2.0 / 3])
    assert learning_rate(3, 9, peak=2.0, warmup=0, schedule="inverse_sqrt") == 1.0
    assert learning_rate(70, 100, schedule="constant", **settings) == 2.0


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_learning_rate_of_all_warmup_peaks_at_last_step(schedule):
    settings = {"peak": 2.0, "warmup": 10, "schedule": schedule}
    rates = [learning_rate(step, 10, **settings) for step in range(11)]
    assert rates[4] == 1.0 and rates[9] == 2.0
    assert rates[10] == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"schedule": "step"}, ValueError, "schedule must be one of .* got 'step'"),
        ({"step": 11}, ValueError, "step 11 lies beyond the last, 10"),
        ({"step": 0.5}, TypeError, "step must be an integer"),
        ({"warmup": -1}, ValueError, "warmup must be at least 0"),
        ({"peak": 0.0}, ValueError, "peak must be above 0"),
    ],
)
def test_learning_rate_rejects_bad_arguments(settings, error, words):
    fitting = {"step": 0, "total": 10, "peak": 1.0, "warmup": 0, "schedule": "cosine"}
    with pytest.raises(error, match=f"^{words}"):
        learning_rate(**fitting | settings)
