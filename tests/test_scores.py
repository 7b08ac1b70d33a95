import math
from itertools import product

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

BATCH, L_Q, L_K, WIDTH = 2, 3, 5, 4


# name -> (the score, one element of it: of a query, a key, and the key's position)
SCORE_CASES = {
    "dot": (DotScore, lambda s, q, k, j: q @ k),
    "scaled": (ScaledDotScore, lambda s, q, k, j: q @ k / math.sqrt(WIDTH)),
    "cosine": (CosineScore, lambda s, q, k, j: q @ k / (q.norm() * k.norm())),
    "general": (
        lambda: GeneralScore(WIDTH, WIDTH + 2),
        lambda s, q, k, j: s.linear.weight @ q @ k,
    ),
    "additive": (
        lambda: AdditiveScore(WIDTH, WIDTH + 2, 7),
        lambda s, q, k, j: (
            s.v.weight[0] @ (s.query_layer.weight @ q + s.key_layer.weight @ k).tanh()
        ),
    ),
    "location": (
        lambda: LocationScore(WIDTH, L_K + 3),
        lambda s, q, k, j: s.linear.weight[j] @ q,
    ),
}


def make_case_score(name):
    torch.manual_seed(1)
    score = SCORE_CASES[name][0]().double()
    query = torch.randn(BATCH, L_Q, WIDTH, dtype=torch.float64)
    key = torch.randn(BATCH, L_K, score.d_key or WIDTH, dtype=torch.float64)
    return score, query, key


@pytest.mark.parametrize("name", SCORE_CASES)
def test_scores_equal_loop_over_elements(name):
    score, query, key = make_case_score(name)
    element = SCORE_CASES[name][1]
    found = score(query, key)
    assert found.shape == (BATCH, L_Q, L_K)
    for b, i, j in product(range(BATCH), range(L_Q), range(L_K)):
        wanted = element(score, query[b, i], key[b, j], j)
        torch.testing.assert_close(found[b, i, j], wanted, atol=1e-12, rtol=0)


def test_cosine_score_of_zero_vector_has_finite_gradient():
    query = torch.zeros(1, 1, WIDTH, requires_grad=True)
    key = torch.ones(1, 2, WIDTH)
    scores = CosineScore()(query, key)
    assert scores.tolist() == [[[0, 0]]]
    scores.sum().backward()
    assert query.grad.isfinite().all()


@pytest.mark.parametrize("name", SCORE_CASES)
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
def test_scores_reject_bad_input(name, change_query, change_key, error, words):
    score, query, key = make_case_score(name)
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
def test_scores_reject_bad_sizes_by_name(make_it, named):
    with pytest.raises(ValueError, match=f"^{named} must be at least 1, got 0"):
        make_it(0)
    with pytest.raises(TypeError, match=f"^{named} must be an integer, got None"):
        make_it(None)


@pytest.mark.parametrize("name", SCORE_CASES)
def test_scores_reject_wrong_widths_naming_both(name):
    score, query, key = make_case_score(name)
    with pytest.raises(ValueError, match=r"width.* 4.* 3|width.* 3.* 4"):
        score(query[..., :3], key)
    if score.same_width or score.d_key:
        with pytest.raises(ValueError, match="width"):
            score(query, key[..., :3])
    if name == "location":
        with pytest.raises(ValueError, match=r"max_length=8.*got 9"):
            score(query, torch.zeros(BATCH, 9, WIDTH))


def test_make_score_by_name():
    names = ["dot", "scaled_dot", "general", "additive", "cosine", "location"]
    assert list(SCORES)[: len(names)] == names  # which files and the command line have
    scores = {name: make_score(name, 8, 10) for name in SCORES}
    assert {name: type(score) for name, score in scores.items()} == SCORES
    for score in scores.values():
        assert score(torch.ones(2, 3, 8), torch.ones(2, 5, 8)).shape == (2, 3, 5)
    assert scores["location"].max_length == 10
    with pytest.raises(ValueError, match=r"score must be one of 'dot', .* got 'best'"):
        make_score("best", 8, 10)
