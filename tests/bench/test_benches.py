"""The benches of chapters 1 and 2: their studies' settings in their own terms."""

import pytest

from attnlab.bench import AlignmentBench, BottleneckBench
from attnlab.bench.alignment import DECODERS
from attnlab.experiments.bottleneck import measure_bottleneck, prepare_bottleneck
from attnlab.experiments.scores import train_variant
from attnlab.recurrent import count_parameters

BOTH = pytest.mark.parametrize("make", [AlignmentBench, BottleneckBench])
DEFAULTS = {
    AlignmentBench: train_variant.__kwdefaults__,
    BottleneckBench: prepare_bottleneck.__kwdefaults__
    | measure_bottleneck.__kwdefaults__,
}
UNSAID = {  # never in a stored setting
    AlignmentBench: ("d_model", "longest", "epochs"),
    BottleneckBench: ("train_numbers", "cell"),
}


@BOTH
def test_it_begins_with_a_stored_setting_and_a_seed_of_its_own(make):
    bench = make()
    setting = bench.setting()
    stored, runs = bench.stored.nearest(setting)
    assert setting == {**stored, "seed": setting["seed"]}
    assert setting["seed"] not in {run["seed"] for run in runs}


@BOTH
def test_what_a_stored_setting_leaves_unsaid_are_the_study_s_defaults(make):
    for setting, _ in make().stored.groups:
        for name in UNSAID[make]:
            assert setting[name] == DEFAULTS[make][name]


def test_what_only_some_settings_say_is_the_study_s_default_in_the_others():
    plain = BottleneckBench().as_setting({"d_model": 64})
    for name in ("epochs", "longest"):
        assert plain[name] == DEFAULTS[BottleneckBench][name]
    assert plain["direction"] == "forward" and not plain["attention"]
    assert BottleneckBench().as_setting({"d_model": 64, "context": "state"}) is None


@BOTH
def test_the_network_is_as_large_as_the_stored_one(make):
    bench = make()
    for setting, runs in bench.stored.groups:
        model, pairs = bench.untrained(setting)
        assert count_parameters(model) == runs[0]["figures"]["parameters"]
        assert set(pairs.lengths) == {setting["longest"]}


def test_every_score_goes_with_every_decoder():
    bench = AlignmentBench()
    assert len({setting["decoder"] for setting, _ in bench.stored.groups}) == 3
    (scores,) = [field.options for field in bench.fields if field.name == "score"]
    for score in scores:
        for decoder in DECODERS:
            bench.set(score=score, decoder=decoder, d_model=8)
            assert count_parameters(bench.untrained(bench.setting())[0]) > 0


def test_the_learning_rate_is_that_of_the_nearest_variant(monkeypatch):
    bench, seen = AlignmentBench(), {}
    monkeypatch.setattr("attnlab.bench.alignment.measure_scores", seen.update)
    bench.set(score="general", decoder="Luong, fed", d_model=16)
    bench.measure(bench.setting(), print)
    assert seen["lr"] == 3e-3 and seen["input_feeding"] and seen["d_model"] == 16
    bench.set(decoder="Luong")
    bench.measure(bench.setting(), print)
    assert seen["lr"] == 1e-2


def test_an_epoch_is_counted_as_the_study_has_it(monkeypatch):
    assert AlignmentBench().examples({}) == DEFAULTS[AlignmentBench]["train_numbers"]
    bench, seen = BottleneckBench(), []

    def train(model, pairs, **options):
        seen.append(len(pairs))
        raise InterruptedError

    monkeypatch.setattr("attnlab.experiments.bottleneck.train", train)
    bench.set(longest=5, train_numbers=2_000, direction="backward")
    with pytest.raises(InterruptedError):
        bench.measure(bench.setting(), print)
    assert seen == [bench.examples(bench.setting())]
