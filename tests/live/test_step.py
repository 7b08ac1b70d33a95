"""One step of attention: its arithmetic, and its page by mouse, finger and keyboard."""

import pytest
import torch
from pytest import approx
from reading import parse_numbers

from attnlab.live import OneStep
from attnlab.live.step import (
    EMBEDDINGS,
    HALF_WIDTH,
    MEMORY,
    REACH,
    READ_OUT,
    START,
    WIRINGS,
)
from attnlab.recurrent_attention import Attention
from attnlab.recurrent_layers import BahdanauDecoder, Encoded, LuongDecoder
from attnlab.scores import DotScore

ATOL = 0.0051  # to the two decimals that are shown


def check_against_torch(drawn, figure: OneStep) -> None:
    """Every number of the drawing is PyTorch's, to the decimals shown."""
    taken, drawing = figure.take(), drawn.locator(".st-drawing")
    parts = drawing.locator(
        ".st-part", has=drawing.page.locator(".st-name + .st-number")
    )
    names = parts.locator(".st-name").all_text_contents()
    shown = map(parse_numbers, parts.locator(".st-number").all_text_contents())
    asks, makes = ("sₜ₋₁", "sₜ") if figure.wiring == "bahdanau" else ("sₜ", "sₜ₊₁")
    rows = [("h", MEMORY), ("e", taken.scores[:, None]), ("α", taken.weights[:, None])]
    wanted = {f"{a}{'₁₂₃'[j]}": list(row) for a, of in rows for j, row in enumerate(of)}
    wanted |= {asks: figure.query, makes: taken.next_state}
    wanted |= {"cₜ": taken.context, "h̃ₜ": taken.mixed}
    assert dict(zip(names, shown, strict=True)) == {
        name: approx([float(x) for x in row], abs=ATOL) for name, row in wanted.items()
    }
    shown = drawing.locator(".output .st-number").all_text_contents()
    assert [float(x) for x in shown] == approx(taken.probabilities.tolist(), abs=ATOL)


def random_queries(count: int) -> list[list[float]]:
    draw = torch.Generator().manual_seed(0)
    points = torch.rand(count, 2, generator=draw) * 2 * REACH - REACH
    return [[0.5, 1.5], [0.0, 0.0], [3.0, -3.0], *points.tolist()]


# The arithmetic -----------------------------------------------------------------------


def decoder_with_these_numbers(wiring: str):
    """The package's own decoder with a tanh cell and the figure's made-up weights.

    Its words are the start mark and the figure's three.
    """
    make = BahdanauDecoder if wiring == "bahdanau" else LuongDecoder
    attention = Attention(DotScore(), None, False)
    feeding = wiring == "feeding"
    decoder = make(4, 2, attention, cell="rnn", input_feeding=feeding, dropout=0.0)
    half, one = HALF_WIDTH * torch.eye(2), torch.eye(2)
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
def test_one_step_equals_package_decoder(wiring):
    decoder = decoder_with_these_numbers(wiring)
    memory, mask = torch.tensor([MEMORY]), torch.ones(1, 1, 3, dtype=torch.bool)
    begun = decoder.start(Encoded(memory, mask, torch.tensor([[0.4, 1.1]]), None))

    def decoder_step(state, word: int):
        embedded = decoder.embedding(torch.tensor([[word]]))
        return decoder.advance(embedded, state)

    first, glimpse = decoder_step(begun, 0)
    mixed, logits = first.feed[0], decoder.readout(first.feed)[0, 1:]
    if wiring == "bahdanau":  # the state at the start asks
        query, made = begun.hidden[0], first.hidden[0]
    else:  # the first call makes the state that asks, the second the next one
        second, _ = decoder_step(first, 1 + int(logits.argmax()))
        query, made = first.hidden[0], second.hidden[0]
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


def test_step_drawing_shows_pytorch_numbers(show_figures):
    figures = [OneStep(wiring=wiring, step=5) for wiring in WIRINGS]
    page = show_figures(*figures)
    for drawn, figure in zip(page.locator("figure").all(), figures, strict=True):
        drawn.locator("summary").click()
        check_against_torch(drawn, figure)
        for figure.query in (*random_queries(3), [1.0, -1.5]):
            for letter, number in zip("xy", figure.query, strict=True):
                drawn.get_by_label(f"State s, {letter}").fill(str(number))
            check_against_torch(drawn, figure)
