"""The matrix of `parts/linkmatrix.js`, and what its numbers must be by PyTorch."""

from functools import cache

import pytest
import torch
from playwright.sync_api import Locator, Page
from reading import computed_styles, parse_numbers, wait_for_transitions
from torch import Tensor

from attnlab.data import alignment, number_tokens
from attnlab.data.alignment import Links
from attnlab.decoding import greedy
from attnlab.live import load_weights
from attnlab.tokens import BOS, EOS

MAX_WRITTEN = 60  # words; the figures stop there


def source_words(number: int) -> list[str]:
    """What is read: the words, and the end mark."""
    return [*number_tokens(number, "en"), "end"]


def translate_greedily(name: str, number: int) -> tuple[Tensor, Tensor, list[str]]:
    """What a model reads and writes: ids, `(1, L_s)` and `(1, L_t)`, and words."""
    model, about = load_weights(name)
    ids = [about["src_tokens"].index(word) for word in number_tokens(number, "en")]
    src = torch.tensor([[*ids, EOS]])
    written = greedy(model, src, MAX_WRITTEN)[0].tolist()
    written = written[: written.index(EOS)] if EOS in written else written
    words = [about["tgt_tokens"][token] for token in written]
    return src, torch.tensor([[BOS, *written]]), words


@cache
def torch_words_and_weights(
    name: str, number: int
) -> tuple[list[str], list[list[float]]]:
    """The words that a stored model writes, and the weights of each to what is read."""
    src, tgt, words = translate_greedily(name, number)
    with torch.no_grad():
        weights = load_weights(name)[0].attention(src, tgt)[0]
    return words, weights[: len(words)].tolist()


def known_links(words: list[str], number: int, target: str = "de") -> Links | None:
    """The known alignment; there is none of a wrong translation."""
    right = words == number_tokens(number, target)
    return alignment(number, "en", target) if right else None


def edit_distance(answer: list[str], truth: list[str]) -> int:
    """The fewest words to change, to leave out and to put in (Levenshtein)."""
    costs = list(range(len(truth) + 1))
    for i, word in enumerate(answer):
        before, costs = costs, [i + 1]
        for j, wanted in enumerate(truth):
            aside = min(before[j + 1], costs[j]) + 1
            costs.append(min(aside, before[j] + (word != wanted)))
    return costs[-1]


def check_faults(words: list[str], number: int, marked: set[int], missing: int) -> None:
    """Fail unless the marked words and those left out are the fewest that are wrong."""
    truth = number_tokens(number, "de")
    assert len(marked) + missing == edit_distance(words, truth)
    rest = iter(truth)  # in which the words that are not marked stand in their order
    assert all(word in rest for t, word in enumerate(words) if t not in marked)


def argmax(row: list[float]) -> int:
    return row.index(max(row))


def count_hits(weights: list[list[float]], links: Links) -> tuple[int, int]:
    """Of how many words that have a counterpart the largest weight is at it."""
    judged = {t for t, _ in links}
    return sum((t, argmax(weights[t])) in links for t in judged), len(judged)


def cell_sign(weights: list[list[float]], links: Links | None, t: int, s: int) -> str:
    """The sign in a cell: of a hit, of a miss, or of a word without counterpart."""
    if s != argmax(weights[t]):
        return "none"
    if all(t != row for row, _ in links or ()):
        return "•"
    return "✓" if (t, s) in links else "✗"


def check_matrix(
    within: Page | Locator,
    words: list[str],
    columns: list[str],
    weights: list[list[float]],
    links: Links | None,
) -> None:
    """Hold words, signs and what is read out of every cell against these numbers.

    They are rounded to hundredths, the stored ones to thousandths before that.
    """
    rows = within.locator(".aln-matrix tbody th")
    heads = within.locator(".aln-matrix thead th")
    cells = within.locator(".aln-matrix tbody td")
    assert [text.strip() for text in rows.all_text_contents()] == words
    assert heads.locator(".aln-word").all_text_contents() == columns
    places = [(t, s) for t in range(len(words)) for s in range(len(columns))]
    labels = cells.evaluate_all("all => all.map((e) => e.getAttribute('aria-label'))")
    signs = computed_styles(cells, "content", part="::after")
    for (t, s), label, look in zip(places, labels, signs, strict=True):
        assert parse_numbers(label) == pytest.approx([weights[t][s]], abs=0.0056)
        assert ("the strongest" in label) == (s == argmax(weights[t]))
        assert ("known alignment" in label) == ((t, s) in (links or ()))
        assert cell_sign(weights, links, t, s) in look["content"]


def check_bars(within: Page | Locator, row: list[float]) -> None:
    """Hold the bars above a matrix against a row: all of a bar's height is 1."""
    bars = within.locator(".aln-bar")
    wait_for_transitions(bars.page)
    filled = computed_styles(bars, "height", part="::after")
    heights = bars.evaluate_all("all => all.map((e) => e.clientHeight)")
    shares = [
        parse_numbers(look["height"])[0] / height
        for look, height in zip(filled, heights, strict=True)
    ]
    assert shares == pytest.approx(row, abs=2e-3)
