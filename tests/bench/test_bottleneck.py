"""Chapter 1's bench: the study's settings in its own terms."""

from attnlab.bench import BottleneckBench
from attnlab.experiments.bottleneck import measure_bottleneck, prepare_bottleneck
from attnlab.recurrent import count_parameters


def test_it_begins_with_a_stored_setting_and_a_seed_of_its_own():
    bench = BottleneckBench()
    setting = bench.setting()
    stored, runs = bench.stored.nearest(setting)
    assert setting == {**stored, "seed": setting["seed"]}
    assert setting["seed"] not in {run["seed"] for run in runs}


def test_what_a_stored_setting_leaves_unsaid_are_the_study_s_defaults():
    bench = BottleneckBench()
    defaults = {
        **prepare_bottleneck.__kwdefaults__,
        **measure_bottleneck.__kwdefaults__,
    }
    for setting, _ in bench.stored.groups:
        assert setting["train_numbers"] == defaults["train_numbers"]
        assert setting["cell"] == defaults["cell"]
    plain = bench.as_setting({"d_model": 64})
    assert plain["epochs"] == defaults["epochs"]
    assert plain["longest"] == defaults["longest"]
    assert plain["direction"] == "forward" and not plain["attention"]
    assert bench.as_setting({"d_model": 64, "context": "state"}) is None


def test_the_network_is_as_large_as_the_stored_one():
    bench = BottleneckBench()
    for setting, runs in bench.stored.groups:
        model, pairs = bench.untrained(setting)
        assert count_parameters(model) == runs[0]["figures"]["parameters"]
        assert set(pairs.lengths) == {setting["longest"]}


def test_an_epoch_is_counted_as_the_study_has_it(monkeypatch):
    bench, seen = BottleneckBench(), []

    def train(model, pairs, **options):
        seen.append(len(pairs))
        raise InterruptedError

    monkeypatch.setattr("attnlab.experiments.bottleneck.train", train)
    bench.set(longest=5, train_numbers=2_000, direction="backward")
    setting = bench.setting()
    try:
        bench.measure(setting, print)
    except InterruptedError:
        assert seen == [bench.examples(setting)]
