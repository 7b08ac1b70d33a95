"""Seconds and bytes."""

import time

import pytest
import torch

from attnlab.complexity.measuring import (
    is_out_of_memory,
    measure_in_turn,
    measure_seconds,
    memory_limit,
    peak_memory,
)
from attnlab.device import use_threads


def test_measure_seconds_of_sleep_is_its_length():
    figures = measure_seconds(lambda: time.sleep(0.01), repeats=4)
    assert 0.01 <= figures["low"] <= figures["median"] <= figures["high"]


def test_measure_seconds_slow_call_respects_time_limit():
    calls = []

    def call():
        calls.append(1)
        time.sleep(0.1)

    measure_seconds(call, repeats=100, most=0.05)
    assert len(calls) <= 4


def test_use_threads_restores_thread_count():
    before = torch.get_num_threads()
    seen = set()
    measure_seconds(lambda: seen.add(torch.get_num_threads()), threads=3, least=0)
    assert seen == {3}
    assert torch.get_num_threads() == before
    with pytest.raises(ZeroDivisionError), use_threads(before + 1):
        assert torch.get_num_threads() == before + 1
        1 / 0  # noqa: B018
    assert torch.get_num_threads() == before


def test_peak_memory_counts_simultaneous_tensors(capfd):
    x = torch.randn(1000)  # 4000 bytes each

    def call():
        y = x + 1  # one block
        z = y * 2  # two
        del y
        return z + 1  # two again

    peak = peak_memory(call)
    assert 2 * 4000 <= peak < 2.1 * 4000  # the 1 and the 2 are tensors as well
    assert peak_memory(call) == peak
    assert capfd.readouterr().err == ""  # the profiler is quiet


def test_peak_memory_excludes_earlier_allocations():
    peak_memory(lambda: torch.randn(1000))  # its address may come again
    kept = [torch.randn(1000)]

    def call():
        kept.clear()
        kept.append(torch.randn(1000) + 1)

    assert 2 * 4000 <= peak_memory(call) < 2.1 * 4000


def test_is_out_of_memory_rejects_other_errors():
    with pytest.raises(RuntimeError) as caught, memory_limit():
        torch.empty(10**15)
    assert is_out_of_memory(caught.value)
    assert is_out_of_memory(torch.OutOfMemoryError())
    assert is_out_of_memory(MemoryError())
    assert not is_out_of_memory(RuntimeError("shapes do not fit"))
    assert not is_out_of_memory(ValueError("not enough memory"))
    assert torch.ones(10**6).sum() == 10**6  # and the limit is gone


def test_measure_in_turn_alternates_calls():
    order = []

    def quick():
        order.append("quick")

    def slow():
        order.append("slow")
        time.sleep(0.01)

    figures = measure_in_turn({"quick": quick, "slow": slow}, rounds=3)
    assert order == ["quick", "slow"] * 4  # one turn to warm up
    assert figures["quick"]["ratio"] == {"median": 1.0, "low": 1.0, "high": 1.0}
    assert figures["slow"]["seconds"]["low"] >= 0.01
    assert figures["slow"]["ratio"]["median"] > 10
