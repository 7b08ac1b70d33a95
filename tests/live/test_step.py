"""One step of attention: its arithmetic, and its page by mouse, finger and keyboard."""

import re
from itertools import product

import pytest
import torch
from drawing import first_daily, redrawn
from plane import middle, swipe
from pytest import approx
from reading import (
    Plot,
    axis,
    boxes,
    grow_alike,
    looks,
    numbers,
    says,
    vertices,
)

from attnlab.live import OneStep
from attnlab.live.step import (
    EMBEDDINGS,
    HALF,
    MEMORY,
    OUTPUTS,
    REACH,
    READ_OUT,
    START,
    WIRINGS,
    WORDS,
)
from attnlab.recurrent_attention import Attention
from attnlab.recurrent_layers import BahdanauDecoder, Encoded, LuongDecoder
from attnlab.scores import DotScore

TENSORS = ("scores", "weights", "context", "mixed", "next_state", "probabilities")
CLOSE = 0.0051  # to the two decimals that are shown


def handle(page):
    return page.get_by_role("button", name=re.compile("^State s"))


def position(page) -> list[float]:
    found = re.search(r"\((.*?), (.*?)\)", handle(page).get_attribute("aria-label"))
    return [float(x.replace("−", "-")) for x in found.groups()]


def agree(page, figure: OneStep) -> None:
    """Drawing, plane and sentence have PyTorch's numbers, to the decimals shown."""
    taken = figure.take()
    drawing_agrees(page, figure, taken)
    plane_agrees(page, figure, taken)


def states(figure: OneStep) -> tuple[str, str]:
    """The names of the state that asks and of the one that is made."""
    return ("sₜ₋₁", "sₜ") if figure.wiring == "bahdanau" else ("sₜ", "sₜ₊₁")


def drawing_agrees(page, figure: OneStep, taken) -> None:
    drawing = page.locator(".st-drawing")
    parts = drawing.locator(".st-part", has=page.locator(".st-name + .st-number"))
    names = parts.locator(".st-name").all_text_contents()
    shown = map(numbers, parts.locator(".st-number").all_text_contents())
    asks, makes = states(figure)
    rows = [("h", MEMORY), ("e", taken.scores[:, None]), ("α", taken.weights[:, None])]
    wanted = {f"{a}{'₁₂₃'[j]}": list(row) for a, of in rows for j, row in enumerate(of)}
    wanted |= {asks: figure.query, makes: taken.next_state}
    wanted |= {"cₜ": taken.context, "h̃ₜ": taken.mixed}
    assert dict(zip(names, shown, strict=True)) == {
        name: approx([float(x) for x in row], abs=CLOSE) for name, row in wanted.items()
    }
    frames = boxes(parts.locator("rect:first-child"))
    places = dict(zip(names, frames, strict=True))
    arrows = drawing.locator(".st-arrow.mix polyline")
    starts = [line[0][0] for line in vertices(arrows)]
    fills = boxes(drawing.locator(".st-part.weight .st-fill"))
    for j, (word, weight) in enumerate(zip(WORDS, taken.weights.tolist(), strict=True)):
        column = [places[name + "₁₂₃"[j]] for name in "heα"]
        column += boxes(drawing.locator(".st-text").get_by_text(word, exact=True))
        assert [box.x for box in column] == approx([starts[j]] * 4, abs=1)
        frame, fill = column[2], fills[j]
        assert fill.width == approx(weight * frame.width, abs=1)
        assert not fill.width or fill.left == approx(frame.left, abs=1)
    widths = [float(x["strokeWidth"][:-2]) for x in looks(arrows, "strokeWidth")]
    grow_alike(widths, taken.weights.tolist(), 0.05)
    outputs_agree(drawing.locator(".output"), taken.probabilities.tolist())


