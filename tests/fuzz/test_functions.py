"""Functions that compute, on odd inputs: one row says what a function takes, good and
bad. It answers with finite numbers, or refuses in words.

Only `make test-all` and `make fuzz` run these rows: each module's own tests hold what
is right of ordinary inputs and refuse one odd one of each kind.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import pytest
import torch
from fuzzing import (
    DTYPES,
    FLOATS,
    ODD_NUMBERS,
    Rejected,
    assert_close,
    attempt,
    masks,
    nearly_shape,
    num_examples,
    tensors,
)
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from attnlab.attention import masked_softmax, scaled_dot_product_attention
from attnlab.sampling import next_probabilities


def is_finite(found: object, *arguments: object) -> bool:
    """Are all numbers finite that it returned?"""
    if isinstance(found, Tensor):
        return bool(found.isfinite().all())
    if isinstance(found, tuple | list):
        return all(map(is_finite, found))
    return not isinstance(found, float) or math.isfinite(found)


class Row(NamedTuple):
    """A function under odd inputs.

    Attributes:
        call: the function.
        takes: a strategy of its arguments.
        right: says of an answer, given the arguments as well, whether it is right.
    """

    call: Callable
    takes: st.SearchStrategy[tuple]
    right: Callable[..., object] = is_finite


def optional(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | strategy


@st.composite
def attention_inputs(draw: st.DrawFn) -> tuple:
    """Query, key and value that fit together, but for one bend now and then."""
    leading = draw(st.sampled_from([(), (2,), (2, 3), (1, 2, 2)]))
    n_query, n_key, d, d_value = (draw(st.integers(1, 4)) for _ in range(4))
    dtype = draw(st.sampled_from(DTYPES if draw(st.integers(0, 9)) == 0 else FLOATS))
    shapes = [(*leading, n_query, d), (*leading, n_key, d), (*leading, n_key, d_value)]
    odd = draw(st.integers(0, 5))
    if odd < 3:
        shapes[odd] = draw(nearly_shape(shapes[odd]))
    query, key, value = [draw(tensors(shape, dtype, most=10.0)) for shape in shapes]
    shape = (*query.shape[:-1], *key.shape[-2:-1])
    mask = draw(masks(shape))
    scale = draw(st.sampled_from([None, 0.0, 1.0, -0.5]))
    bias = draw(optional(tensors(shape, query.dtype, most=1.0)))
    return query, key, value, mask, scale, bias, draw(st.booleans())


def attend_with_gradients(query, key, value, mask, scale, bias, need_weights):
    """The output, after a pass back that must leave finite gradients."""
    leaves = [x.clone() for x in (query, key, value)]
    if query.is_floating_point():
        leaves = [x.requires_grad_() for x in leaves]
    options = {"scale": scale, "need_weights": need_weights, "score_bias": bias}
    output, _ = scaled_dot_product_attention(*leaves, mask, **options)
    output.sum().backward()
    return output.detach(), [x.grad for x in leaves]


def equals_torch(found, query, key, value, mask, scale, bias, need_weights) -> bool:
    """As torch has it in double precision, but 0 where nothing may be seen."""
    if query.dtype.itemsize > 2:  # a score of 500 in half precision is off by 1
        added = torch.zeros(()).double() if bias is None else bias.double()
        if mask is not None:
            added = added.masked_fill(~mask, -torch.inf)
        three = (query.double(), key.double(), value.double())
        wanted = F.scaled_dot_product_attention(*three, attn_mask=added, scale=scale)
        assert_close(found[0], wanted.nan_to_num(0.0), digits_of=query.dtype)
    return is_finite(found)


def rows_sum_to_one(found: Tensor, x: Tensor, mask: Tensor | None) -> bool:
    seen = x.new_ones((), dtype=torch.bool) if mask is None else mask
    seen = seen.expand(x.shape).any(-1)
    assert_close(found.double().sum(-1), seen, digits_of=x.dtype)
    return True


ROWS = {
    "masked_softmax": Row(
        masked_softmax,
        tensors().flatmap(lambda x: st.tuples(st.just(x), masks(tuple(x.shape)))),
        rows_sum_to_one,
    ),
    "scaled_dot_product_attention": Row(
        attend_with_gradients, attention_inputs(), equals_torch
    ),
    "next_probabilities": Row(
        next_probabilities,
        st.tuples(
            tensors(),
            st.floats(0, 3) | ODD_NUMBERS,
            optional(st.integers(-1, 9)) | ODD_NUMBERS,
            st.floats(0, 1) | ODD_NUMBERS,
        ),
        lambda found, *given: rows_sum_to_one(found, found, None),
    ),
}


@pytest.mark.weekly
@pytest.mark.parametrize("name", ROWS)
def test_fuzz_function_returns_or_names_bad_input(name):
    row = ROWS[name]

    @num_examples()
    @given(row.takes)
    def check_function(arguments):
        found = attempt(row.call, *arguments)
        assert isinstance(found, Rejected) or row.right(found, *arguments)

    check_function()
