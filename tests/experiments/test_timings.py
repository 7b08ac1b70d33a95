"""Times by turns: what is compared does the same work."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attnlab.attention import scaled_dot_product_attention
from attnlab.complexity.counting import KERNELS
from attnlab.experiments import timings
from attnlab.experiments.additive import measure_additive
from attnlab.experiments.timings import QUESTIONS
from attnlab.store import metrics


@pytest.mark.parametrize(
    ("question", "sizes", "first", "second"),
    [
        ("scores", {"queries": 3}, "dot", "by entries"),
        ("loop", {"words": 5}, "matrices", "loop"),
        *(
            ("one pass", {"words": 5, "decoder": name}, "one pass", "step by step")
            for name in timings.DECODERS
        ),
        ("writing", {"words": 6}, "cache", "prefix"),
        ("writing", {"words": 6}, "cache", "padded"),
    ],
)
@torch.no_grad()
def test_timed_variants_give_equal_outputs(question, sizes, first, second):
    calls = QUESTIONS[question](**sizes)
    one, other = calls[first](), calls[second]()
    if isinstance(one, tuple):  # output and weights
        one = one[0]
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


def test_timed_window_equals_masked_attention():
    torch.manual_seed(0)
    query, memory = torch.randn(4, 1, 8), torch.randn(4, 9, 8)
    centre = torch.tensor([0, 1, 5, 8])
    near = (torch.arange(9) - centre[:, None, None]).abs() <= 2  # (4, 1, 9)
    masked, _ = scaled_dot_product_attention(query, memory, memory, near, scale=1.0)
    torch.testing.assert_close(timings.local_attend(query, memory, centre, 2), masked)


@torch.no_grad()
def test_timed_additive_scores_equal_the_score():
    torch.manual_seed(0)
    additive = timings.AdditiveScore(4, 4, 5)
    q, k = torch.randn(2, 3, 4), torch.randn(2, 6, 4)
    plain = timings.without_tanh(additive, q, k)
    loop = timings.in_one_loop(torch.tanh, additive, q, k)
    torch.testing.assert_close(loop, additive(q, k))
    loop = timings.in_one_loop(torch.nn.Identity(), additive, q, k)
    torch.testing.assert_close(loop, plain)


@pytest.mark.weekly
def test_additive_study_times_every_way_to_score(monkeypatch):
    """Without a compiler for C++ here: the compiled function is the function."""
    monkeypatch.setattr(torch, "compile", lambda way, dynamic: way)
    found = measure_additive(seed=0, queries=3, threads=1, kernels="K", cpu="A")
    stored_ratio = metrics("additive", queries=16)[0]
    assert found.keys() == stored_ratio.keys() and found["dot"] == 1


@pytest.mark.parametrize("part", ["linear", "square"])
def test_timed_encoder_layer_runs_forward_and_backward(part):
    def flops(**options):
        with FlopCounterMode(display=False, custom_mapping=KERNELS) as counter:
            timings.square_score_calls(16, **options)[part]()
        return counter.get_total_flops()

    forward, both = flops(), flops(training=True)
    assert forward == flops(num_heads=8) == {"linear": 24, "square": 1}[part] * 65_536
    assert both / forward == {"linear": 3, "square": 3.5}[part]
