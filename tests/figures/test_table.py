import doctest

import pytest
from bs4 import BeautifulSoup
from IPython.utils.capture import capture_output

from attnlab.figures import table
from attnlab.figures.table import Table, over, show_table, under


def test_the_examples_of_the_docstrings():
    results = doctest.testmod(table)
    assert results.attempted >= 3 and results.failed == 0


def test_columns_of_numbers_stand_to_the_right_and_others_to_the_left():
    shown = Table(["score", "exact", "found"], [["dot", "9", "a"], ["x", "10", "bb"]])
    assert repr(shown).splitlines()[1:] == ["dot        9  a", "x         10  bb"]
    cells = BeautifulSoup(shown._repr_html_(), "html.parser").select("tbody tr")[0]
    sides = [cell["style"] for cell in cells]
    assert sides == [f"text-align: {side}" for side in ("left", "right", "left")]


@pytest.mark.parametrize("text", ["97.5", "97 (95–99)", "−3", "< 1e-5", "1,024", "12%"])
def test_what_is_a_number(text):
    assert Table(["", "x"], [["row", text]]).right == [False, True]


def test_every_cell_is_in_the_table_headed_and_escaped():
    page = BeautifulSoup(
        Table(["", "a < b"], [["<i>", "1 & 2"]])._repr_html_(), "html.parser"
    )
    assert page.find("th", scope="col").get_text() == "a < b"
    assert page.find("th", scope="row").get_text() == "<i>"
    assert [td.get_text() for td in page.select("td")] == ["", "1 & 2"]


@pytest.mark.parametrize("rows", [[], [["a"]], [["a", "b"], ["a", "b", "c"]]])
def test_rows_that_do_not_fit_the_header_are_refused(rows):
    with capture_output() as shown, pytest.raises(ValueError, match="needs 2 cells"):
        show_table(["x", "y"], rows)
    assert not shown.stdout


def test_a_bound_says_its_number_where_it_is_broken():
    assert under(0.0, 0.5) == "under 0.5"
    assert under(0.5, 0.5) == "0.5, not under 0.5"
    assert under(float("nan"), 0.5) == "nan, not under 0.5"
    assert over(0.5, 0.5) == "0.5, not over 0.5" and over(1, 0.5) == "over 0.5"
    assert over(float("nan"), 0.5) == "nan, not over 0.5"


def test_small_limits_are_powers_of_ten():
    assert under(0, 3e-12) == "under 3·10⁻¹²" and under(0, 1e-5) == "under 10⁻⁵"
