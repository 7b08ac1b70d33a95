import doctest

import pytest
from bs4 import BeautifulSoup
from IPython.utils.capture import capture_output

from attnlab.figures import table
from attnlab.figures.table import Table, over, show_table, under


def test_table_docstring_examples_hold():
    results = doctest.testmod(table)
    assert results.attempted >= 3 and results.failed == 0


def test_show_table_has_headed_and_escaped_cells():
    page = BeautifulSoup(
        Table(["", "a < b"], [["<i>", "1 & 2"]])._repr_html_(), "html.parser"
    )
    assert page.find("th", scope="col").get_text() == "a < b"
    assert page.find("th", scope="row").get_text() == "<i>"
    assert [td.get_text() for td in page.select("td")] == ["", "1 & 2"]


@pytest.mark.parametrize("rows", [[], [["a"]], [["a", "b"], ["a", "b", "c"]]])
def test_show_table_rejects_rows_of_other_length(rows):
    with capture_output() as shown, pytest.raises(ValueError, match="needs 2 cells"):
        show_table(["x", "y"], rows)
    assert not shown.stdout


def test_under_and_over_name_the_number_when_violated():
    assert under(0.0, 0.5) == "under 0.5"
    assert under(0.5, 0.5) == "0.5, not under 0.5"
    assert under(float("nan"), 0.5) == "nan, not under 0.5"
    assert over(0.5, 0.5) == "0.5, not over 0.5" and over(1, 0.5) == "over 0.5"
    assert over(float("nan"), 0.5) == "nan, not over 0.5"
    assert under(0, 3e-12) == "under 3·10⁻¹²"
