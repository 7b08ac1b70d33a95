"""How often a score is computed: what is drawn is what the package's decoding does."""

import pytest
import torch
from playwright.sync_api import expect
from reading import expect_status

from attnlab import attention, incremental_decoding
from attnlab.data import EOS
from attnlab.decoding import greedy, greedy_padded, greedy_prefix
from attnlab.live import Cells
from attnlab.live.cells import WORDS
from attnlab.transformer import Transformer

DECODERS = {"padded": greedy_padded, "prefix": greedy_prefix, "cache": greedy}


def recorded_score_shapes(decode, words, monkeypatch):
    """The (queries, keys) of a decoder's self-attention, a pair a step."""
    torch.manual_seed(0)
    model = Transformer(11, 13, 16, 4, 1, 32)  # one layer: self, cross, self, …
    with torch.no_grad():
        model.output_layer.bias[EOS] = -100.0  # it writes until it is stopped
    taken = []
    for module in (attention, incremental_decoding):
        fused = module.fused_attention

        def record_shapes(query, key, *rest, fused=fused):
            taken.append((query.shape[-2], key.shape[-2]))
            return fused(query, key, *rest)

        monkeypatch.setattr(module, "fused_attention", record_shapes)
    written = decode(model, torch.tensor([[3, 4, 5]]), words)
    monkeypatch.undo()
    assert written.shape[1] == words
    _encoder, *steps = taken
    return steps[::2]


def total_cost(steps):
    return sum(rows for rows, _ in steps), sum(rows * keys for rows, keys in steps)


def count_per_score(way, steps):
    """How often each score was computed; a cache's query is the last of its keys."""
    size = max(keys for _, keys in steps)
    times = torch.zeros(size, size, dtype=torch.long)
    for rows, keys in steps:
        first = keys - rows if way == "cache" else 0
        times[first : first + rows, :keys] += 1
    return times


# The row and the column of the cell that a number stands in.
CELL_POSITIONS = """all => all.map((e) =>
  ["y", "x"].map((way) => Math.floor(e.getAttribute(way) / 20)))"""


@pytest.mark.parametrize("words", WORDS)
def test_cells_counts_equal_decoding(show_figures, words, monkeypatch):
    taken = {
        way: recorded_score_shapes(decode, words, monkeypatch)
        for way, decode in DECODERS.items()
    }
    page = show_figures(Cells(words=words, step=1))
    for step in (1, words // 2, words):
        page.get_by_label("Step", exact=True).fill(str(step))
        expect_status(page, f"Step {step} of {words}")
        panels = page.locator(".ce-ways > div").all()
        for panel, (way, all_steps) in zip(panels, taken.items(), strict=True):
            steps = all_steps[:step]
            through, scores = total_cost(steps)
            counts = panel.locator(".ce-count > span")
            expect(counts).to_have_text([f"{through} words", f"{scores} scores"])
            expect_status(page, f"{way} {through} words and {scores} scores")
            times = count_per_score(way, steps)
            drawn = panel.locator(".ce-svg text")
            assert [*map(int, drawn.all_text_contents())] == times[times > 0].tolist()
            assert drawn.evaluate_all(CELL_POSITIONS) == times.nonzero().tolist()
            masked = (times.triu(1) > 0).sum().item()
            assert panel.locator(".ce-masked").count() == masked
