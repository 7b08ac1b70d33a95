"""What holds of every study: its runs repeat, bad settings are named, all is stored."""

import pkgutil
import random
from importlib import import_module
from itertools import product

import pytest
import torch

from attnlab import experiments, store
from attnlab.data import NumberPairs
from attnlab.experiments import (
    additive,
    bottleneck,
    crossings,
    heads,
    hopfield,
    jobs,
    minilm,
    misled,
    numerals,
    positions,
    readers,
    recall,
    recurrences,
    rivals,
    scores,
    silence,
    timings,
    windows,
    writers,
)
from attnlab.experiments.study import TUNING_SEED, Study
from attnlab.recurrent import count_parameters
from attnlab.store import grid, load, select

pytestmark = pytest.mark.slow

MODULES = [
    import_module(f"attnlab.experiments.{found.name}")
    for found in pkgutil.iter_modules(experiments.__path__)
]
ALL_STUDIES = [
    study
    for module in MODULES
    for study in vars(module).values()
    if isinstance(study, Study)
]
STUDIES = {study.name: study for study in ALL_STUDIES}


# What is measured ---------------------------------------------------------------------

# A setting of each study that takes a moment.
ANY_RATE = {"lr": 0.01}
SHORT = {"steps": 3, **ANY_RATE}
SMALL_TRAINING = {"d_model": 8, "train_numbers": 64, "epochs": 1}
SEQUENCES = {"train_sequences": 64, "test_sequences": 20}
SMALL_SETTINGS = [
    ("ablations", {"variant": "no FFN", "test_numbers": 30, **SHORT}),
    ("ablations.norms", {"norm_first": True, "warmup": 0.1, "test_numbers": 9} | SHORT),
    ("bottleneck", {"longest": 4} | SMALL_TRAINING),
    ("encoders", {"variant": "none", "train_numbers": 64, **SHORT}),
    ("encoders.order_blind", {"digits": (1, 4)}),
    ("glimpses", {"kind": "item", "hard": True, **SHORT}),
    ("hard", {"estimator": "hard", **ANY_RATE, **SMALL_TRAINING}),
    ("hard", {"estimator": "straight-through", **ANY_RATE, **SMALL_TRAINING}),
    ("heads", {"asked": 1, "num_heads": 2, **SHORT}),
    ("heads.places", {"num_heads": 2, **SHORT}),
    ("heads.subspaces", {"asked": 1, "steps": 3}),
    ("hopfield", {"network": "modern", "d": 8}),
    ("influence", {"variant": "general", "longest": 6, **ANY_RATE, **SMALL_TRAINING}),
    ("interference", {"rule": "sum", "d": 8, "alike": 0.0}),
    ("interference.small", {"rule": "delta", "d": 2}),
    ("jobs", {"steps": 3, "train_numbers": 400}),
    ("jobs.ways", {"steps": 100, "train_numbers": 400}),  # some are right then
    ("memory", {"cell": "gru", "distance": 5, "mixed": True, "steps": 3}),
    (
        "memory.starts",
        {"cell": "gru", "distance": 5, "mixed": False, "keep": 3.0} | SHORT,
    ),
    ("memory.ungated", {"cell": "rnn", "distance": 5, "mixed": True} | SHORT),
    ("misled", {"task": "kept", "variant": "full", **SHORT}),
    ("numerals", {"variant": "gru", "test_numbers": 30, **SHORT}),
    (
        "pooling",
        {"task": "common", "pooling": "attention", "length": 20, **SHORT, "steps": 30},
    ),
    ("positions", {"task": "previous", "scheme": "rotary", **SHORT}),
    ("positions.starts", {"task": "previous", "scheme": "random start", **SHORT}),
    ("readers", {"kind": "reader", **ANY_RATE}),
    ("recall", {"variant": "attention", "items": 1, **SHORT, **SEQUENCES}),
    ("recall.split", {"variant": "gru", "items": 4, "split": True} | SHORT | SEQUENCES),
    ("recurrences", {"contender": "gated, side 2", "before": False, **SHORT}),
    ("scale", {"scale": "1/d", "d_model": 16, "train_numbers": 64, **SHORT}),
    ("scores", {"variant": "general", **ANY_RATE, **SMALL_TRAINING}),
    ("silence", {"steps": 3}),
    ("silence.orders", {"num_layers": 2, "steps": 3}),
    ("tables", {"scheme": "learned, loud", **SHORT}),
    ("windows", {"task": "far", "variant": "full", **SHORT, **SEQUENCES}),
]


