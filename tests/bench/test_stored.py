"""Stored runs by setting, and the nearest of them."""

import pytest

from attnlab import store
from attnlab.bench.stored import Stored


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """Five settings of a study, with two seeds each; one of them is left out."""
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    settings = [{"d": d, "both": both} for d in (16, 64) for both in (False, True)]
    settings.append({"d": 64, "both": "odd"})
    store.run("trial", lambda seed, **s: {"x": seed}, settings, [0, 1], progress=False)

    def as_setting(setting):
        return None if setting["both"] == "odd" else setting

    return Stored("trial", as_setting, {"d": 1, "both": 1.5})


def test_runs_stand_under_their_setting(stored):
    assert [setting["d"] for setting, _ in stored.groups] == [16, 16, 64, 64]
    assert all([run["seed"] for run in runs] == [0, 1] for _, runs in stored.groups)


def test_the_nearest_differs_least_by_weight(stored):
    assert stored.nearest({"d": 40, "both": True})[0] == {"d": 64, "both": True}
    assert stored.nearest({"d": 20, "both": False})[0] == {"d": 16, "both": False}


def test_numbers_differ_by_how_often_they_double(stored):
    one, other = {"d": 16, "both": True}, {"d": 64, "both": False}
    assert stored.distance(one, other) == stored.distance(other, one) == 2 + 1.5
    assert stored.distance(one, one) == 0
