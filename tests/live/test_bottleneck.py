"""The bottleneck figure in a page without a kernel: both networks as in PyTorch."""

import re

from drawing import wait_until_spoken
from linkmatrix import edit_distance, translate_greedily
from playwright.sync_api import expect
from reading import computed_styles, expect_status, parse_numbers
from torch import Tensor, tensor

from attnlab.data import number_tokens
from attnlab.live import Bottleneck, load_weights

PLAIN, ATTENTIVE = "Without attention", "With attention"


def network_panel(page, name: str):
    """The part of the picture that has this heading."""
    return page.locator(".bn-lane", has=page.get_by_text(name, exact=True))


def marked_answer(lane) -> list[str]:
    """The tokens that the picture says a network wrote."""
    return lane.locator(".bn-mark:not(.missing)").evaluate_all(
        "all => all.map((mark) => (mark.querySelector('del') ?? mark).textContent)"
    )


def strip_shades(lane) -> Tensor:
    """The cells of a lane's strips, row by row: the largest number of their shade."""
    paths = lane.locator(".strip-cells path")
    outlines = paths.evaluate_all("all => all.map((path) => path.getAttribute('d'))")
    found = {}
    for outline, look in zip(
        outlines, computed_styles(paths, "fill", "fillOpacity"), strict=True
    ):
        red, _, blue = parse_numbers(look["fill"])[:3]  # blue above zero, orange below
        sign = 1 if blue > red else -1
        for x, y in re.findall(r"M(\d+) (\d+)h", outline):
            found[int(y), int(x)] = sign * float(look["fillOpacity"])
    return tensor([found[place] for place in sorted(found)])


def check_against_torch(page, number: int, width: int) -> None:
    """The page shows and says what PyTorch computes with both networks."""
    truth = number_tokens(number, "de")
    expect_status(page, f"{PLAIN}, width {width}: ")
    expect(page.locator(".bn-source")).to_have_text(
        " ".join(number_tokens(number, "en"))
    )
    said = page.get_by_role("status").inner_text()
    label = page.get_by_role("img").get_attribute("aria-label")
    for name, weights in (PLAIN, f"en-de-gru-{width}"), (ATTENTIVE, "en-de-attentive"):
        src, _, answer = translate_greedily(weights, number)
        model, about = load_weights(weights)
        assert marked_answer(network_panel(page, name)) == answer
        states = model.encode(src).memory[0].detach()
        given = states[-1:] if name == PLAIN else states
        shades = strip_shades(network_panel(page, name))
        rest = shades.sign() * given.flatten() - shades.abs()
        assert ((rest < 1e-4) & (rest > -0.2001)).all()  # five shades
        note = network_panel(page, name).locator(".al-note").inner_text()
        assert parse_numbers(note)[-1] == sum(p.numel() for p in model.parameters())
        verdict = re.search(rf"{name}(?:, width \d+)?: (.*?)\.( |$)", said)[1]
        phrase, _, slip = verdict.partition(", the first slip is ")
        right, words, *extra = parse_numbers(phrase)
        wrong = words - right + sum(extra)
        assert words == len(truth) and wrong == edit_distance(answer, truth)
        pairs = enumerate(zip(answer, truth, strict=False), 1)
        slips = [f"word {i}" for i, pair in pairs if pair[0] != pair[1]]
        assert [slip] == (slips[:1] or [""])
        shares = [(int(n), 100 * share) for n, share in about["exact_match"].items()]
        listed = ", ".join(f"{n}: {int(share + 0.5)}%" for n, share in shares[1:])
        assert f": {listed}." in label


def test_bottleneck_picture_and_status_equal_pytorch(show_figures):
    page = show_figures(Bottleneck())
    opening = Bottleneck().number  # which the one vector loses
    assert translate_greedily("en-de-gru-32", opening)[2] != number_tokens(
        opening, "de"
    )
    for number in (opening, 7, 91_234_567):
        page.get_by_label("Number", exact=True).fill(str(number))
        wait_until_spoken(page)  # what is said comes later than what is drawn
        check_against_torch(page, number, 32)
