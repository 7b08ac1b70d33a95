"""The benches of the labs: their studies' settings in the terms of their fields."""

from functools import cache

import pytest

from attnlab.bench import (
    AlignmentBench,
    BottleneckBench,
    EncoderBench,
    HeadsBench,
    MemoryBench,
    PartsBench,
    PositionsBench,
    RecallBench,
    WindowsBench,
)
from attnlab.experiments import ablations, encoders, recall
from attnlab.experiments.bottleneck import measure_bottleneck, prepare_bottleneck
from attnlab.experiments.heads import train_look_up
from attnlab.experiments.hopfield import measure_capacity
from attnlab.experiments.positions import train_scheme
from attnlab.experiments.scores import train_variant
from attnlab.experiments.windows import measure_windows

make_bench_once = cache(
    lambda make: make()
)  # a bench takes a while to draw; these only read
STUDY_DEFAULTS = {
    AlignmentBench: train_variant.__kwdefaults__,
    EncoderBench: encoders.train_variant.__kwdefaults__,
    BottleneckBench: prepare_bottleneck.__kwdefaults__
    | measure_bottleneck.__kwdefaults__,
    HeadsBench: train_look_up.__kwdefaults__,
    PositionsBench: train_scheme.__kwdefaults__,
    RecallBench: recall.train_variant.__kwdefaults__
    | {"split": True, "steps": recall.STEPS[recall.LETTERS]},  # as all that is stored
    PartsBench: ablations.measure_ablation.__kwdefaults__,
    MemoryBench: measure_capacity.__kwdefaults__,
    WindowsBench: measure_windows.__kwdefaults__,
}
for_each_lab_bench = pytest.mark.parametrize("make", STUDY_DEFAULTS)


@for_each_lab_bench
def test_lab_bench_starts_at_stored_setting_with_new_seed(make):
    bench = make_bench_once(make)
    stored, runs = bench.stored.nearest(bench.setting())
    assert bench.setting() == stored
    assert int(bench._seeds.value) not in {run["seed"] for run in runs}


@for_each_lab_bench
def test_lab_bench_missing_settings_equal_study_defaults(make):
    for name, value in make_bench_once(make).setting().items():
        if name in STUDY_DEFAULTS[make] and name != "variant":
            assert value == STUDY_DEFAULTS[make][name]


LENGTHS = {str(n): n / 100 for n in range(1, 11)}  # a share of its own for each


@pytest.mark.parametrize(
    ("make", "figures", "told"),
    [
        (BottleneckBench, {"exact_match": LENGTHS}, [5.5]),  # 2 to 9 digits
        (AlignmentBench, {"aer": 0.25, "exact_match": LENGTHS}, [25, 4.5]),  # 3 to 6
        (EncoderBench, {"words": 0.5, "round": 0.25}, [50, 25]),
        (HeadsBench, {"accuracy": 0.5}, [50]),
        (PositionsBench, {"right": LENGTHS}, [1, 4]),
        (RecallBench, {"right": {"64": 0.5, "127": 0.25}}, [25]),
        (PartsBench, {"exact": 0.5}, [50]),
        (WindowsBench, {"right": {"0": 0.5, "8": 0.25}}, [50]),
        (MemoryBench, {"capacity": 7}, [7]),
    ],
)
def test_lab_bench_table_matches_its_measures(make, figures, told):
    bench = make_bench_once(make)
    measures = bench.results.measures.items()
    read = [f(bench.setting(), figures) for name, f in measures if name != "parameters"]
    assert read == pytest.approx(told)
