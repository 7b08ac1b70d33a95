"""The figure of six scores without a kernel, by mouse, finger and keyboard."""

import re
from functools import cache, partial

import pytest
import torch
from drawing import first_daily, redrawn
from linkmatrix import (
    by_torch,
    check_faults,
    check_matrix,
    english,
    known_links,
    strongest,
)
from playwright.sync_api import expect
from reading import (
    TOLD,
    assert_said,
    boxes,
    colour,
    contrast,
    looks,
    numbers,
    quoted,
)
from torch import tensor

from attnlab import scores
from attnlab.data import alignment_error_rate, detokenize, number_tokens
from attnlab.live import SixScores, load_weights
from attnlab.live.scores import SCORES, SEEDS, stored_scores, weights_name

LONG = 777_777  # six digits, as long as any in training
TOO_LONG = 1_000_001  # longer than any in training: all six get it wrong


def errors_on_tests(score: str) -> list[float]:
    """The error rates on the test numbers, by seed."""
    models = [load_weights(weights_name(score, seed)) for seed in SEEDS]
    return [about["alignment_error_rate"] for _, about in models]


@cache
def best_first() -> list[str]:
    """The scores in the order of the tiles."""
    return sorted(SCORES, key=lambda score: sum(errors_on_tests(score)))


def tile(page, score: str):
    return page.locator(".sc-tile").nth(best_first().index(score))


def type_number(page, number: int) -> None:
    page.get_by_label("Number").fill(str(number))
    written = f"{number:,}".replace(",", "\u202f")
    # The number stands first, and not only in a rate that was said before.
    expect(page.get_by_role("status")).to_have_text(re.compile(f"^{written}, seed"))
    redrawn(page)


def large(page) -> list[str]:
    """The written words of the large map."""
    return page.locator(".sc-large tbody th").all_text_contents()


def named(score: str) -> str:
    return score.replace("_", " ")


def written(score: str, seed: int, number: int):
    """What this model writes by PyTorch: words, weights, and the known links."""
    words, weights = by_torch(weights_name(score, seed), number)
    return words, weights, known_links(words, number)


# Which squares of a small map, [row, column], each path fills or strikes in the middle.
SQUARES = """(paths, [rows, columns, strike, across]) => paths.map((path) => {
  const { x, y, width, height } = path.ownerSVGElement.getBoundingClientRect();
  const toPath = path.getScreenCTM().inverse();
  const found = [];
  for (let t = 0; t < rows; t++)
    for (let s = 0; s < columns; s++) {
      const right = x + (s + across) * width / columns;
      const down = y + (t + 0.5) * height / rows;
      const point = new DOMPoint(right, down).matrixTransform(toPath);
      if (strike ? path.isPointInStroke(point) : path.isPointInFill(point))
        found.push([t, s]);
    }
  return found;
})"""


def squares(paths, shape, *, strike: bool = False, across: float = 0.5):
    """The places of each path, as they are seen in a map of this shape."""
    found = paths.evaluate_all(SQUARES, [*shape, strike, across])
    return [{tuple(place) for place in places} for places in found]


def check_tile(page, score: str, seed: int, number: int) -> None:
    """Hold a small map, and what stands under it, against PyTorch's numbers."""
    words, weights, links = written(score, seed, number)
    shape = len(words), len(english(number))
    svg = tile(page, score).locator(".sc-map")
    fills = svg.locator("path[fill-opacity]")
    drawn = torch.zeros(shape)
    seen = looks(fills, "fillOpacity", "fill")
    for places, look in zip(squares(fills, shape), seen, strict=True):
        for place in places:
            drawn[place] += float(look["fillOpacity"])
    assert (drawn - tensor(weights)).abs().max() < 0.051  # ten shades
    behind = colour(looks(svg, "backgroundColor")[0]["backgroundColor"])
    assert contrast(colour(seen[-1]["fill"]), behind) > 3

    [outlined] = squares(svg.locator(".sc-gold"), shape)
    assert outlined == (links or set())
    tops = {(t, strongest(row)) for t, row in enumerate(weights)}
    judged = {t for t, _ in links or ()}
    [crossed] = squares(svg.locator(".sc-misses"), shape, strike=True)
    assert crossed == {(t, s) for t, s in tops if t in judged} - (links or set())

    said = tile(page, score).locator(".sc-slips").inner_text()
    if links is not None:
        assert said == ""
        return
    assert said.startswith("✗")
    [marked] = squares(svg.locator(".sc-wrong"), shape, strike=True, across=0)
    rows = {t for t, s in marked if s == 0}
    check_faults(words, number, rows, int(numbers(said)[0]) - len(rows))


WHOLE = re.compile(
    r"(.*), seed (\d), (.*) large\. Alignment error rate: (.*? \S+)\. (.*)"
)


