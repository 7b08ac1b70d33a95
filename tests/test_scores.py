import math

import pytest
import torch

from attnlab.scores import (
    SCORES,
    AdditiveScore,
    CosineScore,
    DotScore,
    GeneralScore,
    LocationScore,
    ScaledDotScore,
    make_score,
)

BATCH, L_Q, L_K, D = 2, 3, 5, 4


def dot(q, k):
    return sum(a * b for a, b in zip(q, k, strict=True))


def matrix_times(weight, x):
    return [dot(row, x) for row in weight.tolist()]


def additive(score, q, k):
    left = matrix_times(score.query_layer.weight, q)
    right = matrix_times(score.key_layer.weight, k)
    hidden = [math.tanh(a + b) for a, b in zip(left, right, strict=True)]
    return dot(score.v.weight[0].tolist(), hidden)


# name -> (the score, one element of it written out: f(score, q, k, key position))
CASES = {
    "dot": (DotScore, lambda s, q, k, j: dot(q, k)),
    "scaled": (ScaledDotScore, lambda s, q, k, j: dot(q, k) / math.sqrt(len(q))),
    "cosine": (
        CosineScore,
        lambda s, q, k, j: dot(q, k) / (math.hypot(*q) * math.hypot(*k)),
    ),
    "general": (
        lambda: GeneralScore(D, D),
        lambda s, q, k, j: dot(matrix_times(s.linear.weight, q), k),
    ),
    "general, two widths": (
        lambda: GeneralScore(D, D + 2),
        lambda s, q, k, j: dot(matrix_times(s.linear.weight, q), k),
    ),
    "additive": (
        lambda: AdditiveScore(D, D + 2, 7),
        lambda s, q, k, j: additive(s, q, k),
    ),
    "location": (
        lambda: LocationScore(D, L_K + 3),
        lambda s, q, k, j: matrix_times(s.linear.weight, q)[j],
    ),
}


def make(name):
    torch.manual_seed(1)
    score = CASES[name][0]().double()
    query = torch.randn(BATCH, L_Q, D, dtype=torch.float64)
    key = torch.randn(BATCH, L_K, score.d_key or D, dtype=torch.float64)
    return score, query, key


@pytest.mark.parametrize("name", CASES)
def test_scores_equal_a_loop_over_every_element(name):
    score, query, key = make(name)
    element = CASES[name][1]
    wanted = [
        [
            [element(score, q, k, j) for j, k in enumerate(key[b].tolist())]
            for q in query[b].tolist()
        ]
        for b in range(BATCH)
    ]
    wanted = torch.tensor(wanted, dtype=torch.float64)
    torch.testing.assert_close(score(query, key), wanted, atol=1e-12, rtol=0)


def test_cosine_of_a_zero_vector_is_zero_with_a_finite_gradient():
    query = torch.zeros(1, 1, D, requires_grad=True)
    key = torch.ones(1, 2, D)
    scores = CosineScore()(query, key)
    assert scores.tolist() == [[[0, 0]]]
    scores.sum().backward()
    assert query.grad.isfinite().all()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    ("change_query", "change_key", "error", "words"),
    [
        (lambda q: q[0], lambda k: k, ValueError, "query must be"),
        (lambda q: q, lambda k: k[0], ValueError, "key must be"),
        (lambda q: q[:, :0], lambda k: k, ValueError, "query is an empty"),
        (lambda q: q, lambda k: k[:, :0], ValueError, "key is an empty"),
        (lambda q: q[:1], lambda k: k, ValueError, "batch"),
        (lambda q: q.long(), lambda k: k, TypeError, "query must be a floating"),
        (lambda q: q, lambda k: k.long(), TypeError, "key must be a floating"),
    ],
)
def test_scores_refuse_bad_input(name, change_query, change_key, error, words):
    score, query, key = make(name)
    with pytest.raises(error, match=words):
        score(change_query(query), change_key(key))


@pytest.mark.parametrize(
    ("make_it", "named"),
    [
        (lambda bad: GeneralScore(bad, 4), "d_query"),
        (lambda bad: GeneralScore(4, bad), "d_key"),
        (lambda bad: AdditiveScore(bad, 4, 4), "d_query"),
        (lambda bad: AdditiveScore(4, bad, 4), "d_key"),
        (lambda bad: AdditiveScore(4, 4, bad), "d_hidden"),
        (lambda bad: LocationScore(bad, 4), "d_query"),
        (lambda bad: LocationScore(4, bad), "max_length"),
    ],
)
def test_bad_sizes_are_refused_by_name(make_it, named):
    with pytest.raises(ValueError, match=f"^{named} must be at least 1, got 0"):
        make_it(0)
    with pytest.raises(TypeError, match=f"^{named} must be an integer, got None"):
        make_it(None)


@pytest.mark.parametrize("name", CASES)
def test_wrong_widths_are_refused_with_both_named(name):
    score, query, key = make(name)
    with pytest.raises(ValueError, match=r"width.* 4.* 3|width.* 3.* 4"):
        score(query[..., :3], key)
    if score.same_width or score.d_key:
        with pytest.raises(ValueError, match="width"):
            score(query, key[..., :3])


def test_location_refuses_more_keys_than_it_was_built_for():
    score, query, _ = make("location")
    with pytest.raises(ValueError, match=r"max_length=8.*got 9"):
        score(query, torch.zeros(BATCH, 9, D))


def test_scores_by_name():
    names = ["dot", "scaled_dot", "general", "additive", "cosine", "location"]
    assert list(SCORES)[: len(names)] == names  # which files and the command line have
    scores = {name: make_score(name, 8, 10) for name in SCORES}
    assert {name: type(score) for name, score in scores.items()} == SCORES
    for score in scores.values():
        assert score(torch.ones(2, 3, 8), torch.ones(2, 5, 8)).shape == (2, 3, 5)
    assert scores["location"].max_length == 10
    with pytest.raises(ValueError, match=r"score must be one of 'dot', .* got 'best'"):
        make_score("best", 8, 10)
