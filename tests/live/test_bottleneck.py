"""The bottleneck figure in a page without a kernel, by mouse and keyboard."""

import re

from playwright.sync_api import expect
from pytest import approx
from reading import Plot, alike, boxes, looks, numbers, says, ticks
from torch import Tensor, tensor

from attnlab.data import number_tokens
from attnlab.decoding import greedy
from attnlab.live import Bottleneck, load_weights


def source(page) -> str:
    return page.locator(".bn-source").inner_text()


def number_box(page):
    return page.get_by_label("Number", exact=True)


PLAIN, ATTENTIVE = "Without attention", "With attention"


def lane(page, name: str):
    """The part of the picture that has this heading."""
    return page.locator(".bn-lane", has=page.get_by_text(name, exact=True))


def answer_in(lane) -> list[str]:
    """The tokens that the picture says a network wrote."""
    return lane.locator(".bn-mark:not(.missing)").evaluate_all(
        "all => all.map((mark) => (mark.querySelector('del') ?? mark).textContent)"
    )


def cells(lane) -> Tensor:
    """The cells of a lane's strips, row by row: the largest number of their shade."""
    paths = lane.locator(".strip-cells path")
    outlines = paths.evaluate_all("all => all.map((path) => path.getAttribute('d'))")
    found = {}
    for outline, look in zip(
        outlines, looks(paths, "fill", "fillOpacity"), strict=True
    ):
        red, _, blue = numbers(look["fill"])[:3]  # blue above zero, orange below
        sign = 1 if blue > red else -1
        for x, y in re.findall(r"M(\d+) (\d+)h", outline):
            found[int(y), int(x)] = sign * float(look["fillOpacity"])
    return tensor([found[place] for place in sorted(found)])


def torch_answer(name: str, number: int) -> tuple[list[str], Tensor]:
    """What a network writes, and the states of its encoder."""
    model, about = load_weights(name)
    ids = [about["src_tokens"].index(token) for token in number_tokens(number, "en")]
    tokens = greedy(model, tensor([[*ids, 2]]), 60)[0].tolist()
    states = model.encode(tensor([[*ids, 2]])).memory[0].detach()
    return [about["tgt_tokens"][i] for i in tokens if i > 2], states


def edits(answer: list[str], truth: list[str]) -> int:
    """The edit distance."""
    row = list(range(len(truth) + 1))
    for i, token in enumerate(answer):
        before, row = row, [i + 1]
        for j, wanted in enumerate(truth):
            row.append(
                min(before[j] + (token != wanted), before[j + 1] + 1, row[j] + 1)
            )
    return row[-1]


