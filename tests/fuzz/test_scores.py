import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import (
    FLOATS,
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
from torch.nn import functional as F

from attnlab.scores import (
    SCORES,
    AdditiveScore,
    CosineScore,
    DotScore,
    GeneralScore,
    LocationScore,
    ScaledDotScore,
    Score,
    make_score,
    score_sizes,
)


def by_definition(score: Score, q, k, j: int):
    """One number, as the table in `attnlab.scores` writes it."""
    match score:
        case DotScore():
            return q @ k
        case ScaledDotScore():
            return q @ k / len(q) ** 0.5
        case CosineScore():
            return F.cosine_similarity(q, k, dim=0, eps=1e-12)
        case GeneralScore():
            return (score.linear.weight @ q) @ k
        case AdditiveScore():
            W, U = score.query_layer.weight, score.key_layer.weight
            return score.v.weight[0] @ torch.tanh(W @ q + U @ k)
    return (score.linear.weight @ q)[j]


@fuzz(
    Score, DotScore, ScaledDotScore, CosineScore, GeneralScore, AdditiveScore,
    LocationScore,
)  # fmt: skip
@given(
    data=st.data(),
    kind=st.sampled_from(
        [DotScore, ScaledDotScore, CosineScore, GeneralScore, AdditiveScore,
         LocationScore]
    ),
    wide=st.lists(sizes(1, 4), min_size=3, max_size=3),
)  # fmt: skip
def test_scores_are_their_definitions(data, kind, wide):
    count = {GeneralScore: 2, AdditiveScore: 3, LocationScore: 2}.get(kind, 0)
    score = attempt(kind, *wide[:count])
    assert (score is not REFUSED) == all(is_size(size) for size in wide[:count])
    if score is REFUSED:
        return
    d_query = score.d_query or data.draw(st.integers(1, 4))
    d_key = score.d_key or d_query
    n_query, n_key = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    dtype = data.draw(st.sampled_from([torch.float64] * 4 + [torch.int64, *FLOATS]))
    query = data.draw(tensors(data.draw(bent((2, n_query, d_query))), dtype, most=1e4))
    key = data.draw(tensors(data.draw(bent((2, n_key, d_key))), dtype, most=1e4))
    score.to(query.dtype if query.is_floating_point() else torch.float64)
    found = attempt(score, query, key)
    if found is REFUSED:
        return
    assert found.shape == (*query.shape[:2], key.shape[1])
    assert found.isfinite().all() or query.dtype == torch.float16
    if query.dtype == torch.float64 and found.numel():
        t, j = found.shape[1] - 1, found.shape[2] - 1
        wanted = by_definition(score, query[0, t], key[0, j], j)
        largest = wanted.abs().clamp(min=1)
        assert_close(found[0, t, j] / largest, wanted / largest, digits_of=query.dtype)


@fuzz(Score)
@given(
    d_query=st.one_of(st.none(), sizes(1, 4)), d_key=st.one_of(st.none(), sizes(1, 4))
)
def test_widths_are_checked_by_themselves(d_query, d_key):
    score = attempt(Score, d_query, d_key)
    fits = all(d is None or is_size(d) for d in (d_query, d_key))
    assert (score is not REFUSED) == fits
    if score is not REFUSED:
        found = attempt(score.check_widths, 2, 3)
        assert (found is None) == (d_query in (None, 2) and d_key in (None, 3))


@fuzz(make_score, score_sizes)
@given(name=st.one_of(st.sampled_from(list(SCORES)), ODD_TEXT), d=sizes(1, 4))
def test_scores_by_name(name, d):
    found = attempt(make_score, name, d, 5)
    if found is not REFUSED:
        assert type(found) is SCORES[name]
    elif name in SCORES:
        assert score_sizes(name, d, 5) and not is_size(d)
