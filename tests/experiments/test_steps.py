import pytest

from attnlab.experiments.steps import STEPS, measure_steps

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("allocate", [True, False])
def test_measure_steps_are_positive(allocate):
    found = measure_steps(seed=0, num_heads=2, allocate=allocate, n=64, d=32)
    assert tuple(found) == STEPS
    assert all(ms >= 0 for ms in found.values())
