import contextlib
import io
import math

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import (
    ODD_NUMBERS,
    ODD_TEXT,
    REFUSED,
    attempt,
    fuzz,
    is_size,
    sizes,
)

from attnlab.complexity import (
    counting,
    fitting,
    grid,
    layers,
    measuring,
    modules,
    roofline,
)
from attnlab.complexity.layers import LAYERS

CELLS = st.one_of(st.sampled_from(["rnn", "gru", "lstm"]), ODD_TEXT)
NAMES = st.one_of(st.sampled_from(list(LAYERS)), ODD_TEXT)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "num_heads": sizes(1, 4), "radius": sizes(0, 5), "kernel_size": sizes(1, 5),
        "num_layers": sizes(1, 3), "d_hidden": st.one_of(st.none(), sizes(1, 4)),
    },
)  # fmt: skip
KINDS = (
    layers.LayerType, layers.SelfAttentionType, layers.MultiHeadType,
    layers.RecurrentType, layers.ConvolutionType, layers.SeparableType,
    layers.DilatedType, layers.BandedType, layers.AdditiveType, layers.layer_type,
    layers.check_sizes,
)  # fmt: skip


@fuzz(*KINDS, counting.count_flops)
@given(name=NAMES, n=sizes(1, 7), d=sizes(1, 8), causal=st.booleans(), options=OPTIONS)
def test_formulas_are_what_is_counted(name, n, d, causal, options):
    kind = attempt(layers.layer_type, name)
    assert (kind is not REFUSED) == (name in LAYERS)
    if kind is REFUSED:
        return
    checked = attempt(layers.check_sizes, n, d)
    assert (checked is not REFUSED) == (is_size(n) and is_size(d))
    own = {key: value for key, value in options.items() if key in kind.options}
    flops = attempt(kind.flops, n, d, causal=causal, **own)
    parameters = attempt(kind.parameters, d, causal=causal, **own)
    module = attempt(kind.build, d, causal=causal, **own)
    if module is not REFUSED and is_size(n):
        assert flops == counting.count_flops(module, torch.randn(1, n, d))
        assert parameters == sum(x.numel() for x in module.parameters())
    else:
        assert flops is REFUSED or parameters is REFUSED or module is REFUSED
    steps = attempt(kind.sequential_operations, n)
    assert (steps is not REFUSED) == is_size(n)


@fuzz(
    *KINDS, counting.count_sequential_operations, counting.count_layers_needed,
    counting.count_path_length, counting.longest_chain, share=0.3,
)  # fmt: skip
@given(name=st.sampled_from(list(LAYERS)), n=sizes(2, 9), causal=st.booleans(),
       options=OPTIONS)  # fmt: skip
def test_chains_and_paths_are_what_is_counted(name, n, causal, options):
    kind = layers.layer_type(name)
    own = {k: v for k, v in options.items() if k in kind.options and k != "num_layers"}
    wanted = attempt(kind.path_length, n, causal=causal, **own)
    found = attempt(counting.count_path_length, kind, n, causal=causal, **own)
    assert found is REFUSED or found == wanted
    if wanted is not REFUSED and found is not REFUSED:
        depth = counting.count_layers_needed(kind, n, causal=causal, **own)
        assert depth == kind.layers_needed(n, causal=causal, **own)
        chain = counting.count_sequential_operations(kind, n, causal=causal, **own)
        if name != "dilated":
            assert chain == kind.sequential_operations(n)
    assert attempt(counting.longest_chain, torch.ones(2)) is REFUSED


MODULES = [
    (modules.SelfAttention, ("num_heads",)),
    (modules.ProjectedAttention, ("num_heads",)),
    (modules.AdditiveSelfAttention, ("d_hidden",)),
    (modules.BandedSelfAttention, ("radius",)),
    (modules.StepwiseRecurrence, ("cell",)),
    (modules.FusedRecurrence, ("cell",)),
    (modules.Convolution, ("kernel_size", "dilation", "groups")),
    (modules.dilated_stack, ("kernel_size", "num_layers")),
    (modules.separable_convolution, ("kernel_size",)),
]


