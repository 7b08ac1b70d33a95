"""What the figure of six scores shows before any model is loaded."""

import json

import pytest

from attnlab.data import number_tokens
from attnlab.live.scores import SCORES, SEEDS, stored_scores, weights_name
from attnlab.saved import load_weights
from tools import six_scores


def test_what_is_stored_is_what_the_models_do(tmp_path, capsys):
    six_scores.main(tmp_path / "six.json")
    assert str(six_scores.NUMBER) in capsys.readouterr().out
    found = json.loads((tmp_path / "six.json").read_text(encoding="utf-8"))
    stored = stored_scores()
    assert set(found) == set(stored)
    assert {name: stored[name] for name in ("number", "megabytes", "tests")} == {
        name: found[name] for name in ("number", "megabytes", "tests")
    }
    for score in SCORES:
        for seed in SEEDS:
            before, now = (one["pictures"][score][seed] for one in (stored, found))
            assert before["words"] == now["words"]
            for row, wanted in zip(before["weights"], now["weights"], strict=True):
                assert row == pytest.approx(wanted, abs=1.1e-3)  # rounded elsewhere


def test_the_rates_are_those_of_the_files():
    for score in SCORES:
        for seed in SEEDS:
            _, about = load_weights(weights_name(score, seed))
            rate = about["alignment_error_rate"]
            stored = stored_scores()["tests"][score][seed]
            assert stored == pytest.approx(rate, abs=1e-6)
            assert about["seed"] == seed


def test_a_row_of_weights_sums_to_one():
    found = six_scores.all_translations(21)
    columns = len(number_tokens(21, "en")) + 1  # the end
    for runs in found["pictures"].values():
        for run in runs:
            assert len(run["weights"]) == len(run["words"])
            assert all(len(row) == columns for row in run["weights"])
            assert all(abs(sum(row) - 1) < 0.01 for row in run["weights"])
