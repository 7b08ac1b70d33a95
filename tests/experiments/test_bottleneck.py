"""The bottleneck experiment: its parts, and a small run beside the stored ones."""

from collections import Counter
from itertools import product

import pytest
import torch

from attnlab.data import (
    NumberPairs,
    batches,
    number_tokens,
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
    eos_by_length,
    measure_bottleneck,
    plain_model,
    same_shape_numbers,
)
from attnlab.recurrent import count_parameters
from attnlab.store import load, select

pytestmark = pytest.mark.slow

PAIRS = NumberPairs([7, 45, 318], "en", "de")


def worst(metrics, digits):
    return min(metrics["exact_match"][str(n)] for n in digits)


def test_balance_makes_every_length_equally_frequent():
    lengths = Counter(len(str(n)) for n in balance([1, 2, 30, 400, 500, 600, 700]))
    assert set(lengths.values()) == {4} and set(lengths) == {1, 2, 3}


def test_numbers_of_the_same_shape():
    numbers = same_shape_numbers(50, seed=1)
    fixed = {2: "and", 1: "hundred", 5: "million", 11: "thousand"}
    for number in numbers:
        tokens = number_tokens(number, "en")
        assert len(tokens) == 17
        assert all(tokens[place] == word for place, word in fixed.items())


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


def test_eos_is_counted_within_the_limit():
    model = plain_model(PAIRS, 8)
    with torch.no_grad():
        model.decoder.readout.weight.zero_()
        model.decoder.readout.bias.zero_()
        model.decoder.readout.bias[2] = 1.0  # says EOS at once, whatever it reads
    assert eos_by_length(model, PAIRS, max_len=3) == {1: 1.0, 2: 1.0, 3: 1.0}
    with torch.no_grad():
        model.decoder.readout.bias[5] = 2.0  # and now never
    assert eos_by_length(model, PAIRS, max_len=3) == {1: 0.0, 2: 0.0, 3: 0.0}


def test_every_stored_setting_has_five_seeds():
    runs = load("bottleneck")["runs"]
    counts = Counter(str(run["setting"]) for run in runs)
    assert set(counts.values()) == {5}


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


def test_stored_margins_behind_the_verdicts():
    stored = load("bottleneck")
    attentive = select(
        stored, d_model=64, attention=True, bidirectional=True, longest=None
    )
    narrow = select(stored, d_model=32, attention=False)
    assert min(worst(run["figures"], range(2, 10)) for run in attentive) > 0.99
    assert max(worst(run["figures"], range(5, 10)) for run in narrow) < 0.5


def test_a_small_run_shows_the_same():
    small = {"seed": 7, "d_model": 32, "longest": 6, "train_numbers": 6000}
    plain = measure_bottleneck(**small)
    attentive = measure_bottleneck(**small, attention=True, bidirectional=True)
    assert plain["exact_match"][6] < 0.5 < 0.9 < attentive["exact_match"][6]
