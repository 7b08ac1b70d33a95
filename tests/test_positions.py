import math
from itertools import product

import pytest
import torch
from torch import nn

from attnlab.positions import (
    AlibiPositions,
    LearnedPositions,
    RotaryPositions,
    SinusoidalPositions,
    alibi_slopes,
    rotate,
    shift_matrix,
    sinusoidal,
)

DOUBLE = torch.float64
HALF = [torch.bfloat16, torch.float16]


def test_sinusoidal_equals_paper_formula():
    table = sinusoidal(50, 12, base=500.0, dtype=DOUBLE)
    assert table.shape == (50, 12)
    for p in (0, 1, 49):
        for i in range(6):
            angle = p / 500 ** (2 * i / 12)
            assert table[p, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-13)
            assert table[p, 2 * i + 1].item() == pytest.approx(math.cos(angle))


def test_sinusoidal_float32_is_exact_at_large_positions():
    far = sinusoidal(100_001, 4)[-1]
    assert far.dtype == torch.float32
    wanted = [math.sin(1e5), math.cos(1e5), math.sin(1e3), math.cos(1e3)]
    torch.testing.assert_close(far, torch.tensor(wanted), atol=1e-7, rtol=0)


@pytest.mark.parametrize("d", [2, 6, 64])
@pytest.mark.parametrize("k", [0, 1, 7, 40, -5])
@pytest.mark.parametrize("base", [10.0, 10000.0])
def test_shift_matrix_moves_every_row_by_k(d, k, base):
    table = sinusoidal(100, d, base, dtype=DOUBLE)
    shift = shift_matrix(k, d, base, dtype=DOUBLE)
    rows = torch.arange(max(0, -k), 100 - max(0, k))
    moved = table[rows] @ shift.T
    torch.testing.assert_close(moved, table[rows + k], atol=1e-10, rtol=0)


@pytest.mark.parametrize("make", [SinusoidalPositions, RotaryPositions])
@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE, *HALF])
def test_positions_stepwise_equal_one_pass(make, dtype):
    torch.manual_seed(0)
    x = torch.randn(2, 9, 6, dtype=dtype)
    positions = make(6)
    at_once = positions(x)
    assert at_once.dtype == dtype
    steps = [make(6)(x[:, t : t + 1], start=t) for t in range(9)]
    torch.testing.assert_close(torch.cat(steps, dim=1), at_once)
    torch.testing.assert_close(positions(x[:, 3:5], 3), at_once[:, 3:5])


def test_sinusoidal_table_is_recomputed_after_half_precision():
    x = torch.zeros(1, 30, 4)
    positions = SinusoidalPositions(4)
    wanted = sinusoidal(30, 4, dtype=DOUBLE)
    exact = {"rtol": 0, "atol": 1e-12}
    torch.testing.assert_close(positions(x)[0], wanted.float())
    torch.testing.assert_close(positions(x.double())[0], wanted, **exact)
    torch.testing.assert_close(positions.half().float()(x)[0], wanted.float())
    torch.testing.assert_close(positions.double()(x.double())[0], wanted, **exact)
    moved = nn.Sequential(positions).half().double()[0]
    torch.testing.assert_close(moved(x.double())[0], wanted, **exact)


def test_position_tables_use_given_base():
    x = torch.randn(40, 4)
    for n in (1, 30, 40):  # the table grows
        table = sinusoidal(n, 4, 9.0)
        torch.testing.assert_close(SinusoidalPositions(4, 9.0)(x[:n]), x[:n] + table)
        torch.testing.assert_close(RotaryPositions(4, 9.0)(x[:n]), rotate(x[:n], table))


@pytest.mark.parametrize("dtype", HALF)
def test_rotary_angles_are_exact_in_half_precision(dtype):
    torch.manual_seed(0)
    x = torch.randn(2001, 8)
    turned = RotaryPositions(8)(x.to(dtype))
    wanted = RotaryPositions(8)(x.to(dtype).double())
    # Nothing is lost but in rounding the result.
    torch.testing.assert_close(
        turned.double(), wanted, rtol=torch.finfo(dtype).eps, atol=1e-5
    )


