"""What a reader may type, and what is answered."""

import pytest

from attnlab.bench.fields import ChoiceField, WholeNumberField, read_seeds
from attnlab.bench.page import duration_text

WIDTH_FIELD = WholeNumberField("d_model", "Width", 32, 4, 50_000)
CELL = ChoiceField("Cell", {"GRU": {}, "tanh": {"cell": "rnn"}})


def test_whole_number_field_reads_its_own_default():
    assert WIDTH_FIELD.read(WIDTH_FIELD.widget().value) == {"d_model": 32}
    assert WIDTH_FIELD.widget().description == "Width (4–50,000)"
    assert CELL.read(CELL.widget().value) == {}


@pytest.mark.parametrize("typed", [" 14000 ", "14,000", "14 000"])
def test_field_reads_numbers_with_separators(typed):
    assert WIDTH_FIELD.read(typed) == {"d_model": 14_000}


def test_field_of_stored_fills_in_missing_values():
    assert WIDTH_FIELD.of_stored({}) == {"d_model": 32}
    assert CELL.of_stored({"cell": "rnn", "d_model": 8}) == {"cell": "rnn"}
    assert CELL.of_stored({"d_model": 8}) == {} == CELL.of_stored({"cell": False})
    with pytest.raises(ValueError, match="Cell has no choice"):
        CELL.of_stored({"cell": "lstm"})


def test_field_distance_counts_doublings_or_unequal_choices():
    one, other = {"d_model": 8}, {"d_model": 32, "cell": "rnn"}
    assert WIDTH_FIELD.distance(one, other) == WIDTH_FIELD.distance(other, one) == 2
    assert CELL.distance(one, other) == CELL.weight and CELL.distance(one, one) == 0
    assert CELL.describe(other) == "tanh" and WIDTH_FIELD.describe(other) == "width 32"


@pytest.mark.parametrize(
    ("typed", "seeds"),
    [("5", [5]), ("1, 3 9", [1, 3, 9]), ("5, 4-5", [5, 4]), (" 0-9 ", [*range(10)])],
)
def test_read_seeds_accepts_lists_and_ranges(typed, seeds):
    assert read_seeds(typed) == seeds


def test_duration_text_has_two_units():
    told = [duration_text(seconds) for seconds in (59, 3599, 11_120)]
    assert told == ["59 s", "59 min 59 s", "3 h 5 min"]


@pytest.mark.parametrize("typed", ["", "-1", "7-5", "0-10", "99999", "1.5"])
def test_read_seeds_rejects_non_seed(typed):
    with pytest.raises(ValueError, match="Seeds are whole numbers"):
        read_seeds(typed)
