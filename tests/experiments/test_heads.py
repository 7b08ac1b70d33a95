import pytest
import torch

from attnlab.experiments.heads import BOXES, CONTENTS, LABELS, look_up_batch

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("asked", [1, 2, 3])
def test_look_up_batch_has_distinct_labels_and_right_answers(asked):
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
