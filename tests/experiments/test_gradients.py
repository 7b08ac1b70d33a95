"""Gradients by depth: each layer's, of models that differ in their first weights."""

import pytest
import torch

from attnlab.experiments import gradients
from attnlab.experiments.gradients import INITS, MODELS, measure_gradients
from attnlab.store import metrics


@pytest.fixture(autouse=True)
def three_layers(monkeypatch):
    monkeypatch.setattr(gradients, "LAYERS", 3)


@pytest.mark.parametrize("init", MODELS)
def test_measure_gradients_covers_layers_and_repeats(init):
    found = measure_gradients(seed=1, init=init)
    assert len(found["norms"]) == 3 and min(found["norms"]) > 0
    assert found["ratio"] == found["norms"][2] / found["norms"][0]
    torch.testing.assert_close(measure_gradients(seed=1, init=init), found)


def test_joint_initialisation_gradients_equal_torch():
    stored = {init: metrics("gradients", init=init) for init in INITS}
    ratios = {init: [run["ratio"] for run in runs] for init, runs in stored.items()}
    firsts = {init: [run["norms"][0] for run in runs] for init, runs in stored.items()}
    assert all(len(seeds) == 5 for seeds in ratios.values())
    assert max(firsts["separate"]) < min(firsts["joint"] + firsts["torch"])
    assert min(ratios["separate"]) > max(ratios["joint"] + ratios["torch"])
    assert min(ratios["joint"]) < max(ratios["torch"])
    assert min(ratios["torch"]) < max(ratios["joint"])
