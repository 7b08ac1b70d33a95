import matplotlib.pyplot as plt
import pytest

from attnlab.figures.heads import draw_split_and_merge


@pytest.mark.parametrize(("heads", "d_head"), [(1, 3), (2, 2), (4, 2)])
def test_every_head_has_its_cells_twice_and_one_map(heads, d_head):
    _, axes = plt.subplots()
    draw_split_and_merge(axes, heads, d_head)
    width = heads * d_head
    assert len(axes.patches) == 3 * width + heads
    texts = [text.get_text() for text in axes.texts]
    assert [f"$A_{head + 1}$" in texts for head in range(heads)] == [True] * heads
    plt.close()


def test_heads_that_cannot_be_told_apart_are_refused():
    _, axes = plt.subplots()
    with pytest.raises(ValueError, match="num_heads"):
        draw_split_and_merge(axes, 5)
    plt.close()
