"""What is particular to some exercises: other right answers, and mistakes to tell."""

import math

import pytest
import torch


def top_p_word_by_word(probabilities, p):
    """Of words as probable as each other it begins with the last, as one may."""
    ranked = sorted(enumerate(probabilities.tolist()), key=lambda one: one[::-1])[::-1]
    kept, total = [0.0] * len(ranked), 0.0
    for word, chance in ranked:
        if total >= p:
            break
        kept[word], total = chance, total + chance
    return torch.tensor(kept) / total


def links_against_tensors(weights, links):
    judged = {target for target, _ in links}
    wrong = [(t, weights[t].argmax()) not in links for t in judged]
    return sum(wrong) / len(wrong)


def down_the_columns(weights, links):
    wrong = [(t, int(weights[:, t].argmax())) not in links for t, _ in links]
    return sum(wrong) / len(wrong)


def turn_up_at_no_pull(spins, weights):
    spins = spins.clone()
    for i in range(len(spins)):
        spins[i] = 1 if weights[i] @ spins >= 0 else -1
    return spins


def runs_by_the_root(difference, s):
    return math.ceil((2 * s * math.sqrt(2) / difference) ** 2)


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("2.1", torch.tensor([0.2, 0.3, 0.5])),  # a tensor will do for a list
        ("5.1", [0.91, -0.42, 0.20, 0.98]),  # rounded to two digits
        ("6.1", 180.0),  # a count may be a float
        ("7.13", runs_by_the_root),
        ("8.3", top_p_word_by_word),
    ],
)
def test_check_accepts_alternative_solution(verdict, number, answer):
    assert ": right" in verdict(number, answer)


def not_a_number(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)


def reshape_alone(x, h):
    return x.reshape(x.shape[0], h, x.shape[1], -1)


def right_for_square_matrices(b_V, W_O, b_O):
    return b_V @ W_O + b_O if len(b_V) == len(b_O) else b_O


@pytest.mark.parametrize(
    ("number", "answer", "told"),
    [
        ("2.1", torch.tensor([2.0, 3.0, 5.0]), "exponentials"),
        ("2.4", links_against_tensors, "the types differ"),
        ("2.4", down_the_columns, "down the columns"),
        ("3.5", not_a_number, "NaN"),
        ("4.2", reshape_alone, "mixes the tokens"),
        # A mistake that one input forbids does not hide what is wrong.
        ("4.5", right_for_square_matrices, "What comes out of all heads"),
        ("7.13", lambda difference, s: int(8 * (s / difference) ** 2) + 1, "whole"),
        ("9.7", turn_up_at_no_pull, "stays at −1"),
    ],
)
def test_check_names_likely_mistake(verdict, number, answer, told):
    assert told in verdict(number, answer)