# What is judged head by head, or from afar, is judged by few.
FEW_TEST_EXAMPLES = [
    (jobs, {"MAX_JUDGED": 20}),
    (silence, {"TRAIN_NUMBERS": 400, "JUDGED": slice(0, 20), "POOL": slice(20, 60)}),
    (misled, {"TEST_SEQUENCES": 20}),
    (readers, {"STEPS": {"reader": 3}, "TRAIN_NUMBERS": 64, "TEST_NUMBERS": 20}),
]
NEWER_METRICS = {"swapped"}  # by pooling, which a chapter runs live


def without_times(figures):
    return {name: value for name, value in figures.items() if "seconds" not in name}


@pytest.mark.weekly
@pytest.mark.parametrize(("name", "setting"), SMALL_SETTINGS)
def test_study_run_repeats_and_has_stored_fields(name, setting, tmp_path, monkeypatch):
    for module, few in FEW_TEST_EXAMPLES:
        for constant, value in few.items():
            monkeypatch.setattr(module, constant, value)
    measure, found = STUDIES[name].measure, []
    for folder, seed in (("a", 0), ("b", 0), ("c", 1)):
        options = {"folder": tmp_path / folder, "progress": False}
        (run,) = store.run(name, measure, [setting], [seed], **options)["runs"]
        found.append(without_times(run["figures"]))
    first, again, other = found
    assert first == again != other
    stored = [run["figures"].keys() for run in load(name)["runs"]]
    assert any(first.keys() - NEWER_METRICS <= keys for keys in stored)


NUMBERS = NumberPairs([1])
SPINS = hopfield.random_spins(2, 8, torch.Generator())


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: heads.subspace_overlap(torch.ones(2, 4), torch.ones(3, 4)), "r ≤ d"),
        (lambda: hopfield.share_found("boltzmann", SPINS, torch), "'boltzmann'"),
        (lambda: minilm.measure(seed=0, question="why"), "question"),
        (lambda: positions.build("previous", "tidal", 10), "'tidal'"),
        (lambda: positions.make_data("guess"), "'guess'"),
        (lambda: recall.build("lstm"), "'lstm'"),
        (lambda: recurrences.build("mamba"), "'mamba'"),
        (lambda: recall.make_sequence(random.Random(0), 5), "got 5"),
        (lambda: rivals.build("lstm", 10, 10), "'lstm'"),
        (lambda: scores.build(NUMBERS, "loud", 16), "variant"),
        (lambda: timings.measure(question="why"), "'why'"),
        (lambda: windows.make_pairs("near", 1, 0), "'near'"),
    ],
)
def test_studies_reject_unknown_settings(call, named):
    with pytest.raises(ValueError, match=named):
        call()


@pytest.mark.parametrize(
    ("build", "contenders", "most"),
    [
        (
            lambda make: make(NUMBERS, 32),
            [bottleneck.plain_model, bottleneck.attentive_model],
            1,
        ),
        (lambda name: scores.build(NUMBERS, name, 16), ["none", "general"], 1),
        (numerals.build, numerals.VARIANTS, 1.01),
        pytest.param(  # each width is searched for
            *(recall.build, recall.SPLIT_VARIANTS, 1.05), marks=pytest.mark.weekly
        ),
        (lambda name: rivals.build(name, 2000, 2239), rivals.VARIANTS, 1.02),
        (lambda kind: writers.make_writer(kind, 3000), writers.KINDS, 1.002),
    ],
)
def test_study_contenders_have_similar_parameter_counts(build, contenders, most):
    sizes = [count_parameters(build(contender)) for contender in contenders]
    assert max(sizes) <= most * min(sizes)