@fuzz(
    *(make for make, _ in MODULES), modules.Stack, modules.generate,
    modules.check_kernel, counting.count_elementwise,
)  # fmt: skip
@given(
    data=st.data(),
    which=st.sampled_from(MODULES),
    d=sizes(1, 6),
    numbers=st.lists(sizes(1, 4), min_size=3, max_size=3),
    causal=st.booleans(),
)
def test_modules_keep_the_shape_and_step_alike(data, which, d, numbers, causal):
    make, names = which
    options = dict(zip(names, numbers, strict=False))
    if "cell" in options:
        options["cell"] = data.draw(CELLS)
    module = attempt(make, d, causal=causal, **options)
    if module is REFUSED:
        return
    x = torch.randn(2, data.draw(st.integers(1, 6)), d)
    with torch.no_grad():
        output = module(x)
        assert output.shape == x.shape and output.isfinite().all()
        if causal:
            again = modules.generate(module, x)
            torch.testing.assert_close(again, output, atol=1e-4, rtol=1e-4)
        elif names == ("kernel_size",):
            assert attempt(modules.generate, module, x) is REFUSED
    assert counting.count_elementwise(module, x) >= 0
    found = attempt(modules.check_kernel, numbers[0], causal)
    fits = is_size(numbers[0]) and (causal or numbers[0] % 2 == 1)
    assert (found is not REFUSED) == fits


POSITIVE = st.one_of(st.floats(1e-3, 1e3), st.integers(1, 99))
REAL = ODD_NUMBERS.filter(lambda x: isinstance(x, int | float))
POINTS = st.lists(
    st.fixed_dictionaries(
        dict.fromkeys(("n", "d", "seconds"), st.one_of(POSITIVE, POSITIVE, REAL))
    ),
    max_size=8,
)


@fuzz(fitting.fit_exponents, fitting.larger_half, fitting.Interval)
@given(points=POINTS, a=st.floats(-3, 3), resamples=sizes(1, 20), seed=sizes(0, 9))
def test_exponents_are_found_or_refused(points, a, resamples, seed):
    found = attempt(fitting.fit_exponents, points, resamples=resamples, seed=seed)
    if found is not REFUSED:
        for low, value, high in found.values():
            assert all(map(math.isfinite, (low, value, high)))
    law = [{"n": n, "seconds": 2.0 * n**a} for n in (1, 2, 5, 9)]
    exponent = fitting.fit_exponents(law, sizes=["n"], resamples=5)["n"]
    assert math.isclose(exponent.value, a, abs_tol=1e-9)
    half = attempt(fitting.larger_half, points, lambda point: point["n"])
    assert (half is REFUSED) == (not points) or half is not None
    if half is not REFUSED:
        assert all(point in points for point in half)


FIGURES = st.lists(
    st.fixed_dictionaries(dict.fromkeys(("median", "low", "high"), st.floats(-1, 1e3))),
    max_size=4,
)


@fuzz(fitting.crossing, fitting.Interval)
@given(at=st.lists(st.floats(-1, 99), max_size=4), one=FIGURES, other=FIGURES)
def test_crossings_lie_between_the_sizes(at, one, other):
    found = attempt(fitting.crossing, sorted(set(at)), one, other)
    if found is not REFUSED and found is not None:
        assert min(at) <= found.value <= max(at)
        assert not any(map(math.isnan, found))


@fuzz(grid.size_grid, grid.small_grid, grid.full_grid, share=0.3)
@given(
    names=st.lists(NAMES, max_size=2),
    lengths=st.lists(sizes(2, 9), max_size=2),
    widths=st.lists(sizes(1, 9), max_size=2),
    threads=sizes(1, 2),
)
def test_grids_hold_what_can_be_measured(names, lengths, widths, threads):
    settings = attempt(grid.size_grid, names, lengths, widths, threads=threads)
    if settings is not REFUSED:
        assert len(settings) <= len(names) * len(lengths) * len(widths)
    for whole in (grid.small_grid, grid.full_grid):
        found = attempt(whole, threads)
        assert (found is not REFUSED) == is_size(threads)


