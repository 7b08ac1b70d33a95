"""What is particular to some exercises: other right answers, and mistakes to tell."""

import pytest
import torch

from attnlab.exercises.checking import find_exercise


def einsum_heads(x, W_Q, W_K, W_V, W_O, h):
    q, k, v = (
        torch.einsum("ni,ihd->hnd", x, W.unflatten(1, (h, -1))) for W in (W_Q, W_K, W_V)
    )
    scores = torch.einsum("hqd,hkd->hqk", q, k) / q.shape[-1] ** 0.5
    W_O = W_O.unflatten(0, (h, -1))
    return torch.einsum("hqk,hkd,hdm->qm", scores.softmax(-1), v, W_O)


def crossing_by_search(d, gates):
    def dearer(n):
        return 8 * n * d**2 + 4 * n**2 * d > 4 * gates * n * d**2

    return next(n for n in range(10_000) if dearer(n + 1))


def pairs_one_by_one(n, radius):
    return sum(abs(i - j) <= radius for i in range(n) for j in range(n))


def mask_from_pieces(n, radius, every):
    rows = [
        [k <= q and (q - k <= radius or (k + 1) % every == 0) for k in range(n)]
        for q in range(n)
    ]
    return torch.tensor(rows)


def top_p_word_by_word(probabilities, p):
    """Of words as probable as each other it begins with the last, as one may."""
    ranked = sorted(enumerate(probabilities.tolist()), key=lambda one: one[::-1])[::-1]
    kept, total = [0.0] * len(ranked), 0.0
    for word, chance in ranked:
        if total >= p:
            break
        kept[word], total = chance, total + chance
    return torch.tensor(kept) / total


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("2.1", torch.tensor([0.2, 0.3, 0.5])),  # a tensor will do for a list
        ("4.4", einsum_heads),
        ("5.1", [0.91, -0.42, 0.20, 0.98]),  # rounded to two digits
        ("6.1", 180.0),  # a count may be a float
        ("6.4", crossing_by_search),
        ("6.7", pairs_one_by_one),
        ("8.3", top_p_word_by_word),
        ("8.5", mask_from_pieces),
    ],
)
def test_another_way_is_right_too(said, number, answer):
    assert ": right" in said(number, answer)


def once_a_link(weights, links):
    return sum(int(weights[t].argmax()) != s for t, s in links) / len(links)


def not_a_number(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)


def reshape_alone(x, h):
    return x.reshape(x.shape[0], h, x.shape[1], -1)


def right_for_square_matrices(b_V, W_O, b_O):
    return b_V @ W_O + b_O if len(b_V) == len(b_O) else b_O


def symmetric_bias(n, left, right):
    return -left * (torch.arange(n)[:, None] - torch.arange(n)).abs().float()


@pytest.mark.parametrize(
    ("number", "answer", "told"),
    [
        ("2.1", torch.tensor([2.0, 3.0, 5.0]), "exponentials"),
        ("2.4", once_a_link, "once per target word"),
        ("3.5", not_a_number, "NaN"),
        ("4.2", reshape_alone, "mixes the tokens"),
        # A mistake that one input forbids does not hide what is wrong.
        ("4.5", right_for_square_matrices, "What comes out of all heads"),
        ("5.7", symmetric_bias, "same slope"),
    ],
)
def test_a_likely_mistake_is_told(said, number, answer, told):
    assert told in said(number, answer)


def test_the_variance_asked_for_is_the_one_of_samples():
    torch.manual_seed(0)
    for d, sigma, mu in find_exercise("3.6").inputs:
        q, k = mu + sigma * torch.randn(2, 100_000, d)
        wanted = pytest.approx((q * k).sum(-1).var().item(), rel=0.05)
        assert find_exercise("3.6").solution(d, sigma, mu) == wanted


def test_the_temperature_asked_for_gives_that_weight():
    for gap, n, weight in find_exercise("3.7").inputs:
        temperature = find_exercise("3.7").solution(gap, n, weight)
        scores = torch.zeros(n, dtype=torch.float64)
        scores[0] = gap
        assert (scores / temperature).softmax(0)[0].item() == pytest.approx(weight)