def test_position_tables_are_not_in_state_dict():
    modules = [SinusoidalPositions(4), RotaryPositions(4), AlibiPositions(4)]
    for module in modules:
        assert not module.state_dict()
        assert not list(module.parameters())
        assert list(module.buffers())
    assert list(LearnedPositions(5, 4).state_dict()) == ["table"]


def test_learned_positions_add_rows_with_gradients():
    torch.manual_seed(0)
    positions = LearnedPositions(6, 4)
    x = torch.zeros(3, 2, 4)
    added = positions(x, start=4)
    assert torch.equal(added, positions.table[4:6].expand(3, 2, 4))
    added.sum().backward()
    assert positions.table.grad[:4].abs().sum() == 0
    assert (positions.table.grad[4:] == 3).all()
    with pytest.raises(ValueError, match="position 6 lies beyond the 6 learned"):
        positions(x, start=5)


def test_alibi_slopes_equal_paper_for_powers_of_two():
    assert alibi_slopes(8).tolist() == [2.0**-i for i in range(1, 9)]
    torch.testing.assert_close(alibi_slopes(16)[:2], torch.tensor([2**-0.5, 2**-1.0]))
    slopes = alibi_slopes(6)
    torch.testing.assert_close(slopes[1:] / slopes[:-1], slopes[:1].expand(5))
    assert slopes[-1] == 2.0**-8


@pytest.mark.parametrize("num_heads", [1, 3, 8])
def test_alibi_bias_equals_paper_left_and_differs_right(num_heads):
    bias = AlibiPositions(num_heads)(5)
    assert bias.shape == (num_heads, 5, 5)
    for head, slope in enumerate(alibi_slopes(num_heads).tolist()):
        on_the_right = slope / 2 if head % 2 else 2 * slope
        for i, j in product(range(5), repeat=2):
            wanted = -slope * (i - j) if j <= i else -on_the_right * (j - i)
            assert bias[head, i, j].item() == pytest.approx(wanted)


def test_alibi_depends_on_distance_also_with_cache():
    alibi = AlibiPositions(4)
    full = alibi(10)
    assert torch.equal(full[:, 2:7, 2:7], full[:, 5:, 5:])
    assert torch.equal(alibi(3, start=7), full[:, 7:])
    assert torch.equal(alibi(10, 4), full[:, :, :4])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: sinusoidal(4, 5), ValueError, "d=5 is odd"),
        (lambda: sinusoidal(4, 0), ValueError, "d must be at least 2"),
        (lambda: sinusoidal(0, 4), ValueError, "n must be at least 1"),
        (lambda: sinusoidal(4, 4, base=0), ValueError, "base.* above"),
        (lambda: shift_matrix(1, 7), ValueError, "d=7 is odd"),
        (lambda: RotaryPositions(3), ValueError, "d=3 is odd"),
        (lambda: RotaryPositions(4)(torch.zeros(2, 6)), ValueError, "n, 4.*2, 6"),
        (lambda: RotaryPositions(4)(torch.zeros(2, 4).int()), TypeError, "floating"),
        (lambda: RotaryPositions(4)(torch.zeros(2, 4), -1), ValueError, "start"),
        (lambda: rotate(torch.zeros(2, 4).int(), torch.zeros(4)), TypeError, "x must"),
        (lambda: rotate(torch.zeros(2, 3), torch.zeros(2, 3)), ValueError, "d even"),
        (lambda: rotate(torch.zeros(2, 4), torch.zeros(3, 4)), ValueError, "table"),
        (lambda: LearnedPositions(0, 4), ValueError, "max_length"),
        (lambda: LearnedPositions(4, 4)(torch.zeros(1, 2, 3)), ValueError, "n, 4"),
        (lambda: LearnedPositions(4, 4)(torch.zeros(1, 2, 4), -1), ValueError, "start"),
        (lambda: alibi_slopes(0), ValueError, "num_heads"),
        (lambda: AlibiPositions(2)(2, 2.0), TypeError, "n_key"),
    ],
)
def test_positions_reject_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
