import contextlib
import io
import math

import matplotlib as mpl
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from oldfuzzing import (
    ODD_TEXT,
    REFUSED,
    attempt,
    fuzz,
    sizes,
    tensors,
)

from attnlab.figures.alignment import plot_alignment
from attnlab.figures.diagrams import draw_encoder_decoder
from attnlab.figures.heads import draw_split_and_merge
from attnlab.figures.seeds import plot_by_length, plot_seeds, span, spread
from attnlab.figures.style import label_lines, shade, use_style
from attnlab.figures.table import Table, over, show_table, under
from attnlab.figures.transformer import draw_transformer

ROWS = st.lists(st.lists(ODD_TEXT, max_size=3), max_size=3)
WORDS = st.lists(ODD_TEXT.map(lambda text: text[:20]), max_size=3)


def draw(call, *arguments, **options):
    """Draw, and paint it: much of what goes wrong goes wrong only then."""
    figure = Figure(figsize=(2, 2), dpi=30)
    canvas = FigureCanvasAgg(figure)
    found = attempt(call, figure.add_subplot(), *arguments, **options)
    if found is not REFUSED:
        canvas.draw()
    return found


@fuzz(plot_alignment, share=0.2)
@given(data=st.data(), source=WORDS, target=WORDS, title=ODD_TEXT)
def test_maps_of_any_words(data, source, target, title):
    shape = (len(target), len(source))
    weights = data.draw(st.one_of(tensors(shape, most=1.0), tensors(most=1.0)))
    found = draw(
        plot_alignment,
        weights,
        source,
        target,
        links=[(0, 0)],
        title=title[:30].replace("$", ""),
    )
    assert (
        found is not REFUSED
        or weights.shape != shape
        or not (weights.is_floating_point())
    )


CURVES = st.dictionaries(
    ODD_TEXT.map(lambda text: text[:20].replace("$", "")),  # $…$ is a formula there
    st.lists(
        st.dictionaries(st.integers(1, 4), st.floats(0, 1), min_size=1), max_size=2
    ),
    max_size=3,
)


@fuzz(plot_by_length, label_lines, share=0.2)
@given(curves=CURVES, upto=st.one_of(st.none(), st.integers(1, 5)))
def test_curves_of_any_names(curves, upto):
    found = draw(plot_by_length, curves, trained_up_to=upto)
    lengths = {tuple(sorted(seed)) for seeds in curves.values() for seed in seeds}
    if curves and all(curves.values()) and len(lengths) == 1:
        inside = upto is None or (upto,) in {(n,) for n in lengths.copy().pop()}
        assert found is not REFUSED or not inside


@fuzz(plot_seeds, span, spread, share=0.2)
@given(
    values=st.lists(st.lists(st.floats(-1e6, 1e6), max_size=3), max_size=3),
    points=st.integers(0, 3),
)
def test_seeds_of_any_number(values, points):
    found = draw(plot_seeds, range(points), values)
    fits = bool(values) and all(len(row) == points for row in values)
    assert (found is not REFUSED) == fits
    for row in values:
        if row:
            assert span(row) and span(row) in spread(row).replace("(", "")


@fuzz(draw_encoder_decoder, draw_split_and_merge, draw_transformer, share=0.1)
@given(source=WORDS, target=WORDS, heads=sizes(1, 4), d_head=sizes(1, 3))
def test_diagrams_of_any_words_and_sizes(source, target, heads, d_head):
    found = draw(draw_encoder_decoder, source, target)
    assert (found is None) == (bool(source) and bool(target))
    draw(draw_split_and_merge, heads, d_head)
    assert draw(draw_transformer) is None


@fuzz(use_style, share=0.1)
@given(st.none())
def test_the_style_can_be_set_again(_):
    with mpl.rc_context():
        use_style()
        first = dict(mpl.rcParams)
        use_style()
        assert dict(mpl.rcParams) == first


@fuzz(show_table, Table)
@given(header=st.lists(ODD_TEXT, max_size=3), rows=ROWS)
def test_tables_of_any_text(header, rows):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        found = attempt(show_table, header, rows)
    fits = bool(rows) and all(len(row) == len(header) for row in rows)
    assert (found is not REFUSED) == fits
    assert fits or not printed.getvalue()


@fuzz(under, over)
@given(value=st.floats(), limit=st.floats(1e-300, 1e300))
def test_bounds_of_any_number(value, limit):
    assert under(value, limit).startswith("under ") == (value < limit)
    assert over(value, limit).startswith("over ") == (value > limit)
    assert math.isnan(value) <= (" not " in under(value, limit))


@fuzz(shade)
@given(color=st.one_of(ODD_TEXT, st.sampled_from(["C0", "#0072B2", "0.5", "none"])))
def test_shades_of_any_colour(color):
    found = attempt(shade, color)
    assert found is REFUSED or (found.startswith("#") and len(found) == 7)