def check_whole(text: str, seed: int, number: int) -> None:
    """Hold what is said of all six against Python's rates."""
    said_number, said_seed, _, listed, rest = WHOLE.fullmatch(text).groups()
    assert (numbers(said_number), said_seed) == ([number], str(seed))
    truth = detokenize(number_tokens(number, "de"), "de")
    wrong = []
    parts = re.split(", | and ", listed)
    for score, one in zip(best_first(), parts, strict=True):
        _, weights, links = written(score, seed, number)
        name, rate = re.fullmatch(r"(.*) (\S+)", one).groups()
        assert name == named(score)
        if links is None:
            assert rate == "none"
            wrong.append(name)
        else:
            wanted = alignment_error_rate(tensor(weights), number)
            assert float(rate) == pytest.approx(wanted, abs=0.0051)
    if not wrong:
        assert rest == "All six translations are right."
        return
    who, correction = re.fullmatch(
        r"(.*) translates? it wrongly: it should be “(.*)”\.", rest
    ).groups()
    assert correction == truth
    told = re.split(", | and ", who)
    assert told == (["All six"] if len(wrong) == len(SCORES) else wrong)


COMPARED = re.compile(
    r"(.*) large\. To write (.*?), most weight on (.*?)"
    r"(?:; ([^:]*) write another word there)?\."
)


def check_compared(text: str, score: str, seed: int, number: int, t: int) -> None:
    """Hold what is said of row `t` of a score's map, in all six, against PyTorch."""
    large, word, listed, others = COMPARED.fullmatch(text).groups()
    assert large == named(score)
    words, *_ = written(score, seed, number)
    columns = quoted(english(number))
    assert word == quoted(words)[t]
    found = {}
    for part in listed.split("; on "):
        place, told = part.rsplit(": ", 1)
        found |= {name: (place, float(weight)) for name, weight in TOLD.findall(told)}
    for one in SCORES:
        its_words, weights, _ = written(one, seed, number)
        if its_words[t : t + 1] != [words[t]]:
            assert named(one) in others and named(one) not in found
            continue
        place, weight = found.pop(named(one))
        assert place == columns[strongest(weights[t])]
        assert weight == pytest.approx(max(weights[t]), abs=0.0056)
    assert found == {}


def test_the_scores_are_those_of_the_package_the_best_first(show):
    assert tuple(scores.SCORES) == SCORES
    page = show(SixScores())
    names = page.locator(".sc-name").all_text_contents()
    assert [name.strip() for name in names] == [named(score) for score in best_first()]


@pytest.mark.parametrize("seed", first_daily(list(SEEDS)))
def test_what_is_drawn_and_said_is_pytorchs(show, seed):
    """Of the maps that are stored, and of those that are computed in the page."""
    page = show(SixScores(seed=seed), dark=seed == 1)
    check_errors(page, seed)
    for number in (stored_scores()["number"], LONG):
        type_number(page, number)
        assert_said(page, partial(check_whole, seed=seed, number=number))
        for score in SCORES:
            check_tile(page, score, seed, number)
            tile(page, score).click()
            expect(page.locator(".sc-written strong")).to_have_text(named(score))
            words, weights, links = written(score, seed, number)
            columns = english(number)
            check_matrix(page.locator(".sc-large"), words, columns, weights, links)
        for t in {0, len(words) // 2, len(words) - 1}:
            page.locator(".sc-large tbody tr").nth(t).locator("td").first.click()
            compared = (score, seed, number, t)
            assert_said(page, lambda said, of=compared: check_compared(said, *of))
            check_frames(page, score, seed, number, t)
        page.locator(".sc-large tbody tr").nth(t).locator("td").first.click()


def check_errors(page, seed: int) -> None:
    """Every seed's error rate stands on the tile, that of this seed underlined."""
    for score in SCORES:
        rates = tile(page, score).locator(".sc-rates span")
        told = [f"{rate:.2f}" for rate in errors_on_tests(score)]
        assert rates.all_text_contents() == told
        lines = [
            look["textDecorationLine"] for look in looks(rates, "textDecorationLine")
        ]
        assert [i for i, line in enumerate(lines) if line == "underline"] == [seed]


def check_frames(page, score: str, seed: int, number: int, t: int) -> None:
    """A frame stands around the row in each map that has the same word there."""
    word = written(score, seed, number)[0][t]
    for one in SCORES:
        words = written(one, seed, number)[0]
        frame = tile(page, one).locator(".al-map-row")
        seen = looks(frame, "visibility")[0]["visibility"] == "visible"
        assert seen == (words[t : t + 1] == [word])
        if seen:
            [box], [around] = boxes(tile(page, one).locator(".sc-map")), boxes(frame)
            middle = box.top + (t + 0.5) * box.height / len(words)
            assert around.y == pytest.approx(middle, abs=1)
            assert around.width == pytest.approx(box.width, abs=1)


# Room ---------------------------------------------------------------------------------
