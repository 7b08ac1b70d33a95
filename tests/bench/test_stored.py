"""Stored runs by setting, and the nearest of them."""

import pytest

from attnlab import store
from attnlab.bench.fields import ChoiceField, WholeNumberField
from attnlab.bench.stored import Stored
from attnlab.experiments.study import Study


@pytest.fixture
def groups(tmp_path, monkeypatch):
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


def test_stored_groups_runs_by_setting(groups):
    assert [setting["d"] for setting, _ in groups.groups] == [16, 16, 64, 64]
    assert all([run["seed"] for run in runs] == [0, 1] for _, runs in groups.groups)


def test_stored_nearest_has_smallest_weighted_distance(groups):
    assert groups.nearest({"d": 40, "both": True})[0] == {"d": 64, "both": True}
    assert groups.nearest({"d": 20})[0] == {"d": 16}


def test_stored_differences_name_the_differing_fields(groups):
    one, other = {"d": 16, "both": True}, {"d": 64}
    assert groups.distance(one, other) == groups.distance(other, one) == 2 + 1.5
    assert groups.distance(one, one) == 0
    assert groups.differences(one, other) == ["width", "both"]
    assert groups.distinguish(other) == "width 64, no" == groups.describe(other)
