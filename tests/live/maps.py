"""Maps of weights as figures of heads draw and write them, against those of PyTorch."""

import numpy as np
from playwright.sync_api import Locator
from pytest import approx
from reading import Picture, boxes, looks, numbers, shading


def assert_small_maps(picture: Picture, cards: Locator, maps, row: int) -> None:
    """A card a map (heads, rows, columns): its colours, and a frame around one row."""
    _, rows, columns = maps.shape
    svgs = cards.locator("svg")
    drawn = np.array([picture.cells(svg, rows, columns) for svg in svgs.all()])
    shading(drawn, maps, picture.ground, 0.07)  # ten shades
    for frame, svg in zip(boxes(cards.locator("rect")), boxes(svgs), strict=True):
        at = svg.top + (row + 0.5) * svg.height / rows
        assert frame.y == approx(at, abs=1)  # a rounded pixel


def assert_large_map(
    picture: Picture, table: Locator, weights, names, row: int
) -> None:
    """Colours, percents and the `names` of rows and columns; the chosen row's is lined.

    Stripes hide the cells whose weights are not a number.
    """
    for part, mine in zip(("tbody", "thead"), names, strict=True):
        assert table.locator(f"{part} th").all_text_contents() == mine
    cells, weights = table.locator("tbody td"), weights.ravel()
    grounds = [one["backgroundImage"] for one in looks(cells, "backgroundImage")]
    hidden = np.isnan(weights)
    assert [ground != "none" for ground in grounds] == hidden.tolist()
    colours = picture.fills(cells)[~hidden]
    shading(colours, weights[~hidden], picture.ground)
    texts = cells.all_text_contents()
    told = [numbers(text)[0] if text else 0 for text in texts]  # not all are written
    off = np.where([text == "" for text in texts], 4.6, 0.6)
    assert (np.abs(told - 100 * np.nan_to_num(weights)) <= off).all()
    lines = looks(table.locator("tbody th"), "textDecorationLine")
    chosen = [one["textDecorationLine"] == "underline" for one in lines]
    assert chosen == [i == row for i in range(len(names[0]))]
