"""The figure of six scores without a kernel, by mouse, finger and keyboard."""

import re

import pytest
from drawing import WIDE_HEIGHT, in_column, redrawn
from playwright.sync_api import expect
from torch import tensor
from traitlets import TraitError

from attnlab import scores
from attnlab.data import alignment, alignment_error_rate, detokenize, number_tokens
from attnlab.live import SixScores, load_weights
from attnlab.live.scores import SCORES, SEEDS, stored_scores, weights_name

LONG = 777_777  # six digits, as long as any in training
TOO_LONG = 1_000_001  # longer than any in training: all six get it wrong


def says(page, text: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(text)


def tile(page, score: str):
    return page.locator(".sc-tile").nth(SCORES.index(score))


def type_number(page, number: int) -> None:
    page.get_by_label("Number").fill(str(number))
    written = f"{number:,}".replace(",", "\u202f")
    # The number stands first, and not only in a rate that was said before.
    expect(page.get_by_role("status")).to_have_text(re.compile(f"^{written}, seed"))
    redrawn(page)


def large(page) -> tuple[list[str], list[list[float]]]:
    """The written words of the large map, and its weights."""
    words = page.locator(".sc-large tbody th").all_text_contents()
    weights = page.evaluate(
        """() => [...document.querySelectorAll(".sc-large tbody tr")].map((row) =>
            [...row.querySelectorAll("td")].map((cell) =>
                Number(cell.style.getPropertyValue("--weight"))))"""
    )
    return words, weights


def torch_weights(score: str, seed: int, number: int, words: list[str]):
    model, about = load_weights(weights_name(score, seed))
    src = [about["src_tokens"].index(token) for token in number_tokens(number, "en")]
    tgt = [about["tgt_tokens"].index(token) for token in words]
    return model.attention(tensor([[*src, 2]]), tensor([[1, *tgt]]))[0, : len(tgt)]


def rates(page) -> list[str]:
    """What stands under the maps for this number."""
    return page.locator(".sc-rates span:first-child").all_text_contents()


def outlines(page, selector: str) -> list[str]:
    """What the paths of that kind draw, map by map."""
    paths = page.locator(selector)
    return paths.evaluate_all("all => all.map((path) => path.getAttribute('d'))")


def test_the_scores_are_those_of_the_package_in_its_order(show):
    assert tuple(scores.SCORES) == SCORES
    page = show(SixScores())
    names = page.locator(".sc-name").all_text_contents()
    assert names == [score.replace("_", " ") for score in scores.SCORES]


def test_the_first_view_needs_no_weights(show):
    figure = SixScores()
    assert figure._weights == {}
    page = show(figure)
    says(page, "seed 0. Alignment error rate")
    page.get_by_label("2", exact=True).check()
    says(page, "seed 2. Alignment error rate")
    assert page.locator("script[src]").count() == 0
    type_number(page, 24)
    assert page.locator("script[src]").count() == len(SCORES)


@pytest.mark.parametrize("number", [None, LONG])
@pytest.mark.parametrize("seed", SEEDS)
def test_each_map_is_pytorchs(show, seed, number):
    """Those that are stored, and those that are computed in the page."""
    page = show(SixScores(seed=seed))
    if number is not None:
        type_number(page, number)
    number = number or stored_scores()["number"]
    for score in SCORES:
        tile(page, score).click()
        expect(page.locator(".sc-written strong")).to_have_text(score.replace("_", " "))
        words, weights = large(page)
        wanted = torch_weights(score, seed, number, words)
        assert (tensor(weights) - wanted).abs().max() < 6e-4  # three decimals


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("number", [17, LONG])
def test_the_error_rates_are_pythons(show, seed, number):
    page = show(SixScores(seed=seed))
    type_number(page, number)
    shown = rates(page)
    tests = page.locator(".sc-rates span:last-child").all_text_contents()
    for score, here, of_tests in zip(SCORES, shown, tests, strict=True):
        _, about = load_weights(weights_name(score, seed))
        assert of_tests == f"tests {about['alignment_error_rate']:.2f}"
        if not here.startswith("here"):
            continue
        weights = torch_weights(score, seed, number, number_tokens(number, "de"))
        rate = alignment_error_rate(weights, number)
        assert abs(float(here.removeprefix("here ")) - rate) < 0.006
        name = score.replace("_", " ")
        said = re.compile(rf"{name} {here[5:]}, {of_tests[6:]}[;.]")
        expect(page.get_by_role("status")).to_contain_text(said)


def test_the_known_alignment_is_outlined_in_all_six(show):
    page = show(SixScores())
    number = stored_scores()["number"]
    for drawn in outlines(page, ".sc-gold"):
        places = re.findall(r"M(\d+) (\d+)h", drawn)
        assert {(int(t), int(s)) for s, t in places} == alignment(number)
    assert page.locator(".sc-large td.gold").count() == len(alignment(number))


def test_a_cross_stands_where_a_word_looks_elsewhere(show):
    page = show(SixScores(score="cosine"))
    drawn = page.locator(".sc-misses").nth(SCORES.index("cosine")).get_attribute("d")
    assert drawn.count("M") == page.locator(".sc-large [data-mark=miss]").count() > 0


def test_wrong_words_are_marked_and_the_right_ones_said(show):
    page = show(SixScores())
    type_number(page, TOO_LONG)
    expect(page.locator(".sc-slip").first).to_be_visible()
    assert all("mistake" in text for text in rates(page))
    says(page, detokenize(number_tokens(TOO_LONG, "de"), "de"))
    says(page, "dot none, ")
    titles = page.locator(".sc-slip").evaluate_all("all => all.map(one => one.title)")
    assert all("belongs" in title or "left out" in title for title in titles)
    assert any(outlines(page, ".sc-wrong"))
    type_number(page, 24)
    assert page.locator(".sc-slip").count() == 0


def test_the_dots_are_the_three_seeds(show):
    page = show(SixScores(seed=1))
    for score in SCORES:
        dots = tile(page, score).locator("circle")
        assert dots.count() == len(SEEDS)
        places = {float(dots.nth(at).get_attribute("cx")) for at in range(len(SEEDS))}
        assert len(places) == len(set(stored_scores()["tests"][score]))
        chosen = float(tile(page, score).locator(".chosen").get_attribute("cx"))
        ranked = sorted(places).index(chosen)
        rate = stored_scores()["tests"][score][1]
        assert sorted(set(stored_scores()["tests"][score])).index(rate) == ranked


def test_the_arrow_keys_go_from_map_to_map(show):
    page = show(SixScores())
    page.locator(".sc-tile input:checked").focus()
    for score in SCORES[1:]:
        page.keyboard.press("ArrowRight")
        expect(page.locator(".sc-written strong")).to_have_text(score.replace("_", " "))


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_a_word_is_compared_in_all_six(show, press):
    page = show(SixScores())
    cell = page.locator(".sc-large tbody tr").nth(4).locator("td").first
    if press == "mouse":
        cell.click()
    else:
        page.locator('.sc-large [tabindex="0"]').focus()
        for key in ["ArrowDown"] * 4 + ["Enter"]:
            page.keyboard.press(key)
    says(page, "To write “sieben” (counterpart “seven”), most weight on “seven”: dot")
    for score in SCORES:
        says(page, score.replace("_", " "))
    assert page.locator(".sc-map.asked").count() == len(SCORES)
    cell.click() if press == "mouse" else page.keyboard.press("Enter")
    says(page, "Alignment error rate")
    assert page.locator(".sc-map.asked").count() == 0


def test_a_word_that_others_do_not_write_there_is_not_compared_with_theirs(show):
    page = show(SixScores())
    type_number(page, TOO_LONG)
    page.locator(".sc-large tbody th").last.click()
    says(page, "write another word there")
    assert page.locator(".sc-map.asked").count() < len(SCORES)


def test_another_seed_shows_other_maps(show):
    page = show(SixScores())
    type_number(page, LONG)
    before = large(page)[1]
    page.get_by_label("1", exact=True).check()
    says(page, "seed 1.")
    assert large(page)[1] != before


def test_a_number_that_is_not_stored_waits_to_be_asked_for(show):
    page = show(SixScores(number=LONG))
    button = page.get_by_role("button", name="Translate it (loads")
    expect(page.get_by_label("Number")).to_have_value(str(LONG))
    assert page.locator("script[src]").count() == 0
    button.click()
    says(page, "777\u202f777, seed 0.")
    expect(button).to_be_hidden()


def test_bad_input_is_answered_and_the_maps_stay(show, bad_input):
    text, answer = bad_input
    page = show(SixScores())
    before = large(page)
    box = page.get_by_label("Number")
    box.fill(text)
    expect(page.locator(".al-error")).to_contain_text(answer)
    assert box.get_attribute("aria-invalid") == "true"
    assert large(page) == before
    assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize(
    ("script", "answer"),
    [
        ("", "neither in this page nor beside it"),
        ('attnlabWeights("en-de-cosine", "AAAA");', "are damaged"),
    ],
)
def test_weights_that_do_not_come_are_answered(show, tmp_path, script, answer):
    page = show(SixScores())
    path = tmp_path / "_static/attnlab-weights/en-de-cosine.js"
    path.unlink()
    path.write_text(script)
    page.get_by_label("Number").fill("24")
    says(page, answer)
    says(page, "All six translations are right.")
    expect(page.get_by_label("Number")).to_have_value(str(stored_scores()["number"]))


def test_who_changes_his_mind_gets_the_last_number(show):
    page = show(SixScores())
    box = page.get_by_label("Number")
    for number in ("5", "123456", "24", str(LONG)):
        box.fill(number)
    says(page, "777\u202f777, seed 0.")
    box.fill("31")
    box.fill(str(LONG))
    redrawn(page)
    says(page, "777\u202f777, seed 0.")
    expect(page.locator(".al-note", has_text="Loading")).to_be_hidden()


# Room ---------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [None, LONG])
def test_one_screen_holds_it(show, number):
    page = show(SixScores())
    in_column(page)
    if number:
        type_number(page, number)
    box = page.locator("figure").bounding_box()
    most = WIDE_HEIGHT if number is None else 800
    assert box["height"] <= most
    sizes = page.locator(".sc-map").evaluate_all("all => all.map(m => m.clientWidth)")
    assert min(sizes) > 100


def test_on_a_phone_input_and_all_six_maps_share_a_screen(show):
    page = show(SixScores(), width=390)
    top = page.get_by_label("Number").bounding_box()["y"]
    boxes = [tile(page, score).bounding_box() for score in SCORES]
    assert max(box["y"] + box["height"] for box in boxes) - top < 700
    assert len({round(box["x"]) for box in boxes}) == 2


@pytest.mark.touch
def test_on_a_phone_a_pressed_map_comes_into_view(show):
    page = show(SixScores(), width=390)
    tile(page, "additive").tap()
    expect(page.locator(".sc-written")).to_contain_text("additive writes")
    expect(page.locator(".sc-large tbody th").last).to_be_in_viewport()


@pytest.mark.parametrize("number", [7, LONG, 123_456_789_123])
def test_the_page_does_not_overflow(show, number):
    page = show(SixScores())
    type_number(page, number)
    for width in (1280, 768, 390, 360):
        page.set_viewport_size({"width": width, "height": 800})
        redrawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(show, violations, dark):
    page = show(SixScores(word=3), SixScores(number=LONG), dark=dark)
    assert violations(page) == []


def test_python_refuses_what_the_figure_does_not_have():
    for wrong in ({"seed": 3}, {"score": "sum"}, {"number": -1}, {"word": -1}):
        with pytest.raises(TraitError):
            SixScores(**wrong)
