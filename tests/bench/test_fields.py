"""What a reader may type, and what is answered."""

import pytest

from attnlab.bench.fields import Choice, Whole, differences, epochs

WIDTH = Whole("d_model", "Width", 32, 4, 50_000)
CELL = Choice("cell", "Cell", {"GRU": "gru", "tanh": "rnn"})


def test_a_box_begins_with_a_value_that_it_reads():
    assert WIDTH.read(WIDTH.widget().value) == 32
    assert WIDTH.widget().description == "Width (4–50,000)"
    assert CELL.read(CELL.widget().value) == "gru"


@pytest.mark.parametrize("typed", ["14000", " 14000 ", "14,000", "14 000"])
def test_numbers_are_read_as_people_write_them(typed):
    assert WIDTH.read(typed) == 14_000


@pytest.mark.parametrize(
    "typed", ["", "abc", "3.5", "1e3", "٣٢", "9" * 40, "--8", "8-"]
)
def test_what_is_no_number_is_named(typed):
    with pytest.raises(ValueError, match="Width is a whole number from 4 to 50,000; "):
        WIDTH.read(typed)


@pytest.mark.parametrize("typed", ["3", "-8", "50001"])
def test_what_is_out_of_bounds_is_named(typed):
    with pytest.raises(ValueError, match=f"not {int(typed):,}"):
        WIDTH.read(typed)


def test_a_line_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="Cell has no “tree”"):
        CELL.read("tree")


def test_settings_differ_in_fields_that_both_have():
    one, other = {"d_model": 8, "cell": "gru"}, {"d_model": 16, "cell": "gru"}
    assert differences((WIDTH, CELL), one, other) == ["width"]
    assert differences((WIDTH, CELL), one, {"cell": "rnn"}) == ["cell"]


def test_epochs_are_counted():
    assert epochs({"epochs": 1}) == "1 epoch" and epochs({"epochs": 2}) == "2 epochs"