def outputs_agree(output, probabilities: list[float]) -> None:
    """Words, bars and numbers of the next word; the most probable is bold."""
    assert output.locator(".st-word").all_text_contents() == list(OUTPUTS)
    shown = output.locator(".st-number").all_text_contents()
    assert [float(x) for x in shown] == approx(probabilities, abs=CLOSE)
    bars = boxes(output.locator(".st-bar"))
    whole = sum(bar.width for bar in bars)
    assert [bar.width for bar in bars] == approx(
        [whole * p for p in probabilities], abs=1
    )
    heights = [box.y for box in boxes(output.locator(".st-word"))]
    assert [bar.y for bar in bars] == approx(heights, abs=2)  # a letter's middle
    weights = [x["fontWeight"] for x in looks(output.locator(".st-word"), "fontWeight")]
    best = probabilities.index(max(probabilities))
    assert [i for i, weight in enumerate(weights) if int(weight) > 600] == [best]


def plane_agrees(page, figure: OneStep, taken) -> None:
    """What stands in the plane stands where its grid says; halos are the weights."""
    plane = page.locator(".st-plane")
    lines = vertices(plane.locator("line:not(.state)"))
    whole = list(range(-int(REACH), int(REACH) + 1))
    plot = Plot(
        axis(sorted(a[0] for a, b in lines if a[0] == b[0]), whole),
        axis(sorted((a[1] for a, b in lines if a[1] == b[1]), reverse=True), whole),
    )
    memory = plot.near(MEMORY)
    assert plot.corners(plane.locator("polygon")) == memory
    assert plot.corners(plane.locator(".state")) == plot.near([(0, 0), figure.query])
    for parts, points in {
        ".dot": MEMORY,
        ".halo": MEMORY,
        ".st-handle": [figure.query],
        ".st-mark.context": [taken.context],
        ".st-mark.next": [taken.next_state],
    }.items():
        assert plot.centres(plane.locator(parts)) == plot.near(points), parts
    assert plane.locator(".st-mark.next").inner_text() == states(figure)[1]
    labels = plane.locator(".st-mark.memory")
    names = [f"h{'₁₂₃'[j]} {word}" for j, word in enumerate(WORDS)]
    assert labels.all_inner_texts() == names
    for (x, y), (own, height) in zip(plot.centres(labels), MEMORY, strict=True):
        assert x == approx(own, abs=plot.across.slope) and 0.2 < abs(y - height) < 0.6
    halos = [halo.width for halo in boxes(plane.locator(".halo"))]
    grow_alike(halos, taken.weights.sqrt().tolist(), 1)


def queries(count: int) -> list[list[float]]:
    draw = torch.Generator().manual_seed(0)
    points = torch.rand(count, 2, generator=draw) * 2 * REACH - REACH
    return [[0.5, 1.5], [0.0, 0.0], [3.0, -3.0], *points.tolist()]


# The arithmetic -----------------------------------------------------------------------


def test_its_arithmetic_is_pytorchs(page, modules):
    modules("figures/step/taken.js")
    for wiring, query in product(WIRINGS, queries(30)):
        figure = OneStep(wiring=wiring, query=query)
        found = page.evaluate(
            "([state, numbers]) => takeStep(state, numbers)",
            [{"wiring": wiring, "query": query}, OneStep.limits],
        )
        found["next_state"] = found.pop("nextState")
        for name in TENSORS:
            wanted = getattr(figure.take(), name)
            assert (torch.tensor(found[name]) - wanted).abs().max() < 1e-4
        assert found["best"] == figure.take().probabilities.argmax()


def decoder_with_these_numbers(wiring: str):
    """The package's own decoder with a tanh cell and the figure's made-up weights.

    Its words are the start mark and the figure's three.
    """
    make = BahdanauDecoder if wiring == "bahdanau" else LuongDecoder
    attention = Attention(DotScore(), None, False)
    feeding = wiring == "feeding"
    decoder = make(4, 2, attention, cell="rnn", input_feeding=feeding, dropout=0.0)
    half, one = HALF * torch.eye(2), torch.eye(2)
    inputs = [one] if wiring == "luong" else [one, half]  # of c, or of the last h̃
    with torch.no_grad():
        decoder.embedding.weight[:] = torch.tensor([START, *EMBEDDINGS])
        decoder.rnn.weight_ih_l0[:] = torch.cat(inputs, dim=1)
        decoder.rnn.weight_hh_l0[:] = half
        decoder.rnn.bias_ih_l0.zero_()
        decoder.rnn.bias_hh_l0.zero_()
        decoder.combine.weight[:] = torch.cat([half, half], dim=1)
        decoder.readout.weight[0] = 0
        decoder.readout.weight[1:] = torch.tensor(READ_OUT)
        decoder.readout.bias.zero_()
    return decoder


