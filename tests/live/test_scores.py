"""The figure of six scores without a kernel: maps, rates and words as in PyTorch."""

import re
from functools import cache

import pytest
import torch
from linkmatrix import (
    argmax,
    check_faults,
    check_matrix,
    known_links,
    source_words,
    torch_words_and_weights,
)
from playwright.sync_api import expect
from reading import (
    computed_styles,
    expect_status,
    parse_numbers,
    quote_words,
    wait_for_status_check,
)
from torch import tensor

from attnlab import scores
from attnlab.data import alignment_error_rate, detokenize, number_tokens
from attnlab.live import SixScores, load_weights
from attnlab.live.scores import SCORES, SEEDS, stored_scores, weights_name

LONG_NUMBER = 1_000_001  # longer than any in training: all six get it wrong


@cache
def scores_by_error() -> list[str]:
    """The scores in the order of the tiles: by the errors of all their seeds."""

    def total_errors(score: str) -> float:
        models = [load_weights(weights_name(score, seed)) for seed in SEEDS]
        return sum(about["alignment_error_rate"] for _, about in models)

    return sorted(SCORES, key=total_errors)


def score_tile(page, score: str):
    return page.locator(".sc-tile").nth(scores_by_error().index(score))


def label(score: str) -> str:
    return score.replace("_", " ")


def score_pattern(score: str) -> str:
    """A pattern of its name, of "dot" where it is not "scaled dot"."""
    return rf"(?<!scaled )\b{label(score)}\b"


def torch_translation(score: str, seed: int, number: int):
    """What this model writes by PyTorch: words, weights, and the known links."""
    words, weights = torch_words_and_weights(weights_name(score, seed), number)
    return words, weights, known_links(words, number)


def marked_squares(path) -> set[tuple[int, int]]:
    """The places, (row, column), of the squares that a path of a small map has."""
    corners = re.findall(r"M([\d.]+) ([\d.]+)", path.get_attribute("d"))
    return {(int(float(y)), int(float(x))) for x, y in corners}


def check_tile(page, score: str, seed: int, number: int) -> None:
    """Hold a small map, and what stands under it, against PyTorch's numbers."""
    words, weights, links = torch_translation(score, seed, number)
    svg = score_tile(page, score).locator(".sc-map")
    fills = svg.locator("path[fill-opacity]")
    drawn = torch.zeros(len(words), len(source_words(number)))
    for path, look in zip(
        fills.all(), computed_styles(fills, "fillOpacity"), strict=True
    ):
        for place in marked_squares(path):
            drawn[place] += float(look["fillOpacity"])
    assert (drawn - tensor(weights)).abs().max() < 0.051  # ten shades
    assert marked_squares(svg.locator(".sc-gold")) == (links or set())
    judged = {t for t, _ in links or ()}
    tops = {(t, argmax(weights[t])) for t in judged}
    assert marked_squares(svg.locator(".sc-misses")) == tops - (links or set())
    if links is None:
        said = score_tile(page, score).locator(".sc-slips").inner_text()
        marked = {t for t, _ in marked_squares(svg.locator(".sc-wrong"))}
        check_faults(words, number, marked, int(parse_numbers(said)[0]) - len(marked))


def check_overview(said: str, seed: int, number: int) -> None:
    """Hold what is said of all six against Python's rates."""
    wrong = []
    for score in SCORES:
        _, weights, links = torch_translation(score, seed, number)
        rate = "none"
        if links is None:
            wrong.append(score)
        else:
            rate = f"{alignment_error_rate(tensor(weights), number):.2f}"
        assert re.search(rf"{score_pattern(score)} {rate}\b", said)
    right = detokenize(number_tokens(number, "de"), "de")
    if wrong:
        assert len(wrong) == len(SCORES)
        assert f"All six translate it wrongly: it should be “{right}”." in said
    else:
        assert "All six translations are right." in said


def check_row_comparison(said: str, score: str, seed: int, number: int, t: int) -> None:
    """Hold what is said of row `t` of a score's map, in all six, against PyTorch."""
    words, columns = (
        torch_translation(score, seed, number)[0],
        quote_words(source_words(number)),
    )
    assert (
        f"{label(score)} large. To write {quote_words(words)[t]}, most weight on"
        in said
    )
    others = said.rpartition("; ")[2]
    for one in SCORES:
        its_words, weights, _ = torch_translation(one, seed, number)
        if its_words[t : t + 1] != [words[t]]:
            assert re.search(score_pattern(one), others)
            continue
        place = re.escape(columns[argmax(weights[t])])
        found = re.search(rf"on {place}: [^;]*?{score_pattern(one)} (\d\.\d+)", said)
        assert float(found[1]) == pytest.approx(max(weights[t]), abs=0.0056)


def test_score_tiles_equal_stored_errors_in_order(show_figures):
    assert tuple(scores.SCORES) == SCORES
    names = show_figures(SixScores()).locator(".sc-name").all_text_contents()
    assert [name.strip() for name in names] == [
        label(score) for score in scores_by_error()
    ]


# Maps that are stored, and one number whose maps are computed in the page.
@pytest.mark.parametrize(
    ("seed", "number"), [(0, stored_scores()["number"]), (2, LONG_NUMBER)]
)
def test_six_scores_picture_and_status_equal_pytorch(show_figures, seed, number):
    page = show_figures(SixScores(seed=seed))
    page.get_by_label("Number").fill(str(number))
    grouped = f"{number:,}".replace(",", "\u202f")
    expect_status(page, f"{grouped}, seed {seed}")
    wait_for_status_check(page, lambda said: check_overview(said, seed, number))
    for score in SCORES:
        check_tile(page, score, seed, number)
    score_tile(page, score).click()
    expect(page.locator(".sc-written strong")).to_have_text(label(score))
    words, weights, links = torch_translation(score, seed, number)
    check_matrix(page.locator(".sc-large"), words, source_words(number), weights, links)
    for t in (0, len(words) - 1):
        page.locator(".sc-large tbody tr").nth(t).locator("td").first.click()
        wait_for_status_check(
            page, lambda said, t=t: check_row_comparison(said, score, seed, number, t)
        )
        for one in SCORES:  # a frame stands where the same word is written
            same = torch_translation(one, seed, number)[0][t : t + 1] == [words[t]]
            [frame] = computed_styles(
                score_tile(page, one).locator(".al-map-row"), "visibility"
            )
            assert (frame["visibility"] == "visible") == same
