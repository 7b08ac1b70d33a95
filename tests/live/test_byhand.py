"""The example of chapter 1 by hand: its arithmetic is PyTorch's."""

import pytest
from playwright.sync_api import expect
from pytest import approx
from reading import expect_status, parse_numbers

from attnlab.live import ByHand
from attnlab.live.byhand import EMBEDDINGS, FROM_STATE, FROM_WORD, READ_OUT, SENTENCES

ROUNDING = 0.0051  # to the two decimals that are shown


def product_named(page, name):
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


@pytest.mark.parametrize("sentence", SENTENCES)
def test_byhand_products_equal_pytorch(show_figures, sentence):
    figure = ByHand(sentence=sentence)
    page, found = show_figures(figure), figure.read()

    def choose_step(step):
        page.get_by_role("radio", name=step, exact=True).check(force=True)

    for at, word in enumerate(sentence.split()):
        choose_step(word)
        matrix, x, from_word = product_named(page, "Wx")
        assert matrix == [number for row in FROM_WORD for number in row]
        assert tuple(x) == EMBEDDINGS[word]
        recurrent, state, from_state = product_named(page, "Uh₀" if at == 0 else "Uh₁")
        assert recurrent == [number for row in FROM_STATE for number in row]
        assert state == approx(found.states[at].tolist(), abs=ROUNDING)
        wanted = found.states[at + 1]
        made = page.locator(".by-picture > .by-block td").all_inner_texts()
        assert parse_numbers(" ".join(made)) == approx(wanted.tolist(), abs=ROUNDING)
        before = [a + b for a, b in zip(from_word, from_state, strict=True)]
        assert wanted.atanh().tolist() == approx(before, abs=2 * ROUNDING)
    choose_step("score")
    matrix, context, scores = product_named(page, "scores")
    assert matrix == [number for row in READ_OUT for number in row]
    assert context == approx(found.states[-1].tolist(), abs=ROUNDING)
    assert scores == approx(found.scores.tolist(), abs=ROUNDING)
    choose_step("choose")
    rows = page.locator(".by-bars tr").all_inner_texts()
    shares = [100 * p for p in found.probabilities.tolist()]
    assert parse_numbers(" ".join(rows)) == approx(shares, abs=0.51)


def test_byhand_noise_errors_equal_pytorch(show_figures):
    page = show_figures(ByHand())
    kept = []
    for tenths in (0, 5, 20):
        page.get_by_label("Noise added to C").fill(str(tenths))
        kept.append(ByHand(noise=tenths).read().right)
        beside = page.locator(".by-noise")
        expect(beside).to_contain_text(f"{tenths / 10:.1f}: {kept[-1]} of 100 copies")
    expect_status(page, f"noise of 2.0 added, {kept[-1]} of 100")
    assert kept[0] == 100 > kept[1] > kept[2]
