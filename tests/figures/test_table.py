import doctest

import pytest
from bs4 import BeautifulSoup
from IPython.utils.capture import capture_output

from attnlab.figures import table
from attnlab.figures.table import Table, over, show_table, under


def test_the_examples_of_the_docstrings():
    results = doctest.testmod(table)
    assert results.attempted >= 3 and results.failed == 0


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
    assert under(0, 3e-12) == "under 3·10⁻¹²"
