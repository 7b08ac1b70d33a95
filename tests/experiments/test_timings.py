"""Times by turns: what is compared does the same work."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attnlab.attention import scaled_dot_product_attention
from attnlab.complexity.counting import KERNELS
from attnlab.experiments import timings
from attnlab.experiments.timings import (
    QUESTIONS,
    measure,
    stored,
)


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
def test_two_ways_to_the_same_result(question, sizes, first, second):
    calls = QUESTIONS[question](**sizes)
    one, other = calls[first](), calls[second]()
    if isinstance(one, tuple):  # output and weights
        one = one[0]
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


def test_a_window_is_attention_under_a_mask():
    torch.manual_seed(0)
    query, memory = torch.randn(4, 1, 8), torch.randn(4, 9, 8)
    centre = torch.tensor([0, 1, 5, 8])
    near = (torch.arange(9) - centre[:, None, None]).abs() <= 2  # (4, 1, 9)
    masked, _ = scaled_dot_product_attention(query, memory, memory, near, scale=1.0)
    torch.testing.assert_close(timings.local_attend(query, memory, centre, 2), masked)


def test_the_tanh_is_all_that_is_left_out():
    torch.manual_seed(0)
    additive = timings.AdditiveScore(4, 4, 5)
    q, k = 1e-3 * torch.randn(2, 3, 4), 1e-3 * torch.randn(2, 6, 4)
    for layer in (additive.query_layer, additive.key_layer):
        if layer.bias is not None:
            torch.nn.init.zeros_(layer.bias)
    # tanh(x) is x where x is small
    torch.testing.assert_close(
        timings.without_tanh(additive, q, k), additive(q, k), atol=1e-7, rtol=1e-4
    )


@torch.no_grad()
def test_a_loop_has_the_additive_scores_with_a_tanh_and_without():
    torch.manual_seed(0)
    score, q, k = (
        timings.AdditiveScore(4, 4, 5),
        torch.randn(2, 3, 4),
        torch.randn(2, 6, 4),
    )
    loop = timings.in_one_loop(torch.tanh, score, q, k)
    torch.testing.assert_close(loop, score(q, k))
    loop = timings.in_one_loop(lambda hidden: hidden, score, q, k)
    torch.testing.assert_close(loop, timings.without_tanh(score, q, k))


def test_what_is_fused_is_compiled_afresh_and_compared(monkeypatch):
    """Without a compiler for C++ here: the compiled function is the function."""
    compiled = []

    def compile_(way, dynamic):
        assert torch._inductor.config.force_disable_caches
        compiled.append(way)
        return way

    monkeypatch.setattr(torch, "compile", compile_)
    calls = QUESTIONS["fused scores"](queries=3)
    assert len(compiled) == 3
    scores = calls["dot"]()
    torch.testing.assert_close(calls["by entries, fused"](), scores)
    monkeypatch.setattr(torch, "compile", lambda way, dynamic: lambda q, k: scores)
    with pytest.raises(AssertionError, match="not close"):
        QUESTIONS["fused scores"](queries=3)


def test_a_call_twice_as_long_has_a_ratio_of_two(monkeypatch):
    def spin(numbers):
        return lambda: sum(range(numbers))

    calls = {"short": spin(50_000), "long": spin(100_000)}
    monkeypatch.setitem(QUESTIONS, "spin", lambda: calls)
    ratios = measure(question="spin")
    assert ratios["short"] == 1.0
    assert 1.6 < ratios["long"] < 2.4


def test_a_stored_ratio_is_the_median_of_its_repeats(monkeypatch):
    runs = [
        {
            "setting": {"question": "q", "n": 1, "kernels": kernels},
            "seed": seed,
            "figures": {"call": ratio},
        }
        for kernels, ratios in (("A", (9.0, 2.0, 3.0)), ("B", (1.0, 1.5, 0.5)))
        for seed, ratio in enumerate(ratios)
    ]
    monkeypatch.setattr(timings, "load", lambda name: {"name": name, "runs": runs})
    assert stored("q", "call", n=1) == {"A": 3.0, "B": 1.0}


def test_what_is_stored_is_what_is_measured():
    """Calls have the same names; a factor of hundreds is seen on any machine."""
    assert measure(question="loop", words=48)["loop"] > 20
    assert min(stored("loop", "loop", words=48).values()) > 20


@pytest.mark.parametrize("part", ["linear", "square"])
def test_an_encoder_layer_is_timed_forward_and_back(part):
    def flops(**options):
        with FlopCounterMode(display=False, custom_mapping=KERNELS) as counter:
            timings.square_calls(16, **options)[part]()
        return counter.get_total_flops()

    forward, both = flops(), flops(training=True)
    assert forward == flops(num_heads=8) == {"linear": 24, "square": 1}[part] * 65_536
    assert both / forward == {"linear": 3, "square": 3.5}[part]