@fuzz(grid.measure, grid.points, grid.print_results, share=0.05)
@given(
    name=NAMES,
    n=sizes(1, 4),
    d=sizes(1, 4),
    phase=st.one_of(st.sampled_from(grid.PHASES), ODD_TEXT),
    batch=sizes(1, 2),
)
def test_a_cell_is_measured_or_refused(name, n, d, phase, batch):
    figures = attempt(grid.measure, 0, name, n, d, phase, batch=batch)
    if figures is REFUSED:
        return
    assert figures["flops"] > 0 and figures["seconds"]["median"] > 0
    setting = {"layer": name, "n": n, "d": d, "phase": phase}
    results = {"runs": [{"setting": setting, "seed": 0, "figures": figures}]}
    (point,) = grid.points(results, layer=name)
    assert point["n"] == n and point["low"] <= point["median"] <= point["high"]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        grid.print_results(results)
    assert name in said.getvalue()


@fuzz(measuring.quartiles)
@given(st.lists(st.floats(-1e6, 1e6), max_size=9))
def test_quartiles_are_numpys(values):
    found = attempt(measuring.quartiles, values)
    assert (found is REFUSED) == (not values)
    if values:
        wanted = np.percentile(values, [25, 50, 75])
        ours = [found[key] for key in ("low", "median", "high")]
        np.testing.assert_allclose(ours, wanted, rtol=1e-9, atol=1e-6)


@fuzz(
    measuring.measure_seconds, measuring.time_once, measuring.measure_in_turn,
    measuring.synchronise, measuring.use_threads, measuring.peak_memory,
    measuring.is_out_of_memory, measuring.memory_limit, share=0.1,
)  # fmt: skip
@given(numbers=st.integers(1, 1000), rounds=sizes(1, 3), threads=sizes(1, 2))
def test_calls_are_measured(numbers, rounds, threads):
    def call():
        return torch.ones(numbers)

    measuring.synchronise()
    assert measuring.time_once(call) > 0
    with measuring.memory_limit():
        assert measuring.peak_memory(call) >= 4 * numbers
    found = attempt(measuring.measure_in_turn, {"a": call, "b": call}, rounds)
    assert (found is not REFUSED) == is_size(rounds)
    before = torch.get_num_threads()
    options = {"threads": threads, "repeats": rounds, "least": 1e-3, "most": 1e-2}
    found = attempt(measuring.measure_seconds, call, **options)
    assert (found is not REFUSED) == (is_size(rounds) and is_size(threads))
    assert torch.get_num_threads() == before

    def limited():
        with measuring.use_threads(threads):
            return torch.get_num_threads()

    assert attempt(limited) in (threads, REFUSED)
    assert measuring.is_out_of_memory(MemoryError())
    assert not measuring.is_out_of_memory(RuntimeError("something else"))


@fuzz(
    roofline.Roofline,
    roofline.count_bytes,
    roofline.count_steps,
    roofline.fit_roofline,
)
@given(
    name=NAMES,
    n=sizes(1, 7),
    d=sizes(1, 8),
    phase=st.sampled_from(["forward", "generation"]),
    times=st.lists(st.one_of(st.floats(1e-6, 1.0), ODD_NUMBERS), max_size=6),
)
def test_a_fitted_model_gives_a_time(name, n, d, phase, times):
    point = {"layer": name, "n": n, "d": d, "phase": phase, "flops": 100}
    known = name in LAYERS and is_size(n) and is_size(d)
    touched, steps = (
        attempt(count, point) for count in (roofline.count_bytes, roofline.count_steps)
    )
    assert (touched is not REFUSED) == known
    assert touched is REFUSED or (touched > 0 and steps in (1, n))
    points = [{**point, "seconds": seconds} for seconds in times]
    fitted = attempt(roofline.fit_roofline, points)
    if fitted is not REFUSED:
        assert known and len(times) >= 4
        assert 0 < fitted.seconds(point) < math.inf
