"""Stored runs by setting, and the nearest of them."""

import pytest

from attnlab import store
from attnlab.bench.fields import ChoiceField, WholeNumberField
from attnlab.bench.stored import Stored
from attnlab.experiments.study import Study


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """Four settings of a study, with two seeds each; others are left out."""
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    settings = [{"d": d, "both": both} for d in (16, 64) for both in (False, True)]
    settings += [{"d": 64, "both": "odd"}, {"d": 64, "more": False}]
    store.run("trial", lambda seed, **s: {"x": seed}, settings, [0, 1], progress=False)
    fields = [
        WholeNumberField("d", "Width", 16, 1, 99),
        ChoiceField("Both", {"no": {}, "yes": {"both": True}}, 1.5),
    ]
    return Stored(Study("trial", dict, []), fields)


def test_stored_groups_runs_by_setting(stored):
    assert [setting["d"] for setting, _ in stored.groups] == [16, 16, 64, 64]
    assert all([run["seed"] for run in runs] == [0, 1] for _, runs in stored.groups)


def test_stored_nearest_has_smallest_weighted_distance(stored):
    assert stored.nearest({"d": 40, "both": True})[0] == {"d": 64, "both": True}
    assert stored.nearest({"d": 20})[0] == {"d": 16}


def test_stored_differences_and_tell_apart_name_fields(stored):
    one, other = {"d": 16, "both": True}, {"d": 64}
    assert stored.distance(one, other) == stored.distance(other, one) == 2 + 1.5
    assert stored.distance(one, one) == 0
    assert stored.differences(one, other) == ["width", "both"]
    assert stored.tell_apart(other) == "width 64, no" == stored.describe(other)
