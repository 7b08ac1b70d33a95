import matplotlib.pyplot as plt
from matplotlib.colors import to_hex

from attnlab.figures import palette
from attnlab.figures.transformer import draw_transformer


def drawn_texts():
    _, axes = plt.subplots()
    draw_transformer(axes)
    texts = [text.get_text() for text in axes.texts]
    plt.close()
    return texts


def test_an_encoder_layer_has_two_sublayers_and_a_decoder_layer_three():
    texts = drawn_texts()
    assert texts.count("add (7.1), norm (7.2)") == 2 + 3
    assert texts.count("feed-forward (7.4)") == 2
    assert texts.count("cross-attention") == 1
    assert {"encoder", "decoder", "memory"} <= set(texts)


def test_keys_and_values_come_in_the_books_colours():
    _, axes = plt.subplots()
    draw_transformer(axes)
    letters = {t.get_text(): to_hex(t.get_color()).upper() for t in axes.texts}
    assert letters["Q"] == palette.QUERY
    assert letters["K"] == palette.KEY
    assert letters["V"] == palette.VALUE
    plt.close()
