"""The figure of six scores without a kernel: maps, rates and words as in PyTorch."""

import re
from functools import cache

import pytest
import torch
from linkmatrix import (
    by_torch,
    check_faults,
    check_matrix,
    english,
    known_links,
    strongest,
)
from playwright.sync_api import expect
from reading import assert_said, looks, numbers, quoted, says
from torch import tensor

from attnlab import scores
from attnlab.data import alignment_error_rate, detokenize, number_tokens
from attnlab.live import SixScores, load_weights
from attnlab.live.scores import SCORES, SEEDS, stored_scores, weights_name

TOO_LONG = 1_000_001  # longer than any in training: all six get it wrong


@cache
def best_first() -> list[str]:
    """The scores in the order of the tiles: by the errors of all their seeds."""

    def errors(score: str) -> float:
        models = [load_weights(weights_name(score, seed)) for seed in SEEDS]
        return sum(about["alignment_error_rate"] for _, about in models)

    return sorted(SCORES, key=errors)


def tile(page, score: str):
    return page.locator(".sc-tile").nth(best_first().index(score))


def named(score: str) -> str:
    return score.replace("_", " ")


def alone(score: str) -> str:
    """A pattern of its name, of "dot" where it is not "scaled dot"."""
    return rf"(?<!scaled )\b{named(score)}\b"


def written(score: str, seed: int, number: int):
    """What this model writes by PyTorch: words, weights, and the known links."""
    words, weights = by_torch(weights_name(score, seed), number)
    return words, weights, known_links(words, number)


def squares(path) -> set[tuple[int, int]]:
    """The places, (row, column), of the squares that a path of a small map has."""
    corners = re.findall(r"M([\d.]+) ([\d.]+)", path.get_attribute("d"))
    return {(int(float(y)), int(float(x))) for x, y in corners}


def check_tile(page, score: str, seed: int, number: int) -> None:
    """Hold a small map, and what stands under it, against PyTorch's numbers."""
    words, weights, links = written(score, seed, number)
    svg = tile(page, score).locator(".sc-map")
    fills = svg.locator("path[fill-opacity]")
    drawn = torch.zeros(len(words), len(english(number)))
    for path, look in zip(fills.all(), looks(fills, "fillOpacity"), strict=True):
        for place in squares(path):
            drawn[place] += float(look["fillOpacity"])
    assert (drawn - tensor(weights)).abs().max() < 0.051  # ten shades
    assert squares(svg.locator(".sc-gold")) == (links or set())
    judged = {t for t, _ in links or ()}
    tops = {(t, strongest(weights[t])) for t in judged}
    assert squares(svg.locator(".sc-misses")) == tops - (links or set())
    if links is None:
        said = tile(page, score).locator(".sc-slips").inner_text()
        marked = {t for t, _ in squares(svg.locator(".sc-wrong"))}
        check_faults(words, number, marked, int(numbers(said)[0]) - len(marked))


def check_whole(said: str, seed: int, number: int) -> None:
    """Hold what is said of all six against Python's rates."""
    wrong = []
    for score in SCORES:
        _, weights, links = written(score, seed, number)
        rate = "none"
        if links is None:
            wrong.append(score)
        else:
            rate = f"{alignment_error_rate(tensor(weights), number):.2f}"
        assert re.search(rf"{alone(score)} {rate}\b", said)
    right = detokenize(number_tokens(number, "de"), "de")
    if wrong:
        assert len(wrong) == len(SCORES)
        assert f"All six translate it wrongly: it should be “{right}”." in said
    else:
        assert "All six translations are right." in said


def check_compared(said: str, score: str, seed: int, number: int, t: int) -> None:
    """Hold what is said of row `t` of a score's map, in all six, against PyTorch."""
    words, columns = written(score, seed, number)[0], quoted(english(number))
    assert f"{named(score)} large. To write {quoted(words)[t]}, most weight on" in said
    others = said.rpartition("; ")[2]
    for one in SCORES:
        its_words, weights, _ = written(one, seed, number)
        if its_words[t : t + 1] != [words[t]]:
            assert re.search(alone(one), others)
            continue
        place = re.escape(columns[strongest(weights[t])])
        found = re.search(rf"on {place}: [^;]*?{alone(one)} (\d\.\d+)", said)
        assert float(found[1]) == pytest.approx(max(weights[t]), abs=0.0056)


def test_tiles_are_the_packages_scores_with_the_best_first(show):
    assert tuple(scores.SCORES) == SCORES
    names = show(SixScores()).locator(".sc-name").all_text_contents()
    assert [name.strip() for name in names] == [named(score) for score in best_first()]


# Maps that are stored, and one number whose maps are computed in the page.
@pytest.mark.parametrize(
    ("seed", "number"), [(0, stored_scores()["number"]), (2, TOO_LONG)]
)
def test_six_scores_show_and_tell_the_weights_of_pytorch(show, seed, number):
    page = show(SixScores(seed=seed))
    page.get_by_label("Number").fill(str(number))
    grouped = f"{number:,}".replace(",", "\u202f")
    says(page, f"{grouped}, seed {seed}")
    assert_said(page, lambda said: check_whole(said, seed, number))
    for score in SCORES:
        check_tile(page, score, seed, number)
    tile(page, score).click()
    expect(page.locator(".sc-written strong")).to_have_text(named(score))
    words, weights, links = written(score, seed, number)
    check_matrix(page.locator(".sc-large"), words, english(number), weights, links)
    for t in (0, len(words) - 1):
        page.locator(".sc-large tbody tr").nth(t).locator("td").first.click()
        assert_said(
            page, lambda said, t=t: check_compared(said, score, seed, number, t)
        )
        for one in SCORES:  # a frame stands where the same word is written
            same = written(one, seed, number)[0][t : t + 1] == [words[t]]
            [frame] = looks(tile(page, one).locator(".al-map-row"), "visibility")
            assert (frame["visibility"] == "visible") == same
