import pytest
import torch

from attnlab.data import PlacePairs
from attnlab.experiments.heads import (
    BOXES,
    CONTENTS,
    LABELS,
    look_up_batch,
    measure_reading,
    subspace_overlap,
)
from attnlab.saved import load_weights

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("asked", [1, 2, 3])
def test_a_shelf_has_different_labels_and_the_right_answers(asked):
    torch.manual_seed(0)
    batch = look_up_batch(200, asked)
    parts = ("labels", "contents", "questions", "answers")
    rows = zip(*(batch[part].tolist() for part in parts), strict=True)
    for labels, contents, questions, answers in rows:
        assert len(set(labels)) == len(contents) == BOXES
        assert set(labels) <= set(range(LABELS))
        assert set(contents) <= set(range(CONTENTS))
        assert len(set(questions)) == asked
        assert answers == [contents[labels.index(label)] for label in questions]


def test_overlap_of_subspaces():
    torch.manual_seed(0)
    rows = torch.randn(4, 12)
    turned = torch.linalg.qr(torch.randn(4, 4)).Q @ rows  # in other coordinates
    assert subspace_overlap(rows, 3 * turned) == pytest.approx(1.0)
    identity = torch.eye(12)
    assert subspace_overlap(identity[:4], identity[4:8]) == pytest.approx(0.0)
    assert subspace_overlap(identity[:4], identity[2:6]) == pytest.approx(0.5)
    faint = torch.cat([identity[:1], 0.01 * identity[1:4]])  # nearly one direction
    assert subspace_overlap(faint, identity[1:5]) < 0.001


def test_reading_falls_without_any_head():
    model, about = load_weights("places-en-1")
    pairs = PlacePairs(about["test_numbers"])
    found = measure_reading(model, pairs)
    assert found["words"] > 0.98 and found["numbers"] > 0.95 and found["margin"] > 3
    silent = measure_reading(model, pairs, torch.zeros(1, 4, dtype=torch.bool))
    assert silent["words"] < 0.9 and silent["numbers"] < 0.1
    assert silent["margin"] < found["margin"]