# What is stored -----------------------------------------------------------------------

RIVALS_SETTINGS = [rivals.best_setting(kind) for kind in rivals.KINDS]
ADDITIVE_SETTINGS = grid(queries=additive.QUERIES, threads=additive.THREADS)
LONGER_SETTINGS = grid(
    task=["places"], scheme=positions.ADDED_TABLES, steps=[positions.LONGER_STEPS]
)
# What no study says at its module's foot: some of the settings, how many seeds.
COMPOSED_RESULTS = [
    ("additive", ADDITIVE_SETTINGS, 3),
    ("crossings", crossings.SETTINGS, 3),
    ("timings", timings.SETTINGS, 3),
    ("timings.passes", timings.PARTS["passes"], 3),
    ("timings.square", timings.PARTS["square"], 5),
    ("timings.compiled", timings.PARTS["compiled"], 5),
    ("timings.wide", timings.PARTS["wide"], 3),
    ("positions", LONGER_SETTINGS, 5),
    ("recall.split", recall.LATE_SETTINGS, 1),
    ("rivals", RIVALS_SETTINGS, 3),
    ("rivals.rest", [rivals.best_setting(k) for k in ("transformer", "gru")], 3),
    ("rivals.parts", rivals.WITHOUT + rivals.LINEAR, 3),
    ("rope_scaling", grid(task=positions.TASKS), 5),
]
TIMED_RESULTS = ("additive", "crossings", "timings", "timings.passes", "timings.square")
KERNELS = {name: ["AVX512", "AVX2", "DEFAULT"] for name in TIMED_RESULTS}
KERNELS["timings.compiled"] = ["AVX512"]
KERNELS["timings.wide"] = ["AVX2"]
SEEDS = {"searches": 1, "numerals.speed": 3, "rivals.speed": 3, "ablations.norms": 3}
SEEDS |= {
    "recurrences.longer": 1,
    "roofline": 1,
    "writers": 1,
    "writers.counts": 1,
    "writers.longer": 1,
    "misled": 2,
    "tables.plenty": 3,
}
SEEDS |= {"minilm": 3, "minilm_inside": 3, "minilm_changes": 3}


def stored_seeds(name, setting):
    """The seeds that are stored with just this setting."""
    runs = load(name)["runs"]
    return sorted(run["seed"] for run in runs if run["setting"] == setting)


@pytest.mark.parametrize("study", ALL_STUDIES, ids=lambda study: study.name)
def test_study_stores_every_seed_at_tuned_rate(study):
    name = study.name
    for setting in study.settings:
        for lr in study.rates:
            tried = stored_seeds(f"{name}.tuning", setting | {"lr": lr})
            assert tried == list(study.tuning_seeds)
        if study.choose:
            setting = setting | {"lr": study.best_rate(**setting)}
        if study is not rivals.TUNING:
            assert stored_seeds(name, setting) == list(range(SEEDS.get(name, 5)))


@pytest.mark.parametrize(("name", "settings", "seeds"), COMPOSED_RESULTS)
def test_composed_results_are_stored_for_all_kernels(name, settings, seeds):
    for setting, kernels in product(settings, KERNELS.get(name, [None])):
        runs = select(load(name), **setting, kernels=kernels)
        assert {run["seed"] for run in runs} == set(range(seeds))
        if kernels:
            threads = setting.get("threads", 1)
            assert {run["machine"]["threads"] for run in runs} == {threads}


@pytest.mark.parametrize(
    "name", sorted(path.stem for path in store.RESULTS.glob("*.json"))
)
def test_study_tuning_seeds_are_separate(name):
    seeds = {run["seed"] for run in load(name)["runs"]}
    assert {seed >= TUNING_SEED for seed in seeds} == {"tuning" in name}
