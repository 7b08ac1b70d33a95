"""What is particular to the exercises of chapter 3."""

import pytest
import torch

from attnlab.exercises.checking import find_exercise


def test_an_empty_row_must_not_be_nan(said):
    def not_a_number(scores, mask):
        return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)

    assert "NaN" in said("3.5", not_a_number)


def test_the_variance_asked_for_is_the_one_of_samples():
    torch.manual_seed(0)
    for d, sigma, mu in find_exercise("3.6").inputs:
        q, k = mu + sigma * torch.randn(2, 100_000, d)
        sampled = (q * k).sum(-1).var().item()
        assert find_exercise("3.6").solution(d, sigma, mu) == pytest.approx(
            sampled, rel=0.05
        )


def test_the_temperature_asked_for_gives_that_weight():
    for gap, n, weight in find_exercise("3.7").inputs:
        temperature = find_exercise("3.7").solution(gap, n, weight)
        scores = torch.zeros(n, dtype=torch.float64)
        scores[0] = gap
        assert (scores / temperature).softmax(0)[0].item() == pytest.approx(weight)
