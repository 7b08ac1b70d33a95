"""What the scale does to training: small runs and the stored margins."""

import pytest
import torch

from attnlab.data.places import PlacePairs
from attnlab.experiments.encoders import make_data
from attnlab.experiments.scale import (
    SCALES,
    STUDY,
    WIDTHS,
    build,
    measure_scale,
    measure_start,
    softmax_jacobian,
)
from attnlab.experiments.study import TUNING_SEED
from attnlab.store import load, select
from attnlab.tagger import Tagger
from attnlab.training import set_seed

PAIRS = PlacePairs([2, 200_005, 243_562])


def stored(scale, width):
    runs = select(load("scale"), scale=scale, d_model=width)
    assert [run["seed"] for run in runs] == list(range(5))
    return [run["figures"] for run in runs]


def test_the_usual_scale_is_the_tagger_as_it_is():
    tokens = torch.tensor(PAIRS.src[2])[None]
    torch.manual_seed(0)
    usual = build(PAIRS, "1/√d", 16)
    torch.manual_seed(0)
    plain = Tagger(len(PAIRS.vocab), 14, 16, num_heads=1)
    torch.testing.assert_close(usual(tokens), plain(tokens))


@pytest.mark.parametrize(("scale", "factor"), [("1", 4.0), ("1/d", 0.25)])
def test_the_other_scales_multiply_the_scores(scale, factor):
    x = torch.randn(1, 5, 16)
    queries = []
    for name in (scale, "1/√d"):
        torch.manual_seed(0)
        queries.append(build(PAIRS, name, 16).layers[0].mixer.heads.query_layer(x))
    torch.testing.assert_close(queries[0], factor * queries[1])


def test_an_unknown_scale_is_named():
    with pytest.raises(ValueError, match="'2'"):
        build(PAIRS, "2", 16)


def test_the_jacobian_is_that_of_the_softmax():
    scores = torch.randn(2, 6, dtype=torch.float64)
    for row in scores:
        wanted = torch.autograd.functional.jacobian(lambda e: e.softmax(0), row)
        torch.testing.assert_close(softmax_jacobian(row.softmax(0)), wanted)


def test_unscaled_scores_saturate_before_training():
    pairs, _ = make_data(0, 100)
    start = {}
    for scale in SCALES:
        set_seed(0)
        start[scale] = measure_start(build(pairs, scale, 128), pairs)
    assert start["1"]["weight"] > 0.8 > start["1/√d"]["weight"] > start["1/d"]["weight"]
    assert start["1"]["jacobian"] < start["1/√d"]["jacobian"] / 3


def test_a_small_run_learns_and_keeps_its_curve():
    metrics = measure_scale(
        seed=0, scale="1/d", d_model=16, lr=0.03, steps=60, train_numbers=300
    )
    assert len(metrics["loss"]) == 3
    assert metrics["loss"][-1] < metrics["loss"][0] / 2


@pytest.mark.parametrize("width", WIDTHS)
def test_stored_runs_keep_the_margins_the_chapter_claims(width):
    last = {
        scale: [sum(run["loss"][-5:]) / 5 for run in stored(scale, width)]
        for scale in SCALES
    }
    mean = {scale: sum(losses) / 5 for scale, losses in last.items()}
    assert mean["1/d"] < mean["1/√d"] < mean["1"]
    for run in load("scale")["runs"]:
        setting = dict(run["setting"])
        assert setting.pop("lr") == STUDY.best_rate(**setting)
        assert run["seed"] != TUNING_SEED
