"""Diagrams say what the model does."""

import matplotlib.pyplot as plt

from attnlab.figures.diagrams import draw_encoder_decoder


def test_the_decoder_reads_its_own_words_one_step_late():
    _, axes = plt.subplots()
    draw_encoder_decoder(axes, ["seven", "EOS"], ["sieben", "EOS"])
    places = {}
    for text in axes.texts:
        places.setdefault(text.get_text(), []).append(text.get_position())
    plt.close("all")
    read, written = sorted(places["sieben"], key=lambda place: place[1])
    assert places["BOS"][0][0] == written[0] < read[0]
    assert len(places["EOS"]) == 2 and "$C$" in places


def test_an_arrow_leads_from_the_context_to_every_step():
    _, axes = plt.subplots()
    words = ["a", "b", "c", "EOS"]
    draw_encoder_decoder(axes, words, words)
    place = next(t.get_position()[0] for t in axes.texts if t.get_text() == "$C$")
    leaving = [
        text
        for text in axes.texts
        if getattr(text, "arrow_patch", None) is not None
        and place - 0.1 <= text.get_position()[0] <= place + 0.4
    ]
    plt.close("all")
    assert len(leaving) == len(words)
