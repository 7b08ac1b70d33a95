import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import (
    FLOATS,
    ODD_NUMBERS,
    ODD_TEXT,
    REFUSED,
    assert_close,
    attempt,
    bent,
    fuzz,
    is_size,
    sizes,
    tensors,
)

from attnlab.positions import (
    POSITIONS,
    AlibiPositions,
    LearnedPositions,
    RotaryPositions,
    SinusoidalPositions,
    added_positions,
    alibi_slopes,
    frequencies,
    rotate,
    shift_matrix,
    sinusoidal,
)

BASES = st.one_of(st.just(10_000.0), st.floats(0.1, 1e6), ODD_NUMBERS)
D = sizes(2, 8)


def is_base(base: object) -> bool:
    number = isinstance(base, int | float) and not isinstance(base, bool)
    return number and 0 < base < math.inf


@fuzz(frequencies)
@given(d=D, base=BASES)
def test_frequencies_fall_from_one(d, base):
    found = attempt(frequencies, d, base)
    if found is REFUSED:
        assert not (is_size(d, 2) and d % 2 == 0 and is_base(base) and base > 1e-30)
        return
    assert found[0] == 1 and found.isfinite().all() and len(found) == d // 2
    wanted = [float(base) ** (-2 * i / d) for i in range(d // 2)]
    ratios = found / torch.tensor(wanted, dtype=torch.float64)
    assert_close(ratios, torch.ones(d // 2), digits_of=found.dtype)


@fuzz(sinusoidal)
@given(n=sizes(1, 12), d=D, base=BASES, dtype=st.sampled_from([None, *FLOATS]))
def test_the_table_is_sines_and_cosines(n, d, base, dtype):
    table = attempt(sinusoidal, n, d, base, dtype=dtype)
    if table is REFUSED:
        return
    assert table.shape == (n, d) and table.isfinite().all() and table.abs().max() <= 1
    if base < 0.1:  # angles so large that they have no digits behind the point
        return
    p, i = n - 1, d // 2 - 1
    angle = p * frequencies(d, base)[i].item()
    wanted = torch.tensor([math.sin(angle), math.cos(angle)], dtype=torch.float64)
    assert_close(table[p, 2 * i :], wanted, digits_of=dtype or torch.float32)


@fuzz(shift_matrix, sinusoidal)
@given(
    k=st.one_of(st.integers(-50, 50), st.floats(-50, 50)),
    d=D,
    base=st.one_of(st.just(10_000.0), st.floats(0.1, 1e6)),
)
def test_shifting_moves_every_row_on(k, d, base):
    matrix = attempt(shift_matrix, k, d, base, dtype=torch.float64)
    if matrix is REFUSED:
        return
    identity = torch.eye(d, dtype=torch.float64)
    assert_close(matrix @ matrix.T, identity, digits_of=torch.float64)
    angles = (7 + k) * frequencies(d, base)
    wanted = torch.stack([angles.sin(), angles.cos()], -1).flatten()
    row = sinusoidal(8, d, base, dtype=torch.float64)[7]
    assert_close(matrix @ row, wanted, digits_of=torch.float64)


TABLES = tensors(dtype=torch.float32, most=1.0)


@fuzz(rotate)
@given(data=st.data())
def test_turning_keeps_the_length_of_every_pair(data):
    n, d = data.draw(st.integers(1, 4)), data.draw(st.sampled_from([2, 4, 6, 5]))
    shape = data.draw(bent((2, n, d)))
    x = data.draw(tensors(shape, most=1e4))
    table = data.draw(st.one_of(st.just(sinusoidal(n, 4)), TABLES))
    turned = attempt(rotate, x, table)
    if turned is not REFUSED:
        assert turned.shape == x.shape and turned.dtype == x.dtype
        if table.shape == (n, 4) and x.numel() and x.dtype.itemsize > 2:
            pairs = [one.unflatten(-1, (-1, 2)).norm(dim=-1) for one in (x, turned)]
            assert_close(pairs[0] / 1e4, pairs[1] / 1e4, digits_of=torch.float32)


@fuzz(SinusoidalPositions, RotaryPositions, LearnedPositions, added_positions)
@given(
    data=st.data(),
    kind=st.one_of(st.sampled_from(POSITIONS), ODD_TEXT),
    d=D,
    max_length=sizes(1, 6),
    start=st.one_of(st.just(0), sizes(0, 4)),
)
def test_positions_are_added_wherever_one_starts(data, kind, d, max_length, start):
    if kind == "rotary":
        positions = attempt(RotaryPositions, d)
    else:
        positions = attempt(added_positions, kind, d, max_length)
    if positions is REFUSED:
        odd = not is_size(d, 2) or d % 2 or not is_size(max_length)
        assert kind not in POSITIONS or odd
        return
    if positions is None:
        assert kind in ("alibi", "none")
        return
    shape = data.draw(bent((2, data.draw(st.integers(1, 5)), d)))
    x = data.draw(tensors(shape, most=1e4))
    moved = attempt(positions, x, start)
    if moved is REFUSED:
        fits = x.is_floating_point() and x.dim() > 1 and x.shape[-1] == d
        assert kind == "learned" or not fits or not is_size(start, 0) or 0 in shape
        return
    assert moved.shape == x.shape and moved.isfinite().all()
    # One position after the other is the same as all at once.
    for i in range(shape[-2]):
        one = positions(x[..., i : i + 1, :], start + i)
        assert torch.equal(one, moved[..., i : i + 1, :])


@fuzz(alibi_slopes, AlibiPositions)
@given(
    num_heads=sizes(1, 8),
    n_query=sizes(1, 6),
    n_key=st.one_of(st.none(), sizes(1, 6)),
    start=sizes(0, 4),
)
def test_far_keys_cost_more(num_heads, n_query, n_key, start):
    slopes = attempt(alibi_slopes, num_heads)
    alibi = attempt(AlibiPositions, num_heads)
    assert (slopes is REFUSED) == (alibi is REFUSED) == (not is_size(num_heads))
    if alibi is REFUSED:
        return
    assert slopes.tolist() == sorted(slopes.tolist(), reverse=True)
    bias = attempt(alibi, n_query, n_key, start=start)
    fits = is_size(n_query) and (n_key is None or is_size(n_key)) and is_size(start, 0)
    assert (bias is not REFUSED) == fits
    if fits:
        assert bias.shape == (num_heads, n_query, n_key or start + n_query)
        assert (bias <= 0).all()
        for q in range(n_query):
            for k in range(min(bias.shape[2], start + q + 1)):
                wanted = slopes[0] * (k - start - q)
                assert bias[0, q, k].item() == wanted.item()
