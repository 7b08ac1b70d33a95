"""How a bench looks: drawings that take the page's colours, words for everyone."""

from bs4 import BeautifulSoup
from matplotlib.figure import Figure

from attnlab.bench.page import figure_svg, status_html, style_sheet
from attnlab.figures import palette


def test_figure_svg_has_text_and_page_colours():
    figure = Figure()
    figure.subplots().plot([1, 2], color=palette.ORCHID)
    svg = figure_svg(figure, 'rising, "steeply"')
    element = BeautifulSoup(svg, "html.parser").svg
    assert element["role"] == "img" and element["aria-label"] == 'rising, "steeply"'
    assert "var(--bench-orchid)" in svg and palette.ORCHID.lower() not in svg
    assert "<metadata" not in svg and "<style" not in svg
    assert svg == figure_svg(figure, 'rising, "steeply"')


def test_bench_colours_have_light_and_dark_values():
    style = style_sheet()
    for name, light in palette.ROLES.items():
        assert f"--bench-{name}: {light};" in style
        assert f"--bench-{name}: {palette.DARK[light]};" in style


def test_status_html_escapes_text_and_is_announced():
    html = status_html("<b>1</b>\n2", wrong=True)
    element = BeautifulSoup(html, "html.parser").div
    assert element["role"] == "status" and "<b>1</b>" in element.get_text()
    assert "bench-wrong" in element["class"] and element.br is not None
