"""The bottleneck experiment: its parts, and a small run beside the stored ones."""

from collections import Counter
from itertools import product

import pytest
import torch

from attnlab.data import (
    NumberPairs,
    batches,
    sample_numbers,
    split_numbers,
)
from attnlab.experiments.bottleneck import (
    LONGEST,
    TEST_NUMBERS,
    TRAIN_NUMBERS,
    attentive_model,
    balance,
    context_gradient,
    measure_bottleneck,
    plain_model,
)
from attnlab.recurrent import count_parameters
from attnlab.store import load

pytestmark = pytest.mark.slow

PAIRS = NumberPairs([7, 45, 318], "en", "de")


def test_balance_makes_every_length_equally_frequent():
    lengths = Counter(len(str(n)) for n in balance([1, 2, 30, 400, 500, 600, 700]))
    assert set(lengths.values()) == {4} and set(lengths) == {1, 2, 3}


@pytest.mark.parametrize("width", [8, 32])
def test_plain_and_attentive_models_have_equally_many_parameters(width):
    plain, attentive = plain_model(PAIRS, width), attentive_model(PAIRS, width)
    assert count_parameters(plain) == count_parameters(attentive)


def test_context_gradient_is_the_norm_of_the_jacobian():
    torch.manual_seed(0)
    model = plain_model(PAIRS, 6).double()
    (batch,) = batches(NumberPairs([318]), 1)
    embedded = model.encoder.embedding(batch.src).detach()

    def context(embedded):
        states, _ = model.encoder.rnn(embedded)
        return states[0, -1]

    jacobian = torch.autograd.functional.jacobian(context, embedded)[:, 0]
    expected = jacobian.square().sum(dim=(0, 2)).sqrt()  # (length,)
    torch.testing.assert_close(context_gradient(model, batch.src)[0], expected)


def numbers_tested(longest, seed):
    """{digits: how many numbers of that length a run was tested on}."""
    _, tests = split_numbers(TRAIN_NUMBERS, TEST_NUMBERS, (1, longest), seed)
    tests += sample_numbers(600, (longest + 1, longest + 2), seed)
    return Counter(len(str(number)) for number in tests)


def test_stored_shares_are_of_the_numbers_that_were_tested():
    tested = {pair: numbers_tested(*pair) for pair in product((8, LONGEST), range(5))}
    for run in load("bottleneck")["runs"]:
        counts = tested[run["setting"].get("longest", LONGEST), run["seed"]]
        shares = run["figures"]["exact_match"]
        assert {int(digits) for digits in shares} == set(counts)
        right = [share * counts[int(digits)] for digits, share in shares.items()]
        assert right == pytest.approx([round(one) for one in right]), run["setting"]


@pytest.mark.weekly
def test_a_small_run_shows_the_same():
    small = {"seed": 7, "d_model": 32, "longest": 6, "train_numbers": 6000}
    plain = measure_bottleneck(**small)
    attentive = measure_bottleneck(**small, attention=True, bidirectional=True)
    assert plain["exact_match"][6] < 0.5 < 0.9 < attentive["exact_match"][6]
