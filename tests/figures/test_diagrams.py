"""Diagrams say what the model does."""

import matplotlib.pyplot as plt

from attnlab.figures.diagrams import draw_encoder_decoder


def test_draw_encoder_decoder_shifts_decoder_input():
    _, axes = plt.subplots()
    draw_encoder_decoder(axes, ["seven", "EOS"], ["sieben", "EOS"])
    places = {}
    for text in axes.texts:
        places.setdefault(text.get_text(), []).append(text.get_position())
    plt.close("all")
    read, written = sorted(places["sieben"], key=lambda place: place[1])
    assert places["BOS"][0][0] == written[0] < read[0]
    assert len(places["EOS"]) == 2 and "$C$" in places