def agree(page, number: int, width: int) -> None:
    """The page shows and says what PyTorch computes with both networks."""
    digits, truth = len(str(number)), number_tokens(number, "de")
    says(page, f"{number:,}, {digits} digit".replace(",", "\u202f", (digits - 1) // 3))
    says(page, f"{PLAIN}, width {width}: ")
    assert source(page) == " ".join(number_tokens(number, "en"))
    chart_agrees(page, digits, width)
    told = page.get_by_role("status").inner_text()
    for name, weights in (PLAIN, f"en-de-gru-{width}"), (ATTENTIVE, "en-de-attentive"):
        answer, states = torch_answer(weights, number)
        assert answer_in(lane(page, name)) == answer
        shades = cells(lane(page, name))
        given = states[-1:] if name == PLAIN else states
        model, _ = load_weights(weights)
        parameters = sum(p.numel() for p in model.parameters())
        vectors = "One vector" if name == PLAIN else f"{len(given)} vectors"
        note = lane(page, name).locator(".al-note")
        expect(note).to_contain_text(f"{vectors} of {given.shape[1]} entries; ")
        assert numbers(note.inner_text())[-1] == parameters
        rest = shades.sign() * given.flatten() - shades.abs()
        assert ((rest < 1e-4) & (rest > -0.2001)).all()  # five shades
        verdict = re.search(rf"{name}(?:, width \d+)?: (.*?)\.( |$)", told)[1]
        judged_rightly(lane(page, name), verdict, answer, truth)


def judged_rightly(lane, verdict: str, answer: list[str], truth: list[str]) -> None:
    """Picture and sentence say how many words are right, and where it goes wrong."""
    phrase, _, slip = verdict.partition(", the first slip is ")
    sign = "✓" if answer == truth else "✗"
    assert lane.locator(".bn-count").inner_text() == f"{sign}\ufe0e {phrase}"
    right, words, *extra = numbers(phrase)
    assert words == len(truth) and words - right + sum(extra) == edits(answer, truth)
    sides = looks(lane.locator(".bn-mark"), "borderLeftStyle")
    marked = [i for i, side in enumerate(sides) if side["borderLeftStyle"] == "solid"]
    pairs = enumerate(zip(answer, truth, strict=False))
    wrong = [i for i, pair in pairs if pair[0] != pair[1]][:1]
    assert marked == wrong
    assert [slip] == ([f"word {i + 1}" for i in wrong] or [""])


def chart_agrees(page, digits: int, width: int) -> None:
    """The curves are the weights' own, each in its look; the length is marked."""
    chart = page.locator(".bn-chart")
    counts = chart.get_by_text(re.compile(r"^\d+$"))
    plot = Plot(ticks(counts, "x"), ticks(chart.get_by_text("%"), "y"))
    label = page.get_by_role("img").get_attribute("aria-label")
    plain = f"without, width {width}"
    for name, said, weights in (
        ("with attention", "With attention", "en-de-attentive"),
        (plain, f"Without attention, width {width}", f"en-de-gru-{width}"),
    ):
        about = load_weights(weights)[1]
        shares = [(int(n), 100 * share) for n, share in about["exact_match"].items()]
        entry = page.locator(".bn-legend").get_by_text(name, exact=True)
        sign = entry.evaluate("e => getComputedStyle(e, '::before').content")
        marks = chart.locator("circle" if "●" in sign else "rect:not(.unseen)")
        [colour] = {look["fill"] for look in looks(marks, "fill")}
        line = alike(chart.locator("polyline"), "stroke", colour)
        curve = plot.near(shares[1:])  # of one digit there are too few numbers
        assert plot.corners(line) == curve and plot.centres(marks) == curve
        listed = ", ".join(f"{n}: {int(share + 0.5)}%" for n, share in shares[1:])
        assert f" {said}: {listed}." in label
    [now], [unseen] = boxes(chart.locator(".current")), boxes(chart.locator(".unseen"))
    [slider] = boxes(page.get_by_label("Digits", exact=True))  # its thumb is 16 wide
    thumb = slider.left + 8 + (digits - 1) / 11 * (slider.width - 16)
    found = [plot.across(x) for x in (now.x, thumb, unseen.left)]
    assert found == approx([digits, digits, about["digits"][1] + 0.5], abs=0.06)
    beyond = ["not trained"] * (digits > about["digits"][1])
    assert chart.locator("text.now").all_text_contents() == [str(digits), *beyond]


def test_it_shows_and_tells_what_pytorch_computes(show):
    page = show(Bottleneck())
    opening = Bottleneck().number  # which the one vector loses
    assert torch_answer("en-de-gru-32", opening)[0] != number_tokens(opening, "de")
    for number in (opening, 7, 4_786, 345_678, 91_234_567):
        number_box(page).fill(str(number))
        agree(page, number, 32)


def test_a_link_shows_others_the_same(show):
    page = show(Bottleneck())
    number_box(page).fill("91234567")
    page.get_by_role("radio", name="64").check()
    agree(page, 91_234_567, 64)
    page.get_by_role("button", name="Copy link").click()
    assert page.url.endswith("#bottleneck-1--number-91234567--width-64")
    page.reload()
    agree(page, 91_234_567, 64)
