"""What the scale does to training: before training."""

import pytest
import torch

from attnlab.data.places import PlacePairs
from attnlab.experiments.scale import build, softmax_jacobian
from attnlab.tagger import Tagger

PAIRS = PlacePairs([2, 200_005, 243_562])


def test_build_with_usual_scale_equals_plain_tagger():
    tokens = torch.tensor(PAIRS.src[2])[None]
    torch.manual_seed(0)
    usual = build(PAIRS, "1/√d", 16)
    torch.manual_seed(0)
    plain = Tagger(len(PAIRS.vocab), 14, 16, num_heads=1)
    torch.testing.assert_close(usual(tokens), plain(tokens))


@pytest.mark.parametrize(("scale", "factor"), [("1", 4.0), ("1/d", 0.25)])
def test_build_with_other_scale_multiplies_scores(scale, factor):
    x = torch.randn(1, 5, 16)
    queries = []
    for name in (scale, "1/√d"):
        torch.manual_seed(0)
        queries.append(build(PAIRS, name, 16).layers[0].mixer.heads.query_layer(x))
    torch.testing.assert_close(queries[0], factor * queries[1])


@pytest.mark.parametrize(
    ("half", "begins_as", "steps_as"),
    [("begins as 1/d", "1/d", "1/√d"), ("steps as 1/d", "1/√d", "1/d")],
)
def test_scale_controls_change_one_thing_each(half, begins_as, steps_as):
    x = torch.randn(1, 5, 16)

    def queries(scale):
        """Before a step, and what a step of one size for every weight adds."""
        torch.manual_seed(0)
        layer = build(PAIRS, scale, 16).layers[0].mixer.heads.query_layer
        before = layer(x)
        with torch.no_grad():
            layer[0].weight += 0.01  # Adam's first step knows nothing of the scale
        return before, layer(x) - before

    torch.testing.assert_close(queries(half)[0], queries(begins_as)[0])
    torch.testing.assert_close(queries(half)[1], queries(steps_as)[1])


def test_softmax_jacobian_equals_autograd():
    scores = torch.randn(2, 6, dtype=torch.float64)
    for row in scores:
        wanted = torch.autograd.functional.jacobian(lambda e: e.softmax(0), row)
        torch.testing.assert_close(softmax_jacobian(row.softmax(0)), wanted)
