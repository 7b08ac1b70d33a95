"""What the figure of six scores shows before any model is loaded."""

import json

import pytest

from attnlab.live.scores import SCORES, SEEDS, stored_scores
from tools import six_scores


def test_six_scores_stored_translations_equal_models(tmp_path):
    six_scores.main(tmp_path / "six.json")
    found = json.loads((tmp_path / "six.json").read_text(encoding="utf-8"))
    stored = stored_scores()
    assert set(found) == set(stored)
    for name in ("number", "megabytes", "tests"):
        assert stored[name] == found[name]
    for score in SCORES:
        for seed in SEEDS:
            before, now = (one["pictures"][score][seed] for one in (stored, found))
            assert before["words"] == now["words"]
            for row, wanted in zip(before["weights"], now["weights"], strict=True):
                assert row == pytest.approx(wanted, abs=1.1e-3)  # rounded elsewhere
