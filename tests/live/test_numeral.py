"""The steps of one row of self-attention, against PyTorch."""

import numpy as np
import pytest
import torch
from reading import assert_said

from attnlab.attention import scaled_dot_product_attention
from attnlab.live import Numeral
from attnlab.live.numeral import EMBEDDINGS, QUERIES

TOLERANCE = 1e-4
ADDED = {"infinity": -torch.inf, "thousand": -1000.0, "billion": -1e9}
STEPS = "(given) => JSON.parse(JSON.stringify(attendInSteps(given), (_, x) => "
STEPS += "typeof x === 'number' && !Number.isFinite(x) ? String(x) : x))"


@pytest.fixture
def in_steps(page, modules):
    modules("figures/numeral/row.js")

    def run(query, keys, values, seen, masking):
        given = {"query": query.tolist(), "keys": keys.tolist()}
        given |= {"values": values.tolist(), "seen": seen, "masking": masking}
        found = page.evaluate(STEPS, given)
        return {
            name: np.array(rows, dtype=float)  # "-Infinity" and "NaN" are read as such
            for name, rows in found.items()
        }

    return run


def row(size=1.0, words=5, width=4):
    draw = torch.Generator().manual_seed(1)
    return (
        size * torch.randn(width, generator=draw),
        torch.randn(words, width, generator=draw),
        torch.randn(words, width, generator=draw),
    )


@pytest.mark.parametrize(
    "seen", [[True] * 5, [True, False, True, True, False], [False] * 5]
)
def test_the_package_s_way_is_the_package_s(in_steps, seen):
    query, keys, values = row()
    found = in_steps(query, keys, values, seen, "zeros")
    output, weights = scaled_dot_product_attention(
        query[None, None], keys[None], values[None], torch.tensor([[seen]])
    )
    assert found["weights"] == pytest.approx(weights[0, 0].numpy(), abs=TOLERANCE)
    assert found["output"] == pytest.approx(output[0, 0].numpy(), abs=TOLERANCE)
    assert found["products"].sum(axis=1) == pytest.approx(
        found["scores"], abs=TOLERANCE
    )
    assert found["scaled"] == pytest.approx(found["scores"] / 2, abs=TOLERANCE)


@pytest.mark.parametrize("masking", ADDED)
@pytest.mark.parametrize("seen", [[True, False, True, True, False], [False] * 5])
@pytest.mark.parametrize("size", [1.0, 4000.0])
def test_a_number_that_is_added_hides_as_in_pytorch(in_steps, masking, seen, size):
    query, keys, values = row(size)
    found = in_steps(query, keys, values, seen, masking)
    added = torch.tensor([0.0 if sees else ADDED[masking] for sees in seen])
    weights = (keys @ query / 2 + added).softmax(dim=-1).numpy()
    assert found["weights"] == pytest.approx(weights, abs=TOLERANCE, nan_ok=True)


def test_where_each_mask_fails(in_steps):
    def weights(masking, seen, size=1.0):
        return in_steps(*row(size), seen, masking)["weights"]

    query, keys, _ = row()
    first = int((keys @ query).argmax())  # hidden, and its score the largest
    hidden = [j != first for j in range(5)]
    assert weights("thousand", hidden)[first] == 0
    assert weights("thousand", hidden, size=4000.0)[first] > 0.99
    assert weights("billion", hidden, size=4000.0)[first] == 0
    nothing = [False] * 5
    assert np.isnan(weights("infinity", nothing)).all()
    assert weights("billion", nothing) == pytest.approx(0.2)
    assert (weights("zeros", nothing) == 0).all()


def told(*wanted, never=()):
    """A check that these parts are said, and none of the others."""

    def check(said):
        assert all(part in said for part in wanted), said
        assert not any(part in said for part in never), said

    return check


@pytest.mark.parametrize(("word", "place"), [("two", 0), ("hundred", 1)])
def test_what_a_word_reads_and_becomes_is_the_package_s(show, word, place):
    page = show(Numeral(word=word))
    x = torch.tensor(EMBEDDINGS)
    output, _ = scaled_dot_product_attention(torch.tensor(QUERIES), x, x)
    read, becomes = (
        "({:.2f}, {:.2f})".format(*vector[place].tolist())
        for vector in (output, x + output)
    )
    assert_said(page, told(f"{read}, and becomes {becomes}"))
    drawn = page.locator(".nu-arrow").get_attribute("d")
    ends = [float(number) for number in drawn.split(" M ")[0].split()[-2:]]
    wanted = (x + output)[place].tolist()
    assert [ends[0], -ends[1]] == pytest.approx(wanted, abs=TOLERANCE)


def test_minus_a_thousand_leaks_where_the_query_is_doubled(show):
    page = show(Numeral(masking="thousand"))
    page.get_by_role("checkbox", name="hundred").check()
    assert_said(page, told("0% of “hundred”", never=["leaks"]))
    page.get_by_label("Query doubled").fill("9")
    assert_said(page, told("0% of “hundred”", never=["leaks"]))
    page.get_by_label("Query doubled").fill("10")  # as lecture 3 tells
    assert_said(page, told("leaks: hundred"))
    page.get_by_role("radio", name="ours").check(force=True)
    assert_said(page, told("Mask: ours", never=["leaks"]))


def test_a_row_that_sees_nothing(show):
    page = show(Numeral(hidden=[True, True]))
    assert_said(page, told("(0.00, 0.00), and becomes (1.00, 0.00)"))
    page.get_by_role("radio", name="−∞", exact=True).check(force=True)
    assert_said(page, told("not a number"))
