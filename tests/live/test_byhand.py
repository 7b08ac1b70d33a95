"""The example of chapter 1 by hand: its arithmetic, and its page."""

import pytest
from playwright.sync_api import expect
from pytest import approx
from reading import assert_said, numbers

from attnlab.live import ByHand
from attnlab.live.byhand import (
    EMBEDDINGS,
    FROM_STATE,
    FROM_WORD,
    OUTPUTS,
    READ_OUT,
    SENTENCES,
)

CLOSE = 0.0051  # to the two decimals that are shown


def product_of(page, name):
    """Matrix, vector and result of the product that ends in this name."""
    (product,) = (
        one
        for one in page.locator(".by-product").all()
        if one.locator(".by-name").last.inner_text() == name
    )
    return [
        [float(n.replace("−", "-")) for n in part.locator("td").all_inner_texts()]
        for part in product.locator(".by-block").all()
    ]


def flat(matrix):
    return [number for row in matrix for number in row]


def tells(*wanted):
    def check(said):
        assert numbers(said) == approx(wanted, abs=CLOSE)

    return check


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_number_is_pytorchs(show, sentence):
    figure = ByHand(sentence=sentence)
    page, found = show(figure), figure.read()
    words = sentence.split()
    for at, word in enumerate(words):
        page.get_by_role("radio", name=word, exact=True).check(force=True)
        matrix, x, from_word = product_of(page, "Wx")
        assert matrix == flat(FROM_WORD)
        assert tuple(x) == EMBEDDINGS[word]
        old = "h₀" if at == 0 else "h₁"
        recurrent, state, from_state = product_of(page, f"U{old}")
        assert recurrent == flat(FROM_STATE)
        assert state == approx(found.states[at].tolist(), abs=CLOSE)
        wanted = found.states[at + 1].tolist()
        made = page.locator(".by-picture > .by-block td").all_inner_texts()
        assert [float(n.replace("−", "-")) for n in made] == approx(wanted, abs=CLOSE)
        before = [a + b for a, b in zip(from_word, from_state, strict=True)]
        assert found.states[at + 1].atanh().tolist() == approx(before, abs=2 * CLOSE)
        read = found.states[1 : at + 2].flatten().tolist()
        chain = page.locator(".by-chain").inner_text()
        assert numbers(chain) == approx(read, abs=CLOSE)
    page.get_by_role("radio", name="score", exact=True).check(force=True)
    matrix, context, scores = product_of(page, "scores")
    assert matrix == flat(READ_OUT)
    assert context == approx(found.states[-1].tolist(), abs=CLOSE)
    assert scores == approx(found.scores.tolist(), abs=CLOSE)
    assert_said(page, tells(*found.states[-1].tolist(), *found.scores.tolist()))
    page.get_by_role("radio", name="choose", exact=True).check(force=True)
    rows = page.locator(".by-bars tr")
    assert rows.locator("th").all_inner_texts() == list(OUTPUTS)
    shares = [100 * p for p in found.probabilities.tolist()]
    assert numbers(" ".join(rows.all_inner_texts())) == approx(shares, abs=0.51)
    widths = rows.locator(".by-bar").evaluate_all(
        "bars => bars.map((bar) => bar.offsetWidth / bar.parentNode.clientWidth)"
    )
    parts = [width / sum(widths) for width in widths]
    assert parts == approx(found.probabilities.tolist(), abs=0.01)


def test_noise_takes_the_answer_from_as_many_copies_as_in_pytorch(show):
    figure = ByHand()
    page = show(figure)
    kept = []
    for tenths in (0, 5, 20):
        page.get_by_label("Noise added to C").fill(str(tenths))
        right = ByHand(noise=tenths).read().right
        kept.append(right)
        assert_said(page, lambda said, right=right, t=tenths: told(said, right, t))
        beside = page.locator(".by-noise")
        expect(beside).to_contain_text(f"{tenths / 10:.1f}: {right} of 100 copies")
    assert kept[0] == 100 > kept[1] > kept[2]


def told(said, right, tenths):
    if tenths == 0:
        assert "No noise" in said
    else:
        assert f"noise of {tenths / 10:.1f} added, {right} of 100" in said
