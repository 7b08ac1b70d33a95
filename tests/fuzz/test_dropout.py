import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import ODD_NUMBERS, REFUSED, attempt, fuzz, tensors

from attnlab.dropout import Dropout, drop

SHARES = st.one_of(st.floats(0, 0.99), ODD_NUMBERS)


@fuzz(drop, Dropout)
@given(x=tensors(most=1e4), p=SHARES)
def test_elements_are_dropped_or_scaled(x, p):
    found, module = attempt(drop, x, p), attempt(Dropout, p)
    assert (module is REFUSED) == (found is REFUSED) or not x.is_floating_point()
    if found is REFUSED:
        return
    assert 0 <= p < 1 and found.shape == x.shape and found.dtype == x.dtype
    assert torch.equal(module.eval()(x), x)
    if x.dtype in (torch.float32, torch.float64) and p < 0.9:
        scaled = x.double() / (1 - p)
        kept = found != 0
        error = (found.double() - scaled)[kept].abs()
        assert (error <= 1e-3 * scaled[kept].abs() + 1e-44).all()