@torch.no_grad()
@pytest.mark.parametrize("wiring", WIRINGS)
def test_the_step_is_the_packages_decoder(wiring):
    decoder = decoder_with_these_numbers(wiring)
    memory, mask = torch.tensor([MEMORY]), torch.ones(1, 1, 3, dtype=torch.bool)
    start = torch.zeros(1, 2) + torch.tensor([0.4, 1.1])
    state = decoder.start(Encoded(memory, mask, start, None))

    def advance(word: int):
        embedded = decoder.embedding(torch.tensor([[word]]))
        return decoder.advance(embedded, state)

    if wiring == "bahdanau":  # the state at the start asks
        query = start[0]
        state, glimpse = advance(0)
        made = state.hidden[0]
    else:  # the first call makes the state that asks, the second the next one
        state, glimpse = advance(0)
        query = state.hidden[0]
        logits = decoder.readout(state.feed)[0, 1:]
        mixed = state.feed[0]
        state, _ = advance(1 + int(logits.argmax()))
        made = state.hidden[0]
    if wiring == "bahdanau":
        mixed, logits = state.feed[0], decoder.readout(state.feed)[0, 1:]
    taken = OneStep(wiring=wiring, query=query.tolist()).take()
    for found, wanted in (
        (taken.weights, glimpse.weights[0, 0]),
        (taken.context, glimpse.context[0, 0]),
        (taken.mixed, mixed),
        (taken.next_state, made),
        (taken.probabilities, logits.softmax(-1)),
    ):
        assert (found - wanted).abs().max() < 1e-5


# The page -----------------------------------------------------------------------------


@pytest.mark.parametrize("wiring", first_daily(list(WIRINGS)))
def test_every_number_that_is_drawn_or_told_is_pytorchs(show, wiring):
    page = show(OneStep(wiring=wiring, step=5))
    agree(page, OneStep(wiring=wiring, step=5))
    page.locator("summary").click()
    for query in (*queries(3), [1.0, -1.5]):
        for letter, number in zip("xy", query, strict=True):
            page.get_by_label(f"State s, {letter}").fill(str(number))
        agree(page, OneStep(wiring=wiring, query=query, step=5))


def test_a_choice_stops_the_play(show):
    page = show(OneStep(step=5))
    page.get_by_role("button", name="Play the steps").click()
    page.get_by_role("radio", name="2 score").click()
    page.get_by_role("button", name="Play the steps").wait_for()
    says(page, "Step 2, score")


@pytest.mark.touch
@pytest.mark.parametrize("pointer", ["mouse", "touch"])
def test_the_state_is_dragged_and_all_follows(show, pointer):
    page = show(OneStep(step=5))
    plane = page.locator(".st-plane").bounding_box()
    goal = (plane["x"] + plane["width"] * 0.6, plane["y"] + plane["height"] * 0.85)
    if pointer == "mouse":
        handle(page).hover()
        page.mouse.down()
        page.mouse.move(*goal, steps=6)
        page.mouse.up()
    else:
        x, y = middle(handle(page))
        swipe(page, (x, y), ((x + goal[0]) / 2, (y + goal[1]) / 2), goal)
    redrawn(page)
    query = position(page)
    assert query[0] > 0.5 and query[1] < -1.5
    agree(page, OneStep(query=query, step=5))
    says(page, "Step 5")


def test_arrow_keys_move_the_state(show):
    page = show(OneStep(step=5))
    handle(page).press("ArrowRight")
    handle(page).press("Shift+ArrowDown")
    redrawn(page)
    assert position(page) == [0.6, 1.0]
    agree(page, OneStep(query=[0.6, 1.0], step=5))
    for _ in range(8):
        handle(page).press("Shift+ArrowRight")
    redrawn(page)
    assert position(page) == [REACH, 1.0]  # at the edge
